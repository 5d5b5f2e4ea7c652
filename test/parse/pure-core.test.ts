/**
 * The core needs nothing of Node: bundled for a browser it has no built-in in it, runs in a bare context that has
 * only TextDecoder, TextEncoder and URL, and in a real browser where one is installed.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Context, createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, launched, NO_CHROMIUM } from '../support/browser.ts';
import { describeIf, testIf } from '../support/collected.ts';
import { isFull } from '../support/tier.ts';

const ENTRY = fileURLToPath(new URL('../../src/parse/index.ts', import.meta.url));
const CHECK_ENTRY = fileURLToPath(new URL('../../src/check/index.ts', import.meta.url));
const WRITE_ENTRY = fileURLToPath(new URL('../../src/write/browser.ts', import.meta.url));
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

const PAGES = Array.from({ length: 500 }, (_, number) => `https://example.org/page-${number}?a=1&b=é`);
const URLSET = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${PAGES.map(
  (url) =>
    `<url><loc>${url.replaceAll('&', '&amp;')}</loc><lastmod>2013-05-06T07:08:09+02:00</lastmod><priority>0.8</priority></url>`,
).join('\n')}</urlset>`;

describe('bundled for a browser', () => {
  test('there is no Node built-in in it, and nothing is left to import', async () => {
    const { metafile } = await bundle('esm');
    expect(builtinsIn(metafile)).toEqual([]);
    expect(Object.keys(metafile.inputs).filter((path) => !path.startsWith('src/'))).toEqual([]);
    expect(Object.keys(metafile.inputs)).toContain('src/parse/parse-sitemap.ts');
  });

  test('it is small: at most 110 kB minified', async () => {
    const { code } = await bundle('esm', { minify: true, target: 'esnext' });
    expect(code.length).toBeLessThan(110_000);
  });

  test('nor is there in the entry for checks, which runs in a bare context', async () => {
    const { code, metafile } = await bundle('iife', { entryPoints: [CHECK_ENTRY] });
    expect(builtinsIn(metafile)).toEqual([]);
    const foreign = Object.keys(metafile.inputs).filter((path) => !path.startsWith('src/'));
    expect(foreign.filter((path) => !path.includes('node_modules/entities/'))).toEqual([]);
    const context = createContext({ TextDecoder, TextEncoder, URL });
    runInContext(code, context);
    context['input'] = `${URLSET}<!-- -->x`;
    const rules: unknown = runInContext(
      `[...core.checkSitemap(input, { url: 'https://example.org/sitemap.xml' })].map(({ rule }) => rule).join()`,
      context,
    );
    expect(rules).toBe('junk-after-root,lastmod-all-equal,url-not-ascii');
  });

  test('nor is there in the entry for writing, which runs in a bare context', async () => {
    const { code, metafile } = await bundle('iife', { entryPoints: [WRITE_ENTRY] });
    expect(builtinsIn(metafile)).toEqual([]);
    expect(Object.keys(metafile.inputs).filter((path) => !path.startsWith('src/'))).toEqual([]);
    const context = createContext({ TextDecoder, TextEncoder, URL });
    runInContext(code, context);
    context['pages'] = [{ url: 'https://example.org/é', lastModified: '2013-05' }];
    const xml: unknown = await runInContext(
      `(async () => {
        let xml = '';
        for await (const chunk of core.sitemapXml(pages, { namespaces: [] })) xml += chunk;
        return xml;
      })()`,
      context,
    );
    expect(xml).toContain('<url><loc>https://example.org/%C3%A9</loc><lastmod>2013-05</lastmod></url>');
  });

  test('a built-in would be seen', async () => {
    const stray = {
      name: 'stray-import',
      setup(bundling) {
        bundling.onLoad({ filter: /detection[\\/]detect\.ts$/ }, ({ path }) => ({
          contents: `import 'node:fs';\n${readFileSync(path, 'utf8')}`,
          loader: 'ts',
        }));
      },
    } satisfies Plugin;
    // For a browser such a bundle is not even made; where it is made, the list names it.
    await expect(bundle('esm', { plugins: [stray] })).rejects.toThrow(/node:fs/);
    const { metafile } = await bundle('esm', { plugins: [stray], platform: 'node' });
    expect(builtinsIn(metafile)).toEqual(['node:fs']);
  });
});

describe('in a bare context with only TextDecoder, TextEncoder and URL', () => {
  let context: Context;

  beforeAll(async () => {
    context = createContext({ TextDecoder, TextEncoder, URL });
    runInContext((await bundle('iife')).code, context);
  });

  /** Runs a program in the context; what it is given comes from this realm, not from the context's. */
  const run = (program: string, input?: unknown): unknown => {
    context['input'] = input;
    return runInContext(
      `(() => {
      const { parseSitemap } = core;
      const urls = (parse) => [...parse].map((item) => item.page?.url ?? item.sitemap.url);
      const summary = (parse, found) => JSON.stringify({ kind: parse.kind, found, problems: parse.problems });
      ${program}
    })()`,
      context,
    );
  };
  const parsed = (program: string, input?: unknown): unknown => JSON.parse(String(run(program, input)));
  const SYNC = 'const parse = parseSitemap(input); const found = urls(parse); return summary(parse, found);';
  const ASYNC =
    'return (async () => { const parse = parseSitemap(input); const found = []; for await (const item of parse) found.push(item.page.url); return summary(parse, found); })();';
  const all = { kind: 'pages-xml', found: PAGES, problems: [] };

  test('it is bare', () => {
    expect(run('return [typeof Buffer, typeof process, typeof require, typeof setTimeout].join()')).toBe(
      'undefined,undefined,undefined,undefined',
    );
  });

  test.each<[string, () => unknown]>([
    ['a string', () => URLSET],
    ['a Buffer of another realm', () => Buffer.from(URLSET)],
    ['bytes of another realm', () => new TextEncoder().encode(URLSET)],
    ['an ArrayBuffer of another realm', () => new TextEncoder().encode(URLSET).buffer],
    ['an iterable', () => cut(URLSET, 100)],
  ])('%s', (_what, input) => {
    expect(parsed(SYNC, input())).toEqual(all);
  });

  test('bytes of its own', () => {
    expect(run('return input instanceof Uint8Array', Buffer.from(URLSET))).toBe(false);
    const program = `const bytes = new Uint8Array(input.length); bytes.set(input); input = bytes; ${SYNC}`;
    expect(parsed(program, Buffer.from(URLSET))).toEqual(all);
  });

  async function* arriving(): AsyncGenerator<Uint8Array> {
    yield* cut(URLSET, 100);
  }

  test.each<[string, () => unknown]>([
    ['an async iterable', arriving],
    ['a ReadableStream', () => new Blob([URLSET]).stream()],
  ])('%s', async (_what, input) => {
    expect(JSON.parse(String(await run(ASYNC, input())))).toEqual(all);
  });

  test.each([
    ['robots-txt', 'User-agent: *\nSitemap: https://example.org/a.xml', 'https://example.org/robots.txt'],
    [
      'index-xml',
      '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://example.org/a.xml</loc></sitemap></sitemapindex>',
      '',
    ],
    ['pages-rss', '<rss><channel><item><link>https://example.org/a.xml</link></item></channel></rss>', ''],
    [
      'pages-atom',
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/a.xml"/></entry></feed>',
      '',
    ],
    ['pages-text', 'https://example.org/a.xml\n', ''],
  ])('%s', (kind, document, url) => {
    const program = `const parse = parseSitemap(input, { url: ${JSON.stringify(url || 'https://example.org/x')} }); const found = urls(parse); return summary(parse, found);`;
    expect(parsed(program, document)).toEqual({ kind, found: ['https://example.org/a.xml'], problems: [] });
  });

  test('other charsets: UTF-16, windows-1251, UTF-32', () => {
    const document =
      '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/é</loc></url></urlset>';
    const utf32 = Uint8Array.from([...document].flatMap((letter) => [letter.codePointAt(0) ?? 0, 0, 0, 0]));
    for (const bytes of [Buffer.from(`\uFEFF${document}`, 'utf16le'), utf32]) {
      expect(parsed(SYNC, bytes)).toEqual({
        kind: 'pages-xml',
        found: ['https://example.org/é'],
        problems: [],
      });
    }
    const cyrillic = Buffer.from(
      document.replace('?>', ' encoding="windows-1251"?>').replace('é', '\xe6'),
      'latin1',
    );
    expect(parsed(SYNC, cyrillic)).toMatchObject({ found: ['https://example.org/ж'] });
  });

  test('entities, dates and extensions work there too', () => {
    const document = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9">
      <url><loc>https://example.org/&eacute;</loc><lastmod>Tue, 10 Aug 2010 20:43:53 -0000</lastmod>
      <n:news><n:title>A &amp; B &#x1F600;</n:title></n:news></url></urlset>`;
    const json = run('return JSON.stringify([...parseSitemap(input)].map((item) => item.page))', document);
    expect(JSON.parse(String(json))).toEqual([
      {
        url: 'https://example.org/é',
        lastModified: '2010-08-10T20:43:53.000Z',
        lastModifiedText: 'Tue, 10 Aug 2010 20:43:53 -0000',
        newsStory: { title: 'A & B 😀' },
      },
    ]);
  });

  test('gzipped bytes get an answer that says so', () => {
    const answer = run(
      'const parse = parseSitemap(input); urls(parse); return parse.kind + ": " + parse.reason;',
      gzipSync(URLSET),
    );
    expect(answer).toMatch(/^invalid: .*gzip/);
  });

  test('a caller’s mistake throws there too', () => {
    const code = run('try { parseSitemap(); } catch (error) { return error.name + " " + error.code; }');
    expect(code).toBe('SitemapException bad-input');
  });
});

