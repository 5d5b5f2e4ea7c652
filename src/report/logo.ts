/** The image in the head of a report: it is part of the file, so it has to be small and known. */
import { badOption } from '../options/names.ts';

const MOST_OF_LOGO = 256 * 1024;

/** The first bytes of the images that browsers show. An SVG in an image element runs no script. */
const IMAGES: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/svg+xml', /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|svg)/],
];

/** The image as an address. @throws SitemapException with code `bad-option` where it is none, or too large */
export function dataUrlOf(logo: Uint8Array): string {
  const start = Buffer.from(logo.subarray(0, 64)).toString('latin1');
  const [type] = IMAGES.find(([, pattern]) => pattern.test(start)) ?? [];
  if (type === undefined || logo.length > MOST_OF_LOGO) {
    const message = 'The option "logo" must be a PNG, JPEG, GIF, WebP or SVG image of at most 256 KiB.';
    throw badOption(message, 'logo');
  }
  return `data:${type};base64,${Buffer.from(logo).toString('base64')}`;
}
