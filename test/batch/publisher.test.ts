/** What is published once is published for good, and nothing twice (§14; the protocol is in journal.ts). */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CrawlFolder, removeAbandoned } from '../../src/batch/crawl-folder.ts';
import type { FinishedSite } from '../../src/batch/journal.ts';
import { createTable } from '../../src/batch/output/parts.ts';
import { SitemapPage } from '../../src/index.ts';
import { takeLock } from '../../src/runtime/owned-lock.ts';
import { ownIdentity, ownMark } from '../../src/runtime/process-identity.ts';
import { crawlFolder, finishedSite, journalOf, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { siteRows } from '../support/part-rows.ts';

const A = 'https://a.example/';
const B = 'https://b.example/';
const C = 'https://c.example/';

/** A part that is written, and not published. */
function partIn(folder: CrawlFolder, text: string): string {
  const path = join(folder.temporary, `own-${text}.ndjson.gz`);
  writeFileSync(path, text);
  return path;
}

/** A real part with one page of each site. */
async function rowsIn(folder: CrawlFolder, name: string, ...sites: readonly string[]): Promise<string> {
  const path = join(folder.temporary, `own-${name}.ndjson.gz`);
  const writer = await createTable(path, 'ndjson');
  for (const site of sites) {
    const page = new SitemapPage({ url: `${site}page` });
    await writer.write(siteRows(site, [{ sitemap: `${site}sitemap.xml`, page, stale: false }]));
  }
  await writer.finish();
  return path;
}

function partsOf({ pages }: CrawlFolder): string[] {
  return readdirSync(pages)
    .sort()
    .map((name) => readFileSync(join(pages, name), 'utf8'));
}

describe('§14 publishing', () => {
  test('a batch gives its sites their lines and its part its name', async () => {
    const folder = await crawlFolder();
    const journal = await journalOf(folder);
    await journal.publish({ part: partIn(folder, 'rows'), sites: [finishedSite(A, 2), finishedSite(B, 0)] });
    expect([A, B, C].map((site) => journal.has(site))).toEqual([true, true, false]);
    const [a, b] = linesOf(folder.path);
    expect(a).toMatchObject({ site: A, pages: 2, of: 2, parts: [`pages/${readdirSync(folder.pages)[0]}`] });
    expect(b).toMatchObject({ site: B, pages: 0, batch: a?.batch, parts: [] });
    expect(partsOf(folder)).toEqual(['rows']);
    expect(readdirSync(folder.temporary).filter((name) => name.includes('ndjson'))).toEqual([]);
  });

  test('a site that has a line is dropped from the part of a later batch', async () => {
    const folder = await crawlFolder();
    const journal = await journalOf(folder);
    await journal.publish({ part: await rowsIn(folder, 'first', A), sites: [finishedSite(A)] });
    await journal.publish({
      part: await rowsIn(folder, 'second', A, B),
      sites: [finishedSite(A), finishedSite(B), finishedSite(C, 0)],
    });
    expect(linesOf(folder.path).map(({ site, of }) => [site, of])).toEqual([
      [A, 1],
      [B, 2],
      [C, 2],
    ]);
    expect(pagesBySite(folder.path)).toEqual(
      new Map([
        [A, [`${A}page`]],
        [B, [`${B}page`]],
      ]),
    );
    expect(readdirSync(folder.temporary).filter((name) => name.includes('ndjson'))).toEqual([]);
  });

  test('a part all of whose sites have lines is deleted', async () => {
    const folder = await crawlFolder();
    const journal = await journalOf(folder);
    await journal.publish({ part: await rowsIn(folder, 'first', A), sites: [finishedSite(A)] });
    const again = { part: await rowsIn(folder, 'second', A), sites: [finishedSite(A)] };
    await journal.publish(again);
    expect(linesOf(folder.path)).toHaveLength(1);
    expect(readdirSync(folder.pages)).toHaveLength(1);
    expect(existsSync(again.part)).toBe(false);
  });

  test('a part all of whose rows are of sites that have lines is deleted, whatever new sites without pages', async () => {
    const folder = await crawlFolder();
    const journal = await journalOf(folder);
    await journal.publish({ part: await rowsIn(folder, 'first', A), sites: [finishedSite(A)] });
    const before = readdirSync(folder.pages);
    const second = await rowsIn(folder, 'second', A);
    await journal.publish({ part: second, sites: [finishedSite(A), finishedSite(B, 0)] });
    const lines = linesOf(folder.path);
    expect(lines.map(({ site, parts }) => [site, parts.length])).toEqual([
      [A, 1],
      [B, 0],
    ]);
    expect(lines[1]).not.toHaveProperty('partBytes');
    expect(readdirSync(folder.pages)).toEqual(before);
    expect(readdirSync(folder.temporary).filter((name) => name.includes('ndjson'))).toEqual([]);
  });
});

test('§14 a failed site that is crawled again leaves the other sites of its part their rows', async () => {
  const folder = await crawlFolder();
  const journal = await journalOf(folder);
  const sites = [finishedSite(A), { ...finishedSite(B), outcome: 'failed' } as const, finishedSite(C)];
  await journal.publish({ part: await rowsIn(folder, 'first', A, B, C), sites });
  const [before] = linesOf(folder.path);
  expect(await journal.forget({ retryFailed: true, verifyRows: false })).toEqual([]);
  expect([A, B, C].map((site) => journal.has(site))).toEqual([true, false, true]);
  const lines = linesOf(folder.path);
  const names = readdirSync(folder.pages);
  expect(names).toHaveLength(1);
  const place = {
    parts: [`pages/${names[0]}`],
    partBytes: statSync(join(folder.pages, names[0]!)).size,
    of: 2,
  };
  expect(lines).toMatchObject([
    { site: A, ...place },
    { site: C, ...place },
  ]);
  expect(place.partBytes).not.toBe(before?.partBytes);
  expect([...pagesBySite(folder.path).keys()]).toEqual([A, C]);
  // Nothing is missing or damaged at the next start.
  const again = await journalOf(folder);
  expect(await again.forget({ retryFailed: true, verifyRows: true })).toEqual([]);
  expect(linesOf(folder.path)).toEqual(lines);
});

describe('§14 recovery', () => {
  test.each([
    ['a torn line', (text: string) => text.slice(0, -20)],
    ['a whole line, and a torn one', (text: string) => text.slice(0, text.indexOf('\n') + 30)],
    ['a whole line, and none for the other site', (text: string) => text.slice(0, text.indexOf('\n') + 1)],
  ])('a batch of which there is %s is cut', async (_what, torn) => {
    const folder = await crawlFolder();
    await (await journalOf(folder)).publish({ part: partIn(folder, 'kept'), sites: [finishedSite(A)] });
    const line = (site: string) =>
      `${JSON.stringify({ ...finishedSite(site), parts: [], batch: 2, of: 2 })}\n`;
    await appendFile(folder.sites, torn(line(B) + line(C)));
    await writeFile(join(folder.temporary, 'part-00000002.0123abcd.ndjson.gz'), 'torn');
    await writeFile(join(folder.temporary, 'sites-0123abcd.ndjson'), 'a copy that was not finished');
    const journal = await journalOf(folder);
    expect(linesOf(folder.path).map(({ site }) => site)).toEqual([A]);
    expect([A, B, C].map((site) => journal.has(site))).toEqual([true, false, false]);
    expect(partsOf(folder)).toEqual(['kept']);
    expect(readdirSync(folder.temporary).filter((name) => /^(?:part|sites)-/.test(name))).toEqual([]);
  });

  test('lines with characters of several bytes are kept whole when the crawl is continued', async () => {
    const folder = await crawlFolder();
    const reason = 'Zeitüberschreitung: 応答がありません 🙈';
    const sites = [A, B].map(
      (site): FinishedSite => ({ ...finishedSite(site, 0), outcome: 'failed', reason }),
    );
    await (await journalOf(folder)).publish({ part: undefined, sites });
    const journal = await journalOf(folder);
    expect(linesOf(folder.path).map((line) => [line.site, line.reason])).toEqual([
      [A, reason],
      [B, reason],
    ]);
    // What is appended to them is a line of its own.
    await journal.publish({ part: undefined, sites: [finishedSite(C, 0)] });
    const again = await journalOf(folder);
    expect([A, B, C].map((site) => again.has(site))).toEqual([true, true, true]);
  });

  test('a part that lines name is moved to its place', async () => {
    const folder = await crawlFolder();
    const name = 'part-00000005.0123abcd.ndjson.gz';
    const line = { ...finishedSite(A), parts: [`pages/${name}`], batch: 5, of: 1 };
    await writeFile(folder.sites, `${JSON.stringify(line)}\n`);
    await writeFile(join(folder.temporary, name), 'named');
    await journalOf(folder);
    expect(partsOf(folder)).toEqual(['named']);
  });

  test('what a dead process was writing is deleted, and what a living one writes is kept', async () => {
    const folder = await crawlFolder();
    // The process ids are the last but one of a mark.
    const ofDead = ownMark().replace(/-\d+-(\d+)$/, '-999999999-$1');
    const [dead, living] = [`w-${ofDead}-0123abcd`, `w-${ownMark()}-0123abcd`];
    for (const name of [dead, living]) mkdirSync(join(folder.temporary, name));
    await removeAbandoned(folder);
    expect(readdirSync(folder.temporary).filter((name) => name.startsWith('w-'))).toEqual([living]);
  });

  test('what a process of another machine writes is kept, though its clock or ours jumped by an hour', async () => {
    const folder = await crawlFolder();
    const hour = 3_600_000;
    // A file system may have another clock than this process.
    const now = statSync(folder.temporary).mtimeMs;
    // The host is first.
    const elsewhere = ownMark().replace(/^[^-]+/, 'abcdef012345');
    const nameOf = (letter: string): string => `w-${elsewhere}-0000000${letter}`;
    for (const [letter, age] of [
      ['a', hour * 1.5],
      ['b', -hour],
      ['c', hour * 48],
    ] as const) {
      const path = join(folder.temporary, nameOf(letter));
      mkdirSync(path);
      const at = new Date(now - age);
      utimesSync(path, at, at);
    }
    await removeAbandoned(folder);
    const left = readdirSync(folder.temporary).filter((name) => name.startsWith('w-'));
    expect(left).toEqual([nameOf('a'), nameOf('b')]);
  });

  test('a journal that is damaged in its middle is an error that says what to do', async () => {
    const folder = await crawlFolder();
    await writeFile(folder.sites, 'no json\n{"site":"https://a.example/","batch":1,"of":1}\n');
    await expect(journalOf(folder)).rejects.toThrow(/sites\.ndjson is damaged at line 1.*Restore/);
  });
});

describe('§14 a crawl that is stopped, and comes back after another one has taken its folder', () => {
  test('publishes nothing: what it appends goes to a file without a name', async () => {
    const folder = await crawlFolder();
    let isHeld = true;
    const late = await journalOf(folder, () => isHeld);
    await late.publish({ part: partIn(folder, 'before'), sites: [finishedSite(C)] });
    const other = await journalOf(folder);
    isHeld = false;
    await other.publish({ part: partIn(folder, 'other'), sites: [finishedSite(A)] });
    const batch = { part: partIn(folder, 'late'), sites: [finishedSite(A), finishedSite(B)] };
    await expect(late.publish(batch)).rejects.toThrow(/Another usp crawl has taken over/);
    await other.publish({ part: undefined, sites: [finishedSite(B, 0)] });
    expect(linesOf(folder.path).map(({ site }) => site)).toEqual([C, A, B]);
    expect(partsOf(folder)).toEqual(['before', 'other']);
  });

  test('its batch counts where its lines were in time, and its part is moved for it', async () => {
    const folder = await crawlFolder();
    let looks = 0;
    // It is stopped behind its lines: another one has the lock when it looks.
    const late = await journalOf(folder, () => ++looks === 1);
    const batch = { part: partIn(folder, 'late'), sites: [finishedSite(A)] };
    await expect(late.publish(batch)).rejects.toThrow(/Another usp crawl has taken over/);
    await (await journalOf(folder)).publish({ part: await rowsIn(folder, 'other', A), sites: batch.sites });
    expect(linesOf(folder.path).map(({ site }) => site)).toEqual([A]);
    expect(partsOf(folder)).toEqual(['late']);
  });
});

describe('§14 the lock of a folder', () => {
  const lease = { leaseMs: 700 };

  test('of a process that is gone is taken over, and so is one of another machine that shows no sign of life', async () => {
    const { temporary } = await crawlFolder();
    for (const other of [{ pid: 999_999_999 }, { host: 'another machine' }]) {
      const path = join(temporary, `${Object.keys(other)[0]}.lock`);
      writeFileSync(path, JSON.stringify({ ...ownIdentity(), ...other }));
      const taken = await takeLock(path, lease);
      expect(taken).toHaveProperty('lock');
    }
  });

  test('of another machine is not, while there are signs of life', async () => {
    const { temporary } = await crawlFolder();
    const path = join(temporary, 'crawl.lock');
    writeFileSync(path, JSON.stringify({ ...ownIdentity(), host: 'another machine' }));
    const living = setInterval(() => utimesSync(path, new Date(), new Date()), 50);
    try {
      expect(await takeLock(path, lease)).toMatchObject({
        holder: { identity: { host: 'another machine' } },
      });
    } finally {
      clearInterval(living);
    }
  });
});
