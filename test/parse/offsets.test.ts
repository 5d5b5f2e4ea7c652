/**
 * §12 Positions: what a listener hears, and that every offset points at what it is about, for every fixture: as it
 * is, in UTF-16, with CRLF, and with characters of many bytes before the root.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodedText } from '../../src/parse/detection/document-start.ts';
import { DocumentParser } from '../../src/parse/document-parser.ts';
import { parseSitemap } from '../../src/parse/index.ts';
import type { ParseListener } from '../../src/parse/listener.ts';
import type { Problem } from '../../src/problems/problem-list.ts';
import { cutAt } from '../support/every-cut.ts';

const FOLDER = join(import.meta.dirname, '../fixtures');
const SITEMAP = 'https://example.org/sitemap.xml';

type Event =
  | { readonly type: 'start'; readonly name: string; readonly attributes: number; readonly offset: number }
  | { readonly type: 'value'; readonly name: string; readonly text: string; readonly offset: number }
  | { readonly type: 'end'; readonly name: string; readonly offset: number }
  | { readonly type: 'location'; readonly url: string; readonly repeated: boolean; readonly offset: number };

interface Heard {
  readonly kind: string | undefined;
  readonly events: readonly Event[];
  readonly problems: readonly Problem[];
  readonly locations: readonly string[];
  /** What was handed out, by its URL. */
  readonly items: readonly string[];
}

function hear(chunks: Iterable<Uint8Array>, url: string): Heard {
  const events: Event[] = [];
  const problems: Problem[] = [];
  const listener: ParseListener = {
    startTag: (name) => (offset, attributes) => {
      events.push({ type: 'start', name, offset, attributes: attributes.count });
      for (const attribute of attributes.list()) expect(attribute.offset).toBeGreaterThan(offset);
    },
    value: (name) => (value) => {
      const text = value.text();
      expect(value.textLength).toBe(text.length);
      events.push({ type: 'value', name, text, offset: value.offset });
    },
    endTag: (name) => (offset) => events.push({ type: 'end', name, offset }),
    location: (url, offset, repeated) => events.push({ type: 'location', url, offset, repeated }),
  };
  const onProblem = (problem: Problem) => problems.push(problem);
  const parser = new DocumentParser({ url, charset: undefined, listener, onProblem });
  for (const chunk of chunks) parser.write(chunk);
  parser.end();
  const items = [...parser.takePages(), ...parser.takeSitemaps()].map((item) => item.url);
  const locations = events.flatMap((event) =>
    event.type === 'location' && !event.repeated ? event.url : [],
  );
  return { kind: parser.kind, events, problems, locations, items };
}

/** Holds every offset to be where it should be in the text. */
function checkOffsets(document: Uint8Array, url = SITEMAP): Heard {
  const heard = hear([document], url);
  const text = Buffer.concat([...decodedText([document])]);
  const at = (offset: number, length = 40) => text.subarray(offset, offset + length).toString('utf8');
  for (const event of heard.events) {
    const here = at(event.offset);
    switch (event.type) {
      case 'start':
        expect(here.toLowerCase()).toContain(event.name.split(':')[1]);
        expect(here).toMatch(/^</);
        break;
      case 'value':
        if (event.text === '') expect(here === '' || here.startsWith('<') || /^[\s&]/.test(here)).toBe(true);
        else expectText(here, event.text);
        break;
      case 'location':
        if (/^https?:/i.test(here)) expectText(here, event.url);
        else expect(here).toMatch(/^[^ \t\r\n]/);
        break;
      case 'end':
        expect(here).toMatch(/^(?:<|$)/);
        break;
    }
  }
  for (const { code, offset } of heard.problems) {
    if (offset === undefined) continue;
    expect(offset, code).toBeLessThanOrEqual(text.length);
    if (offset > 0 && code !== 'value-too-long') expect(at(offset), code).toMatch(/^(?:\S|$)/);
  }
  // What makes an item was heard of, and the other way round; no location is a drop.
  if (heard.kind !== 'invalid') expect(heard.locations).toEqual(heard.items);
  return heard;
}

/** The first character is the value's own, unless it is written as a reference. */
function expectText(here: string, value: string): void {
  const [first = ''] = value;
  if (!here.startsWith('&') && !/^[^\u0021-\u007e]/.test(here))
    expect(here.slice(0, 1)).toBe(first.slice(0, 1));
}

const withoutOffsets = ({ events, problems }: Heard) => ({
  events: events.map(({ offset: _, ...event }) => event),
  problems: problems.map(({ code }) => code),
});

const documents = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && extname(entry.name) !== '.json' && !entry.name.startsWith('.'))
  .map((entry) => join(entry.parentPath, entry.name));

