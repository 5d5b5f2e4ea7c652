/**
 * The public face of the core: how input goes in, how items come out while it does, what a caller's mistake throws,
 * and what is said of a document that is not a sitemap. What formats mean is the business of fixtures.test.ts.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, type Mock, test, vi } from 'vitest';
import {
  parseSitemap,
  type ReadableStreamLike,
  SitemapException,
  type SitemapItem,
  SitemapPage,
} from '../../src/parse/index.ts';

const HEAD = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
const END = '</urlset>';
const URL_OF_SITEMAP = 'https://example.org/sitemap.xml';
/** So much may go in before the first item comes out: the charset and the kind are looked for first. */
const WINDOW = 2048;

const encoder = new TextEncoder();
const pageUrl = (number: number) => `https://example.org/page-${number}`;
const entry = (number: number) => `<url><loc>${pageUrl(number)}</loc></url>`;
const entries = (count: number) => Array.from({ length: count }, (_, number) => entry(number)).join('');
const urlset = (body: string) => HEAD + body + END;
const bytesOf = (text: string) => encoder.encode(text);
const urlsOf = (items: readonly SitemapItem[]) =>
  items.map((item) => (item.type === 'page' ? item.page.url : item.sitemap.url));
/** The addresses of a number of pages. */
const firstPages = (count: number) => Array.from({ length: count }, (_, number) => pageUrl(number));

/** Calls as JavaScript may: with anything. */
const callWith = (...args: unknown[]): unknown => Reflect.apply(parseSitemap, undefined, args);

describe('what goes in', () => {
  const text = urlset(entries(3));

  test.each<[string, () => string | Uint8Array | ArrayBuffer | Iterable<Uint8Array>]>([
    ['a string', () => text],
    ['a Uint8Array', () => bytesOf(text)],
    ['a Buffer', () => Buffer.from(text)],
    ['a part of a larger buffer', () => bytesOf(`<a>${text}<b>`).subarray(3, 3 + text.length)],
    ['an ArrayBuffer', () => bytesOf(text).slice().buffer],
    ['an array of bytes', () => [bytesOf(text.slice(0, 50)), bytesOf(text.slice(50))]],
    ['a generator', () => byteByByte(text)],
  ])('%s gives a sync iterable', (_, input) => {
    const parse = parseSitemap(input());
    expect(urlsOf([...parse])).toEqual(firstPages(3));
    expect(parse.kind).toBe('pages-xml');
  });

  test.each<[string, () => AsyncIterable<Uint8Array> | ReadableStreamLike]>([
    ['an async generator', () => arriving(byteByByte(text))],
    ['a ReadableStream', () => new Blob([text]).stream()],
    ['the body of a Response', () => new Response(text).body ?? streamOf([])],
    ['anything with getReader', () => ({ getReader: () => streamOf([bytesOf(text)]).getReader() })],
  ])('%s gives an async iterable', async (_, input) => {
    const parse = parseSitemap(input());
    expect(urlsOf(await allOf(parse))).toEqual(firstPages(3));
    expect(parse.kind).toBe('pages-xml');
  });

  test('its iterator can be gone on with where a loop stopped', () => {
    const items = parseSitemap(text)[Symbol.iterator]() as IterableIterator<SitemapItem>;
    expect(urlsOf([items.next().value ?? expect.fail()])).toEqual(firstPages(1));
    expect(urlsOf([...items])).toEqual(firstPages(3).slice(1));
    expect(items.next()).toEqual({ done: true, value: undefined });
  });

  test('a string is text already: what it declares as its charset does not matter', () => {
    const declared = `<?xml version="1.0" encoding="iso-8859-1"?>${urlset('<url><loc>https://example.org/é</loc></url>').slice(21)}`;
    const parse = parseSitemap(declared);
    expect(urlsOf([...parse])).toEqual(['https://example.org/é']);
    expect(parse.problems).toEqual([]);
  });

  test('a long string is not cut through a character', () => {
    // 64 KiB is where strings are cut: a pair of surrogates comes to lie on every cut, wherever it is.
    for (let shift = 0; shift < 4; shift++) {
      const loc = `https://example.org/${'x'.repeat(shift)}${'😀'.repeat(200)}`;
      const document = urlset(
        Array.from({ length: 200 }, (_, number) => `<url><loc>${loc}${number}</loc></url>`).join(''),
      );
      const parse = parseSitemap(document);
      expect(urlsOf([...parse])).toEqual(Array.from({ length: 200 }, (_, number) => `${loc}${number}`));
      expect(parse.problems).toEqual([]);
    }
  });

  test('a buffer that the caller fills anew for each chunk does no harm', async () => {
    const document = bytesOf(urlset(`${entries(500)}<url>\n<loc>https://example.org/last</loc></url>`));
    for (const size of [7, 64, 1000, 4096]) {
      const expected = [...firstPages(500), 'https://example.org/last'];
      expect(urlsOf([...parseSitemap(refilled(document, size))]), `${size} bytes`).toEqual(expected);
      const parse = parseSitemap(arriving(refilled(document, size)));
      expect(urlsOf(await allOf(parse)), `${size} bytes, async`).toEqual(expected);
    }
  });

  test('an index in chunks gives every sitemap, once', () => {
    const names = Array.from({ length: 200 }, (_, number) => `https://example.org/${number}.xml`);
    const children = names.map((name) => `<sitemap><loc>${name}</loc></sitemap>`).join('');
    const document = bytesOf(
      `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${children}</sitemapindex>`,
    );
    for (const size of [100, 2500])
      expect(urlsOf([...parseSitemap(refilled(document, size))])).toEqual(names);
  });

  test('empty chunks are not the end', () => {
    const empty = new Uint8Array(0);
    const chunks = [...byteByByte(text)].flatMap((chunk) => [empty, chunk, empty]);
    expect(urlsOf([...parseSitemap(chunks)])).toEqual(firstPages(3));
  });

  test('a url given as a URL, and one given as a string, mean the same', () => {
    const relative = urlset('<url><loc>/a</loc></url>');
    for (const url of [URL_OF_SITEMAP, new URL(URL_OF_SITEMAP)]) {
      expect(urlsOf([...parseSitemap(relative, { url })])).toEqual(['https://example.org/a']);
    }
  });
});

