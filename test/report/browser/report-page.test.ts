/** §13: a report in Chromium: what it shows, how it is used, and that nothing leaves it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/check/finding.ts';
import {
  reportHtml,
  type Sitemap,
  sitemapFromString,
  sitemapTreeForHomepage,
  summarize,
  type TreeSummary,
} from '../../../src/index.ts';
import { violationsOf } from '../../support/axe.ts';
import { CHROMIUM, launched, NO_CHROMIUM } from '../../support/browser.ts';
import { describeIf } from '../../support/collected.ts';
import { folderUntil } from '../../support/folder.ts';
import { reportSite } from '../../support/report-site.ts';
import { isFull, sized } from '../../support/tier.ts';

test('there is a Chromium to test in', ({ skip }) => skip(CHROMIUM === undefined, NO_CHROMIUM));

describeIf(CHROMIUM !== undefined, 'a report in Chromium', () => {
  const folder = folderUntil(afterAll);
  let browser: Browser;
  let server: Awaited<ReturnType<typeof reportSite>>;
  let tree: Sitemap;
  let summary: TreeSummary;
  let file = '';
  /** What went wrong in the pages of a test: there must be nothing. */
  const faults: string[] = [];

  beforeAll(async () => {
    server = await reportSite();
    tree = await sitemapTreeForHomepage(server.origin);
    summary = await summarize(tree);
    file = await written('report.html', tree, findings(server.origin));
    browser = await launched();
  });
  afterAll(async () => {
    await browser?.close();
    tree?.close();
    await server?.close();
  });
  afterEach(() => {
    expect(faults.splice(0)).toEqual([]);
  });

  async function* findings(origin: string): AsyncGenerator<Finding> {
    const document = `${origin}/blog.xml`;
    for (let line = 1; line <= 14; line++) {
      yield {
        rule: 'lastmod-all-equal',
        severity: 'warning',
        message: `Finding ${line}.`,
        document,
        line,
        column: 7,
      };
    }
    yield {
      rule: 'over-50000-urls',
      severity: 'error',
      message: 'Too many URLs.',
      document,
      line: 3,
      column: 4,
    };
    yield {
      rule: 'url-not-ascii',
      severity: 'info',
      message: 'Not ASCII.',
      document,
      page: `${origin}/é`,
      count: 7,
    };
  }

  async function written(
    name: string,
    site: Sitemap,
    found: AsyncIterable<Finding> | undefined,
    requested = 0,
  ): Promise<string> {
    const path = join(folder, name);
    let html = '';
    for await (const piece of reportHtml(site, { findings: found, requestPages: requested })) html += piece;
    await writeFile(path, html);
    return pathToFileURL(path).href;
  }

  /** What a page is shown in; by default a light window of 1280 pixels. */
  interface Setting {
    readonly url?: string;
    readonly width?: number;
    readonly media?: Parameters<Page['emulateMedia']>[0];
    readonly javaScriptEnabled?: boolean;
  }

  /** One page with script and one without are enough: what else is special is set, and the report is loaded again. */
  const pages = new Map<boolean, Page>();
  /** What a page shows, where no test has left a change in it. To load it takes a third of a second of CPU. */
  const states = new Map<Page, 'loaded' | 'unfolded'>();
  let loads = 0;

  /** The report as it is when it is loaded, to be used. */
  async function shown({ url, width = 1280, media, javaScriptEnabled = true }: Setting = {}): Promise<Page> {
    const page = pages.get(javaScriptEnabled) ?? (await newPage(javaScriptEnabled));
    pages.set(javaScriptEnabled, page);
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ media: 'screen', colorScheme: 'light', forcedColors: 'none', ...media });
    if (url !== undefined || states.get(page) !== 'loaded') {
      // Another fragment of the same address would not load it again.
      const [path, fragment = ''] = (url ?? file).split('#');
      await page.goto(`${path}?${++loads}#${fragment}`);
    }
    states.delete(page);
    return page;
  }

  /** The same for a test that only looks. */
  async function seen(setting: Omit<Setting, 'url'> = {}): Promise<Page> {
    const page = await shown(setting);
    states.set(page, 'loaded');
    return page;
  }

  /** The report with everything unfolded, for a test that only looks. */
  async function unfolded(setting: Pick<Setting, 'width' | 'media'>): Promise<Page> {
    const known = pages.get(true);
    const isUnfolded = known !== undefined && states.get(known) === 'unfolded';
    if (isUnfolded) states.set(known, 'loaded');
    const page = await shown(setting);
    if (!isUnfolded)
      await page.evaluate(() => {
        for (const one of document.querySelectorAll('details')) one.open = true;
      });
    states.set(page, 'unfolded');
    return page;
  }

  async function newPage(javaScriptEnabled: boolean): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    page.on('console', (message) => faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      const [address = ''] = request.url().split('#');
      if (!address.startsWith(pathToFileURL(folder).href) && !/^(?:blob|about):/.test(address))
        faults.push(address);
    });
    return page;
  }

  /** The values of the bars of a chart, by what they say. */
  function bars(page: Page, chart: string): Promise<Record<string, number>> {
    return page.evaluate(
      (id) =>
        Object.fromEntries(
          [...document.querySelectorAll<SVGElement>(`#${id} svg .bar`)].map((bar) => [
            (bar.querySelector('title')?.textContent ?? '').replace(/: [^:]*$/, ''),
            Number(bar.dataset['value']),
          ]),
        ),
      chart,
    );
  }

  /**
   * The same once there are so many: a chart is drawn anew when the browser tells the page that its address has
   * changed.
   */
  async function barsOnce(page: Page, chart: string, count: number): Promise<Record<string, number>> {
    await expect.poll(async () => Object.keys(await bars(page, chart)).length).toBe(count);
    return bars(page, chart);
  }

  const visible = (page: Page, selector: string): Promise<number> =>
    page.evaluate(
      (css) => [...document.querySelectorAll(css)].filter((one) => one.checkVisibility()).length,
      selector,
    );

  describe('every number in a chart is the summary’s', () => {
    test('dates, with those that have none beside', async () => {
      const page = await seen();
      const years = summary.lastModified.years.map(({ year, pages }) => [String(year), pages]);
      expect(await bars(page, 'chart-dates')).toEqual(Object.fromEntries(years));
      const number = (name: string) => page.textContent(`[data-number="${name}"]`);
      expect(await number('dated')).toBe(String(summary.lastModified.dated));
      expect(await number('undated')).toBe('13');
      expect(await number('future')).toBe('1');
      expect(await number('images')).toBe('12');
      expect(await number('videos')).toBe('0');
    });

    test('folders, limits and languages', async () => {
      const page = await seen();
      expect(await bars(page, 'chart-folders')).toEqual({ '/blog/': 60, '/shop/': 12, 'directly in /': 2 });
      expect(await page.textContent('#chart-entries')).toContain(
        'All 4 sitemaps use up to 10 % of the limit of 50,000',
      );
      const parts = await page.evaluate(() =>
        [...document.querySelectorAll<SVGElement>('#chart-languages svg .bar')].map((bar) => [
          bar.querySelector('title')?.textContent?.split(':')[0],
          Object.fromEntries(
            [...bar.querySelectorAll<SVGElement>('[data-part]')].map((part) => [
              part.dataset['part'],
              Number(part.dataset['value']),
            ]),
          ),
        ]),
      );
      expect(parts).toEqual([
        ['de', { 'not-returned': 1 }],
        ['fr', { 'not-listed': 1 }],
      ]);
      const drawn = await page.evaluate(() => {
        const [first, second] = [...document.querySelectorAll('#chart-folders svg .fill')];
        return (second?.getBoundingClientRect().width ?? 0) / (first?.getBoundingClientRect().width ?? 0);
      });
      expect(drawn).toBeCloseTo(12 / 60, 2);
    });

    test('each chart has the same numbers as a table', async () => {
      const page = await seen();
      for (const chart of ['chart-dates', 'chart-folders']) {
        const cells = await page.$$eval(`#${chart} td.n`, (all) =>
          all.map((cell) => Number(cell.textContent?.replaceAll(',', ''))),
        );
        expect(cells, chart).toEqual(Object.values(await bars(page, chart)));
      }
    });
  });

  test('severities have an icon and a word', async () => {
    const page = await seen();
    const badges = await page.$$eval('.badge', (all) =>
      all.map((one) => [one.textContent?.trim(), one.querySelector('svg') !== null]),
    );
    expect(badges.length).toBeGreaterThan(3);
    expect(
      badges.every(([word, hasIcon]) => hasIcon === true && /^(?:error|warning|info)$/.test(String(word))),
    ).toBe(true);
  });

  test('links lead to the web only, and send no referrer', async () => {
    const page = await seen();
    const links = await page.$$eval('main a[href]:not([href^="#"])', (all) =>
      all.map((one) => [(one as HTMLAnchorElement).protocol, one.getAttribute('rel')]),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.every(([protocol, rel]) => /^https?:$/.test(String(protocol)) && rel === 'noreferrer')).toBe(
      true,
    );
  });

  test.each(['light', 'dark'] as const)(
    'in %s colours the colours of data and severities are those of the specification',
    async (colorScheme) => {
      const page = await seen({ media: { colorScheme } });
      const colours = await page.evaluate(() => {
        const of = (css: string, property: string) =>
          getComputedStyle(document.querySelector(css)!).getPropertyValue(property);
        return [
          of('.chart .fill', 'fill'),
          of('.badge.error', 'color'),
          of('.badge.warning', 'color'),
          of('.badge.info', 'color'),
        ];
      });
      const rgb = (hex: string): string =>
        `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;
      const expected =
        colorScheme === 'light'
          ? ['#3b6fb6', '#b3261e', '#8a5a00', '#1f5fa8']
          : ['#7fb0f0', '#ff8a80', '#ffb74d', '#8ab4f8'];
      expect(colours).toEqual(expected.map(rgb));
    },
  );

  test('with forced colours bars keep a colour of the system', async () => {
    const page = await seen({ media: { forcedColors: 'active' } });
    const [bar, paper] = await page.evaluate(() => [
      getComputedStyle(document.querySelector('.chart .fill')!).fill,
      getComputedStyle(document.body).backgroundColor,
    ]);
    expect(bar).not.toBe(paper);
    expect(bar).not.toContain('59, 111, 182');
  });

  describe('drilling', () => {
    test('from years to months and days by mouse, and back by the path above', async () => {
      const page = await shown();
      await page.locator('#chart-dates svg .bar[data-key="2010"]').click();
      const months = summary.lastModified.years[2]!.months;
      const found = await barsOnce(page, 'chart-dates', 12);
      expect(found['February 2010']).toBe(months.find(({ month }) => month === 2)?.pages);
      expect(page.url()).toContain('#dates=2010');
      await page.locator('#chart-dates svg .bar[data-key="2010-02"]').click();
      const days = await barsOnce(page, 'chart-dates', 28);
      for (const { day, pages } of months.find(({ month }) => month === 2)!.days)
        expect(days[`${day} February 2010`]).toBe(pages);
      await page.getByRole('link', { name: 'All years' }).click();
      expect(Object.keys(await barsOnce(page, 'chart-dates', 4))).toEqual(['2008', '2009', '2010', '2011']);
      await page.goBack();
      await barsOnce(page, 'chart-dates', 28);
    });

    test('by mouse, and back with Escape', async () => {
      const page = await shown();
      await page.locator('#chart-dates svg .bar[data-key="2010"]').click();
      await page.locator('#chart-dates svg .bar[data-key="2010-02"]').click();
      // The address is there before the drawing.
      for (const [bars, place] of [
        [28, '2010'],
        [12, ''],
      ] as const) {
        await barsOnce(page, 'chart-dates', bars);
        await page.keyboard.press('Escape');
        await page.waitForURL(`**#dates=${place}`);
      }
      await barsOnce(page, 'chart-dates', 4);
      states.set(page, 'loaded');
    });

    test('by keyboard alone', async () => {
      const page = await shown();
      const first = page.locator('#chart-dates svg .bar[data-key="2009"]');
      await first.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/dates=2009$/);
      // The first month that has pages is focused.
      const label = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      await expect.poll(label).toMatch(/^January 2009: \d+ pages?$/);
      await page.keyboard.press('Enter');
      await page.waitForURL(/dates=2009-01$/);
      // No day can be looked into, so the path above is focused.
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('All years');
      for (const [bars, place] of [
        [31, '2009'],
        [12, ''],
      ] as const) {
        await barsOnce(page, 'chart-dates', bars);
        await page.keyboard.press('Escape');
        await page.waitForURL(`**#dates=${place}`);
      }
      await barsOnce(page, 'chart-dates', 4);
      states.set(page, 'loaded');
    });

    test('from folders to those below', async () => {
      const page = await shown();
      await page.locator('#chart-folders svg .bar', { hasText: '/shop/' }).click();
      await expect
        .poll(() => bars(page, 'chart-folders'))
        .toEqual({ '/shop/chairs/': 6, '/shop/tables/': 6 });
    });

    test('the path above a folder has all folders that it is in, and Escape goes to the nearest of them', async () => {
      const page = await shown({ url: `${file}#folders=0.1` });
      const path = page.locator('#chart-folders .crumbs');
      expect(await path.locator('li').allTextContents()).toEqual(['All folders', '/blog/', '/blog/2009/']);
      const links = await path.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
      expect(links).toEqual(['#folders=', '#folders=0']);
      await path.locator('a').first().focus();
      await page.keyboard.press('Escape');
      await page.waitForURL('**#folders=0');
    });
  });

  describe('folding and permalinks', () => {
    test('a rule is folded open by mouse and by keyboard, and its address remembered', async () => {
      const page = await shown();
      expect(await visible(page, '#rule-lastmod-all-equal .examples li')).toBe(0);
      await page.locator('#rule-lastmod-all-equal summary').click();
      // Ten, and how many more there are.
      expect(await visible(page, '#rule-lastmod-all-equal .examples li')).toBe(11);
      expect(await page.textContent('#rule-lastmod-all-equal .left-out')).toContain('and 4 more');
      expect(page.url()).toContain('#rule-lastmod-all-equal');
      await page.locator('#rule-url-not-ascii summary').focus();
      await page.keyboard.press('Enter');
      expect(await visible(page, '#rule-url-not-ascii .examples li')).toBe(1);
    });

    test('an address opens what it names: a rule, a place in a chart, a search', async () => {
      const rule = await shown({ url: `${file}#rule-over-50000-urls` });
      expect(await visible(rule, '#rule-over-50000-urls .examples li')).toBe(1);
      const chart = await shown({ url: `${file}#dates=2011-03` });
      expect(Object.keys(await bars(chart, 'chart-dates'))).toHaveLength(31);
      const search = await shown({ url: `${file}#sitemaps=shop` });
      expect(await search.inputValue('#search-sitemaps')).toBe('shop');
    });

    test('an address that names nothing changes nothing', async () => {
      const page = await shown({ url: `${file}#dates=1812-99` });
      expect(Object.keys(await bars(page, 'chart-dates'))).toHaveLength(4);
      await shown({ url: `${file}#%E0%A4%A` });
    });
  });

  /** What is unfolded. */
  const open = (page: Page): Promise<string[]> =>
    page.$$eval('details[open] > summary', (all) => all.map((one) => one.textContent ?? ''));

  test('after a search and after printing the page is folded as the reader had left it', async () => {
    const page = await shown();
    await page.locator('#rule-lastmod-all-equal summary').click();
    await page.locator('.tree summary', { hasText: '/index.xml' }).click();
    const before = await open(page);
    // The site and robots.txt, above the index that is folded now.
    expect(before).toHaveLength(3);
    await page.fill('#search-sitemaps', 'shop.xml');
    expect(await visible(page, '.tree li:not(.left-out)')).toBe(4);
    await page.fill('#search-sitemaps', 'blog.xml');
    await page.fill('#search-sitemaps', '');
    expect(await open(page)).toEqual(before);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    expect(await page.locator('details:not([open])').count()).toBe(0);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    expect(await open(page)).toEqual(before);
    // What is unfolded between two searches stays so, too.
    await page.locator('.tree summary', { hasText: '/index.xml' }).click();
    const after = await open(page);
    expect(after).toHaveLength(4);
    await page.fill('#search-sitemaps', 'shop.xml');
    await page.fill('#search-sitemaps', '');
    expect(await open(page)).toEqual(after);
  });

  test.each(['caf%C3%A9', 'café', '50 % of #1'])('a reload keeps the search for %s', async (query) => {
    const page = await shown();
    await page.fill('#search-samples', query);
    // By the page itself: the browser may begin its own before it has the address that the search has just put there.
    await Promise.all([
      page.waitForEvent('load'),
      page.evaluate(() => void setTimeout(() => location.reload())),
    ]);
    expect(await page.inputValue('#search-samples')).toBe(query);
  });

  test('searching leaves what matches, and says how much that is', async () => {
    const page = await shown();
    await page.fill('#search-sitemaps', 'GONE');
    expect(await visible(page, '.tree li:not(.left-out)')).toBe(4);
    expect(await page.textContent('#sitemaps [role="status"]')).toBe('1 of 7 shown');
    // An index that matches has its sitemaps in it.
    await page.fill('#search-sitemaps', 'index.xml');
    expect(await visible(page, '.tree li:not(.left-out)')).toBe(3);
    await page.locator('.tree summary', { hasText: '/index.xml' }).click();
    expect(await visible(page, '.tree li:not(.left-out)')).toBe(7);
    await page.fill('#search-sitemaps', '');
    expect(await visible(page, '.tree li:not(.left-out)')).toBe(7);
    await page.fill('#search-findings', 'ascii');
    expect(await visible(page, '.rule')).toBe(1);
    await page.fill('#search-samples', 'chairs');
    expect(await visible(page, '.samples tbody tr:not(.of)')).toBe(6);
    // The name of a sitemap: all its pages.
    await page.fill('#search-samples', 'shop.xml');
    expect(await visible(page, '.samples tbody tr:not(.of)')).toBe(12);
    for (const list of ['findings', 'samples']) await page.fill(`#search-${list}`, '');
    states.set(page, 'loaded');
  });

  test('the sample is exported as CSV, as the filter leaves it', async () => {
    const page = await shown();
    await page.fill('#search-samples', 'item-1');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const csv = await readFile(await download.path(), 'utf8');
    const { origin } = server;
    expect(download.suggestedFilename()).toBe('pages.csv');
    expect(csv.split('\n')).toEqual([
      // With a BOM, so that Excel reads UTF-8.
      '\ufeffsitemap,url,lastModified,more',
      `${origin}/shop.xml,${origin}/shop/tables/item-1,,1 image`,
      `${origin}/shop.xml,${origin}/shop/chairs/item-10,,1 image`,
      `${origin}/shop.xml,${origin}/shop/tables/item-11,,1 image`,
      '',
    ]);
  });

  test('a title that a spreadsheet would take for a formula is a text in the CSV', async () => {
    const story = '<n:news><n:title>=HYPERLINK("https://evil.example")</n:title></n:news>';
    const namespace = 'xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"';
    const url = 'https://example.org/news.xml';
    const xml = `<urlset ${namespace}><url><loc>https://example.org/1</loc>${story}</url></urlset>`;
    const news = await sitemapFromString(xml, { url });
    const page = await shown({ url: await written('news.html', news, undefined) });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv.split('\n')[1]).toBe(`${url},https://example.org/1,,"'=HYPERLINK(""https://evil.example"")"`);
  });

  test('without script everything but its own controls is there', async () => {
    const page = await shown({ javaScriptEnabled: false });
    const text = await page.locator('main').innerText();
    for (const part of [
      '1 error needs fixing',
      'Fix first',
      'Findings by rule',
      'Sitemaps',
      'Pages by last modification',
      'Sample of pages',
    ])
      expect(text).toContain(part);
    expect(await page.locator('#chart-dates svg .bar').count()).toBe(4);
    expect(await page.locator('.search, .crumbs, button').count()).toBe(0);
    await page.locator('#rule-url-not-ascii summary').click();
    expect(await page.locator('#rule-url-not-ascii .examples').isVisible()).toBe(true);
  });

  test.each([true, false])('on paper everything is unfolded (script: %s)', async (javaScriptEnabled) => {
    const page = await shown({ javaScriptEnabled, media: { colorScheme: 'dark' } });
    await page.emulateMedia({ media: 'print' });
    if (isFull || javaScriptEnabled) {
      const pdf = await page.pdf({ format: 'A4' });
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    }
    // The example of a folded rule has a height on paper.
    const box = await page.locator('#rule-url-not-ascii .examples').boundingBox();
    expect(box?.height ?? 0).toBeGreaterThan(10);
    const bar = await page.locator('#chart-folders .fill').first().boundingBox();
    expect(bar?.width ?? 0).toBeGreaterThan(100);
    const paper = await page
      .locator('body')
      .evaluate((body) => getComputedStyle(body).backgroundColor)
      .catch(() => 'rgb(255, 255, 255)');
    expect(paper).toBe('rgb(255, 255, 255)');
  });

  // In the fast tier each look has one of the sizes: together they have all.
  test.each(['light', 'dark'] as const)(
    'in %s colours accessibility has no violations, on a desk and on a phone, folded and unfolded',
    async (colorScheme) => {
      for (const width of sized({ fast: [colorScheme === 'light' ? 1280 : 390], full: [1280, 390] })) {
        const setting = { width, media: { colorScheme } };
        // Unfolded it has all that it has when it is folded, and more.
        if (isFull && width === 1280) expect(await violationsOf(await seen(setting))).toEqual([]);
        expect(await violationsOf(await unfolded(setting))).toEqual([]);
      }
    },
  );

  test.each([390, 768, 1280])('nothing is wider than a window of %i pixels', async (width) => {
    const page = await unfolded({ width });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await visible(page, 'svg.chart')).toBe(3);
  });

  test('a phone scrolls the table of requested pages, whose words and numbers stay whole', async () => {
    const page = await shown({ url: await written('requested.html', tree, undefined, 5), width: 360 });
    const cells = page.locator('#requested thead th, #requested .n');
    const lines = await cells.evaluateAll((all) =>
      all.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      }),
    );
    expect(new Set(lines)).toEqual(new Set([1]));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });

  test('the policy allows nothing but the script and the style of the page', async () => {
    const page = await shown();
    const policy = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', 'content');
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; base-uri 'none'; form-action 'none'$/,
    );
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script);
    });
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    // Chromium says on the console that it was refused.
    expect(faults.splice(0).join()).toContain('Content Security Policy');
  });
});