describe.each(documents.map((path) => [path.slice(FOLDER.length + 1), path] as const))('%s', (name, path) => {
  const bytes = readFileSync(path);
  const url = name.startsWith('robots') ? 'https://example.org/robots.txt' : SITEMAP;

  test('offsets point at values, tags and addresses', () => {
    const heard = checkOffsets(bytes, url);
    // Byte by byte, everything is heard the same.
    if (bytes.length < 20_000)
      expect(
        hear(
          cutAt(
            bytes,
            Array.from(bytes.subarray(1), (_, at) => at + 1),
          ),
          url,
        ),
      ).toEqual(heard);
  });

  test('in UTF-16, with CRLF, and behind characters of many bytes too', () => {
    const [text] = [...decodedText([bytes])].map((chunk) => new TextDecoder().decode(chunk));
    const isPlain =
      !bytes.includes(0) && text !== undefined && !text.includes('\uFFFD') && !/encoding=/i.test(text);
    if (!isPlain || text.length < 4) return;
    const original = checkOffsets(bytes, url);
    const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
    // Short texts in other scripts have too few zero bytes for UTF-16 to show.
    if (Buffer.byteLength(text) === text.length) expect(checkOffsets(utf16, url)).toEqual(original);
    expect(checkOffsets(Buffer.from(`\uFEFF${text}`), url)).toEqual(original);
    const crlf = checkOffsets(Buffer.from(text.replace(/\r\n?|\n/g, '\r\n')), url);
    expect(withoutOffsets(crlf).events).toEqual(withoutOffsets(original).events);
    if (!text.startsWith('<?xml') && text.startsWith('<'))
      checkOffsets(Buffer.from(`<!-- é日😀 -->${text}`), url);
  });
});

const urlset = (body: string) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">${body}</urlset>`;

describe('a listener hears of what a page does not have', () => {
  const heard = (body: string) => checkOffsets(Buffer.from(urlset(body))).events;

  test('a repeated URL that is dropped', () => {
    const entry = '<url><loc>https://example.org/a</loc></url>';
    const repeated = heard(`${entry}<url ><loc>https://example.org/a</loc></url>${entry}`)
      .filter((event) => event.type === 'location')
      .map((event) => event.repeated);
    expect(repeated).toEqual([false, true, true]);
  });

  test('an extension without content', () => {
    const names = heard('<url><loc>https://example.org/a</loc><image:image/></url>').map(
      (event) => `${event.type} ${'name' in event ? event.name : event.url}`,
    );
    expect(names).toEqual([
      'start sitemap:url',
      'start sitemap:loc',
      'value sitemap:loc',
      'start image:image',
      'end image:image',
      'location https://example.org/a',
      'end sitemap:url',
    ]);
  });

  test('an alternate without an href, with its attributes', () => {
    const events = heard(
      '<url><loc>https://example.org/a</loc><xhtml:link rel="alternate" hreflang="de"/></url>',
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'start', name: 'xhtml:link', attributes: 2 }),
    );
  });

  test('the same of entries on the fast path and on the slow path', () => {
    const entries = (url: string) =>
      Array.from(
        { length: 50 },
        (_, index) =>
          `${url}<loc>https://example.org/?a=1&amp;b=${index % 40}</loc>\n<lastmod> 2024-05-06 </lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>`,
      ).join('\n');
    const first = '<url ><loc>https://example.org/first</loc></url>';
    const fast = checkOffsets(Buffer.from(urlset(first + entries('<url>'))));
    const slow = checkOffsets(Buffer.from(urlset(first + entries('<url >'))));
    expect(withoutOffsets(fast)).toEqual(withoutOffsets(slow));
    expect(fast.locations).toHaveLength(41);
  });

  test('the root with its namespaces, and the text that offsets count in', () => {
    const xml = `<?xml version="1.0"?>\n${urlset('<url><loc>https://example.org/ü</loc></url>')}`;
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xml, 'utf16le')]);
    for (const document of [Buffer.from(xml), Buffer.from(`\uFEFF${xml}`), utf16]) {
      const roots: string[] = [];
      const text: Uint8Array[] = [];
      const listener: ParseListener = {
        root: (name, offset, attributes) =>
          roots.push(`${offset} ${name} ${attributes.map(({ name }) => name)}`),
        text: (chunk) => text.push(Uint8Array.from(chunk)),
      };
      const parser = new DocumentParser({ url: SITEMAP, charset: undefined, listener });
      for (const chunk of cutAt(document, [10, 200])) parser.write(chunk);
      parser.end();
      expect(roots).toEqual(['22 urlset xmlns,xmlns:image,xmlns:xhtml']);
      expect(Buffer.concat(text).toString()).toBe(xml);
    }
  });

  test.each(['<url>', '<url >'])('only the values that it asks for, in %s', (url) => {
    const names: string[] = [];
    const listener: ParseListener = {
      value: (name) => (name === 'sitemap:lastmod' ? () => names.push(name) : undefined),
    };
    const parser = new DocumentParser({ url: SITEMAP, charset: undefined, listener });
    const entry = `${url}<loc>https://example.org/</loc><lastmod>2024-05-06</lastmod></url>`;
    parser.write(Buffer.from(urlset(entry.repeat(3))));
    parser.end();
    expect(names).toEqual(['sitemap:lastmod', 'sitemap:lastmod', 'sitemap:lastmod']);
  });

  test('every problem, past the hundred that are kept', () => {
    const problems: Problem[] = [];
    const body = '<url><loc>https://example.org/a</loc><priority>9</priority></url>'.repeat(500);
    const parse = parseSitemap(urlset(body), { onProblem: (problem) => problems.push(problem) });
    expect([...parse]).toHaveLength(1);
    expect(parse.problems).toHaveLength(100);
    expect(problems).toHaveLength(500);
    expect(new Set(problems.map(({ offset }) => offset)).size).toBe(500);
  });
});
