/** §11.3: a change as one flat row, as `usp diff` and `usp update` print it. */
import { expect, test } from 'vitest';
import type { PageChange } from '../../src/diff/page-change.ts';
import { rowOfChange } from '../../src/diff/page-change.ts';
import { SitemapPage } from '../../src/index.ts';
import { SITE, sampleTree } from '../support/trees.ts';

const [NOW, THEN] = [new Date('2013-05-06'), new Date('2012-03-04')];
const sitemap = sampleTree();
const page = new SitemapPage({ url: `${SITE}p`, lastModified: NOW, priority: 0, changeFrequency: 'daily' });
const VALUES = {
  ...{ site: SITE, sitemap: sitemap.url, url: page.url },
  ...{ lastModified: NOW, priority: 0, changeFrequency: 'daily' },
};
const NONE = { lastModifiedBefore: undefined, priorityBefore: undefined, changeFrequencyBefore: undefined };

test.each<readonly [string, PageChange, object]>([
  ['added', { type: 'added', page, sitemap }, { type: 'added', fields: undefined, ...VALUES, ...NONE }],
  ['removed', { type: 'removed', page, sitemap }, { type: 'removed', fields: undefined, ...VALUES, ...NONE }],
  [
    'changed',
    {
      ...{ type: 'changed', page, sitemap, fields: ['lastModified', 'priority'] },
      before: { lastModified: THEN, priority: 1, changeFrequency: 'never' } as const,
    },
    {
      ...{ type: 'changed', fields: ['lastModified', 'priority'], ...VALUES },
      ...{ lastModifiedBefore: THEN, priorityBefore: 1, changeFrequencyBefore: 'never' },
    },
  ],
  [
    'changed from nothing',
    {
      ...{ type: 'changed', page, sitemap, fields: ['changeFrequency'] },
      before: { lastModified: undefined, priority: 0, changeFrequency: undefined },
    },
    { type: 'changed', fields: ['changeFrequency'], ...VALUES, ...NONE, priorityBefore: 0 },
  ],
])('a page that was %s', (_what, change, row) => {
  expect(rowOfChange(change, SITE)).toEqual(row);
  expect(rowOfChange(change, undefined)).toEqual({ ...row, site: undefined });
  expect(Object.keys(rowOfChange(change, SITE))).toEqual([
    ...['type', 'site', 'sitemap', 'url', 'fields', 'lastModified', 'priority', 'changeFrequency'],
    ...['lastModifiedBefore', 'priorityBefore', 'changeFrequencyBefore'],
  ]);
});
