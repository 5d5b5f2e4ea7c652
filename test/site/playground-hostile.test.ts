/** Hostile documents in the playground: very many findings, and a document that changes while it is checked. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenPage, openSite, type SiteBrowser, WHY_NOT } from '../support/built-site.ts';
import { describeIf } from '../support/collected.ts';
import { andWait, openFiles, rowsOf } from '../support/playground-page.ts';

test('there is a built playground and a Chromium for hostile documents', ({ skip }) =>
  skip(WHY_NOT !== undefined, WHY_NOT));

const HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
const SCRIPT = '&lt;img src=x onerror=top.hacked=1&gt;';
/** A document has at most a hundred findings of a rule. */
const DOCUMENTS = 20;

/** A hundred entries with five findings each. */
function hundred(document: number): string {
  const entry = (number: number): string =>
    `<url><loc>https://example.org/a b/${document}/${number}#${SCRIPT}</loc><lastmod>${SCRIPT}</lastmod>` +
    '<priority>7</priority><changefreq>often</changefreq></url>';
  return `${HEAD}${Array.from({ length: 100 }, (_, number) => entry(number)).join('\n')}</urlset>`;
}

describeIf(WHY_NOT === undefined, 'the playground with hostile documents', () => {
  let site: SiteBrowser;
  let opened: OpenPage;
  beforeAll(async () => {
    site = await openSite();
    opened = await site.open('playground.html');
  });
  afterAll(() => site?.close());
  beforeEach(async () => {
    await opened.goTo('playground.html');
    await opened.page.locator('.playground').waitFor();
  });

  test('10,000 findings are counted, a few rows of them are in the page, and nothing runs', async () => {
    const { page } = opened;
    const files = Array.from({ length: DOCUMENTS }, (_, at) => ({ name: `${at}.xml`, content: hundred(at) }));
    await openFiles(page, files);
    expect(await page.textContent('.verdict')).toContain('10,000 warnings in 20 documents.');
    await page.locator('.results-panel .virtual-row').first().click();
    expect((await rowsOf(page, 'results')).length).toBeLessThan(200);
    expect(await page.evaluate('top.hacked')).toBeUndefined();
    expect(await page.locator('.playground img').count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  test('of a document that changes while it is checked, the last text is shown', async () => {
    const { page } = opened;
    const large = `${HEAD}${`<url><loc>/x</loc><lastmod>soon</lastmod></url>`.repeat(20_000)}</urlset>`;
    await page.locator('.text-field').waitFor();
    // Within one turn of the page after the other: the checks of the first texts have begun, and are not wanted any more.
    await andWait(page, () =>
      page.evaluate(`(async () => {
        const field = document.querySelector('.text-field');
        const turn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        for (const text of [${JSON.stringify(large)}, '<urlset>', ${JSON.stringify(`${large}<`)}, 'https://example.org/only\\n']) {
          field.value = text;
          field.dispatchEvent(new Event('input', { bubbles: true }));
          await turn();
        }
      })()`),
    );
    await expect.poll(() => page.textContent('.verdict')).toMatch(/\b1 page\./);
    await page.locator('.playground[data-busy=false]').waitFor();
    expect(await page.textContent('.verdict')).toMatch(/\b1 page\./);
    expect(opened.complaints).toEqual([]);
  });
});
