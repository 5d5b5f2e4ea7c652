/** §12: findings by rule: how often, where, and what to fix first. */
import { expect, test } from 'vitest';
import type { Finding } from '../../src/check/finding.ts';
import {
  byUrgency,
  describeEntries,
  FindingsByRule,
  RuleFindings,
} from '../../src/check/findings-by-rule.ts';
import type { RuleName, Severity } from '../../src/check/rule.ts';
import { RULES } from '../../src/check/rule-table.ts';

const A = 'https://example.org/a.xml';
const B = 'https://example.org/b.xml';

/** @param more - what differs from a finding of one entry, in the document A */
function finding(rule: RuleName, more: Partial<Finding> = {}): Finding {
  return { rule, severity: RULES[rule].severity, message: 'It is.', document: A, ...more };
}

function ofOneRule(findings: readonly Finding[], mostExamples = 2): RuleFindings {
  const ofRule = new RuleFindings(findings[0]!.rule);
  for (const each of findings) ofRule.add(each, mostExamples);
  return ofRule;
}

test('an aggregated finding is one finding of many entries, and the rest of a rule is many findings', () => {
  const aggregated = ofOneRule([finding('lastmod-missing', { count: 5 }), finding('lastmod-missing')]);
  expect([aggregated.findings, aggregated.entries]).toEqual([2, 6]);
  const rest = ofOneRule([finding('url-fragment'), finding('url-fragment', { count: 5 })]);
  expect([rest.findings, rest.entries]).toEqual([6, 6]);
});

test('a rule has the counts of each severity, its worst one, and examples of that one only', () => {
  const ofRule = ofOneRule([
    finding('url-fragment', { severity: 'info', page: '/1' }),
    finding('url-fragment', { severity: 'warning', page: '/2' }),
    finding('url-fragment', { severity: 'info', page: '/3' }),
    finding('url-fragment', { severity: 'warning', page: '/4' }),
    finding('url-fragment', { severity: 'warning', page: '/5' }),
  ]);
  expect(ofRule.severity).toBe('warning');
  expect(ofRule.counts).toEqual({ error: 0, warning: 3, info: 2 });
  expect(ofRule.entryCounts).toEqual({ error: 0, warning: 3, info: 2 });
  expect(ofRule.examples.map(({ page }) => page)).toEqual(['/2', '/4']);
});

test('the documents of a rule are counted once each, document by document', () => {
  const documents = [A, A, B, B, `${B}.gz`];
  expect(ofOneRule(documents.map((document) => finding('url-fragment', { document }))).documents).toBe(3);
});

test('the addresses that a rule affects are pages, else documents; those without a name are counted', () => {
  const ofRule = ofOneRule([
    finding('lastmod-missing', { page: '/1', count: 4 }),
    finding('lastmod-missing', { page: '/1' }),
    finding('lastmod-missing', { document: B }),
    finding('lastmod-missing', { document: B, page: '/2', count: 2 }),
  ]);
  expect([...ofRule.affected]).toEqual(['/1', B, '/2']);
  expect(ofRule.moreAffected).toBe(4);
});

test('2,000 addresses are named, and the others counted', () => {
  const pages = Array.from({ length: 2_003 }, (_, at) => finding('url-fragment', { page: `/${at}` }));
  const ofRule = ofOneRule(pages);
  expect([ofRule.affected.size, ofRule.moreAffected]).toEqual([2_000, 3]);
});

test('long texts of an example are cut', () => {
  const long = 'x'.repeat(3_000);
  const [example] = ofOneRule([
    finding('url-fragment', { message: long, document: long, page: long }),
  ]).examples;
  for (const text of [example?.message, example?.document, example?.page])
    expect(text).toBe(`${'x'.repeat(2_048)}…`);
  expect(ofOneRule([finding('url-fragment')]).examples).toEqual([finding('url-fragment')]);
});

test('a severity has the findings and entries of all rules together', () => {
  const byRule = new FindingsByRule(3);
  byRule.add(finding('lastmod-missing', { count: 7 }));
  byRule.add(finding('url-other-origin', { count: 2 }));
  byRule.add(finding('url-fragment', { count: 2 }));
  byRule.add(finding('url-fragment', { severity: 'info' }));
  expect(byRule.count('info')).toEqual({ findings: 3, entries: 10 });
  expect(byRule.count('warning')).toEqual({ findings: 2, entries: 2 });
  expect(byRule.count('error')).toEqual({ findings: 0, entries: 0 });
});

test.each([
  [3, 3, ''],
  [1, 2, '2 entries'],
  [2, 1_010, '1,010 entries'],
  [0, 0, ''],
])('%i findings of %i entries: %j', (findings, entries, expected) => {
  expect(describeEntries(findings, entries)).toBe(expected);
});

test('what to fix first: a site without sitemaps, then by severity, subject, entries, and the table', () => {
  const rule = (name: string, severity: Severity, entries = 1) => ({
    rule: name as RuleName,
    severity,
    entries,
  });
  const expected = [
    rule('site-unreachable', 'error', 9),
    rule('site-refused', 'info', 2),
    rule('no-sitemap', 'warning'),
    rule('sitemap-unreadable', 'error'),
    rule('not-well-formed', 'error'),
    rule('over-50-mib', 'error'),
    rule('page-missing', 'error', 3),
    // It is about pages, not about whole sitemaps.
    rule('page-blocked', 'error', 2),
    rule('url-not-public', 'error', 9),
    rule('hreflang-bad-code', 'error'),
    rule('news-missing-field', 'error'),
    rule('images-too-many', 'error'),
    rule('video-missing-field', 'error'),
    rule('sitemap-redirected', 'warning'),
    rule('doctype', 'warning', 5),
    rule('url-repeated', 'warning', 4),
    // Of two rules that are broken as often, the table has this one first.
    rule('url-not-encoded', 'warning', 3),
    rule('url-fragment', 'warning', 3),
    rule('url-variants', 'warning', 2),
    rule('video-expired', 'warning'),
    rule('extension-namespace', 'warning'),
    rule('lastmod-future', 'warning', 99),
    rule('content-type', 'info'),
    rule('lastmod-missing', 'info', 999),
  ];
  expect(expected.toReversed().toSorted(byUrgency)).toEqual(expected);
  expect(expected.toSorted(byUrgency)).toEqual(expected);
  const byRule = new FindingsByRule(1);
  for (const each of expected.toReversed())
    byRule.add(finding(each.rule, { severity: each.severity, count: each.entries }));
  expect(byRule.byUrgency.map((each) => each.rule)).toEqual(expected.map((each) => each.rule));
});
