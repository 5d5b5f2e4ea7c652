/** What is published once is published for good, and nothing twice (§14; the protocol is in journal.ts). */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CrawlFolder } from '../../src/batch/crawl-folder.ts';
import { FencedLock } from '../../src/batch/fenced-lock.ts';
import { Journal } from '../../src/batch/journal.ts';
import { createTable } from '../../src/batch/output/parts.ts';
import { Publisher } from '../../src/batch/publisher.ts';
import { SitemapPage } from '../../src/index.ts';
import { ownIdentity, ownMark } from '../../src/runtime/process-identity.ts';
import { crawlFolder, finishedSite, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { siteRows } from '../support/part-rows.ts';

const A = 'https://a.example/';
const B = 'https://b.example/';
const C = 'https://c.example/';

function publisherOf(folder: CrawlFolder, leaseMs?: number): Publisher {
  return new Publisher(folder, new Journal(folder), 'ndjson', { leaseMs });
}

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

/** A lock file of a process that is gone. */
function leaveDeadLock({ temporary }: CrawlFolder, number: number): void {
  const gone = { ...ownIdentity(), pid: 999_999_999 };
  writeFileSync(join(temporary, `publish-${String(number).padStart(8, '0')}.lock`), JSON.stringify(gone));
}

describe('§14 publishing', () => {
  test('a batch gives its sites their lines and its part its name', async () => {
    const folder = await crawlFolder();
    const publisher = publisherOf(folder);
    await publisher.recover();
    const sites = [finishedSite(A, 2), finishedSite(B, 0)];
    expect(await publisher.publish({ part: partIn(folder, 'rows'), sites })).toEqual({
      finished: [A, B],
      again: [],
    });
    const [a, b] = linesOf(folder.path);
    expect(a).toMatchObject({ site: A, pages: 2, of: 2, parts: [`pages/${readdirSync(folder.pages)[0]}`] });
    expect(b).toMatchObject({ site: B, pages: 0, batch: a?.batch, parts: [] });
    expect(partsOf(folder)).toEqual(['rows']);
    expect(readdirSync(folder.temporary).filter((name) => name.includes('ndjson'))).toEqual([]);
  });

  test('a site that has a line is dropped from the part of a later batch', async () => {
    const folder = await crawlFolder();
    await publisherOf(folder).publish({ part: await rowsIn(folder, 'first', A), sites: [finishedSite(A)] });
    const second = {
      part: await rowsIn(folder, 'second', A, B),
      sites: [finishedSite(A), finishedSite(B), finishedSite(C, 0)],
    };
    expect(await publisherOf(folder).publish(second)).toEqual({ finished: [A, B, C], again: [] });
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
    const publisher = publisherOf(folder);
    await publisher.publish({ part: await rowsIn(folder, 'first', A), sites: [finishedSite(A)] });
    const again = { part: await rowsIn(folder, 'second', A), sites: [finishedSite(A)] };
    expect(await publisher.publish(again)).toEqual({ finished: [A], again: [] });
    expect(linesOf(folder.path)).toHaveLength(1);
    expect(readdirSync(folder.pages)).toHaveLength(1);
    expect(existsSync(again.part)).toBe(false);
  });

  test('a batch whose part was deleted is crawled again', async () => {
    const folder = await crawlFolder();
    const part = join(folder.temporary, 'gone.ndjson.gz');
    expect(await publisherOf(folder).publish({ part, sites: [finishedSite(A)] })).toEqual({
      finished: [],
      again: [A],
    });
    expect(linesOf(folder.path)).toEqual([]);
  });

  test('many publishers at once publish one after the other', async () => {
    const folder = await crawlFolder();
    const publishers = Array.from({ length: 4 }, () => publisherOf(folder));
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    await Promise.all(
      numbers.map((number) =>
        publishers[number % 4]!.publish({
          part: partIn(folder, `p${number}`),
          sites: [finishedSite(`https://s${number}.example/`)],
        }),
      ),
    );
    const lines = linesOf(folder.path);
    expect(new Set(lines.map(({ site }) => site)).size).toBe(20);
    expect(lines.map(({ batch }) => batch)).toEqual(lines.map(({ batch }) => batch).sort((a, b) => a - b));
    expect(partsOf(folder).sort()).toEqual(numbers.map((number) => `p${number}`).sort());
  });

  test('numbers go on where the temporary folder was emptied', async () => {
    const folder = await crawlFolder();
    await publisherOf(folder).publish({ part: partIn(folder, '1'), sites: [finishedSite(A)] });
    await publisherOf(folder).publish({ part: partIn(folder, '2'), sites: [finishedSite(B)] });
    await rename(folder.temporary, `${folder.temporary}-away`);
    mkdirSync(folder.temporary);
    await publisherOf(folder).publish({ part: partIn(folder, '3'), sites: [finishedSite(C)] });
    expect(partsOf(folder)).toEqual(['1', '2', '3']);
  });
});

describe('§14 recovery', () => {
  test.each([
    ['a torn line', (text: string) => text.slice(0, -20)],
    ['a whole line, and a torn one', (text: string) => text.slice(0, text.indexOf('\n') + 30)],
    ['a whole line, and none for the other site', (text: string) => text.slice(0, text.indexOf('\n') + 1)],
  ])('a batch of which there is %s is cut', async (_what, torn) => {
    const folder = await crawlFolder();
    await publisherOf(folder).publish({ part: partIn(folder, 'kept'), sites: [finishedSite(A)] });
    const line = (site: string) =>
      `${JSON.stringify({ ...finishedSite(site), parts: [], batch: 2, of: 2 })}\n`;
    await appendFile(folder.sites, torn(line(B) + line(C)));
    await writeFile(join(folder.temporary, 'part-00000002.ndjson.gz'), 'torn');
    leaveDeadLock(folder, 2);
    const journal = new Journal(folder);
    await new Publisher(folder, journal, 'ndjson').recover();
    expect(linesOf(folder.path).map(({ site }) => site)).toEqual([A]);
    expect([A, B, C].map((site) => journal.has(site))).toEqual([true, false, false]);
    expect(partsOf(folder)).toEqual(['kept']);
    expect(readdirSync(folder.temporary).filter((name) => name.startsWith('part-'))).toEqual([]);
  });

  test('a part that lines name is moved to its place', async () => {
    const folder = await crawlFolder();
    await writeFile(
      folder.sites,
      `${JSON.stringify({ ...finishedSite(A), parts: ['pages/part-00000005.ndjson.gz'], batch: 5, of: 1 })}\n`,
    );
    await writeFile(join(folder.temporary, 'part-00000005.ndjson.gz'), 'named');
    leaveDeadLock(folder, 5);
    await publisherOf(folder).recover();
    expect(partsOf(folder)).toEqual(['named']);
  });

  test('what a dead process was writing is deleted, and what a living one writes is kept', async () => {
    const folder = await crawlFolder();
    // The process ids are the last but one of a mark.
    const ofDead = ownMark().replace(/-\d+-(\d+)$/, '-999999999-$1');
    const [dead, living] = [`w-${ofDead}-0123abcd`, `w-${ownMark()}-0123abcd`];
    for (const name of [dead, living]) mkdirSync(join(folder.temporary, name));
    await publisherOf(folder).recover();
    expect(readdirSync(folder.temporary).filter((name) => name.startsWith('w-'))).toEqual([living]);
  });

  test('what a process of another machine writes is kept, though its clock or ours jumped by an hour', async () => {
    const folder = await crawlFolder();
    const hour = 3_600_000;
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
      const at = new Date(Date.now() - age);
      utimesSync(path, at, at);
    }
    await publisherOf(folder).recover();
    const left = readdirSync(folder.temporary).filter((name) => name.startsWith('w-'));
    expect(left).toEqual([nameOf('a'), nameOf('b')]);
  });

  test('a journal that is damaged in its middle is an error that says what to do', async () => {
    const folder = await crawlFolder();
    await writeFile(folder.sites, 'no json\n{"site":"https://a.example/","batch":1,"of":1}\n');
    await expect(publisherOf(folder).recover()).rejects.toThrow(
      /sites\.ndjson is damaged at line 1.*Restore/,
    );
  });
});

