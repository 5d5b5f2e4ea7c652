/** §13: findings by rule: how many pages and findings they are about. */
import { describe, expect, test } from 'vitest';
import { FindingsByRule } from '../../src/check/findings-by-rule.ts';
import { type Finding, summarize } from '../../src/index.ts';
import {
  affectedData,
  BrokenPages,
  findingsSection,
  fixFirstSection,
  MOST_EXAMPLES,
} from '../../src/report/findings.ts';
import { BUDGETS, dataText } from '../../src/report/markup.ts';
import { SITE, sampleTree } from '../support/trees.ts';

const tree = sampleTree();
const site = await summarize(tree);

const finding = (document: string, page?: string, count?: number): Finding => ({
  rule: 'url-fragment',
  severity: 'warning',
  message: 'The URL has a fragment.',
  document: `${SITE}${document}`,
  ...(page !== undefined && { page: `${SITE}${page}` }),
  ...(count !== undefined && { count }),
});

test.each([
  ['two findings of one page', [finding('a.xml', '1'), finding('a.xml', '1')], 1],
  ['a page that two documents list', [finding('a.xml', '1'), finding('shared.xml', '1')], 2],
  ['two pages of a document', [finding('a.xml', '1'), finding('a.xml', '2')], 2],
  ['a finding and further ones', [finding('a.xml', '1'), finding('a.xml', undefined, 7)], 8],
])('%s: the pages that break the rule', (_name, findings, pages) => {
  const broken = new BrokenPages(tree);
  for (const each of findings) broken.add(each);
  expect(broken.of('url-fragment')).toBe(pages);
});

test.each([
  ['all are shown', [finding('a.xml', '1'), finding('a.xml', undefined, 150)], undefined],
  [
    'some are not shown',
    [
      finding('a.xml', undefined, 150),
      ...Array.from({ length: MOST_EXAMPLES + 1 }, (_, at) => finding('shared.xml', String(at))),
    ],
    'and 2 more findings',
  ],
])('an example that stands for several findings: %s', (_name, findings, sentence) => {
  const byRule = new FindingsByRule(MOST_EXAMPLES);
  for (const each of findings) byRule.add(each);
  const html = findingsSection({ site, byRule, broken: new BrokenPages(tree) });
  expect(/and \d+ more findings/.exec(html)?.[0]).toBe(sentence);
});

