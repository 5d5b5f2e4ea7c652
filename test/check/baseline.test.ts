/** §12: a baseline hides what is known, as often as it was there, and nothing else. */
import { describe, expect, test } from 'vitest';
import { Baseline, BaselineWriter } from '../../src/check/baseline.ts';
import type { Finding } from '../../src/check/finding.ts';

const A = 'https://example.org/a.xml';

function fragment(page: string, more: Partial<Finding> = {}): Finding {
  return { rule: 'url-fragment', severity: 'warning', message: 'It is.', document: A, page, ...more };
}

const WITHOUT_PAGE: Finding = { rule: 'url-fragment', severity: 'warning', message: 'It is.', document: A };

/** `lastmod-missing` is aggregated. */
function missing(count: number, more: Partial<Finding> = {}): Finding {
  return { rule: 'lastmod-missing', severity: 'info', message: 'They are.', document: A, count, ...more };
}

function baselineOf(findings: readonly Finding[]): Baseline {
  const writer = new BaselineWriter();
  for (const finding of findings) writer.add(finding);
  return new Baseline(writer.toString());
}

test.each<readonly [string, readonly Finding[], readonly Finding[], readonly number[], number, number]>([
  // What was known, what is found, the counts of what is shown, how many are hidden, how many are gone.
  ['the same finding is hidden', [fragment('/1')], [fragment('/1')], [], 1, 0],
  ['its line does not matter', [fragment('/1', { line: 1 })], [fragment('/1', { line: 9 })], [], 1, 0],
  ['another page is new', [fragment('/1')], [fragment('/2')], [1], 0, 1],
  ['another rule is new', [fragment('/1')], [fragment('/1', { rule: 'url-repeated' })], [1], 0, 1],
  ['another document is new', [fragment('/1')], [fragment('/1', { document: 'b.xml' })], [1], 0, 1],
  ['a third of two is new', times(2, fragment('/1')), times(3, fragment('/1')), [1], 2, 0],
  [
    'a page is hidden once, and does not use up another page',
    [fragment('/1'), fragment('/2')],
    [fragment('/1'), fragment('/1')],
    [1],
    1,
    1,
  ],
  ['one of two is gone', times(2, fragment('/1')), [fragment('/1')], [], 1, 1],
  ['as many cases are hidden', [missing(5)], [missing(5)], [], 1, 0],
  ['fewer cases are hidden, and not gone', [missing(5)], [missing(1)], [], 1, 0],
  ['of more cases the rest is new', [missing(5)], [missing(7)], [2], 0, 0],
  ['the page of the first case does not matter', [missing(2, { page: '/1' })], [missing(2)], [], 1, 0],
  ['an aggregated rule without cases is gone once', [missing(5)], [], [], 0, 1],
  [
    'the rest of a rule is hidden by its number',
    [fragment('/1', { count: 9 })],
    [fragment('/2', { count: 9 })],
    [],
    9,
    0,
  ],
  [
    'of a larger rest, what is more is new',
    [fragment('/1', { count: 9 })],
    [fragment('/2', { count: 12 })],
    [3],
    9,
    0,
  ],
  [
    'of a smaller rest, what is missing is gone',
    [fragment('/1', { count: 9 })],
    [fragment('/2', { count: 7 })],
    [],
    7,
    2,
  ],
  [
    'findings of a rest are hidden by themselves too, after those that the baseline lists',
    [fragment('/1'), fragment('/2', { count: 2 })],
    [fragment('/1'), fragment('/3'), fragment('/4'), fragment('/5')],
    [1],
    3,
    0,
  ],
  [
    'a rest is hidden by findings that the baseline lists',
    [fragment('/1'), fragment('/2'), fragment('/3')],
    [fragment('/9', { count: 2 })],
    [],
    2,
    1,
  ],
  [
    'a finding without a page is not one with a page',
    [WITHOUT_PAGE],
    [fragment('/1'), WITHOUT_PAGE, WITHOUT_PAGE],
    [1, 1],
    1,
    0,
  ],
  ['cases in two findings are added up', [missing(2), missing(3)], [missing(4), missing(2)], [1], 1, 0],
  [
    'each document has its own number of cases',
    [missing(2), missing(3, { document: 'b.xml' })],
    [missing(3), missing(3, { document: 'b.xml' })],
    [1],
    1,
    0,
  ],
])('%s', (_what, known, found, shown, hidden, gone) => {
  const baseline = baselineOf(known);
  const fresh = found.flatMap((finding) => baseline.newPart(finding) ?? []);
  expect(fresh.map(({ count = 1 }) => count)).toEqual(shown);
  expect([baseline.hidden, baseline.gone]).toEqual([hidden, gone]);
});

