/** §11.1: what is damaged, cut, of another format or malicious is reported, and never loaded in part. */
import { execFileSync, spawn } from 'node:child_process';
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
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { SitemapException } from '../../../src/problems/errors.ts';
import { loadTree } from '../../../src/sitemap/archive/load-tree.ts';
import { saveTree } from '../../../src/sitemap/archive/save-tree.ts';
import { endRecord } from '../../../src/sitemap/archive/tree-records.ts';
import { digestOf, recordHead } from '../../../src/sitemap/archive/warc-writer.ts';
import { IndexXMLSitemap, type Sitemap } from '../../../src/sitemap/sitemap.ts';
import { Spool } from '../../../src/sitemap/spool/spool.ts';
import { archiveOf } from '../../support/archive-bombs.ts';
import { nodesOf, plain } from '../../support/archives.ts';
import { folder, openFiles } from '../../support/folder.ts';
import { HAS_PIPES, IS_LINUX } from '../../support/platform.ts';
import { codeOf } from '../../support/sitemaps.ts';
import { sized } from '../../support/tier.ts';
import { pagesNode, SITE, sampleTree, urlset } from '../../support/trees.ts';

const NAMES = ['tree.warc.gz', 'tree.warc'] as const;

/** What loading and reading everything gives: the tree's JSON, or the code of the exception. */
async function seen(
  path: string,
): Promise<{ readonly code: string; readonly json: string; readonly error: unknown }> {
  let tree: Sitemap | undefined;
  try {
    tree = await loadTree(path);
    const json = JSON.stringify(tree);
    for await (const page of tree.allPages()) page.url.trim();
    return { code: 'fine', json, error: undefined };
  } catch (error) {
    if (!(error instanceof SitemapException)) throw error;
    return { code: error.code, json: '', error };
  } finally {
    tree?.close();
  }
}

function largerTree(): Sitemap {
  const spool = new Spool({ memoryBytes: 1e9 });
  const names = ['a.xml', 'b.xml', 'c.xml'];
  const subSitemaps = names.map((name) =>
    pagesNode(
      spool,
      name,
      ...Array.from({ length: 150 }, (_, n) => `${name}/${(n * 2654435761) % 4294967296}`),
    ),
  );
  return new IndexXMLSitemap({ url: SITE, subSitemaps });
}

const FLIPS = sized({ fast: 20, full: 50, strong: 300 });
const CUTS = sized({ fast: 5, full: 10, strong: 60 });
const KILLS = sized({ fast: 1, full: 2, strong: 10 });

describe.each(NAMES)('§11.1 damage to %s', (name) => {
  test('a file that is cut anywhere is archive-damaged at load', async () => {
    const path = join(folder(), name);
    await saveTree(largerTree(), path);
    const bytes = readFileSync(path);
    const { documents } = nodesOf(path);
    const boundaries = documents.flatMap(({ offset, length, start }) => [
      Number(offset),
      Number(offset) + Number(start),
      Number(offset) + Number(length),
      Number(offset) + 1,
      Number(offset) + Number(length) - 1,
    ]);
    const random = Array.from({ length: CUTS }, (_, n) => 1 + ((n * 7919 * 31) % (bytes.length - 1)));
    const ends = [1, 2, 3, 9, 10, 11, 20, 100, bytes.length - 1, bytes.length - 8, bytes.length - 500];
    // Within the first record, which says who wrote the file.
    const first = Array.from({ length: CUTS }, (_, n) => 250 + Math.floor(120 / CUTS) * n);
    for (const length of [...boundaries, ...random, ...ends, ...first]) {
      writeFileSync(path, bytes.subarray(0, length));
      expect([length, (await seen(path)).code]).toEqual([length, 'archive-damaged']);
    }
  });

  test('a byte that was changed is found, with the file and the URL, or makes no difference', async () => {
    const path = join(folder(), name);
    await saveTree(largerTree(), path);
    const bytes = readFileSync(path);
    const { json } = await seen(path);
    const { documents } = nodesOf(path);
    const tally = { fine: 0, load: 0, read: 0 };
    for (let n = 0; n < FLIPS; n++) {
      const at = Math.floor((n / FLIPS) * bytes.length) + (n % 7);
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << (n % 8);
      writeFileSync(path, flipped);
      const { code, json: other, error } = await seen(path);
      expect(['fine', 'archive-damaged']).toContain(code);
      if (code === 'fine') {
        expect(other).toBe(json);
        tally.fine++;
        continue;
      }
      expect((error as Error).message).toContain(path);
      const hit = documents.find(
        ({ offset, length }) => at >= Number(offset) && at < Number(offset) + Number(length),
      );
      tally[hit === undefined ? 'load' : 'read']++;
      if (hit === undefined) continue;
      // A damaged document does not keep the tree from being loaded, unless that is asked for.
      expect(error).toMatchObject({ url: hit['url'], message: expect.stringContaining(String(hit['url'])) });
      (await loadTree(path)).close();
      await expect(loadTree(path, { verify: true })).rejects.toMatchObject({
        code: 'archive-damaged',
        url: hit['url'],
      });
      if (IS_LINUX) expect(openFiles(path)).toEqual([]);
      // What cannot be read must not be saved as if it were fine.
      const damaged = await loadTree(path);
      expect(await codeOf(() => saveTree(damaged, join(folder(), name)))).toBe('archive-damaged');
      damaged.close();
    }
    expect(Math.min(tally.load, tally.read)).toBeGreaterThan(FLIPS / 60);
  });

  test('a file with something before or behind it is archive-damaged', async () => {
    const path = join(folder(), name);
    await saveTree(sampleTree(), path);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes, bytes]));
    expect((await seen(path)).code).toBe('archive-damaged');
    writeFileSync(path, Buffer.concat([bytes, Buffer.from('\n')]));
    expect((await seen(path)).code).toBe('archive-damaged');
    writeFileSync(path, gzipSync(plainOf(bytes)));
    expect((await seen(path)).code).toBe('archive-damaged');
  });
});

