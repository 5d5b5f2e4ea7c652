/**
 * Pages to write, one after the other, in the shapes of both libraries. What they are made of is made before, so that
 * making a page takes a small part of the time of writing it.
 */
import { Random, w3cDate } from './random.js';

const random = new Random(1);
const LANGUAGES = ['de', 'fr', 'es', 'pt-BR', 'x-default'];
const PATHS = Array.from({ length: 9973 }, () => `${random.words(1)}/${random.words(3).join('-')}`);
const DATES = Array.from({ length: 9973 }, () => w3cDate(random.date()));
const FREQUENCIES = ['daily', 'weekly', 'monthly'];
const EXTENSIONS = Array.from({ length: 997 }, (_, number) => extensionsOf(number));

/** @param {{ count: number, isRich: boolean, shape: 'ours' | 'sitemap.js' }} work */
export function* pagesToWrite({ count, isRich, shape }) {
  const isOurs = shape === 'ours';
  for (let number = 0; number < count; number++) {
    const url = `https://www.example.com/${PATHS[number % 9973]}-${number}.html`;
    // Hardly a date follows itself.
    const date = DATES[(number * 31) % 9973];
    const page = isOurs ? { url, lastModified: date } : { url, lastmod: date };
    if (number % 3 === 0) {
      page[isOurs ? 'changeFrequency' : 'changefreq'] = FREQUENCIES[(number % 7) & 1];
      page.priority = (number % 11) / 10;
    }
    yield isRich ? Object.assign(page, EXTENSIONS[number % 997][shape]) : page;
  }
}

/** Literals, not spread from others: V8 gives such objects a hidden class each, which slows every reader down. */
function extensionsOf(number) {
  const date = DATES[number];
  const title = random.title(number).replace('&amp;', '&');
  const images = [1, 2, 3].map((image) => ({
    loc: `https://img.example.com/${random.words(2).join('/')}/${number}-${image}.jpg`,
    title: `${random.words(6).join(' ')} – ${image}`,
    caption: random.words(9).join(' '),
  }));
  const video = {
    thumbnail: `https://img.example.com/thumbs/${number}.jpg`,
    title: `${random.words(5).join(' ')} ${number}`,
    description: random.words(20).join(' '),
    content: `https://video.example.com/${number}.mp4`,
    duration: random.upTo(7200) + 1,
  };
  const alternates = LANGUAGES.map((language) => ({
    language,
    href: `https://www.example.com/${language}/${random.words(2).join('-')}-${number}.html`,
  }));
  return {
    ours: {
      newsStory: {
        title,
        publishDate: date,
        publicationName: 'The Example Times',
        publicationLanguage: 'en',
      },
      images,
      videos: [
        {
          thumbnailLoc: video.thumbnail,
          title: video.title,
          description: video.description,
          contentLoc: video.content,
          duration: video.duration,
          publicationDate: date,
        },
      ],
      alternates: alternates.map(({ language, href }) => ({ hreflang: language, href })),
    },
    'sitemap.js': {
      news: { publication: { name: 'The Example Times', language: 'en' }, publication_date: date, title },
      img: images.map(({ loc, ...more }) => ({ url: loc, ...more })),
      video: [
        {
          thumbnail_loc: video.thumbnail,
          title: video.title,
          description: video.description,
          content_loc: video.content,
          duration: video.duration,
          publication_date: date,
        },
      ],
      links: alternates.map(({ language, href }) => ({ lang: language, url: href })),
    },
  };
}
