/** §12: what the findings of a document are made of: positions, counts of cases, the first places, the rest of a rule. */
import { expect, test } from 'vitest';
import { DocumentFindings } from '../../src/check/document-findings.ts';
import type { Finding } from '../../src/check/finding.ts';
import type { Report } from '../../src/check/rule.ts';
import { Places } from '../../src/problems/position.ts';

const DOCUMENT = 'https://example.org/a.xml';

/** The findings of these reports, of a document in which each line has ten bytes. */
function findingsOf(reports: readonly Report[]): Finding[] {
  const places = new Places();
  places.write(Buffer.from('123456789\n'.repeat(200)));
  const found: Finding[] = [];
  const findings = new DocumentFindings(DOCUMENT, places, (finding) => void found.push(finding));
  for (const report of reports) findings.report(report);
  findings.end();
  return found;
}

const times = (count: number, report: Report): Report[] => Array.from({ length: count }, () => report);
const fragment = (more: Partial<Report> = {}): Report => ({
  rule: 'url-fragment',
  message: 'It has one.',
  ...more,
});
/** `url-other-host` is aggregated. */
const other = (more: Partial<Report> = {}): Report => ({
  rule: 'url-other-host',
  message: 'It is.',
  ...more,
});

test.each<[number, number, string | undefined, number | undefined]>([
  [99, 99, 'It has one.', undefined],
  [100, 100, 'It has one.', undefined],
  [101, 101, '1 more finding of this rule in this document.', 1],
  [102, 101, '2 more findings of this rule in this document; this is the first of them.', 2],
  [1_100, 101, '1,000 more findings of this rule in this document; this is the first of them.', 1_000],
])('%i cases of a rule are %i findings, of which the last says %j', (cases, findings, message, count) => {
  const found = findingsOf(times(cases, fragment()));
  expect([found.length, found.at(-1)?.message, found.at(-1)?.count]).toEqual([findings, message, count]);
});

test('the rest of a rule is counted for each severity and rule by itself', () => {
  const found = findingsOf([
    ...times(103, fragment()),
    ...times(102, fragment({ severity: 'error' })),
    ...times(101, fragment({ rule: 'url-repeated' })),
  ]);
  expect(found.slice(-3).map(({ rule, severity, count }) => [rule, severity, count])).toEqual([
    ['url-fragment', 'warning', 3],
    ['url-fragment', 'error', 2],
    ['url-repeated', 'warning', 1],
  ]);
  expect(found).toHaveLength(303);
});

test('a report about several cases counts as many, first or later', () => {
  expect(findingsOf([other({ count: 5 }), other(), other({ count: 3 })])).toMatchObject([{ count: 9 }]);
  expect(findingsOf([fragment({ count: 2 }), fragment()]).map(({ count }) => count)).toEqual([2, undefined]);
});

test('an aggregated finding has the place, page and message of its first case, and the places of four more', () => {
  const found = findingsOf(
    [0, 1, 2, 3, 4, 5, 6].map((line) =>
      other({ offset: 10 * line + line, page: `/${line}`, message: `It is ${line}.` }),
    ),
  );
  expect(found).toEqual([
    {
      rule: 'url-other-host',
      severity: 'warning',
      message: 'It is 0.',
      document: DOCUMENT,
      page: '/0',
      offset: 0,
      line: 1,
      column: 1,
      count: 7,
      related: [1, 2, 3, 4].map((line) => ({
        document: DOCUMENT,
        line: line + 1,
        column: line + 1,
        offset: 11 * line,
        message: `/${line}`,
      })),
    },
  ]);
});

test('a place at the very start is one, also where it is related', () => {
  const found = findingsOf([fragment({ offset: 0 }), fragment()]);
  expect(found[0]).toMatchObject({ offset: 0, line: 1, column: 1 });
  expect(found[1]).not.toHaveProperty('offset');
  expect(found[1]).not.toHaveProperty('line');
  const [aggregated] = findingsOf([other(), other({ offset: 0 }), other()]);
  expect(aggregated?.related).toEqual([
    { document: DOCUMENT, line: 1, column: 1, offset: 0 },
    { document: DOCUMENT },
  ]);
});

test('a position that was taken earlier is kept', () => {
  const position = { line: 7, column: 8 };
  expect(findingsOf([fragment({ offset: 3, position })])).toMatchObject([{ offset: 3, ...position }]);
});

test('related places of the first report come before those of the next cases', () => {
  const related = [{ document: 'robots.txt', line: 2 }];
  const found = findingsOf([other({ related }), other({ offset: 10 })]);
  expect(found[0]?.related).toEqual([...related, { document: DOCUMENT, line: 2, column: 1, offset: 10 }]);
  expect(findingsOf([fragment({ related })])[0]?.related).toEqual(related);
});

test('each cause has a finding, in the order of the first cases, with its own total', () => {
  const total = (count: number): string => `${count} of them.`;
  const found = findingsOf([
    other({ cause: 'b', total }),
    other({ cause: 'a' }),
    other({ cause: 'b', total: () => 'not this' }),
    fragment(),
    other({ total }),
  ]);
  expect(found.map(({ rule, message, count }) => [rule, message, count])).toEqual([
    ['url-fragment', 'It has one.', undefined],
    ['url-other-host', '2 of them.', 2],
    ['url-other-host', 'It is.', 1],
    ['url-other-host', '1 of them.', 1],
  ]);
});

test('after 1,000 causes the others share a finding, and those that are known keep theirs', () => {
  const causes = Array.from({ length: 1_003 }, (_, at) => other({ cause: `${at}` }));
  const found = findingsOf([...causes, other({ cause: '0' }), other({ cause: '1002' })]);
  expect(found.map(({ count }) => count)).toEqual([2, ...Array<number>(999).fill(1), 4]);
});

test('the causes of one rule do not limit those of another', () => {
  const causes = Array.from({ length: 1_000 }, (_, at) => other({ cause: `${at}` }));
  const found = findingsOf([
    ...causes,
    other({ rule: 'url-not-a-page', cause: 'js' }),
    other({ rule: 'url-not-a-page', cause: 'css' }),
  ]);
  expect(found).toHaveLength(1_002);
});

test('a case is only counted once its finding has all its places', () => {
  const found: Finding[] = [];
  const findings = new DocumentFindings(DOCUMENT, new Places(), (finding) => void found.push(finding));
  const isCounted: boolean[] = [];
  for (let time = 0; time < 8; time++) {
    const isOnlyCounted = findings.isOnlyCounted('url-other-host', 'a');
    isCounted.push(isOnlyCounted);
    if (!isOnlyCounted) findings.report(other({ cause: 'a' }));
  }
  expect(isCounted).toEqual([false, false, false, false, false, true, true, true]);
  expect(findings.isOnlyCounted('url-other-host', 'b')).toBe(false);
  expect(findings.isOnlyCounted('url-other-host')).toBe(false);
  findings.end();
  expect(found).toMatchObject([{ count: 8, related: [{}, {}, {}, {}] }]);
});

test('a rule that has reached its limit is only counted, in the severity of the table', () => {
  const findings = new DocumentFindings(DOCUMENT, new Places(), () => {});
  for (const report of times(105, fragment({ severity: 'error' }))) findings.report(report);
  expect(findings.isOnlyCounted('url-fragment')).toBe(false);
  for (const report of times(104, fragment())) findings.report(report);
  expect(findings.isOnlyCounted('url-fragment')).toBe(false);
  findings.report(fragment());
  expect(findings.isOnlyCounted('url-fragment')).toBe(true);
});