describe('items come out while input is still going in', () => {
  test('sync: whatever is complete has come out before more is asked for', () => {
    let received = 0;
    let wentIn = 0;
    function* source() {
      yield bytesOf(HEAD);
      for (let number = 0; number < 300; number++) {
        yield bytesOf(entry(number));
        wentIn += entry(number).length;
        if (wentIn > WINDOW) expect(received).toBe(number + 1);
      }
      yield bytesOf(END);
    }
    for (const _ of parseSitemap(source())) received++;
    expect(received).toBe(300);
  });

  test('async: the same, with a source that waits for its consumer', async () => {
    let received = 0;
    let wake = () => {};
    async function* source() {
      yield bytesOf(HEAD + entries(50));
      // This source only goes on once the consumer has seen what it has sent: a parse that reads ahead hangs.
      while (received < 50) await new Promise<void>((resolve) => (wake = resolve));
      yield bytesOf(entry(50) + END);
    }
    for await (const item of parseSitemap(source())) {
      expect(urlsOf([item])).toEqual([pageUrl(received)]);
      received++;
      wake();
    }
    expect(received).toBe(51);
  });

  test('a ReadableStream is read no faster than its items are taken', async () => {
    let pulled = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          controller.enqueue(bytesOf(pulled === 0 ? HEAD + entries(100) : entry(100 + pulled)));
          pulled++;
        },
      },
      { highWaterMark: 0 },
    );
    const items = parseSitemap(stream)[Symbol.asyncIterator]();
    await items.next();
    const afterFirst = pulled;
    for (let quiet = 0; quiet < 10; quiet++) await turn();
    expect(pulled).toBe(afterFirst);
    for (let taken = 1; taken < 100; taken++) await items.next();
    expect(pulled).toBe(afterFirst);
    await items.next();
    expect(pulled).toBe(afterFirst + 1);
    await items.return?.();
  });

  test('kind is undefined until it is known, and known with the first item', async () => {
    const parse = parseSitemap(arriving([bytesOf(urlset(entries(2)))]));
    expect(parse.kind).toBeUndefined();
    for await (const _ of parse) expect(parse.kind).toBe('pages-xml');
    expect(parse.kind).toBe('pages-xml');
  });

  test('nothing is read before the first item is asked for', () => {
    const source = vi.fn(function* () {
      yield bytesOf(urlset(entries(1)));
    });
    const chunks = { [Symbol.iterator]: source };
    const parse = parseSitemap(chunks);
    expect(source).not.toHaveBeenCalled();
    expect([...parse]).toHaveLength(1);
    expect(source).toHaveBeenCalledOnce();
  });
});

