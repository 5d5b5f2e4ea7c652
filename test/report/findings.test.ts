/** §13: findings by rule: how many pages and findings they are about. */
import { expect, test } from 'vitest';
import { FindingsByRule } from '../../src/check/findings-by-rule.ts';
import { type Finding, summarize } from '../../src/index.ts';
import { BrokenPages, findingsSection, MOST_EXAMPLES } from '../../src/report/findings.ts';
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
