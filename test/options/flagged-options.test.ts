/** §10: which value of an option the value of its flag means. */
import { expect, test } from 'vitest';
import { FLAGGED, flagNames, optionValue } from '../../src/options/flagged-options.ts';

test.each<[flag: string, given: unknown, option: string, value: unknown]>([
  // A time is given in seconds.
  ['--timeout', '5', 'maxTimeMs', 5000],
  ['--wait', '0.5', 'waitMs', 500],
  ['--max-pages', 5, 'maxPages', 5],
  // commander gives `false` for a flag with "no".
  ['--no-robots', false, 'useRobots', false],
  ['--no-robots', true, 'useRobots', true],
  ['--insecure', true, 'verifyTls', false],
  ['--random-wait', true, 'randomWait', true],
  ['--proxy', 'http://proxy.test', 'proxy', 'http://proxy.test'],
  ['--connect-timeout', '1.5', 'connectTimeoutMs', 1500],
  ['--idle-timeout', '2', 'idleTimeoutMs', 2000],
  ['--wait', '0', 'waitMs', 0],
  ['--retries', 0, 'retries', 0],
  ['--known', 'always', 'useKnownPaths', true],
  ['--known', 'if-none-declared', 'useKnownPaths', 'if-none-declared'],
  ['--known', false, 'useKnownPaths', false],
  ['--no-normalize', false, 'normalizeHomepageUrl', false],
  ['--insecure', false, 'verifyTls', true],
  ['--cookies', true, 'cookies', true],
  ['--allow-private', true, 'allowPrivateNetworks', true],
  ['--user-agent', 'always', 'userAgent', 'always'],
  ['--known-path', ['a.xml'], 'extraKnownPaths', ['a.xml']],
])('%s with %j is the option %s: %j', (flag, given, option, value) => {
  const row = FLAGGED.find((each) => each.flag === flag);
  expect([row?.name, row && optionValue(row.row, given)]).toEqual([option, value]);
});

test.each([
  ['-r, --no-robots', '--no-robots', 'robots'],
  ['--known-path <path>', '--known-path', 'knownPath'],
  ['-H, --header <header>', '--header', 'header'],
  ['--no-known-path', '--no-known-path', 'knownPath'],
  ['--a-b-c <d-e>', '--a-b-c', 'aBC'],
])('%s is the flag %s and the attribute %s', (flags, flag, attribute) => {
  expect(flagNames(flags)).toEqual({ flag, attribute });
});

test('the options with a flag, in the order of the help', () => {
  expect(FLAGGED.map(({ name, flag, attribute }) => `${name} ${flag} ${attribute}`)).toEqual([
    'useRobots --no-robots robots',
    'useKnownPaths --known known',
    'extraKnownPaths --known-path knownPath',
    'useHomepageLinks --homepage-links homepageLinks',
    'normalizeHomepageUrl --no-normalize normalize',
    'followListedSitemaps --follow-listed followListed',
    'sample --sample sample',
    'listAlternates --list-alternates listAlternates',
    'maxSitemaps --max-sitemaps maxSitemaps',
    'maxDepth --max-depth maxDepth',
    'maxTimeMs --timeout timeout',
    'maxPages --max-pages maxPages',
    'concurrency --concurrency concurrency',
    'waitMs --wait wait',
    'randomWait --random-wait randomWait',
    'retries --retries retries',
    'connectTimeoutMs --connect-timeout connectTimeout',
    'idleTimeoutMs --idle-timeout idleTimeout',
    'userAgent --user-agent userAgent',
    'headers --header header',
    'proxy --proxy proxy',
    'cookies --cookies cookies',
    'ca --cacert cacert',
    'cert --cert cert',
    'key --key key',
    'verifyTls --insecure insecure',
    'allowPrivateNetworks --allow-private allowPrivate',
    'webClient --from-warc fromWarc',
  ]);
});