describe('stopping early closes the source', () => {
  const first = () => bytesOf(HEAD + entries(100));

  /** A source without end. */
  function endless(): { source: Generator<Uint8Array>; closed: Mock } {
    const closed = vi.fn();
    function* source() {
      try {
        for (;;) yield first();
      } finally {
        closed();
      }
    }
    return { source: source(), closed };
  }

  test('sync: the generator returns', () => {
    const { source, closed } = endless();
    for (const _ of parseSitemap(source)) break;
    expect(closed).toHaveBeenCalledOnce();
  });

  test('async: the generator returns', async () => {
    const { source, closed } = endless();
    for await (const _ of parseSitemap(arriving(source))) break;
    expect(closed).toHaveBeenCalledOnce();
  });

  test('a ReadableStream is cancelled, and its lock released', async () => {
    const cancelled = vi.fn();
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(first()),
      cancel: cancelled,
    });
    for await (const _ of parseSitemap(stream)) break;
    expect(cancelled).toHaveBeenCalledOnce();
    expect(stream.locked).toBe(false);
  });

  test('a loop that is left waits until a ReadableStream is cancelled, also where that fails', async () => {
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(first()),
      async cancel() {
        await turn();
        isCancelled = true;
        throw new Error('not cancelled');
      },
    });
    for await (const _ of parseSitemap(stream)) break;
    expect(isCancelled).toBe(true);
  });

  test('a consumer that throws closes the source too', () => {
    const { source, closed } = endless();
    expect(() => {
      for (const _ of parseSitemap(source)) throw new Error('mine');
    }).toThrow('mine');
    expect(closed).toHaveBeenCalledOnce();
  });

  test('a document that is not a sitemap is not read to its end', async () => {
    const closed = vi.fn();
    let chunks = 0;
    async function* source() {
      try {
        for (;;) {
          // Far past the 64 KiB in which a root is looked for.
          if (chunks++ > 1000) throw new Error('read on and on');
          yield bytesOf(`<html><body>${'no sitemap here '.repeat(100)}`);
        }
      } finally {
        closed();
      }
    }
    const parse = parseSitemap(source());
    expect(await allOf(parse)).toEqual([]);
    expect(parse.kind).toBe('invalid');
    expect(closed).toHaveBeenCalledOnce();
  });

  test('a ReadableStream that was read to its end is not cancelled, and its lock is released', async () => {
    const cancelled = vi.fn();
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytesOf(urlset(entries(3))));
        controller.close();
      },
      cancel: cancelled,
    });
    expect(await allOf(parseSitemap(stream))).toHaveLength(3);
    expect(cancelled).not.toHaveBeenCalled();
    expect(stream.locked).toBe(false);
  });
});

describe('errors of the source are the caller’s to see', () => {
  const broken = new Error('connection reset');
  function* breaking(): Generator<Uint8Array> {
    yield bytesOf(HEAD + entries(100));
    throw broken;
  }

  test('sync', () => {
    const items: SitemapItem[] = [];
    expect(() => {
      for (const item of parseSitemap(breaking())) items.push(item);
    }).toThrow(broken);
    expect(urlsOf(items)).toEqual(firstPages(100));
  });

  test('async', async () => {
    const { items, error } = await collectUntilError(parseSitemap(arriving(breaking())));
    expect(error).toBe(broken);
    expect(urlsOf(items)).toEqual(firstPages(100));
  });

  test('a ReadableStream', async () => {
    let isFirst = true;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isFirst) controller.enqueue(bytesOf(HEAD + entries(100)));
        else controller.error(broken);
        isFirst = false;
      },
    });
    const { items, error } = await collectUntilError(parseSitemap(stream));
    expect(error).toBe(broken);
    expect(urlsOf(items)).toEqual(firstPages(100));
    expect(stream.locked).toBe(false);
  });
});

