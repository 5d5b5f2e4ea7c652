/** Stray closing tags and opening tags that are never closed, put into well-formed documents. */

/** Closing tags that close nothing: the format knows none of these names, and no document here opens them. */
const STRAY = ['</p>', '</br>', '</P >', '</x:y>', `</${'s'.repeat(80)}>`];

/** Opening tags that are never closed. They may declare prefixes, but not what names without a prefix mean. */
const UNCLOSED = ['<hr>', '<img src="a.png">', '<font color=red>', '<w:w xmlns:w="urn:example:w">', '<o:p>'];

/** The default namespace of a web page, which is not the one of any format here. */
const PAGE = '<center xmlns="http://www.w3.org/1999/xhtml">';

const TOKENS =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(?:"[^"]*"|'[^']*'|[^"'>])*>|&[^;]*;|[\s\S]/gu;

/** Where tags may be put into a document, and how many tags are open there. */
function placesIn(document: string): readonly { readonly at: number; readonly depth: number }[] {
  const places: { at: number; depth: number }[] = [];
  let depth = 0;
  for (const { 0: token, index } of document.matchAll(TOKENS)) {
    if (depth > 0) places.push({ at: index, depth });
    if (/^<[^!?]/.test(token) && !token.endsWith('/>')) depth += token.startsWith('</') ? -1 : 1;
  }
  return places;
}

export interface UnmatchedTags {
  readonly document: string;
  readonly stray: number;
  readonly unclosed: number;
}

/**
 * Puts unmatched tags into a well-formed document, inside of its root and outside of its tags. Those of a web page are
 * only put where entries are: inside of one, a `title` of a page could not be told from that of the entry.
 *
 * @param choices - numbers from 0 up to, not including, 1: two for each tag
 * @param depth - how many tags are around an entry
 */
export function withUnmatchedTags(
  document: string,
  choices: readonly number[],
  depth: number,
): UnmatchedTags {
  const places = placesIn(document);
  const tags: { at: number; tag: string }[] = [];
  const counts = { stray: 0, unclosed: 0 };
  for (let index = 0; index + 1 < choices.length && places.length > 0; index += 2) {
    const place = places[Math.floor(choices[index]! * places.length)]!;
    const kinds = [...STRAY, ...UNCLOSED, ...(place.depth === depth ? [PAGE] : [])];
    const tag = kinds[Math.floor(choices[index + 1]! * kinds.length)]!;
    counts[tag.startsWith('</') ? 'stray' : 'unclosed']++;
    tags.push({ at: place.at, tag });
  }
  tags.sort((left, right) => right.at - left.at);
  let text = document;
  for (const { at, tag } of tags) text = `${text.slice(0, at)}${tag}${text.slice(at)}`;
  return { document: text, ...counts };
}
