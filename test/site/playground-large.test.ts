/**
 * Large documents in the playground: the page stays usable while they are read and shown. The longest task of its main
 * thread must be no longer for a large document than for a small one. Tasks are compared by the CPU time that the
 * browser's trace has for each, since a busy machine interrupts them.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSite, type SiteBrowser, WHY_NOT } from '../support/built-site.ts';
import { describeIf } from '../support/collected.ts';
import { folderUntil } from '../support/folder.ts';
import { andWait } from '../support/playground-page.ts';
import { sized } from '../support/tier.ts';

test('there is a built playground and a Chromium for large documents', ({ skip }) =>
  skip(WHY_NOT !== undefined, WHY_NOT));

const HEAD = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';

/** Entries, one of a hundred with a bare ampersand. */
function urlset(entries: number, separator: string): string {
  const parts = Array.from({ length: entries }, (_, index) => {
    const ampersand = index % 100 === 99 ? '&' : '&amp;';
    return `<url><loc>https://example.org/page-${index}?a=1${ampersand}b=2</loc><lastmod>2024-05-06</lastmod></url>`;
  });
  return `${[HEAD, ...parts].join(separator)}</urlset>`;
}

/** How many times larger the large document is: all its work in one task made that task 14 times as long. */
const TIMES = 50;
const MOST = 5;
/** How often both are opened: the shortest time of each counts. */
const ATTEMPTS = 3;

const LINE_MB = sized({ fast: 5, full: 10, strong: 50 });

describeIf(WHY_NOT === undefined, 'no task of the page grows with the document', () => {
  let site: SiteBrowser;
  const folder = folderUntil(afterAll);
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test.each([
    ['50,000 URLs', 50_000, '\n'],
    [`${LINE_MB} MB on one line`, LINE_MB * 10_000, ''],
  ])('with %s', async (_, entries, separator) => {
    // From a file: a test that hands over the content itself would keep the page busy with that.
    const files = [entries / TIMES, entries].map((size) => ({ size, path: join(folder, `${size}.xml`) }));
    for (const { size, path } of files) await writeFile(path, urlset(size, separator));
    const shortest = files.map(() => Number.POSITIVE_INFINITY);
    const ratio = (): number => shortest[1]! / shortest[0]!;
    for (let attempt = 0; attempt < ATTEMPTS && !(ratio() < MOST); attempt++) {
      for (const [index, { path, size }] of files.entries()) {
        const longest = await longestTask(site, (page) => lookAt(page, path, size));
        shortest[index] = Math.min(shortest[index]!, longest);
      }
    }
    expect(ratio()).toBeLessThan(MOST);
  });
});

/** Opens a document, and looks at all of it. */
async function lookAt(page: Page, file: string, pages: number): Promise<void> {
  await andWait(page, () => page.setInputFiles('input[type=file]', file));
  expect(await page.textContent('.verdict')).toContain(`${pages.toLocaleString('en')} pages.`);
  await scrollThrough(page);
  await page.locator('.results-panel .virtual-row').first().click();
  await page.locator('.text-row.target').waitFor();
}

/** Scrolls text, findings and pages from the top to the end, and waits for the rows there. */
async function scrollThrough(page: Page): Promise<void> {
  for (const tab of ['Pages', 'Findings']) {
    await page.click(`.tabs button:has-text("${tab}")`);
    for (const part of [0.1, 0.35, 0.5, 0.8, 1, 0]) {
      await page.evaluate(`
        for (const list of document.querySelectorAll('.virtual-list')) list.scrollTop = list.scrollHeight * ${part};
      `);
      await page.locator('.text-panel .text-row').first().waitFor();
      await page.locator('.results-panel .virtual-row > div').first().waitFor();
    }
  }
}

/** An event of a trace, as far as it is read here. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time of the thread, in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The CPU time of the longest task that the playground's page runs meanwhile, in milliseconds. */
async function longestTask(site: SiteBrowser, use: (page: Page) => Promise<void>): Promise<number> {
  const { page, complaints } = await site.open('playground.html');
  await page.locator('.playground').waitFor();
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  // The protocol's own type of an event is an object with anything in it.
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise<unknown>((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'], excludedCategories: ['*'] },
  });
  await use(page);
  await session.send('Tracing.end');
  await complete;
  expect(complaints).toEqual([]);
  await page.close();
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  // Every event counts, not tasks alone: what follows a promise runs behind its task, as an event of its own. One that
  // the trace began or ended in has no time: it is not the document's.
  const times = events.map(({ pid, tid, tdur = 0 }) =>
    threads.some((thread) => thread.pid === pid && thread.tid === tid) ? tdur / 1000 : 0,
  );
  return times.reduce((longest, time) => Math.max(longest, time), 0);
}