describe('a caller’s mistake throws SitemapException with a stable code', () => {
  test.each<[string, unknown[], string]>([
    ['no input', [], 'bad-input'],
    ['undefined', [undefined], 'bad-input'],
    ['null', [null], 'bad-input'],
    ['a number', [42], 'bad-input'],
    ['a boolean', [true], 'bad-input'],
    ['a plain object', [{}], 'bad-input'],
    ['a function', [() => ''], 'bad-input'],
    ['a DataView', [new DataView(new ArrayBuffer(8))], 'bad-input'],
    ['options that are null', ['<urlset/>', null], 'bad-option'],
    ['options that are a string', ['<urlset/>', URL_OF_SITEMAP], 'bad-option'],
    ['a relative url', ['<urlset/>', { url: '/sitemap.xml' }], 'bad-url'],
    ['an empty url', ['<urlset/>', { url: '' }], 'bad-url'],
    ['a url that is invalid', ['<urlset/>', { url: 'https://' }], 'bad-url'],
    ['a url that is null', ['<urlset/>', { url: null }], 'bad-url'],
    ['a url that is a number', ['<urlset/>', { url: 7 }], 'bad-url'],
    ['a charset that is a number', ['<urlset/>', { charset: 8 }], 'bad-charset'],
    ['a charset that is null', ['<urlset/>', { charset: null }], 'bad-charset'],
  ])('%s', (_, args, code) => {
    expect(thrownBy(() => callWith(...args))).toMatchObject({ name: 'SitemapException', code });
  });

  test('a bad url is named, with what would be right', () => {
    const error = thrownBy(() => parseSitemap('<urlset/>', { url: 'example.org/sitemap.xml' }));
    expect(error).toMatchObject({ url: 'example.org/sitemap.xml', cause: expect.anything() });
    expect(String(error)).toContain('example.org/sitemap.xml');
    expect(String(error)).toContain('absolute');
  });

  test.each<[string, Iterable<unknown>]>([
    ['strings', ['<urlset>', '</urlset>']],
    ['numbers', [60, 117]],
    ['undefined', [undefined]],
    ['a Uint16Array', [new Uint16Array(4)]],
    ['one good chunk, then a string', [bytesOf(HEAD), entry(0)]],
  ])('chunks that are not bytes: %s', async (_, chunks) => {
    const mistake = { name: 'SitemapException', code: 'bad-input' };
    const exhaust = (parse: unknown) => Array.from(parse as Iterable<unknown>);
    expect(thrownBy(() => exhaust(callWith(chunks)))).toMatchObject(mistake);
    const parse = callWith(arriving(chunks as Iterable<Uint8Array>)) as AsyncIterable<SitemapItem>;
    expect((await collectUntilError(parse)).error).toMatchObject(mistake);
  });

  test('a second iteration', async () => {
    const parse = parseSitemap(urlset(entries(2)));
    expect([...parse]).toHaveLength(2);
    const again = thrownBy(() => [...parse]);
    expect(again).toMatchObject({ name: 'SitemapException', code: 'parse-used' });
    expect(String(again)).toContain('once');

    const later = parseSitemap(arriving([bytesOf(urlset(entries(2)))]));
    expect(await allOf(later)).toHaveLength(2);
    expect((await collectUntilError(later)).error).toBeInstanceOf(SitemapException);
  });

  test('what is undefined counts as not given', () => {
    const parse = parseSitemap(urlset(entries(1)), { url: undefined, charset: undefined });
    expect([...parse]).toHaveLength(1);
  });

  test('an unknown charset is not a mistake of the caller: servers send such things', () => {
    const parse = parseSitemap(bytesOf(urlset(entries(1))), { charset: 'klingon' });
    expect([...parse]).toHaveLength(1);
    expect(parse.problems.map(({ code }) => code)).toEqual(['unknown-charset']);
  });
});

