/** An XML sitemap with everything: in each entry a news story, three images, a video and five alternates. */
import { Random, w3cDate } from './random.js';

const LANGUAGES = ['de', 'fr', 'es', 'pt-BR', 'x-default'];

export function rich(seed, entries) {
  const random = new Random(seed);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
    '        xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
    '        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
    '        xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"',
    '        xmlns:xhtml="http://www.w3.org/1999/xhtml">',
  ];
  for (let number = 0; number < entries; number++) {
    const page = (seed - 1) * entries + number;
    const published = w3cDate(random.date());
    lines.push(
      '  <url>',
      `    <loc>${random.pageUrl(page)}</loc>`,
      `    <lastmod>${w3cDate(random.date())}</lastmod>`,
      '    <news:news>',
      '      <news:publication>',
      '        <news:name>The Example Times</news:name>',
      '        <news:language>en</news:language>',
      '      </news:publication>',
      `      <news:publication_date>${published}</news:publication_date>`,
      `      <news:title>${random.title(page)}</news:title>`,
      '    </news:news>',
      ...[1, 2, 3].flatMap((image) => [
        '    <image:image>',
        `      <image:loc>https://img.example.com/${random.words(2).join('/')}/${page}-${image}.jpg</image:loc>`,
        `      <image:title>${random.title(image)}</image:title>`,
        `      <image:caption>${random.words(9).join(' ')}</image:caption>`,
        '    </image:image>',
      ]),
      '    <video:video>',
      `      <video:thumbnail_loc>https://img.example.com/thumbs/${page}.jpg</video:thumbnail_loc>`,
      `      <video:title>${random.words(5).join(' ')} ${page}</video:title>`,
      `      <video:description>${random.words(20).join(' ')}</video:description>`,
      `      <video:content_loc>https://video.example.com/${page}.mp4</video:content_loc>`,
      `      <video:duration>${random.upTo(7200) + 1}</video:duration>`,
      `      <video:publication_date>${published}</video:publication_date>`,
      '    </video:video>',
      ...LANGUAGES.map(
        (language) =>
          `    <xhtml:link rel="alternate" hreflang="${language}" href="https://www.example.com/${language}/${random.words(2).join('-')}-${page}.html"/>`,
      ),
      '  </url>',
    );
  }
  lines.push('</urlset>', '');
  return lines.join('\n');
}