function changed(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Buffer.from(bytes);
  copy[at < 0 ? copy.length + at : at]! ^= 0xff;
  return copy;
}

function largeUrlset(): string {
  return urlset(...Array.from({ length: 3_000 }, (_, n) => `${(n * 2654435761) % 4294967296}`));
}

function plainOf(bytes: Uint8Array): Uint8Array {
  const path = join(folder(), 'x');
  writeFileSync(path, bytes);
  return plain(path);
}

const HEADER = '{"format":"ultimate-sitemap-parser tree","version":1,"documents":[';
const NODES = '],"nodes":[';
const INDEX = `{"depth":0,"kind":"index-xml","url":"${SITE}"}`;
const PAGES = `{"depth":1,"kind":"pages-xml","url":"${SITE}a","document":0}`;
const BODY = Buffer.from(urlset('x'));
const document = (more: object = {}): string =>
  JSON.stringify({
    url: `${SITE}a`,
    bytes: BODY.length,
    digest: digestOf(BODY),
    offset: 0,
    length: BODY.length,
    crc32: 0,
    start: 0,
    ...more,
  });

describe('§11.1 a malicious archive', () => {
  const load = async (lines: readonly string[], options = {}) => {
    const path = join(folder(), 'bad.warc');
    writeFileSync(path, archiveOf(lines, BODY));
    return loadTree(path, options);
  };

  test('the lines that the cases below break are an archive', async () => {
    const { crc32 } = await import('node:zlib');
    const tree = await load([HEADER, document({ crc32: crc32(BODY) }), NODES, `${INDEX},`, PAGES, ']}']);
    expect([...tree.allPages()].map(({ url }) => url)).toEqual([`${SITE}x`]);
    tree.close();
  });

  test.each<readonly [string, readonly string[]]>([
    ['no nodes', [HEADER, NODES, ']}']],
    ['no end of the nodes', [HEADER, NODES, INDEX]],
    ['something behind the end', [HEADER, NODES, INDEX, ']}', '{}']],
    ['another format', [HEADER.replace('parser tree', 'parser bush'), NODES, INDEX, ']}']],
    ['a line that is not JSON', [HEADER, NODES, '{"depth":', ']}']],
    ['a node without a URL', [HEADER, NODES, '{"depth":0,"kind":"index-xml"}', ']}']],
    ['an unknown kind', [HEADER, NODES, INDEX.replace('index-xml', 'index-yaml'), ']}']],
    [
      'a website that does not say whether it is complete',
      [HEADER, NODES, INDEX.replace('index-xml', 'website'), ']}'],
    ],
    ['an invalid node without a reason', [HEADER, NODES, INDEX.replace('index-xml', 'invalid'), ']}']],
    ['a date that is not a date', [HEADER, NODES, INDEX.replace('}', ',"lastModified":"soon"}'), ']}']],
    ['a second top', [HEADER, NODES, `${INDEX},`, INDEX, ']}']],
    ['a first node that is not the top', [HEADER, document(), NODES, PAGES, ']}']],
    ['a depth that is skipped', [HEADER, document(), NODES, `${INDEX},`, PAGES.replace('1', '2'), ']}']],
    ['a child of a page sitemap', [HEADER, document(), NODES, `${PAGES.replace('1', '0')},`, PAGES, ']}']],
    ['a document that is not there', [HEADER, NODES, `${INDEX},`, PAGES, ']}']],
    ['a hop that is not there', [HEADER, NODES, INDEX.replace('}', ',"hops":[7]}'), ']}']],
    ['a document behind the end of the file', [HEADER, document({ offset: 1e15 }), NODES, INDEX, ']}']],
    ['a document longer than its record', [HEADER, document({ bytes: 1e6 }), NODES, INDEX, ']}']],
    ['a document at a negative place', [HEADER, document({ offset: -1 }), NODES, INDEX, ']}']],
    [
      'a document of pieces that do not fit',
      [HEADER, document({ pieces: [1e9], start: 10 }), NODES, INDEX, ']}'],
    ],
    ['a document of too many pieces', [HEADER, document({ pieces: [1, 1], start: 10 }), NODES, INDEX, ']}']],
    ['two documents in one record', [HEADER, `${document()},`, document(), NODES, INDEX, ']}']],
    ['problems that are not problems', [HEADER, NODES, INDEX.replace('}', ',"problems":[1]}'), ']}']],
    [
      'an origin that is not one',
      [HEADER.replace('"documents"', '"origin":{"call":"x"},"documents"'), NODES, INDEX, ']}'],
    ],
  ])('archive-damaged: %s', async (_, lines) => {
    expect(await codeOf(() => load(lines))).toBe('archive-damaged');
  });

  test('an aborted signal ends loading in the middle of many nodes, with its reason, and the file is closed', async () => {
    const child = INDEX.replace('"depth":0', '"depth":1');
    const path = join(folder(), 'many.warc');
    const children = Array<string>(20_000).fill(`${child},`);
    writeFileSync(path, archiveOf([HEADER, NODES, `${INDEX},`, ...children, child, ']}'], BODY));
    const tree = await loadTree(path);
    expect(tree.subSitemaps).toHaveLength(20_001);
    tree.close();
    const reason = new Error('enough');
    const controller = new AbortController();
    const loading = loadTree(path, { signal: controller.signal }).catch((error: unknown) => error);
    setTimeout(() => controller.abort(reason), 5);
    expect(await loading).toBe(reason);
    expect(await loadTree(path, { signal: controller.signal }).catch((error: unknown) => error)).toBe(reason);
    expect(await codeOf(() => loadTree(path, { signal: 1 as never }))).toBe('bad-option');
    if (process.platform === 'linux') expect(openFiles(path)).toEqual([]);
  });

  test('archive-limit: more nodes or larger documents than the options allow, before they cost anything', async () => {
    const child = INDEX.replace('"depth":0', '"depth":1');
    const many = [
      HEADER,
      NODES,
      ...[INDEX, ...Array(20).fill(child)].map((line, n) => (n < 20 ? `${line},` : line)),
      ']}',
    ];
    (await load(many, { maxSitemaps: 20 })).close();
    await expect(load(many, { maxSitemaps: 19 })).rejects.toMatchObject({
      code: 'archive-limit',
      option: 'maxSitemaps',
      message: expect.stringContaining('maxSitemaps'),
    });
    const large = [HEADER, document(), NODES, `${INDEX},`, PAGES, ']}'];
    (await load(large, { maxSitemapBytes: BODY.length })).close();
    expect(await codeOf(() => load(large, { maxSitemapBytes: BODY.length - 1 }))).toBe('archive-limit');
  });

  test('archive-limit: a record of nodes that inflates to gigabytes', async () => {
    const path = join(folder(), 'bomb.warc.gz');
    const head = recordHead({ type: 'metadata', date: 0, contentType: 'application/json' }, 1, {
      block: '',
      payload: '',
    });
    // The limit is 16 MiB, and 4 KiB for each sitemap that may be in the tree.
    const [inflated, options] = sized({
      fast: [30 * 1024 * 1024, { maxSitemaps: 1_000 }],
      full: [60 * 1024 * 1024, { maxSitemaps: 10_000 }],
      strong: [300 * 1024 * 1024, {}],
    });
    const bomb = gzipSync(Buffer.concat([Buffer.from(head), Buffer.alloc(inflated, '\n')]));
    const end = { offset: 0, length: bomb.length, digest: digestOf(bomb) };
    writeFileSync(path, Buffer.concat([bomb, endRecord(end, 0, { isGzip: true })]));
    const before = process.memoryUsage().rss;
    expect(await codeOf(() => loadTree(path, options))).toBe('archive-limit');
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * 1024 * 1024);
  });

  test('a piece that inflates to more than a piece is archive-damaged when it is read', async () => {
    const { crc32, deflateRawSync } = await import('node:zlib');
    const bomb = deflateRawSync(Buffer.alloc(sized({ fast: 5, full: 20 }) * 1024 * 1024, 'a'));
    const stored = Buffer.concat([Buffer.alloc(10), bomb]);
    const path = join(folder(), 'bad.warc');
    const fields = {
      bytes: 1000,
      length: stored.length,
      crc32: crc32(stored),
      start: 10,
      pieces: [bomb.length],
    };
    writeFileSync(path, archiveOf([HEADER, document(fields), NODES, `${INDEX},`, PAGES, ']}'], stored));
    const tree = await loadTree(path);
    await expect((async () => [...tree.allPages()])()).rejects.toMatchObject({
      code: 'archive-damaged',
      url: `${SITE}a`,
    });
    tree.close();
  });

  test('a node of any kind may show any document, and is read as far as it goes', async () => {
    const { crc32 } = await import('node:zlib');
    for (const kind of ['pages-rss', 'pages-text', 'pages-atom', 'pages-xml']) {
      const html = [
        HEADER,
        document({ crc32: crc32(BODY) }),
        NODES,
        `${INDEX},`,
        PAGES.replace('pages-xml', kind),
        ']}',
      ];
      const tree = await load(html);
      expect([...tree.allPages()].length).toBeLessThanOrEqual(1);
      tree.close();
    }
  });
});