/** The findings as the sections take them. */
function sectionsOf(findings: readonly Finding[], of: typeof site = site) {
  const byRule = new FindingsByRule(MOST_EXAMPLES);
  const broken = new BrokenPages(tree);
  for (const each of findings) {
    byRule.add(each);
    broken.add(each);
  }
  const given = { site: of, byRule, broken };
  return { first: fixFirstSection(given), all: findingsSection(given), affected: affectedData(byRule) };
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ');

describe('what to fix first', () => {
  const own = (rule: string, severity: Finding['severity'], at = 1): Finding =>
    ({ rule, severity, message: `Finding ${at} of ${rule}.`, document: `${SITE}a.xml` }) as Finding;

  test('is at most five rules, of which none is only information', () => {
    const rules = ['a', 'b', 'c', 'd', 'e', 'f'].map((rule) => own(rule, 'warning'));
    const { first } = sectionsOf([own('i', 'info'), ...rules, own('z', 'error')]);
    const links = Array.from(first.matchAll(/href="#rule-(\w)"/g), ([, rule]) => rule);
    expect(links).toHaveLength(5);
    expect(links[0]).toBe('z');
    expect(links).not.toContain('i');
    expect(Array.from(sectionsOf([own('i', 'info')]).first.matchAll(/<li>/g))).toEqual([]);
  });

  test('is nothing where all is well, and reading where nothing could be read', () => {
    expect(sectionsOf([]).first).toContain('Nothing: there are no errors and no warnings.');
    const unread = { ...site, sitemaps: { ...site.sitemaps, count: 0 } };
    expect(sectionsOf([], unread).first).toContain('Make the sitemaps readable: see above.');
  });

  test.each<[string, readonly Finding[], string]>([
    [
      'one finding',
      [finding('a.xml', 'p')],
      '1 finding in 1 document: 14 % of the pages · at /a.xml Page: /p ·',
    ],
    [
      'two of one document',
      [finding('a.xml', 'p'), finding('a.xml', 'q')],
      '2 findings in 1 document: 29 % of the pages · first at /a.xml Page: /p ·',
    ],
    [
      'two of two documents',
      [finding('a.xml', 'p'), finding('shared.xml', 'q')],
      '2 findings in 2 documents: 29 % of the pages · first at /a.xml Page: /p ·',
    ],
    ['a rule of its own', [own('mine', 'error')], '1 finding in 1 document · at /a.xml · more about mine'],
  ])('has the extent of %s, an example and a link', (_what, findings, text) => {
    const pages = { ...site, pages: { count: 7, distinct: 7 } };
    expect(textOf(sectionsOf(findings, pages).first)).toContain(text);
  });

  test.each<Finding['rule']>([
    'lastmod-all-equal',
    'lastmod-is-fetch-time',
    'index-lastmod-old',
    'news-too-many',
  ])('has no share for %s, which is about a whole document', (rule) => {
    const { page: _, ...ofDocument } = finding('a.xml');
    expect(textOf(sectionsOf([{ ...ofDocument, rule }]).first)).toContain('1 finding in 1 document · at');
  });

  test('has no share where there are no pages', () => {
    const none = { ...site, pages: { count: 0, distinct: 0 } };
    expect(textOf(sectionsOf([finding('a.xml', 'p')], none).first)).toContain('1 finding in 1 document · at');
  });

  test('has the message of a single finding, of a rule of its own also of several, without the origin', () => {
    const said = { ...own('mine', 'error'), message: `${SITE}x is wrong.` };
    expect(textOf(sectionsOf([said]).first)).toContain(' error /x is wrong.');
    expect(textOf(sectionsOf([own('mine', 'error', 1), own('mine', 'error', 2)]).first)).toContain(
      'Finding 1 of mine.',
    );
    const [one, two] = [finding('a.xml', 'p'), { ...finding('a.xml', 'q'), message: 'Another one.' }];
    expect(sectionsOf([one, two]).first).not.toContain(one.message);
  });
});

describe('where a finding is', () => {
  const at = (more: Partial<Finding>): string =>
    textOf(
      /<span class="place">[\s\S]*?<\/li>/.exec(sectionsOf([{ ...finding('a.xml'), ...more }]).all)?.[0] ??
        '',
    );

  test.each<[string, Partial<Finding>, string]>([
    ['a document', {}, '/a.xml'],
    ['a line', { line: 2 }, '/a.xml:2'],
    ['a line and a column', { line: 2, column: 1 }, '/a.xml:2:1'],
    ['a column without a line', { column: 1 }, '/a.xml'],
    ['a page', { page: `${SITE}p`, line: 3 }, '/a.xml:3 Page: /p'],
    ['a page of another host', { page: 'https://b.example/p' }, '/a.xml Page: https://b.example/p'],
    ['a page that the message names', { page: `${SITE}p`, message: `${SITE}p is wrong.` }, '/a.xml'],
    ['a page that is the document', { page: `${SITE}a.xml` }, '/a.xml'],
  ])('is %s', (_what, more, text) => {
    expect(at(more)).toBe(text);
  });
});

test('a rule that does not fit with all examples has fewer, and what does not fit at all is counted', () => {
  const long = 'x'.repeat(350);
  const findings = Array.from({ length: 400 }, (_, rule) =>
    Array.from({ length: 12 }, (_each, at) => ({
      ...finding('a.xml', `${rule}/${at}`),
      message: long,
      rule: `r${rule}`,
    })),
  ).flat() as Finding[];
  const { all } = sectionsOf(findings);
  const shown = all.split('<details').slice(1);
  const examples = shown.map((each) => each.split('<span class="place">').length - 1);
  expect([...new Set(examples)]).toEqual([10, 2, 0]);
  for (const [index, each] of shown.entries())
    expect(each).toContain(`and ${12 - examples[index]!} more findings`);
  const hidden = Number(/and (\d+) more rules: usp check lists all/.exec(all)?.[1]);
  expect(shown.length + hidden).toBe(400);
  expect(Buffer.byteLength(all)).toBeLessThan(BUDGETS.findings + 300);
});

test.each([
  ['ASCII', 'a'.repeat(90)],
  ['signs that are escaped in a page', '<'.repeat(90)],
  ['quotes', '"'.repeat(90)],
  ['other letters', 'ü'.repeat(90)],
])('§13 the affected addresses take no more bytes than they may: %s', (_what, path) => {
  const findings = Array.from({ length: 1_900 }, (_, at) => finding('a.xml', `${path}${at}`));
  const { affected } = sectionsOf([...findings, { ...finding('a.xml', 'last'), rule: 'url-not-encoded' }]);
  const size = Buffer.byteLength(dataText(affected));
  expect(size).toBeLessThan(BUDGETS.affected + 200);
  const { urls, more } = affected['url-fragment']!;
  expect(urls.length + more).toBe(1_900);
  expect(urls).toEqual(findings.slice(0, urls.length).map(({ page }) => page));
  expect(size > BUDGETS.affected - 1_000 || more === 0).toBe(true);
});
