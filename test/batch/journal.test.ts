/** §14.1: what the journal says is finished, what is damaged, and what a crawl that goes on keeps. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { archiveOf, type CrawlFolder } from '../../src/batch/crawl-folder.ts';
import {
  CrawlCounts,
  type FinishedSite,
  isFinishedSite,
  linesIn,
  type SiteLine,
} from '../../src/batch/journal.ts';
import { createTable } from '../../src/batch/output/parts.ts';
import { SitemapPage } from '../../src/index.ts';
import { crawlFolder, finishedSite, journalOf, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { openFiles } from '../support/folder.ts';
import { siteRows } from '../support/part-rows.ts';
import { IS_LINUX } from '../support/platform.ts';

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example/`) as [
  string,
  string,
  string,
  string,
];

const lineOf = (site: string, more: Partial<SiteLine> = {}): SiteLine => ({
  ...finishedSite(site, 0),
  ...{ parts: [], batch: 1, of: 1 },
  ...more,
});

function write({ sites }: CrawlFolder, ...lines: readonly unknown[]): void {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  writeFileSync(sites, text.join(''));
}

/** A part with these numbers of pages of sites. */
async function partOf(
  folder: CrawlFolder,
  ...sites: readonly (readonly [string, number])[]
): Promise<string> {
  const path = join(folder.temporary, `own-${Math.random()}.ndjson.gz`);
  const writer = await createTable(path, 'ndjson');
  for (const [site, count] of sites) {
    const rows = Array.from({ length: count }, (_, at) => {
      const page = new SitemapPage({ url: `${site}${at}` });
      return { sitemap: `${site}sitemap.xml`, page, stale: false };
    });
    await writer.write(siteRows(site, rows));
  }
  await writer.finish();
  return path;
}

const failed = (site: string, pages = 0): FinishedSite => ({
  ...finishedSite(site, pages),
  outcome: 'failed',
});

describe('§14 the counts of a crawl', () => {
  const SITES = [
    { outcome: 'complete', pages: 3, leftOut: { older: 2, excluded: 1 } },
    { outcome: 'failed', pages: 1, code: 'timeout' },
    { outcome: 'failed', pages: 0, code: 'timeout', leftOut: { older: 4 } },
    { outcome: 'failed', pages: 0 },
    { outcome: 'partial', pages: 5, code: 'limit' },
    { outcome: 'none', pages: 0, code: 'no-sitemaps' },
  ] as const;
  const EXPECTED = {
    sites: 6,
    pages: 9,
    outcomes: { complete: 1, partial: 1, none: 1, failed: 3 },
    // Those of sites that failed alone.
    reasons: new Map([['timeout', 2]]),
    leftOut: new Map([
      ['older', 6],
      ['excluded', 1],
    ]),
  };

  test('are sums over its sites', () => {
    const counts = new CrawlCounts();
    for (const site of SITES) counts.add(site);
    expect({ ...counts }).toEqual(EXPECTED);
  });

  test('with those of more sites are other counts', () => {
    const counts = new CrawlCounts();
    for (const site of SITES.slice(0, 2)) counts.add(site);
    const before = structuredClone({ ...counts });
    expect({ ...counts.plus(SITES.slice(2)) }).toEqual(EXPECTED);
    expect({ ...counts }).toEqual(before);
    expect({ ...counts.plus([]) }).toEqual(before);
  });
});

describe('§14.1 a site that a worker sends', () => {
  const good = {
    ...finishedSite(A),
    ...{ code: 'limit', reason: 'x', stopped: { limit: 'maxPages' }, leftOut: { older: 1 }, stale: 1 },
  };

  test('has what a line has, and needs no place', () => {
    expect([good, finishedSite(A)].map(isFinishedSite)).toEqual([true, true]);
  });

  test.each<[string, unknown]>([
    ['a list', [good]],
    ['nothing', null],
    ['a text', 'x'],
    ['no site', { ...good, site: undefined }],
    ['a number for a site', { ...good, site: 1 }],
    ['no outcome', { ...good, outcome: undefined }],
    ['another outcome', { ...good, outcome: 'done' }],
    ['fewer pages than none', { ...good, pages: -1 }],
    ['half a page', { ...good, pages: 0.5 }],
    ['no pages', { ...good, pages: undefined }],
    ['a text for sitemaps', { ...good, sitemaps: '1' }],
    ['no bytes', { ...good, bytes: undefined }],
    ['no end', { ...good, finishedAt: undefined }],
    ['a number for its end', { ...good, finishedAt: 1 }],
    ['a number for a code', { ...good, code: 404 }],
    ['a text for what stopped it', { ...good, stopped: 'maxPages' }],
    ['a list of what was left out', { ...good, leftOut: [1] }],
    ['a text for a number of pages that were left out', { ...good, leftOut: { older: 1, newer: '1' } }],
  ])('%s is refused', (_, value) => {
    expect(isFinishedSite(value)).toBe(false);
  });
});