describe('§11.1 what is not an archive', () => {
  test('archive-version: another version of the format', async () => {
    const path = join(folder(), 'tree.gz');
    writeFileSync(path, archiveOf([HEADER.replace('1,', '2,"x":1,'), 'whatever comes then']));
    await expect(loadTree(path)).rejects.toMatchObject({
      code: 'archive-version',
      message: expect.stringMatching(/version 2.*reads version 1; update/),
    });
  });

  test.each<readonly [string, string | Uint8Array]>([
    ['an empty file', ''],
    ['an XML sitemap', urlset('a')],
    ['a gzipped XML sitemap', gzipSync(urlset('a'))],
    ['a gzipped sitemap with bytes behind it', Buffer.concat([gzipSync(urlset('a')), Buffer.from('junk')])],
    ['a gzipped sitemap with a wrong checksum', changed(gzipSync(urlset('a')), -6)],
    ['a gzipped sitemap with a wrong byte', changed(gzipSync(largeUrlset()), -4000)],
    ['gzip with a wrong head', changed(gzipSync(urlset('a')), 2)],
    ['other NDJSON', gzipSync('{"url":"x"}\n')],
    ["another program's WARC", 'WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\nsoftware: Wget/1.21\r\n\r\n'],
    [
      "another program's WARC that says nothing of itself",
      'WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n\r\n\r\nWARC/1.0\r\n',
    ],
    ["another program's WARC, gzipped", gzipSync('WARC/1.1\r\nWARC-Type: warcinfo\r\n\r\nsoftware: x\r\n')],
  ])('archive-format: %s', async (_, content) => {
    const path = join(folder(), 'tree.warc.gz');
    writeFileSync(path, content);
    await expect(loadTree(path)).rejects.toMatchObject({
      code: 'archive-format',
      message: expect.stringContaining(path),
    });
  });

  test('archive-unreadable: no such file, a folder, or a pipe', async () => {
    const directory = folder();
    expect(await codeOf(() => loadTree(join(directory, 'missing')))).toBe('archive-unreadable');
    expect(await codeOf(() => loadTree(directory))).toBe('archive-unreadable');
    if (!HAS_PIPES) return;
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    expect(await codeOf(() => loadTree(join(directory, 'pipe')))).toBe('archive-unreadable');
  });
});