test('what is shown of more cases says how many are known', () => {
  expect(baselineOf([missing(1)]).newPart(missing(3))?.message).toBe('They are. (1 is in the baseline)');
  const fresh = baselineOf([missing(5)]).newPart(missing(7));
  expect(fresh?.message).toBe('They are. (5 are in the baseline)');
});

test('the file has a finding a line, sorted, in whatever order they were found', () => {
  const findings = [fragment('/2'), missing(3), fragment('/1'), fragment('/1')];
  const texts = [findings, findings.toReversed()].map((some) => {
    const writer = new BaselineWriter();
    for (const finding of some) writer.add(finding);
    return [writer.toString(), writer.total] as const;
  });
  expect(texts[0]).toEqual(texts[1]);
  expect(texts[0]).toEqual([
    `{"version": 1, "findings": [
{"rule":"lastmod-missing","document":"${A}","count":3},
{"rule":"url-fragment","document":"${A}","page":"/1","count":2},
{"rule":"url-fragment","document":"${A}","page":"/2"}
]}\n`,
    4,
  ]);
});

test('a rest is as many findings as it counts, and cases of an aggregated rule are one', () => {
  const writer = new BaselineWriter();
  for (const finding of [fragment('/1'), fragment('/2', { count: 9 }), missing(7)]) writer.add(finding);
  expect(writer.total).toBe(11);
});

test('a baseline of two that were merged has the findings of both', () => {
  const line = { rule: 'url-fragment', document: A, page: '/1' };
  const findings = [line, { ...line, count: 2 }, { ...line, page: '/2' }];
  const baseline = new Baseline(JSON.stringify({ version: 1, findings }));
  const found = [...times(4, fragment('/1')), fragment('/2')];
  expect(found.filter((finding) => baseline.newPart(finding) !== undefined)).toHaveLength(1);
  expect([baseline.hidden, baseline.gone]).toEqual([4, 0]);
});

test('more than 100,000 findings are not a baseline', () => {
  const writer = new BaselineWriter();
  for (let at = 0; at < 100_000; at++) writer.add(fragment(`/${at}`));
  writer.add(fragment('/0'));
  expect(() => writer.add(fragment('/100000'))).toThrow(/more than 100,000 findings/);
});

describe('what is not a baseline is refused', () => {
  const finding = { rule: 'url-fragment', document: A };
  test.each([
    '',
    'null',
    '[]',
    '{"version": 2, "findings": []}',
    '{"version": 1}',
    ...[
      {},
      { ...finding, count: 0 },
      { ...finding, count: 1.5 },
      { ...finding, page: 7 },
      { rule: 'x' },
      null,
    ].map((each) => JSON.stringify({ version: 1, findings: [each] })),
  ])('%s', (text) => {
    expect(() => new Baseline(text)).toThrow(expect.objectContaining({ code: 'bad-option' }));
  });

  test('an empty one hides nothing', () => {
    const baseline = new Baseline('{"version": 1, "findings": []}');
    expect(baseline.newPart(fragment('/1'))).toEqual(fragment('/1'));
  });
});

function times(count: number, finding: Finding): Finding[] {
  return Array.from({ length: count }, () => finding);
}
