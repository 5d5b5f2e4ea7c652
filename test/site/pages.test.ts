/** The pages of the built website. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violationsOf } from '../support/axe.ts';
import { openSite, type SiteBrowser, sitePages, WHY_NOT } from '../support/built-site.ts';
import { usp } from '../support/cli-world.ts';
import { describeIf } from '../support/collected.ts';
import { sized } from '../support/tier.ts';

// The note of a skipped test is only shown when its file runs alone.
if (WHY_NOT !== undefined) process.stderr.write(`${WHY_NOT}\n`);
test('there is a built website and a Chromium to test it in', ({ skip }) =>
  skip(WHY_NOT !== undefined, WHY_NOT));

const LOOKS = [
  { width: 1280, dark: false },
  { width: 390, height: 844, dark: true },
];
/**
 * One of each layout: in both looks at full strength, in one of them else. The others differ in their words only: at
 * full strength, every sixteenth of them in one look, which spares the longest, and with SITE_AXE=all each.
 */
const LAYOUTS = ['index.html', 'playground.html', 'problem-codes.html'];
const EVERY = process.env['SITE_AXE'] === 'all' ? 1 : 16;
const OTHERS = sized({
  fast: [],
  full: sitePages()
    .filter((name) => !LAYOUTS.includes(name))
    .filter((_name, index) => index % EVERY === EVERY >> 1),
});
const AXE_CASES = [
  ...LAYOUTS.flatMap((name, index) => {
    const looks = sized({ fast: [LOOKS[index % LOOKS.length]!], full: LOOKS });
    return looks.map((look) => [name, look.width, look] as const);
  }),
  ...OTHERS.map((name, index) => {
    const look = LOOKS[index % LOOKS.length]!;
    return [name, look.width, look] as const;
  }),
];

describeIf(WHY_NOT === undefined, 'the website', () => {
  let site: SiteBrowser;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  // One of each layout, and some of the others; with more strength all of them.
  const every = sized({ fast: 15, full: 10, strong: 1 });
  const loaded = sitePages().filter((name, at) => LAYOUTS.includes(name) || at % every === 0);

  test('every page loads without a complaint, asks nothing of other origins, and fits a phone', async () => {
    const { page, complaints, strays, goTo } = await site.open('index.html');
    const wide: string[] = [];
    for (const name of loaded) {
      await page.setViewportSize({ width: 1280, height: 860 });
      await goTo(name);
      await page.locator('h1').first().waitFor();
      expect(await page.locator('h1').count(), `${name}: titles`).toBe(1);
      expect(complaints, name).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > 390) wide.push(`${name} is ${width} pixels wide`);
    }
    expect(wide).toEqual([]);
    expect(strays).toEqual([]);
    await page.close();
  });

  test.each(AXE_CASES)('%s is accessible at %i pixels', async (name, _, look) => {
    const { page } = await site.open(name, look);
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });

  test('the search finds "ampersand"', async () => {
    const { page, complaints } = await site.open('');
    await page.click('.DocSearch-Button, .VPNavBarSearchButton, button:has-text("Search")');
    await page.fill('input[type=search]', 'ampersand');
    const first = page.locator('.result').first();
    await first.waitFor();
    expect((await page.locator('.results').textContent())?.toLowerCase()).toContain('ampersand');
    await first.click();
    await page.waitForURL(/\/[\w-]+\.html/);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('every kind of user is one click away from a page of their own', async () => {
    const { page, goTo } = await site.open('index.html');
    const links = await page
      .locator('.VPFeature')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(links).toEqual([
      '/coming-from-python.html',
      '/coming-from-javascript.html',
      '/for-seo.html',
      '/for-data-engineers.html',
      '/for-llm-ingestion.html',
      '/playground.html',
    ]);
    for (const link of links.slice(0, -1)) {
      await goTo((link ?? '').slice(1));
      expect(
        await page
          .locator('h2, h3')
          .filter({ hasText: /^Recipe/ })
          .count(),
        link ?? '',
      ).toBeGreaterThan(0);
    }
    await page.close();
  });

  test('others find every page: the site passes its own check, each page requested', async () => {
    const { code, stdout } = await usp(
      `check ${site.origin} --request-pages all --fail-on warning --no-known`,
    );
    expect(stdout).toMatch(/(\d+) of \1 pages were requested: \1 listed and indexable\./);
    expect(code, stdout).toBe(0);
    const listed = await usp(['ls', site.origin, '-f', 'pages', '--no-known']);
    const files = sitePages().map((name) => `${site.origin}/${name === 'index.html' ? '' : name}`);
    expect(listed.stdout.trim().split('\n').sort()).toEqual([...files].sort());
    const llms = await (await fetch(`${site.origin}/llms.txt`)).text();
    for (const [, link = ''] of llms.matchAll(/\]\((http[^)]+)\)/g)) expect(files).toContain(link);
  });

  test('the start page has Open Graph, and a page that does not exist leads on', async () => {
    const { page } = await site.open('index.html');
    for (const name of ['title', 'description', 'url', 'image', 'type'])
      expect(await page.getAttribute(`meta[property="og:${name}"]`, 'content'), name).toBeTruthy();
    const missing = await fetch(`${site.origin}/no-such-page`);
    expect(missing.status).toBe(404);
    const { page: shown } = await site.open('404.html');
    expect(await shown.textContent('h1')).toBe('There is no such page');
    expect(await shown.locator('.not-found a').count()).toBe(4);
  });
});
