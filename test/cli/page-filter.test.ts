/** §10: which pages and sitemaps are listed, and how those that are left out are counted and named. */
import { describe, expect, test } from 'vitest';
import {
  checkAgent,
  leftOutSentences,
  type PageAndSitemap,
  PageFilter,
  SitemapFilter,
} from '../../src/cli/page-filter.ts';
import { SiteHosts } from '../../src/filter/site-hosts.ts';
import { parseSitemap, type SitemapPage } from '../../src/index.ts';
import { SeenUrls } from '../../src/parse/seen-urls.ts';
import { type Listed, urlset } from '../support/documents.ts';

const H = 'https://a.example';

/** A document each, since one document lists a page once. */
function pagesOf(...listed: readonly Listed[]): readonly SitemapPage[] {
  return listed
    .flatMap((each) => [...parseSitemap(urlset(each))])
    .flatMap((item) => (item.type === 'page' ? item.page : []));
}

const keep = (filter: PageFilter, pages: readonly SitemapPage[]): string[] =>
  filter.keep(pages, (page) => page).map(({ url }) => url.slice(H.length));

describe('pages', () => {
  const DATED = pagesOf([`${H}/1`, '2014-05-05'], [`${H}/2`, '2014-05-06'], `${H}/3`, [
    `${H}/4`,
    '2014-05-07',
  ]);

  test.each<[string, ConstructorParameters<typeof PageFilter>[0], string[], string]>([
    ['--include', { include: ['/1', '/2'] }, ['/1', '/2'], '2 pages not matched by --include'],
    ['--exclude', { exclude: ['/1'] }, ['/2', '/3', '/4'], '1 page matched by --exclude'],
    [
      'both',
      { include: ['/1', '/2'], exclude: ['/2'] },
      ['/1'],
      '2 pages not matched by --include and 1 page matched by --exclude',
    ],
    [
      '--since',
      { since: new Date('2014-05-06') },
      ['/2', '/4'],
      '1 page older than --since and 1 page without a date (--undated)',
    ],
    [
      '--since, undated too',
      { since: new Date('2014-05-06'), undated: 'keep' },
      ['/2', '/3', '/4'],
      '1 page older than --since',
    ],
    [
      '--until',
      { until: new Date('2014-05-06') },
      ['/1'],
      '2 pages not older than --until and 1 page without a date (--undated)',
    ],
    ['nothing', {}, ['/1', '/2', '/3', '/4'], ''],
  ])('%s: those that are left out are counted by their reason', (_what, options, kept, reasons) => {
    const filter = new PageFilter(options, undefined);
    expect(keep(filter, DATED)).toEqual(kept);
    expect([filter.read, filter.kept, filter.leftOutReasons]).toEqual([4, kept.length, reasons]);
    expect(filter.isOpen).toBe(kept.length === 4);
  });

  test('what is said without -v: pages on other hosts and without a date', () => {
    const filter = new PageFilter({ since: new Date('2014-05-06') }, undefined);
    keep(filter, DATED);
    expect(filter.leftOutSentences).toEqual([
      '1 page without a date was left out; --undated keep lists them.',
    ]);
    expect(leftOutSentences({ undated: 2, 'other-host': 1000, excluded: 4 })).toEqual([
      '1,000 pages on other hosts were left out (--hosts).',
      '2 pages without a date were left out; --undated keep lists them.',
    ]);
    expect(leftOutSentences({ 'other-host': 1 })).toEqual(['1 page on other hosts was left out (--hosts).']);
    expect(leftOutSentences({ undated: 0 })).toEqual([]);
  });

  test('--max-pages counts the pages that are kept, over all batches', () => {
    const filter = new PageFilter({ maxPages: 3, exclude: ['/2'] }, undefined);
    const pages = pagesOf(...[1, 2, 3, 4, 5].map((at) => `${H}/${at}`));
    expect([keep(filter, pages.slice(0, 2)), filter.isFull]).toEqual([['/1'], false]);
    expect([keep(filter, pages.slice(2)), filter.isFull]).toEqual([['/3', '/4'], true]);
    expect([keep(filter, pages), filter.kept, filter.leftOutReasons]).toEqual([
      [],
      3,
      '1 page matched by --exclude',
    ]);
    expect(new PageFilter({ maxPages: 1 }, undefined).isOpen).toBe(false);
  });

  test('--max-pages is not reached by pages that are left out', () => {
    const filter = new PageFilter({ maxPages: 1, include: ['/9'] }, undefined);
    keep(filter, pagesOf(`${H}/1`, `${H}/2`));
    expect([filter.read, filter.kept, filter.isFull]).toEqual([2, 0, false]);
  });

  test('an agent leaves nothing out by itself, whatever other filters there are', () => {
    const filter = new PageFilter({ exclude: ['/2'] }, undefined);
    filter.verdictOf = () => ({ allowed: false }) as never;
    expect(keep(filter, pagesOf(`${H}/1`, `${H}/2`))).toEqual(['/1']);
  });

  test('--unique lists a page once, also where another filter has seen it; behind --max-pages it is unseen', () => {
    const seen = new SeenUrls();
    const pages = pagesOf(`${H}/1`, `${H}/1`, `${H}/2`, `${H}/3`);
    const first = new PageFilter({ maxPages: 2 }, seen);
    expect([keep(first, pages), first.leftOutReasons]).toEqual([
      ['/1', '/2'],
      '1 page listed before (--unique)',
    ]);
    const second = new PageFilter({}, seen);
    expect([keep(second, pages), second.isOpen]).toEqual([['/3'], false]);
    expect(second.leftOutReasons).toBe('3 pages listed before (--unique)');
  });

  test('a page that another filter leaves out was not listed before', () => {
    const seen = new SeenUrls();
    const pages = pagesOf(`${H}/1`);
    expect(keep(new PageFilter({ exclude: ['/1'] }, seen), pages)).toEqual([]);
    const disallowing = new PageFilter({ onlyAllowed: true }, seen);
    disallowing.verdictOf = () => ({ allowed: false }) as never;
    expect([keep(disallowing, pages), disallowing.leftOutReasons]).toEqual([
      [],
      '1 page disallowed by robots.txt (--only-allowed)',
    ]);
    expect(keep(new PageFilter({}, seen), pages)).toEqual(['/1']);
  });

  test('an agent that may not fetch a page is shown so, and leaves it out with --only-allowed alone', () => {
    for (const onlyAllowed of [false, true]) {
      const filter = new PageFilter({ onlyAllowed }, undefined);
      filter.verdictOf = (url) => ({ allowed: !url.endsWith('/1') }) as never;
      expect(keep(filter, pagesOf(`${H}/1`, `${H}/2`))).toEqual(onlyAllowed ? ['/2'] : ['/1', '/2']);
      expect(filter.isOpen).toBe(!onlyAllowed);
    }
  });

  test('a page of the sample is listed once', () => {
    const filter = new PageFilter({}, undefined);
    const pages = pagesOf(`${H}/1`, `${H}/2`, `${H}/1`);
    filter.sampleKeys = new Set([`${H}/1`]);
    expect([filter.isOpen, keep(filter, pages)]).toEqual([false, ['/1']]);
    expect(filter.leftOutReasons).toBe('2 pages not in the sample (--sample)');
  });

  test('a page that is not in the sample was not listed: --unique lists it where another site has it in its sample', () => {
    const seen = new SeenUrls();
    const pages = pagesOf(`${H}/1`, `${H}/2`);
    const sampled = (...names: readonly string[]): string[] => {
      const filter = new PageFilter({}, seen);
      filter.sampleKeys = new Set(names.map((name) => H + name));
      return keep(filter, pages);
    };
    expect([sampled('/1'), sampled('/1', '/2'), sampled('/2')]).toEqual([['/1'], ['/2'], []]);
  });

  test('--hosts compares pages with the hosts of the site, which are known once it is being read', () => {
    const filter = new PageFilter({ hosts: 'same' }, undefined);
    filter.site = new SiteHosts([`${H}/`]);
    expect(keep(filter, pagesOf(`${H}/1`, 'https://b.example/2'))).toEqual(['/1']);
    expect(filter.leftOutReasons).toBe('1 page on other hosts (--hosts)');
  });

  test('alternates are pages that are filtered, and are read', () => {
    const filter = new PageFilter({ exclude: ['/fr'] }, undefined);
    const more = pagesOf(`${H}/de`, `${H}/fr`);
    filter.addAlternates = (batch) => [...batch, ...more];
    expect(filter.isOpen).toBe(false);
    expect(filter.keepPages(pagesOf(`${H}/1`)).map(({ url }) => url)).toEqual([`${H}/1`, `${H}/de`]);
    expect([filter.read, filter.kept]).toEqual([3, 2]);
  });

  test('distinct pages are those that are kept; where they are not counted, all of them', () => {
    const pages = pagesOf(`${H}/1`, `${H}/1`, `${H}/2`, `${H}/3`);
    const counting = new PageFilter({ exclude: ['/3'] }, undefined, { distinct: true });
    keep(counting, pages);
    keep(counting, pages);
    expect([counting.read, counting.kept, counting.distinct]).toEqual([8, 6, 2]);
    const other = new PageFilter({}, undefined);
    keep(other, pages);
    expect([other.kept, other.distinct]).toEqual([4, 4]);
  });

  test('what a batch has beside its pages is kept with them', () => {
    const [one, two] = pagesOf(`${H}/1`, `${H}/2`) as [SitemapPage, SitemapPage];
    const items: readonly PageAndSitemap[] = [
      { page: one, sitemap: { url: 'a' } },
      { page: two, sitemap: { url: 'b' } },
    ];
    const filter = new PageFilter({ include: ['/2'] }, undefined);
    expect(filter.keep(items, ({ page }) => page)).toEqual([items[1]]);
  });
});