describe('§14 a publisher that comes back late', () => {
  test('publishes nothing: what it appends goes to a file without a name', async () => {
    const folder = await crawlFolder();
    await publisherOf(folder).publish({ part: partIn(folder, 'before'), sites: [finishedSite(C)] });
    // The late one has the lock, has opened the journal and has checked its lock; then it is stopped.
    const late = await new FencedLock(folder.temporary, 'publish', { leaseMs: 3_600_000 }).acquire();
    const journal = new Journal(folder);
    const file = await journal.openForLines();
    expect(await late.isHeld()).toBe(true);
    const staged = join(folder.temporary, `part-${String(late.number).padStart(8, '0')}.ndjson.gz`);
    await writeFile(staged, 'late');

    // Another one waits for the lease, takes the lock, and publishes the same site.
    const other = publisherOf(folder, 50);
    const batch = { part: partIn(folder, 'other'), sites: [finishedSite(A)] };
    expect(await other.publish(batch)).toEqual({ finished: [A], again: [] });

    expect(await late.isHeld()).toBe(false);
    const line = { ...finishedSite(A), parts: [], batch: late.number, of: 1 };
    await journal.append(file, [line]);
    await file.close();
    await late.release();
    await journal.read();
    expect(journal.lastBatch).not.toBe(late.number);
    expect(linesOf(folder.path).map(({ site }) => site)).toEqual([C, A]);
    expect(partsOf(folder)).toEqual(['before', 'other']);
    expect(existsSync(staged)).toBe(false);
    // And the next ones go on as if nothing had happened.
    await publisherOf(folder).publish({ part: undefined, sites: [finishedSite(B, 0)] });
    expect(linesOf(folder.path).map(({ site }) => site)).toEqual([C, A, B]);
  });

  test('its batch counts where its lines were in time, and its part is moved for it', async () => {
    const folder = await crawlFolder();
    const late = await new FencedLock(folder.temporary, 'publish', { leaseMs: 3_600_000 }).acquire();
    const journal = new Journal(folder);
    const name = `part-${String(late.number).padStart(8, '0')}.ndjson.gz`;
    const file = await journal.openForLines();
    await writeFile(join(folder.temporary, name), 'late');
    await journal.append(file, [{ ...finishedSite(A), parts: [`pages/${name}`], batch: late.number, of: 1 }]);
    await file.close();
    const batch = { part: partIn(folder, 'other'), sites: [finishedSite(A)] };
    expect(await publisherOf(folder, 50).publish(batch)).toEqual({ finished: [A], again: [] });
    expect(partsOf(folder)).toEqual(['late']);
  });
});
