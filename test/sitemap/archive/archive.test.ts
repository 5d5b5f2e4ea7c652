/** BEHAVIOUR §5, save and restore: a versioned, streamed, gzipped NDJSON file; a loaded tree equals the saved one. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SitemapXMLParsingException } from '../../../src/errors.ts';
import { loadTree, saveTree } from '../../../src/sitemap/archive/archive.ts';
import { InvalidSitemap, PagesXMLSitemap, type Sitemap } from '../../../src/sitemap/sitemap.ts';
import { Spool } from '../../../src/sitemap/spool/spool.ts';
import { IS_POSIX } from '../../support/platform.ts';
import { codeOf, folder } from '../../support/sitemaps.ts';
import { SITE, sampleTree, source, treeFrom, treeSpec, urlset } from '../../support/trees.ts';

const linesOf = (path: string) => gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
const writeLines = (path: string, lines: readonly string[]) =>
  writeFileSync(path, gzipSync(`${lines.join('\n')}\n`));

/** Everything that can be seen of a tree and is not in its JSON. */
function notInJSON(tree: Sitemap): unknown[] {
  return [tree, ...tree.allSitemaps()].map((node) => [
    node.constructor.name,
    node.pageCount,
    node.kind === 'invalid' ? [node.status, (node.error as Error | undefined)?.message] : [],
    [...node.pages].map(({ lastModifiedText }) => lastModifiedText),
  ]);
}

describe('§5 saveTree → loadTree', () => {
  test('gives an equal tree, whatever it is made of, with its pages in memory or in the file', async () => {
    const path = join(folder(), 'tree.gz');
    await fc.assert(
      fc.asyncProperty(treeSpec, fc.constantFrom(0, 1e9), async (spec, spoolMemoryBytes) => {
        const tree = treeFrom(spec, new Spool({ memoryBytes: 1e9 }));
        await saveTree(tree, path);
        const loaded = await loadTree(path, { spoolMemoryBytes });
        const json = JSON.stringify(tree);
        expect(JSON.stringify(loaded)).toBe(json);
        expect(notInJSON(loaded)).toEqual(notInJSON(tree));
        // What was loaded is a tree like any other: it can be walked again, async, and saved.
        const urls: string[] = [];
        for await (const { url } of loaded.allPages()) urls.push(url);
        expect(urls).toEqual([...tree.allPages()].map(({ url }) => url));
        const bytes = gunzipSync(readFileSync(path));
        await saveTree(loaded, path);
        expect(gunzipSync(readFileSync(path)).equals(bytes)).toBe(true);
        tree.close();
        loaded.close();
        if (urls.length > 0) expect(await codeOf(() => [...loaded.allPages()])).toBe('tree-closed');
      }),
      { numRuns: 120 },
    );
  });

  test('writes a shared document once, and the nodes that show it share it again', async () => {
    const path = join(folder(), 'tree.gz');
    await saveTree(sampleTree(), path);
    expect(linesOf(path).filter((line) => line.includes(`{"url":"${SITE}s1"`))).toHaveLength(1);
    expect(linesOf(path)[0]).toBe('{"format":"ultimate-sitemap-parser tree","version":1}');
    expect(linesOf(path).at(-1)).toBe('{"end":{"sitemaps":9,"pages":6}}');
    expect(JSON.stringify(await loadTree(path))).toBe(JSON.stringify(sampleTree()));
  });

  test.each<readonly [string, Sitemap]>([
    [
      'a page sitemap',
      new PagesXMLSitemap({ url: SITE, pages: source(new Spool({ memoryBytes: 1e6 }), urlset('a')) }),
    ],
    ['an invalid one', new InvalidSitemap({ url: SITE, code: 'timeout', reason: 'No answer.' })],
  ])('takes any node as the top: %s', async (_, node) => {
    const path = join(folder(), 'tree.gz');
    await saveTree(node, pathToFileURL(path));
    expect(JSON.stringify(await loadTree(pathToFileURL(path)))).toBe(JSON.stringify(node));
  });

  test('an exception comes back as its class, with message and code', async () => {
    const path = join(folder(), 'tree.gz');
    const error = new SitemapXMLParsingException('It is an SVG.', { code: 'unsupported-root', url: SITE });
    await saveTree(new InvalidSitemap({ url: SITE, code: 'not-a-sitemap', reason: 'An SVG.', error }), path);
    const loaded = await loadTree(path);
    if (loaded.kind !== 'invalid') throw new Error('it was invalid');
    expect(loaded.error).toBeInstanceOf(SitemapXMLParsingException);
    expect(loaded.error).toMatchObject({ message: 'It is an SVG.', code: 'unsupported-root', url: SITE });
  });
});

