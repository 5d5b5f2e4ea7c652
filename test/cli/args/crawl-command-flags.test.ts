/** §14: which flags decide what a crawl finds, what crawl.json keeps of them, and which folders `--previous` takes. */
import { describe, expect, test } from 'vitest';
import {
  checkPrevious,
  checkSameFlags,
  givenFlags,
  shownFlags,
  siteOptions,
} from '../../../src/cli/args/crawl-command-flags.ts';
import { written } from '../../support/folder.ts';

test('the flags that are given are kept, also those that are false, 0 or empty', () => {
  const flags = { robots: false, known: false, maxPages: 0, include: [], retries: 0, maxDepth: undefined };
  const other = {
    output: 'out',
    quiet: true,
    processes: 2,
    queue: 'redis://h',
    verbose: 1,
    strictList: true,
  };
  expect(givenFlags({ ...flags, ...other } as object)).toEqual({
    robots: false,
    known: false,
    maxPages: 0,
    include: [],
    retries: 0,
  });
});

test('of a flag that may hold a secret crawl.json says that it was given', () => {
  const flags = { header: { 'X-Key': 'secret' }, proxy: 'http://u:secret@h', maxPages: 3, robots: false };
  expect(shownFlags(flags as object)).toEqual({ header: true, proxy: true, maxPages: 3, robots: false });
  expect(shownFlags({ proxy: false } as object)).toEqual({ proxy: false });
});

describe('what the sites are crawled with', () => {
  test('has all filters, by the names of the library', () => {
    const flags = {
      include: ['a'],
      exclude: ['b'],
      hosts: 'same',
      since: '2014-05-06T00:00:00.000Z',
      until: '2014-05-07T00:00:00.000Z',
      undated: 'keep',
      sitemapInclude: ['c'],
      sitemapExclude: ['d'],
      maxPages: 3,
      listAlternates: true,
      agent: 'GPTBot',
      onlyAllowed: true,
      timeout: 7,
      maxDepth: 2,
    } as const;
    expect(siteOptions(flags)).toMatchObject({
      include: ['a'],
      exclude: ['b'],
      hosts: 'same',
      since: '2014-05-06T00:00:00.000Z',
      until: '2014-05-07T00:00:00.000Z',
      undated: 'keep',
      sitemapInclude: ['c'],
      sitemapExclude: ['d'],
      maxPages: 3,
      listAlternates: true,
      robotsAgent: 'GPTBot',
      onlyAllowed: true,
      maxTimeMs: 7000,
      maxDepth: 2,
    });
    expect(siteOptions({ sample: 5 })).toMatchObject({ sample: 5 });
  });

  test('--concurrency is for one host, and not for all sites', () => {
    const options = siteOptions({ concurrency: 3 } as object);
    expect(options.perHostConcurrency).toBe(3);
    expect(options).not.toHaveProperty('concurrency');
  });

  test.each([
    [{}, false],
    [{ freshOnly: false }, false],
    [{ previous: 'x' }, true],
    [{ previous: 'x', freshOnly: false }, true],
    [{ previous: 'x', freshOnly: true }, false],
  ])('of %j a sitemap that cannot be read is taken from the earlier crawl: %s', (flags, isStale) => {
    expect(siteOptions(flags).staleIfError).toBe(isStale);
  });

  test('an option that the library refuses is an error', () => {
    expect(() => siteOptions({ maxPages: -1 })).toThrow(/maxPages/);
    expect(() => siteOptions({ userAgent: 'a\nb' } as object)).toThrow(/userAgent/);
  });
});

describe('a crawl that goes on', () => {
  const crawl = (options: object, format: 'csv' | 'ndjson' = 'csv') => ({ format, options: { ...options } });

  test.each<[string, object, object]>([
    ['the same flags', { maxPages: 3, include: ['a'] }, { include: ['a'], maxPages: 3 }],
    ['another pace', { retries: 1 }, { retries: 1, wait: 5, concurrency: 2 }],
    ['no flags', {}, {}],
  ])('may have %s', (_what, before, now) => {
    expect(() => checkSameFlags('out', crawl(before), crawl(now))).not.toThrow();
  });

  test('names each flag that is not the same', () => {
    const refused = (before: object, now: object) => () => checkSameFlags('out', crawl(before), crawl(now));
    const words = 'Run it with the same ones, or give -o another folder.';
    expect(refused({ maxPages: 3 }, { maxPages: 4 })).toThrow(
      `The crawl in out was begun with other options (--max-pages). ${words}`,
    );
    expect(refused({ maxPages: 3 }, {})).toThrow('(--max-pages)');
    expect(refused({}, { include: ['a'] })).toThrow('(--include)');
    expect(refused({ include: ['a', 'b'] }, { include: ['a'], maxPages: 1 })).toThrow(
      /\((?:--include, --max-pages|--max-pages, --include)\)/,
    );
    expect(() => checkSameFlags('out', crawl({}, 'csv'), crawl({}, 'ndjson'))).toThrow('(--format)');
  });
});

describe('--previous', () => {
  const HINT = 'give --previous the folder of an earlier usp crawl --archives.';
  const ID = '12345678-1234-4234-8234-123456789012';
  const NONE = { complete: 0, partial: 0, none: 0, failed: 0, pages: 0 };
  const TIMES = { startedAt: '2014-05-06T00:00:00.000Z', updatedAt: '2014-05-06T00:00:00.000Z' };
  const description = (options: object): string =>
    JSON.stringify({
      ...{ id: ID, key: ID, version: '1.2.3', format: 'csv', options, state: 'done', sites: 1 },
      ...{ ...TIMES, finished: NONE },
    });

  test('takes a crawl with archives, and nothing is no folder', async () => {
    const path = written({ 'crawl.json': description({ archives: true }) });
    await expect(checkPrevious(path(''))).resolves.toBeUndefined();
    await expect(checkPrevious(undefined)).resolves.toBeUndefined();
  });

  test.each<[string, string, string]>([
    ['a crawl without archives', description({}), 'The crawl in %s has no archives.'],
    [
      'one that was begun with --no-archives',
      description({ archives: false }),
      'The crawl in %s has no archives.',
    ],
  ])('refuses %s', async (_what, text, message) => {
    const folder = written({ 'crawl.json': text })('');
    await expect(checkPrevious(folder)).rejects.toMatchObject({
      message: message.replace('%s', folder),
      hint: HINT,
    });
  });

  test('refuses a folder without a crawl', async () => {
    const folder = written({ 'other.txt': '' })('');
    await expect(checkPrevious(folder)).rejects.toMatchObject({
      message: `There is no crawl in ${folder}.`,
      hint: HINT,
    });
  });
});
