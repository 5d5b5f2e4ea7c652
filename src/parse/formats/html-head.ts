/**
 * The head of an HTML page, tag by tag, and what the `Link:` header of a page says besides it.
 *
 * The scanner of XML reads it: of HTML it needs no more than tags and attributes. `htmlparser2` was measured for this:
 * 45 ms of CPU to load, 10 ms where it is bundled, and 50 kB more in a browser.
 */
import { asciiString, TextDecoding } from '../values/text.ts';
import { Attributes } from '../xml/attributes.ts';
import { Scanner } from '../xml/scanner.ts';

/** How much of a page is read: heads of a megabyte exist, but say early what search engines need. */
const MAX_HTML_BYTES = 512 * 1024;
/** What is inside of these are not tags of the page. */
const RAW_TEXT: ReadonlySet<string> = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'noscript',
  'template',
]);

/** Hears of a start tag by its name in lower case, and may ask for its attributes. */
export type HeadTag = (name: string, attribute: (name: string) => string | undefined) => void;

/** Reads a page no further than its head. @returns whether the head was read to its end, which may be that of the page */
export async function readHead(chunks: AsyncIterable<Uint8Array>, onTag: HeadTag): Promise<boolean> {
  const attributes = new Attributes();
  const decoding = new TextDecoding();
  const attribute = (name: string): string | undefined => attributes.get(name, decoding)?.trim();
  let rawText: string | undefined;
  let isOver = false;
  const nameAt = (start: number, end: number): string =>
    asciiString(scanner.bytes, start, Math.min(end, start + 16)).toLowerCase();
  const nothing = (): void => {};
  const scanner = new Scanner(
    {
      openTag(nameStart, nameEnd) {
        if (isOver || rawText !== undefined) return;
        const name = nameAt(nameStart, nameEnd);
        if (RAW_TEXT.has(name)) rawText = name;
        else if (name === 'body') isOver = true;
        else onTag(name, attribute);
      },
      closeTag(nameStart, nameEnd) {
        const name = nameAt(nameStart, nameEnd);
        if (rawText === undefined) isOver ||= name === 'head';
        else if (name === rawText) rawText = undefined;
      },
      ...{ text: nothing, cdata: nothing, doctype: nothing, problem: nothing, chunkEnd: nothing },
    },
    attributes,
  );
  let left = MAX_HTML_BYTES;
  for await (const chunk of chunks) {
    scanner.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (isOver || left <= 0) return isOver;
  }
  scanner.end();
  return true;
}

/** One link of a `Link:` header (RFC 8288). */
export interface HeaderLink {
  readonly href: string;
  /** In lower case. */
  readonly rel: readonly string[];
  readonly type: string;
}

/** The links of a `Link:` header. */
export function linksOfHeader(header: string): HeaderLink[] {
  const links = header.slice(0, 16_384).matchAll(/<([^<>]*)>((?:\s*;[^,<]*)*)/g);
  return Array.from(links, ([, href = '', parameters = '']) => ({
    href,
    rel: parameterOf(parameters, 'rel').toLowerCase().split(/\s+/),
    type: parameterOf(parameters, 'type'),
  }));
}

function parameterOf(parameters: string, name: string): string {
  for (const parameter of parameters.split(';')) {
    const [key = '', value = ''] = parameter.split('=', 2);
    if (key.trim().toLowerCase() === name) return value.trim().replace(/^"|"$/g, '');
  }
  return '';
}
