/** §14.3: which options of two crawls decide whether they list the same pages. */
import { describe, expect, test } from 'vitest';
import { choiceOf, shapeOf } from '../../src/batch/crawl-options.ts';

test.each<[Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, readonly string[]]>([
  [{}, {}, []],
  [{ include: ['a'] }, {}, ['--include']],
  [{ include: ['a', 'b'] }, { include: ['b', 'a'] }, ['--include']],
  [{ exclude: ['a'] }, { exclude: ['b'] }, ['--exclude']],
  [{ hosts: 'any' }, {}, []],
  [{ hosts: 'same' }, { hosts: 'any' }, ['--hosts']],
  [{ hosts: 'same' }, { hosts: 'subdomains' }, ['--hosts']],
  [{ sample: 5 }, { sample: 6 }, ['--sample']],
  [{ listAlternates: true }, {}, ['--list-alternates']],
  [{ listAlternates: false }, {}, []],
  [{ since: '2024' }, { since: '2025' }, ['--since']],
  [{ since: '2024' }, {}, ['--since']],
  [{ until: '2024' }, { until: '2025' }, ['--until']],
  [{ since: '2024' }, { until: '2024' }, ['--since', '--until']],
  [{ since: '2024', undated: 'keep' }, { since: '2024', undated: 'keep' }, []],
  [{ agent: 'a' }, { agent: 'b' }, []],
  [{ agent: 'a', onlyAllowed: true }, { agent: 'b', onlyAllowed: true }, ['--only-allowed']],
  [{ agent: 'a', onlyAllowed: true }, { agent: 'a' }, ['--only-allowed']],
  [{ agent: 'a', onlyAllowed: false }, { agent: 'a' }, []],
  [{ sitemapInclude: ['a'] }, {}, ['--sitemap-include']],
  [{ sitemapExclude: ['a'] }, {}, ['--sitemap-exclude']],
  [{ robots: false }, {}, ['--no-robots']],
  [{ robots: true }, {}, []],
  [{ known: 'always' }, {}, ['--known']],
  [{ known: 'if-none-declared' }, {}, []],
  [{ known: false }, { known: 'always' }, ['--known']],
  [{ knownPath: ['/a.xml'] }, {}, ['--known-path']],
  [{ normalize: false }, {}, ['--no-normalize']],
  [{ followListed: true }, {}, ['--follow-listed']],
  // A limit does not choose pages: the line of a site says whether it stopped there.
  [{ maxPages: 5, maxDepth: 2, timeout: 3, retries: 0, archives: true }, {}, []],
  [{ since: '2024' }, { since: '2024', undated: 'keep' }, ['--since']],
  [{ until: '2024' }, { until: '2024', undated: 'keep' }, ['--until']],
  [{ until: '2024', undated: 'drop' }, { until: '2024' }, []],
  // Without a date to compare with, no page is left out for having none.
  [{ undated: 'keep' }, {}, []],
])('of %j and %j, %j are not the same filter', (options, otherOptions, flags) => {
  const [choice, other] = [choiceOf(options), choiceOf(otherOptions)];
  const names = Object.keys({ ...choice, ...other });
  expect(names.filter((flag) => JSON.stringify(choice[flag]) !== JSON.stringify(other[flag]))).toEqual(flags);
});

describe('the shape of a crawl', () => {
  const differing = (options: object, other: object): readonly string[] => {
    const [shape, otherShape] = [shapeOf({ ...options }), shapeOf({ ...other })];
    expect([...shape.keys()]).toEqual([...otherShape.keys()]);
    return [...shape.keys()].filter(
      (flag) => JSON.stringify(shape.get(flag)) !== JSON.stringify(otherShape.get(flag)),
    );
  };

  test.each<[object, readonly string[]]>([
    [{ undated: 'drop' }, []],
    [{ undated: 'keep' }, ['--undated']],
    [{ hosts: 'any' }, []],
    [{ hosts: 'same' }, ['--hosts']],
    [{ agent: 'a', onlyAllowed: true, archives: true }, ['--agent', '--only-allowed', '--archives']],
    [{ previous: '/x', freshOnly: true }, ['--previous', '--fresh-only']],
    [{ since: '2024', until: '2025' }, ['--since', '--until']],
    [
      { include: ['a'], exclude: ['b'], sitemapInclude: ['c'], sitemapExclude: ['d'] },
      ['--include', '--exclude', '--sitemap-include', '--sitemap-exclude'],
    ],
    [{ timeout: 3_600 }, []],
    [{ timeout: 3_601 }, ['--timeout']],
    [{ timeout: 3.6 }, ['--timeout']],
    [{ maxDepth: 11 }, []],
    [{ maxDepth: 12 }, ['--max-depth']],
    [{ maxPages: 5 }, ['--max-pages']],
    [{ known: 'if-none-declared' }, []],
    [{ known: 'always' }, ['--known']],
    [{ known: false }, ['--known']],
    [{ robots: false }, ['--no-robots']],
    [{ normalize: false }, ['--no-normalize']],
    // These decide only how fast it is.
    [{ concurrency: 2, wait: 5, randomWait: true, retries: 0, connectTimeout: 3, idleTimeout: 4 }, []],
    [{ processes: 3, sitesAtOnce: 2, publishEvery: 9, queue: 'redis://h' }, []],
  ])('with %j differs from that without options in %j', (options, flags) => {
    expect([...differing(options, {})].sort()).toEqual([...flags].sort());
    expect(differing(options, options)).toEqual([]);
  });
});
