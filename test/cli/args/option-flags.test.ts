/** §10: the options of the library that flags set, and the flags that messages name. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  crawlOptions,
  flagOf,
  inFlags,
  namingFlag,
  SECRET_ATTRIBUTES,
  withContents,
} from '../../../src/cli/args/option-flags.ts';
import type { CrawlFlags } from '../../../src/cli/program/flags.ts';
import { folder } from '../../support/folder.ts';

const { signal } = new AbortController();
const options = (flags: object) => crawlOptions(flags as CrawlFlags);

describe('the options of the library', () => {
  test.each<[object, object]>([
    [{}, {}],
    [{ robots: false }, { useRobots: false }],
    [{ known: false }, { useKnownPaths: false }],
    [{ known: 'if-none-declared' }, { useKnownPaths: 'if-none-declared' }],
    [{ known: 'always' }, { useKnownPaths: true }],
    [{ timeout: 1.5 }, { maxTimeMs: 1500 }],
    [
      { retries: 0, maxDepth: 0 },
      { retries: 0, maxDepth: 0 },
    ],
    [{ concurrency: 3 }, { concurrency: 3, perHostConcurrency: 3 }],
    [{ normalize: false }, { normalizeHomepageUrl: false }],
    [{ proxy: false }, { proxy: false }],
    [{ header: { A: '1' } }, { headers: { A: '1' } }],
    [{ cert: 'x' }, { cert: 'x' }],
    [{ cert: 'x PRIVATE KEY-----' }, { cert: 'x PRIVATE KEY-----', key: 'x PRIVATE KEY-----' }],
    [
      { cert: 'x PRIVATE KEY-----', key: 'k' },
      { cert: 'x PRIVATE KEY-----', key: 'k' },
    ],
    [{ fromWarc: ['a.warc'], maxPages: 3, sample: 4 }, {}],
    [{ output: 'x', quiet: true }, {}],
  ])('of %j', (flags, expected) => {
    expect(options(flags)).toEqual(expected);
  });

  test('the flags that may hold a secret', () => {
    expect([...SECRET_ATTRIBUTES].sort()).toEqual(['cacert', 'cert', 'header', 'key', 'proxy']);
  });
});

describe('a flag that names a file with its content', () => {
  test('gets the content, byte for byte, and the others stay', async () => {
    const file = `${folder()}/key`;
    writeFileSync(file, Buffer.from([0x41, 0xe9, 0xff, 0x0a]));
    const flags = { key: file, output: file, retries: 0, cacert: undefined };
    expect(await withContents(flags, signal)).toEqual({ ...flags, key: 'A\u00e9\u00ff\n' });
  });

  test('that is not there is named with its flag', async () => {
    await expect(withContents({ cacert: '/gone.pem' }, signal)).rejects.toThrow(
      '--cacert /gone.pem cannot be read: no such file or directory.',
    );
  });
});

describe('the flag of', () => {
  test.each([
    ['maxTimeMs', '--timeout'],
    ['useRobots', '--robots'],
    ['perHostConcurrency', '--concurrency'],
    ['concurrency', '--concurrency'],
    ['sitemapInclude', '--sitemap-include'],
    ['maxStaleMs', '--max-stale'],
    ['baseUrl', '--base'],
    ['mapHosts', '--map-host'],
    ['nope', undefined],
  ])('%s', (option, flag) => {
    expect(flagOf(option)?.replace('--no-', '--')).toBe(flag);
  });
});

describe('a message', () => {
  test.each([
    ['Deep (maxDepth), deep (maxDepth).', 'maxDepth', 'Deep (maxDepth), deep (--max-depth).'],
    ['"maxDepth" and "maxDepth"', 'maxDepth', '"maxDepth" and --max-depth'],
    ['Large (nope); so.', 'nope', 'Large; so.'],
    ['The option "nope" is.', 'nope', 'The option "nope" is.'],
    ['Nothing of it.', 'maxDepth', 'Nothing of it.'],
    ['x maxDepth x', 'maxDepth', 'x maxDepth x'],
  ])('%s', (message, option, words) => {
    expect(inFlags(message, option)).toBe(words);
  });

  test('of a finding names the flag where its rule is about it', () => {
    const message = 'It is relative, and without the option "url" there is no base.';
    expect(namingFlag({ rule: 'unresolvable-url', message, line: 3 })).toEqual({
      rule: 'unresolvable-url',
      message: 'It is relative, and without the option --url there is no base.',
      line: 3,
    });
    expect(namingFlag({ rule: 'url-fragment', message })).toEqual({ rule: 'url-fragment', message });
  });
});