describe('sitemaps', () => {
  const decide = (filter: SitemapFilter, url: string, lastModified?: Date): unknown =>
    filter.callback?.(url, 1, new Set(), {
      entry: { url, lastModified, lastmod: lastModified?.toISOString() },
    } as never);

  test('nothing is asked where nothing is filtered', () => {
    expect(new SitemapFilter({}).callback).toBeUndefined();
    expect(new SitemapFilter({}).count).toBe(0);
  });

  test('the first three that are left out are named, and all are counted', () => {
    const filter = new SitemapFilter({ sitemapExclude: ['/x'] });
    expect(decide(filter, `${H}/a.xml`)).toBe(true);
    for (const at of [1, 2, 3]) expect(decide(filter, `${H}/x${at}`)).toBe(false);
    const names = `${H}/x1, ${H}/x2, ${H}/x3`;
    expect(filter.leftOutReasons).toBe(`3 sitemaps matched by --sitemap-exclude (${names})`);
    decide(filter, `${H}/x4`);
    expect(filter.leftOutReasons).toBe(`4 sitemaps matched by --sitemap-exclude (${names}, …)`);
    expect([filter.count, filter.hasUnmatched]).toEqual([4, false]);
  });

  test('with --since, those that are declared to be older are left out; undated ones are read', () => {
    const filter = new SitemapFilter({ since: new Date('2014-05-06') });
    const day = (date: number): Date => new Date(Date.UTC(2014, 4, date));
    expect([5, 6].map((date) => decide(filter, `${H}/${date}`, day(date)))).toEqual([false, true]);
    expect(decide(filter, `${H}/0`)).toBe(true);
    expect([filter.leftOutReasons, filter.hasUnmatched]).toEqual([
      `1 sitemap declared older than --since (${H}/5)`,
      false,
    ]);
  });

  test('reasons are in one order, whichever came first', () => {
    const filter = new SitemapFilter({ sitemapInclude: ['.xml'], sitemapExclude: ['x.xml'] });
    decide(filter, `${H}/x.xml`);
    decide(filter, `${H}/b`);
    expect(filter.leftOutReasons).toBe(
      `1 sitemap not matched by --sitemap-include and 1 sitemap matched by --sitemap-exclude (${H}/x.xml, ${H}/b)`,
    );
    expect(filter.hasUnmatched).toBe(true);
  });
});

describe('--agent', () => {
  test.each<[Parameters<typeof checkAgent>[0], string]>([
    [{ onlyAllowed: true }, '--only-allowed needs --agent NAME.'],
    [{ agent: '' }, '--agent is the name of a crawler'],
    [{ agent: 'GPTBot', robots: false }, '--agent needs robots.txt, which --no-robots leaves out.'],
    [{ agent: 'GPTBot', sitemap: true }, '--agent needs robots.txt, which is not read with --sitemap.'],
    [{ agent: 'GPTBot', robots: false, onlyAllowed: true }, 'which --no-robots leaves out.'],
  ])('%j is bad usage', (flags, message) => {
    expect(() => checkAgent(flags)).toThrow(message);
  });

  test.each<[Parameters<typeof checkAgent>[0]]>([
    [{}],
    [{ onlyAllowed: false }],
    [{ robots: false, sitemap: true }],
    [{ agent: 'GPTBot' }],
    [{ agent: 'GPTBot/1.0 (+https://example.org)', onlyAllowed: true, robots: true, sitemap: false }],
  ])('%j is not', (flags) => {
    expect(() => checkAgent(flags)).not.toThrow();
  });
});
