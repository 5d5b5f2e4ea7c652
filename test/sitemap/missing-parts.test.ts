/** §5: what is missing in the tree of a site, each part once, in a sentence with its URL. */
import { expect, test } from 'vitest';
import { missingOf } from '../../src/sitemap/missing-parts.ts';
import {
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { SITE, source, urlset } from '../support/trees.ts';

const spool = new Spool({ memoryBytes: 1e6 });

test('failures, problems of the site, missing ends and children, and stale documents; other problems are none', () => {
  const [gone, cut, stale, index] = ['gone', 'cut', 'stale', 'index'].map((name) => `${SITE}${name}.xml`) as [
    string,
    string,
    string,
    string,
  ];
  const invalid = new InvalidSitemap({ url: gone, code: 'timeout', reason: `${gone} did not respond.` });
  const truncated = new PagesXMLSitemap({
    url: cut,
    pages: source(spool, urlset('a').replace('</urlset>', '<url><priority>x</priority>'), cut),
    problems: [
      { code: 'too-large', message: 'It is too large.' },
      { code: 'bad-date', message: 'A date.' },
    ],
    truncated: true,
  });
  const old = new PagesXMLSitemap({
    url: stale,
    pages: source(spool, urlset('b'), stale),
    problems: [{ code: 'stale', message: 'It is old.' }],
  });
  const second = new IndexXMLSitemap({
    url: index,
    subSitemaps: [invalid, truncated],
    problems: [
      { code: 'doctype', message: 'A DOCTYPE.' },
      { code: 'too-many-sitemaps', message: `${index} has more.` },
    ],
  });
  const again = new InvalidSitemap({ url: gone, code: 'limit', reason: 'Enough.' });
  const tree = new IndexWebsiteSitemap({
    url: SITE,
    complete: false,
    subSitemaps: [second, old, invalid, again],
    problems: [
      { code: 'robots-txt-failed', message: 'robots.txt failed.' },
      { code: 'sitemaps-elsewhere', message: 'Some are elsewhere.' },
    ],
  });
  const parts = missingOf(tree).map(({ url, code, message }) => [url, code, message]);
  expect(parts.filter(([, code]) => code !== 'truncated')).toEqual([
    [SITE, 'robots-txt-failed', `${SITE}: robots.txt failed.`],
    [SITE, 'sitemaps-elsewhere', `${SITE}: Some are elsewhere.`],
    [index, 'too-many-sitemaps', `${index} has more.`],
    [gone, 'timeout', `${gone} did not respond.`],
    [cut, 'too-large', `${cut}: It is too large.`],
    [stale, 'stale', `${stale}: It is old.`],
    [gone, 'limit', `${gone}: Enough.`],
  ]);
  expect(parts.filter(([, code]) => code === 'truncated').map(([url]) => url)).toEqual([cut]);
});