// More of them are in test/fixtures/detection.
describe('what is not a sitemap says what it is instead', () => {
  test.each<[string, string | Uint8Array, RegExp]>([
    ['no bytes at all', new Uint8Array(0), /empty/],
    ['a BOM alone', bytesOf('\uFEFF'), /empty/],
    ['binary rubbish', rubbish(), /binary/],
    ['zero bytes', new Uint8Array(5000), /binary/],
    ['HTML in upper case', '<HTML><HEAD><TITLE>Moved</TITLE></HEAD></HTML>', /HTML page/],
    [
      'a redirect in HTML',
      '<html><head><meta http-equiv="refresh" content="0;url=https://example.org/real.xml"></head></html>',
      /HTML.*https:\/\/example\.org\/real\.xml/,
    ],
    ['a JSON array', '["https://example.org/"]', /JSON/],
    ['gzip', gzipSync(urlset(entries(3))), /gzip.*decompress/],
    ['a PDF', '%PDF-1.7\n%âãÏÓ\n1 0 obj\n', /PDF/],
    ['a ZIP', new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 0, 0]), /ZIP/],
    ['a PNG', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), /PNG/],
    ['prose', 'Nothing to see here.\nMove along.\n', /text.*URL/],
  ])('%s', async (_, document, words) => {
    const parse = parseSitemap(document, { url: URL_OF_SITEMAP });
    expect([...parse]).toEqual([]);
    expect(parse.kind).toBe('invalid');
    expect(parse.reason).toMatch(words);
    // A sentence, with the address in it: it goes into logs as it is.
    expect(parse.reason).toContain(URL_OF_SITEMAP);
    expect(parse.reason).toMatch(/ is not a sitemap.*\.$/);
    expect(parse.truncated).toBe(false);

    const bytes = typeof document === 'string' ? bytesOf(document) : document;
    const later = parseSitemap(arriving(byteByByte(bytes)), { url: URL_OF_SITEMAP });
    expect(await allOf(later)).toEqual([]);
    expect(later.reason).toBe(parse.reason);
  });

  test('without a url it is "the document"', () => {
    const parse = parseSitemap('<html></html>');
    expect([...parse]).toEqual([]);
    expect(parse.reason).toMatch(/^The document is not a sitemap/);
  });

  test('a robots.txt and a sitemap without anything in them are not invalid', () => {
    for (const [document, url, kind] of [
      ['User-agent: *\nDisallow:\n', 'https://example.org/robots.txt', 'robots-txt'],
      ['', 'https://example.org/robots.txt', 'robots-txt'],
      [urlset(''), URL_OF_SITEMAP, 'pages-xml'],
      ['<rss><channel></channel></rss>', URL_OF_SITEMAP, 'pages-rss'],
    ] as const) {
      const parse = parseSitemap(document, { url });
      expect([...parse]).toEqual([]);
      expect(parse.kind).toBe(kind);
      expect(parse.reason).toBeUndefined();
    }
  });
});