// In the fast tier the bare context is enough: what it has, a browser has too.
const hasBrowser = isFull && CHROMIUM !== undefined;

testIf(isFull)('there is a Chromium to test in', ({ skip }) => skip(CHROMIUM === undefined, NO_CHROMIUM));

describeIf(hasBrowser, 'in Chromium', () => {
  /** Settles when the browser has dropped the download that never ends. */
  let onEndlessClosed = () => {};
  const endlessClosed = new Promise<string>((resolve) => {
    onEndlessClosed = () => resolve('closed');
  });
  let server: Server | undefined;
  let browser: Browser | undefined;
  let page: Page | undefined;

  beforeAll(async () => {
    const { code } = await bundle('esm');
    server = await serve(code, onEndlessClosed);
    const { port } = server.address() as AddressInfo;
    browser = await launched();
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** Parses something in the page: a piece of JavaScript that gives the input. */
  async function parseInPage(input: string): Promise<unknown> {
    // As text: a function would be sent as the test runner has rewritten it.
    return page?.evaluate(`(async () => {
      const { parseSitemap } = await import('/core.js');
      const parse = parseSitemap(${input}, { url: new URL('/sitemap.xml', location.href) });
      const found = [];
      for await (const item of parse) found.push(item.page.url);
      return { kind: parse.kind, found, problems: parse.problems, reason: parse.reason };
    })()`);
  }

  const all = { kind: 'pages-xml', found: PAGES, problems: [], reason: undefined };

  test.each([
    ['the body of a Response', `(await fetch('/sitemap.xml')).body`],
    [
      'the same through a reader only',
      `await fetch('/sitemap.xml').then(({ body }) => ({ getReader: () => body.getReader() }))`,
    ],
    [
      'a gzipped one, through DecompressionStream',
      `(await fetch('/sitemap.xml.gz')).body.pipeThrough(new DecompressionStream('gzip'))`,
    ],
    ['a gzipped one that the browser inflates', `(await fetch('/encoded.xml')).body`],
    ['an ArrayBuffer', `await (await fetch('/sitemap.xml')).arrayBuffer()`],
    ['bytes', `new Uint8Array(await (await fetch('/sitemap.xml')).arrayBuffer())`],
    ['a string', `await (await fetch('/sitemap.xml')).text()`],
    ['a Blob’s stream', `(await (await fetch('/sitemap.xml')).blob()).stream()`],
  ])('%s', async (_, input) => {
    expect(await parseInPage(input)).toEqual(all);
  });

  test.each([
    ['as bytes', `new Uint8Array(await (await fetch('/sitemap.xml.gz')).arrayBuffer())`],
    ['as a stream', `(await fetch('/sitemap.xml.gz')).body`],
  ])('gzipped bytes %s get an answer that says so', async (_, input) => {
    expect(await parseInPage(input)).toMatchObject({
      kind: 'invalid',
      found: [],
      reason: expect.stringMatching(/gzip.*DecompressionStream/),
    });
  });

  test('stopping early closes the connection', async () => {
    const kind = await page?.evaluate(`(async () => {
      const { parseSitemap } = await import('/core.js');
      const parse = parseSitemap((await fetch('/endless.xml')).body);
      for await (const item of parse) break;
      return parse.kind;
    })()`);
    expect(kind).toBe('pages-xml');
    expect(await endlessClosed).toBe('closed');
  });
});

/** What a bundle is made of. */
interface Bundle {
  readonly code: string;
  readonly metafile: Metafile;
}

async function bundle(
  format: 'esm' | 'iife',
  other: Pick<BuildOptions, 'plugins' | 'platform' | 'minify' | 'target'> & { entryPoints?: string[] } = {},
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [ENTRY],
    absWorkingDir: PROJECT,
    bundle: true,
    format,
    globalName: 'core',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
    logLevel: 'silent',
    ...other,
  });
  return { code: outputFiles[0]?.text ?? '', metafile };
}