describe('§5 what cannot be loaded is reported, not half-loaded', () => {
  const header = '{"format":"ultimate-sitemap-parser tree","version":1}';
  const index = `{"sitemap":{"depth":0,"kind":"index-xml","url":"${SITE}"}}`;
  const pages = (depth: number, document = 0) =>
    `{"sitemap":{"depth":${depth},"kind":"pages-xml","url":"${SITE}","document":${document}}}`;
  const page = `{"url":"${SITE}a","priority":0.5}`;
  const closing = (count: number) =>
    `{"document":{"pages":${count},"problems":[],"problemCount":0,"truncated":false}}`;
  const end = (sitemaps: number, count: number) => `{"end":{"sitemaps":${sitemaps},"pages":${count}}}`;

  test('the lines that the cases below break are an archive', async () => {
    const path = join(folder(), 'tree.gz');
    writeLines(path, [header, index, pages(1), page, closing(1), pages(1), end(3, 1)]);
    expect([...(await loadTree(path)).allPages()]).toHaveLength(2);
  });

  test.each<readonly [string, readonly string[]]>([
    ['no end', [header, index]],
    ['cut inside a document', [header, index, pages(1), page]],
    ['a line that is not JSON', [header, index, '{"sitemap":', end(1, 0)]],
    ['a line that is no object', [header, index, '[]', end(1, 0)]],
    ['a line of no meaning', [header, index, '{}', end(1, 0)]],
    ['a second top', [header, index, index, end(2, 0)]],
    ['no top', [header, end(0, 0)]],
    ['a depth that is skipped', [header, index, pages(2), closing(0), end(2, 0)]],
    ['a first depth that is not 0', [header, pages(1), closing(0), end(1, 0)]],
    ['a child of a page sitemap', [header, pages(0), closing(0), pages(1), end(2, 0)]],
    ['a document out of turn', [header, index, pages(1, 1), closing(0), end(2, 0)]],
    ['an unknown kind', [header, index.replace('index-xml', 'index-yaml'), end(1, 0)]],
    ['a page without a URL', [header, pages(0), '{"priority":0.5}', closing(1), end(1, 1)]],
    [
      'a page with images that are none',
      [header, pages(0), page.replace('}', ',"images":"x"}'), closing(1), end(1, 1)],
    ],
    ['too few pages', [header, pages(0), page, closing(2), end(1, 1)]],
    ['a wrong number of sitemaps', [header, index, end(2, 0)]],
    ['a wrong number of pages', [header, index, end(1, 1)]],
    ['more behind the end', [header, index, end(1, 0), index]],
    ['an invalid node without a reason', [header, index.replace('index-xml', 'invalid'), end(1, 0)]],
    ['a date that is none', [header, index.replace('}}', ',"lastModified":"soon"}}'), end(1, 0)]],
  ])('archive-damaged: %s', async (_, lines) => {
    const path = join(folder(), 'tree.gz');
    writeLines(path, lines);
    await expect(loadTree(path)).rejects.toMatchObject({
      code: 'archive-damaged',
      message: expect.stringContaining(path),
    });
  });

  test('archive-damaged: truncated at every 1,000th byte', async () => {
    const path = join(folder(), 'tree.gz');
    const paths = Array.from({ length: 4000 }, (_, seed) => `${(seed * 2654435761) % 4294967296}/${seed}`);
    const spool = new Spool({ memoryBytes: 1e9 });
    await saveTree(new PagesXMLSitemap({ url: SITE, pages: source(spool, urlset(...paths)), spool }), path);
    const bytes = readFileSync(path);
    expect(bytes.length).toBeGreaterThan(20_000);
    for (let length = 1000; length < bytes.length; length += 1000) {
      writeFileSync(path, bytes.subarray(0, length));
      expect(await codeOf(() => loadTree(path))).toBe('archive-damaged');
    }
    for (const length of [bytes.length - 1, bytes.length - 8, 20, 2]) {
      writeFileSync(path, bytes.subarray(0, length));
      expect(await codeOf(() => loadTree(path))).toBe('archive-damaged');
    }
    const flipped = Buffer.from(bytes);
    flipped[10_000]! ^= 1;
    writeFileSync(path, flipped);
    expect(await codeOf(() => loadTree(path))).toBe('archive-damaged');
  });

  test('archive-version: a newer version says so before anything else of it is read', async () => {
    const path = join(folder(), 'tree.gz');
    writeLines(path, [header.replace('1}', '2,"compression":"x"}'), 'whatever comes then']);
    await expect(loadTree(path)).rejects.toMatchObject({
      code: 'archive-version',
      message: expect.stringMatching(/newer version.*version 2.*reads version 1; update/),
    });
  });

  test.each<readonly [string, string | Uint8Array]>([
    ['an empty file', ''],
    ['an XML sitemap', urlset('a')],
    ['a gzipped XML sitemap', gzipSync(urlset('a'))],
    ['gzipped nothing', gzipSync('')],
    ['other NDJSON', gzipSync('{"url":"x"}\n')],
    ['no version', gzipSync('{"format":"ultimate-sitemap-parser tree"}\n')],
    ['version 0', gzipSync('{"format":"ultimate-sitemap-parser tree","version":0}\n')],
  ])('archive-format: %s', async (_, content) => {
    const path = join(folder(), 'tree.gz');
    writeFileSync(path, content);
    await expect(loadTree(path)).rejects.toMatchObject({
      code: 'archive-format',
      message: expect.stringContaining(path),
    });
  });

  test('archive-unreadable: no such file, or a folder', async () => {
    const directory = folder();
    expect(await codeOf(() => loadTree(join(directory, 'missing')))).toBe('archive-unreadable');
    expect(await codeOf(() => loadTree(directory))).toBe('archive-unreadable');
  });
});