describe('problems', () => {
  test('at most a hundred are kept, all are counted, and the first of each code is among them', () => {
    const bad = '<url><loc>https://example.org/a</loc><priority>9</priority></url>';
    const parse = parseSitemap(
      urlset(`${bad.repeat(400)}<url><loc>mailto:a@example.org</loc></url>${bad.repeat(400)}<url></url>`),
    );
    expect([...parse]).toHaveLength(1);
    expect(parse.problemCount).toBe(802);
    expect(parse.problems).toHaveLength(100);
    expect(new Set(parse.problems.map(({ code }) => code))).toEqual(
      new Set(['bad-priority', 'not-http-url', 'entry-without-loc']),
    );
    // In the order of the document.
    const offsets = parse.problems.map(({ offset }) => offset ?? 0);
    expect(offsets).toEqual([...offsets].sort((left, right) => left - right));
  });

  test('an offset points at the bytes of the document', () => {
    const document = urlset('<url><loc>https://example.org/é</loc><lastmod>never</lastmod></url>');
    const parse = parseSitemap(bytesOf(document));
    expect([...parse]).toHaveLength(1);
    const [problem] = parse.problems;
    expect(problem).toMatchObject({ code: 'bad-date', message: expect.stringContaining('never') });
    const rest = new TextDecoder().decode(bytesOf(document).subarray(problem?.offset));
    expect(rest).toMatch(/^(?:<lastmod>)?never</);
  });

  test('with positions, each has the line and the column where it is, before and behind the root', () => {
    const lines = [
      '<!DOCTYPE urlset>',
      'é text <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      '<url><loc>https://example.org/é</loc><lastmod>never</lastmod></url>\r',
      ...Array.from({ length: 3000 }, (_, number) => entry(number)),
      '  <url><loc>ftp://example.org/</loc></url></urlset>',
      ' junk',
    ];
    const places = (problemPositions: boolean | undefined, document: string | Uint8Array) => {
      const parse = parseSitemap(document, { problemPositions });
      expect([...parse]).toHaveLength(3001);
      return parse.problems.map(({ code, line, column }) => [code, line, column]);
    };
    const expected = [
      ['doctype', 1, 1],
      ['text-before-root', 2, 1],
      ['bad-date', 3, lines[2]!.indexOf('never') + 1],
      ['not-http-url', 3004, 13],
      ['junk-after-root', 3005, 2],
    ];
    const text = lines.join('\n');
    for (const document of [text, bytesOf(text), `\uFEFF${text}`])
      expect(places(true, document)).toEqual(expected);
    for (const not of [false, undefined])
      expect(places(not, text)).toEqual(expected.map(([code]) => [code, undefined, undefined]));
    for (const wrong of [null, 0, '', 'yes'])
      expect(thrownBy(() => callWith(text, { problemPositions: wrong }))).toMatchObject({
        code: 'bad-option',
      });
  });

  test('who hears of them gets what is kept, and nothing besides', () => {
    const heard: unknown[][] = [];
    const document = urlset(`<url><loc>ftp://example.org/${'a'.repeat(5000)}</loc></url>`);
    const parse = parseSitemap(document, { onProblem: (...all) => heard.push(all) });
    expect([...parse]).toEqual([]);
    expect(heard).toEqual(parse.problems.map((problem) => [problem]));
  });

  test('they are there as soon as they are found', () => {
    const parse = parseSitemap(urlset(`<url><loc>/relative</loc></url>${entries(3000)}`), {
      url: URL_OF_SITEMAP,
    });
    for (const item of parse) {
      expect(urlsOf([item])).toEqual(['https://example.org/relative']);
      break;
    }
    expect(parse.problems.map(({ code }) => code)).toEqual(['relative-url']);
  });

  test('a document that ends too early says so', () => {
    const whole = parseSitemap(urlset(entries(10)));
    expect([...whole]).toHaveLength(10);
    expect(whole.truncated).toBe(false);

    const cut = parseSitemap(urlset(entries(10)).slice(0, -20));
    expect([...cut]).toHaveLength(9);
    expect(cut.truncated).toBe(true);
    expect(cut.problems.map(({ code }) => code)).toEqual(['truncated']);
  });
});

