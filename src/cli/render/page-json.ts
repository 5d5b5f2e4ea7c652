/** A page in JSON, with every URL in it as it is to be shown: those of its images, videos and translations too. */
import type { SitemapPage, SitemapPageJSON } from '../../index.ts';
import type { Style } from './format.ts';

export function pageJson(page: SitemapPage, { shorten, isShort }: Style): SitemapPageJSON {
  const json = page.toJSON();
  if (!isShort) return json;
  json.url = shorten(json.url);
  const shortened = <Thing extends object>(thing: Thing, ...names: readonly (keyof Thing)[]): Thing => {
    const copy = { ...thing };
    for (const name of names) {
      const url = thing[name];
      if (typeof url === 'string') Object.assign(copy, { [name]: shorten(url) });
    }
    return copy;
  };
  if (json.images !== undefined) json.images = json.images.map((image) => shortened(image, 'loc', 'license'));
  if (json.alternates !== undefined) json.alternates = json.alternates.map((one) => shortened(one, 'href'));
  if (json.videos !== undefined) {
    json.videos = json.videos.map((video) => {
      const copy = shortened(video, 'thumbnailLoc', 'contentLoc', 'playerLoc');
      if (copy.uploader !== undefined) copy.uploader = shortened(copy.uploader, 'info');
      return copy;
    });
  }
  return json;
}