describe('§5 the old file, the new file, never a torn one', () => {
  test('a save that fails leaves the old file as it was, and nothing else', async () => {
    const directory = folder();
    const path = join(directory, 'tree.gz');
    await saveTree(sampleTree(), path);
    const old = readFileSync(path);
    const closed = sampleTree();
    closed.close();
    expect(await codeOf(() => saveTree(closed, path))).toBe('tree-closed');
    expect(readFileSync(path).equals(old)).toBe(true);
    expect(readdirSync(directory)).toEqual(['tree.gz']);
  });

  test.skipIf(!IS_POSIX).each<readonly [string, (directory: string) => string]>([
    ['the folder is missing', (directory) => join(directory, 'missing', 'tree.gz')],
    ['the path is a folder', (directory) => directory],
    ['the path is a pipe', (directory) => join(directory, '..', 'pipe')],
  ])('archive-unwritable: %s (needs named pipes)', async (_, pathIn) => {
    const parent = folder();
    const directory = join(parent, 'inner');
    mkdirSync(directory);
    execFileSync('mkfifo', [join(parent, 'pipe')]);
    await expect(saveTree(sampleTree(), pathIn(directory))).rejects.toMatchObject({
      code: 'archive-unwritable',
      // Not the temporary file, which nobody asked for.
      message: expect.not.stringContaining('.usp-'),
    });
    expect([readdirSync(parent), readdirSync(directory)]).toEqual([['inner', 'pipe'], []]);
    expect(statSync(join(parent, 'pipe')).isFIFO()).toBe(true);
  });

  test.skipIf(!IS_POSIX)(
    'replaces a file behind a link, and keeps its mode (needs POSIX modes)',
    async () => {
      const directory = folder();
      const [file, link] = [join(directory, 'file'), join(directory, 'link')];
      writeFileSync(file, 'old');
      chmodSync(file, 0o660);
      symlinkSync(file, link);
      await saveTree(sampleTree(), link);
      expect(JSON.stringify(await loadTree(file))).toBe(JSON.stringify(sampleTree()));
      expect(statSync(file).mode & 0o777).toBe(0o660);
      expect(readdirSync(directory)).toEqual(['file', 'link']);
    },
  );

  test('wrong arguments are said to be so, and nothing is written', async () => {
    const path = join(folder(), 'tree.gz');
    const wrong: unknown = { kind: 'website' };
    expect(await codeOf(() => saveTree(wrong as Sitemap, path))).toBe('bad-input');
    expect(await codeOf(() => saveTree(sampleTree(), ''))).toBe('bad-input');
    expect(await codeOf(() => loadTree(new URL('https://example.org/tree')))).toBe('bad-input');
    for (const options of [{ memory: 1 }, { spoolMemoryBytes: -1 }, { spoolDirectory: 1 }, { logger: 1 }]) {
      await expect(loadTree(path, options as object)).rejects.toMatchObject({
        code: 'bad-option',
        message: expect.stringContaining(Object.keys(options)[0]!),
      });
    }
    expect(existsSync(path)).toBe(false);
  });
});