describe('a page is the caller’s to keep', () => {
  const rich = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
      xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
      xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
      xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
      xmlns:xhtml="http://www.w3.org/1999/xhtml"><url>
    <loc>https://example.org/a</loc><lastmod>2024-05-06</lastmod>
    <news:news><news:title>T</news:title><news:publication_date>2024-05-06</news:publication_date>
      <news:keywords>a, b</news:keywords></news:news>
    <image:image><image:loc>https://example.org/i.png</image:loc></image:image>
    <video:video><video:title>V</video:title><video:publication_date>2024-05-06</video:publication_date>
      <video:expiration_date>2025-05-06</video:expiration_date><video:tag>t</video:tag></video:video>
    <xhtml:link rel="alternate" hreflang="de" href="https://example.org/de"/>
  </url></urlset>`;

  test('its lists and what is in them cannot be changed', () => {
    const page = pageOf(rich);
    const before = JSON.stringify(page);
    const { images, videos, alternates, newsStory } = page;
    expect([images.length, videos.length, alternates.length]).toEqual([1, 1, 1]);
    for (const list of [images, videos, alternates, videos[0]?.tags, newsStory?.keywords]) {
      expect(() => Reflect.apply(Array.prototype.push, list, ['x'])).toThrow(TypeError);
    }
    for (const value of [images[0], alternates[0]]) expect(Object.isFrozen(value)).toBe(true);
    expect(JSON.stringify(page)).toBe(before);
  });

  test('changing the JSON of a page does not change the page', () => {
    const page = pageOf(rich);
    const before = JSON.stringify(page);
    const json = page.toJSON();
    json.images?.push({ loc: 'https://example.org/mine.png' });
    json.newsStory?.keywords?.push('mine');
    json.videos?.[0]?.tags?.push('mine');
    json.url = 'mine';
    expect(JSON.stringify(page)).toBe(before);
  });

  test('a page without extensions shares nothing that can be changed', () => {
    const [first, second] = [...parseSitemap(urlset(entries(2)))].map((item) =>
      item.type === 'page' ? item.page : undefined,
    );
    expect(() => Reflect.apply(Array.prototype.push, first?.images, ['x'])).toThrow(TypeError);
    expect(second?.images).toEqual([]);
  });
});

function pageOf(document: string): SitemapPage {
  const [item] = parseSitemap(document);
  if (item?.type !== 'page') throw new Error('The document should have a page.');
  expect(item.page).toBeInstanceOf(SitemapPage);
  return item.page;
}

async function allOf(items: AsyncIterable<SitemapItem>): Promise<SitemapItem[]> {
  const all: SitemapItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function* byteByByte(input: string | Uint8Array): Generator<Uint8Array> {
  const bytes = typeof input === 'string' ? bytesOf(input) : input;
  for (let at = 0; at < bytes.length; at++) yield bytes.slice(at, at + 1);
}

/** One buffer, filled again and again, as a socket's reader does it. */
function* refilled(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    // A view into the buffer that was kept shows this.
    buffer.fill(0x23);
    buffer.set(chunk);
    yield buffer.subarray(0, chunk.length);
  }
}

async function* arriving(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/** Bytes without a pattern, the same each time. */
function rubbish(): Uint8Array {
  let state = 12_345;
  return Uint8Array.from({ length: 20_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 16;
  });
}

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

async function collectUntilError(
  parse: AsyncIterable<SitemapItem>,
): Promise<{ items: SitemapItem[]; error: unknown }> {
  const items: SitemapItem[] = [];
  try {
    for await (const item of parse) items.push(item);
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}

test('the text of a date stays what it is where a caller changes the date of a sub-sitemap', () => {
  const loc = '<loc>https://example.org/a.xml</loc>';
  const index = `<sitemapindex><sitemap>${loc}<lastmod>2024-05-06</lastmod></sitemap></sitemapindex>`;
  const [item] = [...parseSitemap(index)];
  const sitemap = item?.type === 'sitemap' ? item.sitemap : undefined;
  sitemap?.lastModified?.setUTCFullYear(1990);
  expect(sitemap?.lastModifiedText).toBe('2024-05-06');
});

describe('what belongs to one item stays with it', () => {
  const feed = (items: string): string =>
    `<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>${items}</channel></rss>`;

  test('a link of an image in an item is not that of the item', () => {
    const item =
      '<item><image><link href="https://a.example/img" rel="self"/></image><link/><guid>https://a.example/2</guid></item>';
    expect(urlsOf([...parseSitemap(feed(item))])).toEqual(['https://a.example/2']);
  });

  test('an image of a feed is known by its address, whatever query that has', () => {
    const medium = ['a.jpg', 'b.jpg?w=1', 'c.mp4?w=1'].map(
      (name) => `<media:content url="https://a.example/${name}"/>`,
    );
    const [item] = parseSitemap(feed(`<item><link>https://a.example/1</link>${medium.join('')}</item>`));
    const images = item?.type === 'page' ? item.page.images.map(({ loc }) => loc) : [];
    expect(images).toEqual(['https://a.example/a.jpg', 'https://a.example/b.jpg?w=1']);
  });

  test('the text of an entry is not that of the next one', () => {
    const parse = parseSitemap(
      urlset('<url>https://a.example/1</url><url><lastmod>2024-01-01</lastmod></url>'),
    );
    expect(urlsOf([...parse])).toEqual(['https://a.example/1']);
    expect(parse.problems.map(({ code }) => code)).toEqual(['text-entry', 'entry-without-loc']);
  });
});