describe('§14.1 sites.ndjson', () => {
  const damagedAt = async (...lines: readonly unknown[]): Promise<string> => {
    const folder = await crawlFolder();
    write(folder, ...lines);
    const before = readFileSync(folder.sites);
    const error = await journalOf(folder).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'journal-damaged' });
    expect(readFileSync(folder.sites).equals(before)).toBe(true);
    expect(readdirSync(folder.temporary)).toEqual(['handed']);
    return /(?<=damaged at )line \d+/.exec(String(error))?.[0] ?? '';
  };

  test.each<[string, readonly unknown[], number]>([
    ['a line that is not JSON, first', ['x', lineOf(A)], 1],
    ['a line that is not JSON, last', [lineOf(A), lineOf(B, { batch: 2 }), 'x'], 3],
    ['an empty line', [lineOf(A), '', lineOf(B)], 2],
    ['a list', [lineOf(A), '[]'], 2],
    [
      'a line of another batch within one',
      [lineOf(A), lineOf(B, { batch: 2, of: 3 }), lineOf(C, { batch: 2, of: 3 }), lineOf(D, { batch: 3 })],
      2,
    ],
    ['a part of a place that is none', [lineOf(A), lineOf(B, { parts: ['pages/x'] })], 2],
    [
      'the archive of another site',
      [lineOf(A, { archive: archiveOf(A) }), lineOf(B, { archive: archiveOf(A) })],
      2,
    ],
    ['a batch of no number', [lineOf(A, { batch: -1 })], 1],
    ['a batch with a number of too many digits', [lineOf(A), lineOf(B, { batch: 1e15 })], 2],
    ['a batch of no lines', [lineOf(A, { of: 0 })], 1],
    ['sizes that are none', [lineOf(A, { partBytes: -1 })], 1],
  ])('with %s is damaged', async (_, lines, line) => {
    expect(await damagedAt(...lines)).toBe(`line ${line}`);
  });

  test('has batches of several lines, whatever their length', async () => {
    const folder = await crawlFolder();
    // Longer than what is read at once, with characters of several bytes.
    const reason = 'ö€🙈'.repeat(20_000);
    const lines = [
      lineOf(A, { reason, batch: 7, of: 2 }),
      lineOf(B, { reason, batch: 7, of: 2, archive: archiveOf(B) }),
      lineOf(C, { batch: 1e15 - 1 }),
      lineOf(D, { reason, batch: 4 }),
    ];
    write(folder, ...lines);
    const before = readFileSync(folder.sites);
    const journal = await journalOf(folder);
    expect([A, B, C, D].map((site) => journal.has(site))).toEqual([true, true, true, true]);
    expect([journal.counts.sites, journal.lastBatch]).toEqual([4, 1e15 - 1]);
    expect(readFileSync(folder.sites).equals(before)).toBe(true);
    const found: SiteLine[] = [];
    for await (const line of linesIn(folder)) found.push(line);
    expect(found).toEqual(JSON.parse(JSON.stringify(lines)));
  });

  test('with bytes that are not UTF-8 keeps its length, as with all others', async () => {
    const folder = await crawlFolder();
    write(folder, lineOf(A, { reason: 'caf\u00e9' }), lineOf(B, { batch: 2 }));
    const bytes = Buffer.from(readFileSync(folder.sites, 'utf8'), 'latin1');
    writeFileSync(folder.sites, bytes);
    const journal = await journalOf(folder);
    expect([journal.has(A), journal.has(B), journal.counts.sites]).toEqual([true, true, 2]);
    expect(readFileSync(folder.sites).equals(bytes)).toBe(true);
  });

  test('gives a batch the number after the largest one, and its lines what they are of', async () => {
    const folder = await crawlFolder();
    write(folder, lineOf(A, { batch: 9 }), lineOf(B, { batch: 2 }));
    const journal = await journalOf(folder);
    await journal.publish({
      part: undefined,
      sites: [finishedSite(A, 0), finishedSite(C, 0), finishedSite(D, 0)],
    });
    await journal.publish({ part: undefined, sites: [finishedSite(A, 0)] });
    const part = await partOf(folder, ['https://e.example/', 2]);
    const { size } = statSync(part);
    await journal.publish({ part, sites: [finishedSite('https://e.example/', 2)] });
    const lines = linesOf(folder.path).map(({ site, batch, of }) => [site, batch, of]);
    expect(lines.slice(2)).toEqual([
      [C, 10, 2],
      [D, 10, 2],
      ['https://e.example/', 11, 1],
    ]);
    const [name = ''] = readdirSync(folder.pages);
    expect(name).toMatch(/^part-00000011\.[\da-f]{8}\.ndjson\.gz$/);
    expect(linesOf(folder.path).at(-1)).toMatchObject({ parts: [`pages/${name}`], partBytes: size });
    expect(journal.counts).toMatchObject({ sites: 5, pages: 2 });
  });

  test('keeps nothing of lines that could not be flushed', async () => {
    const folder = await crawlFolder();
    const journal = await journalOf(folder);
    await journal.publish({ part: undefined, sites: [finishedSite(A, 0)] });
    const handle = await open(folder.sites);
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const sync = vi.spyOn(prototype, 'sync').mockRejectedValueOnce(new Error('the disk is full'));
    onTestFinished(() => void sync.mockRestore());
    const batch = { part: undefined, sites: [finishedSite(B, 0), finishedSite(C, 0)] };
    await expect(journal.publish(batch)).rejects.toThrow('the disk is full');
    expect([linesOf(folder.path).map(({ site }) => site), journal.has(B), journal.counts.sites]).toEqual([
      [A],
      false,
      1,
    ]);
    await journal.publish(batch);
    expect(linesOf(folder.path).map(({ site, batch: number }) => [site, number])).toEqual([
      [A, 1],
      [B, 2],
      [C, 2],
    ]);
  });

  test('is not held open once it is closed', async () => {
    const folder = await crawlFolder();
    const journal = await journalOf(folder);
    await journal.publish({ part: undefined, sites: [finishedSite(A, 0)] });
    if (IS_LINUX) expect(openFiles(folder.path)).toEqual([folder.sites]);
    await journal.close();
    await journal.close();
    if (IS_LINUX) expect(openFiles(folder.path)).toEqual([]);
  });
});