describe('§11.1 the old file or the new file', () => {
  test('a save that fails leaves the old file as it was, and nothing else', async () => {
    const directory = folder();
    const path = join(directory, 'tree.warc.gz');
    await saveTree(sampleTree(), path);
    const old = readFileSync(path);
    const closed = sampleTree();
    closed.close();
    expect(await codeOf(() => saveTree(closed, path))).toBe('tree-closed');
    expect(readFileSync(path).equals(old)).toBe(true);
    expect(readdirSync(directory)).toEqual(['tree.warc.gz']);
  });

  test('kill -9 at any moment of a save leaves the old archive or the new one', async () => {
    const directory = folder();
    const path = join(directory, 'tree.warc.gz');
    await saveTree(sampleTree(), path);
    const old = JSON.stringify(sampleTree());
    const archive = join(import.meta.dirname, '../../../src/sitemap/archive');
    const { outputFiles } = buildSync({
      stdin: {
        resolveDir: archive,
        contents: `
          import { saveTree } from './save-tree.ts';
          import { loadTree } from './load-tree.ts';
          const tree = await loadTree(${JSON.stringify(path)});
          console.log('ready');
          for (;;) await saveTree(tree, ${JSON.stringify(path)});`,
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
    });
    const script = join(folder(), 'save.mjs');
    writeFileSync(script, outputFiles[0]!.contents);
    for (let run = 0; run < KILLS; run++) {
      const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
      await new Promise((resolve) => child.stdout.once('data', resolve));
      await delay(5 + (run * 130) / KILLS);
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
      const loaded = await loadTree(path, { verify: true });
      expect(JSON.stringify(loaded)).toBe(old);
      loaded.close();
    }
  });

  test.each<readonly [string, (directory: string) => string]>([
    ['the folder is missing', (directory) => join(directory, 'missing', 'tree.gz')],
    ['the path is a folder', (directory) => directory],
    ['the path is a pipe', (directory) => join(directory, '..', 'pipe')],
  ])('archive-unwritable: %s', async (_, pathIn) => {
    const parent = folder();
    const directory = join(parent, 'inner');
    mkdirSync(directory);
    // Without mkfifo, a folder is in its place.
    if (HAS_PIPES) execFileSync('mkfifo', [join(parent, 'pipe')]);
    else mkdirSync(join(parent, 'pipe'));
    await expect(saveTree(sampleTree(), pathIn(directory))).rejects.toMatchObject({
      code: 'archive-unwritable',
      // Not the temporary file, which the caller does not know.
      message: expect.not.stringContaining('.usp-'),
    });
    expect([readdirSync(parent), readdirSync(directory)]).toEqual([['inner', 'pipe'], []]);
    expect(statSync(join(parent, 'pipe')).isFIFO()).toBe(HAS_PIPES);
  });

  test('a file behind a link is replaced, and keeps its mode', async () => {
    const directory = folder();
    const [file, link] = [join(directory, 'file'), join(directory, 'link')];
    writeFileSync(file, 'old');
    chmodSync(file, 0o660);
    symlinkSync(file, link);
    await saveTree(sampleTree(), link);
    const loaded = await loadTree(file);
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(sampleTree()));
    loaded.close();
    expect(statSync(file).mode & 0o777).toBe(0o660);
    expect(readdirSync(directory)).toEqual(['file', 'link']);
  });

  test('wrong arguments are reported, and nothing is written', async () => {
    const path = join(folder(), 'tree.warc.gz');
    const wrong: unknown = { kind: 'website' };
    expect(await codeOf(() => saveTree(wrong as Sitemap, path))).toBe('bad-input');
    expect(await codeOf(() => saveTree(sampleTree(), ''))).toBe('bad-input');
    expect(await codeOf(() => loadTree(new URL('https://example.org/tree')))).toBe('bad-input');
    for (const options of [{ memory: 1 }, { verify: 1 }, { maxSitemaps: 0 }, { maxSitemapBytes: '1' }]) {
      await expect(loadTree(path, options as object)).rejects.toMatchObject({
        code: 'bad-option',
        message: expect.stringContaining(Object.keys(options)[0]!),
      });
    }
    expect(existsSync(path)).toBe(false);
  });
});