/** Everything that a bundle imports and does not contain, or contains and a browser does not have. */
function builtinsIn({ inputs, outputs }: Metafile): string[] {
  const left = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const contained = Object.keys(inputs).filter((path) => /^(?:node:|\(disabled\))/.test(path));
  const asked = Object.values(inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ path, external }) => external === true || path.startsWith('node:'))
    .map(({ path }) => path);
  return [...new Set([...left, ...contained, ...asked])];
}

function* cut(text: string, size: number): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A page, the core, a sitemap in three ways and one that never ends, on the loopback. */
function serve(core: string, onEndlessClosed: () => void): Promise<Server> {
  const gzipped = gzipSync(URLSET);
  const answers: Record<string, { type: string; body: string | Uint8Array; encoding?: string }> = {
    '/': { type: 'text/html', body: '<!doctype html><title>core</title>' },
    '/core.js': { type: 'text/javascript', body: core },
    '/sitemap.xml': { type: 'application/xml', body: URLSET },
    '/sitemap.xml.gz': { type: 'application/octet-stream', body: gzipped },
    '/encoded.xml': { type: 'application/xml', body: gzipped, encoding: 'gzip' },
  };
  const server = createServer((request, response) => {
    if (request.url === '/endless.xml') {
      sendEndlessly(response, onEndlessClosed);
      return;
    }
    const answer = answers[request.url ?? ''];
    if (answer === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('content-type', answer.type);
    if (answer.encoding !== undefined) response.setHeader('content-encoding', answer.encoding);
    response.end(answer.body);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function sendEndlessly(response: ServerResponse, onClosed: () => void): void {
  let number = 0;
  response.setHeader('content-type', 'application/xml');
  response.write('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">');
  const timer = setInterval(() => {
    response.write(`<url><loc>https://example.org/${number++}</loc></url>`.repeat(100));
  }, 10);
  response.on('close', () => {
    clearInterval(timer);
    onClosed();
  });
}