describe('§14.1 the parts of a crawl that goes on', () => {
  test('are those that lines name; newer ones and what is no part stays', async () => {
    const folder = await crawlFolder();
    const part = (number: number, run: string): string => `part-0000000${number}.${run}.ndjson.gz`;
    const named = part(3, '0123abcd');
    write(folder, lineOf(A, { batch: 3, pages: 1, parts: [`pages/${named}`] }));
    const inPages = [named, part(1, '0123abcd'), part(3, 'ffffffff'), part(4, '0123abcd'), 'notes.txt'];
    const inTemporary = [
      part(2, '0123abcd'),
      part(4, '0123abcd'),
      'sites-0123abcd.ndjson',
      'other',
      'sites-x.ndjson',
    ];
    for (const name of inPages) writeFileSync(join(folder.pages, name), name);
    for (const name of inTemporary) writeFileSync(join(folder.temporary, name), name);
    await journalOf(folder);
    expect(readdirSync(folder.pages).sort()).toEqual(['notes.txt', named, part(4, '0123abcd')].sort());
    expect(readdirSync(folder.temporary).sort()).toEqual(['handed', 'other', 'sites-x.ndjson']);
  });

  interface Published {
    readonly folder: CrawlFolder;
    readonly parts: readonly string[];
  }

  /** Three batches: A and B (3 and 2 pages), C (1 page) and D (none, failed), and one of a failed site with a page. */
  async function published(): Promise<Published> {
    const folder = await crawlFolder();
    const journal = await journalOf(folder);
    await journal.publish({
      part: await partOf(folder, [A, 3], [B, 2]),
      sites: [finishedSite(A, 3), finishedSite(B, 2)],
    });
    await journal.publish({ part: await partOf(folder, [C, 1]), sites: [finishedSite(C, 1), failed(D)] });
    const site = 'https://e.example/';
    await journal.publish({ part: await partOf(folder, [site, 1]), sites: [failed(site, 1)] });
    await journal.close();
    return { folder, parts: readdirSync(folder.pages).map((name) => `pages/${name}`) };
  }
  const names = ({ folder }: Published): string =>
    linesOf(folder.path)
      .map(({ site, batch, of }) => `${new URL(site).host[0]}${batch}/${of}`)
      .join(' ');
  const pages = ({ folder }: Published): string =>
    Array.from(pagesBySite(folder.path), ([site, urls]) => `${new URL(site).host[0]}${urls.length}`).join(
      ' ',
    );
  const forget = async ({ folder }: Published, retryFailed: boolean, verifyRows: boolean) =>
    (await journalOf(folder)).forget({ retryFailed, verifyRows });
  const changeLine = ({ folder }: Published, site: string, change: Partial<SiteLine>): void =>
    write(
      folder,
      ...linesOf(folder.path).map((line) => (line.site === site ? { ...line, ...change } : line)),
    );

  test('stay where nothing is to be crawled again', async () => {
    const crawl = await published();
    const before = readFileSync(crawl.folder.sites);
    for (const verifyRows of [false, true]) expect(await forget(crawl, false, verifyRows)).toEqual([]);
    expect(readFileSync(crawl.folder.sites).equals(before)).toBe(true);
    expect([names(crawl), pages(crawl)]).toEqual(['a1/2 b1/2 c2/2 d2/2 e3/1', 'a3 b2 c1 e1']);
  });

  test('lose the rows of failed sites, and a batch of these alone is gone', async () => {
    const crawl = await published();
    expect(await forget(crawl, true, false)).toEqual([]);
    expect([names(crawl), pages(crawl)]).toEqual(['a1/2 b1/2 c2/1', 'a3 b2 c1']);
    const journal = await journalOf(crawl.folder);
    expect(journal.counts).toMatchObject({ sites: 3, pages: 6, outcomes: { complete: 3, failed: 0 } });
    // The other parts were not written again.
    expect(linesOf(crawl.folder.path).map(({ parts }) => parts[0])).toEqual([
      crawl.parts[0],
      crawl.parts[0],
      crawl.parts[1],
    ]);
    expect(readdirSync(crawl.folder.temporary)).toEqual(['handed']);
  });

  test.each([
    ['is missing', (path: string) => rmSync(path), 'c2/2 d2/2 e3/1'],
    ['has another byte', (path: string) => appendFileSync(path, 'x'), 'c2/2 d2/2 e3/1'],
  ])('that %s: all of its sites are crawled again, and no others', async (_, damage, left) => {
    const crawl = await published();
    const [first = ''] = crawl.parts;
    damage(join(crawl.folder.path, first));
    expect(await forget(crawl, false, false)).toEqual([first]);
    expect([names(crawl), pages(crawl)]).toEqual([left, 'c1 e1']);
    expect(await forget(crawl, false, true)).toEqual([]);
  });

  test('that has another number of rows than its lines say is found by --verify alone', async () => {
    for (const change of [{ pages: 1 }, { pages: 3 }]) {
      const crawl = await published();
      changeLine(crawl, B, change);
      expect(await forget(crawl, false, false)).toEqual([]);
      expect(await forget(crawl, false, true)).toEqual([crawl.parts[0]]);
      expect([names(crawl), pages(crawl)]).toEqual(['c2/2 d2/2 e3/1', 'c1 e1']);
    }
  });

  test('of a line that does not say how many bytes it has is there in any case', async () => {
    const crawl = await published();
    for (const site of [A, B]) changeLine(crawl, site, { partBytes: undefined });
    expect(await forget(crawl, false, true)).toEqual([]);
  });

  test('that is a folder now is damaged, and the folder stays', async () => {
    const crawl = await published();
    const [, second = ''] = crawl.parts;
    const path = join(crawl.folder.path, second);
    rmSync(path);
    mkdirSync(path);
    expect(await forget(crawl, true, false)).toEqual([second]);
    expect([names(crawl), statSync(path).isDirectory()]).toEqual(['a1/2 b1/2', true]);
  });

  test('are not touched by a crawl that has lost its lock', async () => {
    const { folder } = await published();
    const before = readFileSync(folder.sites);
    let isHeld = true;
    const journal = await journalOf(folder, () => isHeld);
    isHeld = false;
    await expect(journal.forget({ retryFailed: true, verifyRows: false })).rejects.toMatchObject({
      code: 'folder-in-use',
      message: `Another usp crawl has taken over ${folder.path}.`,
    });
    expect(readFileSync(folder.sites).equals(before)).toBe(true);
    expect(readdirSync(folder.temporary).filter((name) => name.startsWith('sites-'))).toEqual([]);
  });
});
