/** The playground of the built website, in Chromium. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkSitemaps } from '../../src/check/check-sitemap.ts';
import { parseSitemap } from '../../src/parse/index.ts';
import { violationsOf } from '../support/axe.ts';
import { type OpenPage, openSite, type SiteBrowser, WHY_NOT } from '../support/built-site.ts';
import { describeIf } from '../support/collected.ts';
import { andWait, openFiles, rowsOf, savedJson, setAddress } from '../support/playground-page.ts';
import { sized } from '../support/tier.ts';

if (WHY_NOT !== undefined) process.stderr.write(`${WHY_NOT}\n`);
test('there is a built playground and a Chromium to test it in', ({ skip }) =>
  skip(WHY_NOT !== undefined, WHY_NOT));

const BROKEN = join(import.meta.dirname, '../fixtures/broken');
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const NOW = '2026-01-15T12:00';

describeIf(WHY_NOT === undefined, 'the playground', () => {
  let site: SiteBrowser;
  let opened: OpenPage;
  let page: Page;
  beforeAll(async () => {
    site = await openSite();
    opened = await site.open('playground.html');
    page = opened.page;
  });
  afterAll(() => site?.close());
  beforeEach(async () => {
    await opened.goTo('playground.html');
    await page.locator('.playground').waitFor();
  });

  test('every broken fixture is read and checked as the library does in Node', async () => {
    await page.fill('input[type=datetime-local]', NOW);
    const names = readdirSync(BROKEN).filter((name) => !name.endsWith('.json'));
    expect(names.length).toBeGreaterThan(50);
    // With less strength a sample of them.
    const every = sized({ fast: 10, full: 6, strong: 1 });
    for (const name of names.filter((_, at) => at % every === 0)) {
      const content = readFileSync(join(BROKEN, name));
      const { url = 'https://example.org/sitemap.xml' } = JSON.parse(
        readFileSync(join(BROKEN, name.replace(/\.\w+$/, '.json')), 'utf8'),
      );
      if ((await page.locator('.documents li').count()) > 0) await page.click('text=Clear');
      await page.fill('input[type=datetime-local]', NOW);
      await openFiles(page, [{ name, content }]);
      await setAddress(page, url);
      expect(await savedJson(page), name).toEqual(inNode(name, content, url));
    }
  });

  test('a text that is pasted into the field is read as it is typed', async () => {
    await andWait(page, () =>
      page.fill('.text-field', '<urlset><url><loc>https://example.org/?a=1&b=2</loc></url>'),
    );
    expect(await page.textContent('.verdict')).toMatch(/error.* 1 page\./);
    expect((await rowsOf(page, 'results')).join()).toContain('bare-ampersand');
  });

  test('a click on a finding shows its place, in the view and in the field', async () => {
    const lines = Array.from(
      { length: 900 },
      (_, index) => `<url><loc>https://example.org/${index}</loc></url>`,
    );
    lines[700] = '<url><loc>https://example.org/?a=1&b=2</loc></url>';
    await openFiles(page, [
      { name: 'a.xml', content: `<urlset xmlns="${NAMESPACE}">\n${lines.join('\n')}\n</urlset>` },
    ]);
    await page.click('.finding:has-text("bare-ampersand")');
    await page.locator('.text-row.target mark.current').waitFor();
    expect(await page.textContent('.text-row.target')).toBe(
      '702<url><loc>https://example.org/?a=1&b=2</loc></url>',
    );
    await page.click('.modes button:has-text("Edit")');
    await page.click('.finding:has-text("bare-ampersand")');
    await expect.poll(() => page.evaluate('getSelection().toString()')).toBe('&b=2');
    // Mending it there removes the finding.
    await andWait(page, () => page.keyboard.type('&amp;b=2'));
    expect((await rowsOf(page, 'results')).join()).not.toContain('bare-ampersand');
  });

  test('the repaired document is downloaded, and what is different in it is marked', async () => {
    const content = `<urlset>\n<url><loc>https://example.org/?a=1&b=2</loc></url>\n<url><loc>https://example.org/a b</loc></url></urlset>`;
    await openFiles(page, [{ name: 'a.xml', content }]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('text=Download repaired'),
    ]);
    expect(download.suggestedFilename()).toBe('a-repaired.xml');
    const repaired = readFileSync(await download.path(), 'utf8');
    expect(repaired).toContain('<loc>https://example.org/?a=1&amp;b=2</loc>');
    expect([...checkSitemaps([{ content: repaired }])].filter(({ severity }) => severity !== 'info')).toEqual(
      [],
    );
    await page.locator('.tabs button[aria-pressed=true]:has-text("Repairs 3")').waitFor();
    const rows = (await rowsOf(page, 'results')).join();
    for (const rule of ['missing-namespace', 'bare-ampersand', 'url-not-encoded'])
      expect(rows).toContain(rule);
    await page.click('.finding:has-text("url-not-encoded")');
    await page.locator('.text-row.target mark.current').waitFor();
    expect(await page.textContent('.text-row.target')).toContain('https://example.org/a b');
    await page.click('.tabs button:has-text("Findings")');
    await page.locator('.tabs button[aria-pressed=true]:has-text("Findings")').waitFor();
  });

  test('the keyboard goes through the findings', async () => {
    await andWait(page, () => page.selectOption('select', { label: 'A broken sitemap' }));
    await page.focus('.results-panel .virtual-list');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.locator('.results-panel .virtual-row.chosen').waitFor();
    const chosen = await page.locator('.results-panel .virtual-list').getAttribute('aria-activedescendant');
    expect(chosen).toMatch(/-1$/);
    await page.locator('.detail:visible a').waitFor();
  });

  test('files belong together: gzip, robots.txt, and an index that gives its children their addresses', async () => {
    const index = `<sitemapindex xmlns="${NAMESPACE}"><sitemap><loc>https://example.org/maps/pages.xml.gz</loc></sitemap></sitemapindex>`;
    const pages = `<urlset xmlns="${NAMESPACE}"><url><loc>https://example.org/maps/private/a</loc></url></urlset>`;
    await openFiles(page, [
      { name: 'sitemap.xml', content: index },
      { name: 'pages.xml.gz', content: gzipSync(pages) },
      {
        name: 'robots.txt',
        content: 'User-agent: *\nDisallow: /maps/private/\nSitemap: https://example.org/sitemap.xml\n',
      },
    ]);
    expect((await rowsOf(page, 'results')).join()).toContain('page-blocked');
    await page.click('.documents button:has-text("pages.xml.gz")');
    expect(await page.getAttribute('input[type=url]', 'placeholder')).toBe(
      'https://example.org/maps/pages.xml.gz',
    );
    expect(await savedJson(page)).toMatchObject({
      url: 'https://example.org/maps/pages.xml.gz',
      kind: 'pages-xml',
    });
  });

  test('a robots.txt and pages without an address belong together, too', async () => {
    const pages = `<urlset xmlns="${NAMESPACE}"><url><loc>https://example.org/private/a</loc></url></urlset>`;
    await openFiles(page, [
      { name: 'robots.txt', content: 'User-agent: *\nDisallow: /private/\n' },
      { name: 'pages.xml', content: pages },
    ]);
    expect(await savedJson(page)).toMatchObject({
      url: 'https://example.org/robots.txt',
      kind: 'robots-txt',
    });
    const rows = (await rowsOf(page, 'results')).join();
    expect(rows).toContain('page-blocked');
    expect(rows).not.toContain('unreadable');
  });

  test('a robots.txt by itself is one, in the field as well', async () => {
    await andWait(page, () => page.fill('.text-field', 'User-agent: *\nDisallow: /x\n'));
    expect(await page.textContent('.verdict')).toBe('No findings. 0 pages.');
    await andWait(page, () => page.fill('.text-field', 'User-agent: *\nSitemap: /a.xml\n'));
    expect((await rowsOf(page, 'results')).join()).toContain('robots-relative-sitemap');
  });

  test('an empty file is a document that is empty', async () => {
    await openFiles(page, [{ name: 'a.xml', content: '' }]);
    expect((await rowsOf(page, 'results')).join()).toContain('it is empty');
  });

  test('gzip with several members, and gzip in gzip, are read whole', async () => {
    const entry = (path: string) => `<url><loc>https://example.org/${path}</loc></url>`;
    const start = `<urlset xmlns="${NAMESPACE}">${entry('a')}`;
    const members = [start, ...Array.from({ length: 40 }, (_, n) => entry(`${n}`)), '</urlset>'];
    await openFiles(page, [
      { name: 'members.xml.gz', content: Buffer.concat(members.map((part) => gzipSync(part))) },
      { name: 'nested.xml.gz', content: gzipSync(gzipSync(`${start}</urlset>`)) },
      { name: 'cut.xml.gz', content: Buffer.concat([gzipSync(start), gzipSync(entry('b')).subarray(0, 20)]) },
    ]);
    expect(await page.textContent('.verdict')).toContain('43 pages.');
    expect((await rowsOf(page, 'results')).filter((row) => row.includes('truncated'))).toHaveLength(1);
  });

  test('files that are dropped on the page are read', async () => {
    await andWait(page, () =>
      page.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['https://example.org/a\\nhttps://example.org/b\\n'], 'list.txt'));
        document.querySelector('.playground').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
      })()`),
    );
    expect(await page.textContent('.verdict')).toContain('2 pages.');
  });

  test('a link carries the input in its fragment', async () => {
    await openFiles(page, [{ name: 'a.xml', content: '<urlset><url><loc>/é?a&b</loc></url></urlset>' }]);
    await setAddress(page, 'https://example.org/a.xml');
    const json = await savedJson(page);
    await page.click('text=Copy link');
    await expect.poll(() => page.url()).toContain('#input=');
    const other = await site.open(page.url().slice(site.origin.length + 1));
    await other.page.locator('.playground[data-busy=false]:not([data-runs="0"])').waitFor();
    expect(await savedJson(other.page)).toEqual(json);
    expect(other.complaints).toEqual([]);
    await other.page.close();
  });

  test('a damaged link gets a sentence', async () => {
    const damaged = ['#input=AAAA', '#input=%00', `#input=${'x'.repeat(5000)}`];
    for (const fragment of sized({ fast: damaged.slice(0, 1), full: damaged })) {
      const other = await site.open(`playground.html${fragment}`);
      await expect
        .poll(() => other.page.textContent('.verdict'))
        .toMatch(/^The input in this link is damaged/);
      expect(other.complaints).toEqual([]);
      await other.page.close();
    }
  });

  test('hostile input is text and nothing else', async () => {
    const script = '<script>top.hacked=1</script><img src=x onerror="top.hacked=1">';
    const hostile = `<urlset xmlns="${NAMESPACE}"><url><loc>javascript:top.hacked=1</loc></url>
      <url><loc>https://example.org/"onmouseover="top.hacked=1</loc></url>
      <url><loc>https://example.org/\u202Egpj.exe</loc><lastmod>{{constructor.constructor('top.hacked=1')()}}</lastmod></url>
      </textarea></script>${script}<![CDATA[${script}]]></urlset>`;
    await openFiles(page, [
      { name: `${script.replaceAll('/', '_')}.xml`, content: hostile },
      { name: 'b.xml', content: hostile.replaceAll('<', '&lt;') },
    ]);
    for (const option of await page.locator('.results-panel .virtual-row').all()) await option.click();
    await page.click('.tabs button:has-text("Pages")');
    for (const option of await page.locator('.results-panel .virtual-row').all()) await option.click();
    await page.click('.modes button:has-text("Edit")');
    expect(await page.evaluate('top.hacked')).toBeUndefined();
    expect(
      await page.locator('.playground script, .playground img, .playground a[href^=javascript]').count(),
    ).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  test('a gzip bomb ends at a limit, with a sentence', async () => {
    const bomb = gzipSync(Buffer.alloc(257 * 1024 * 1024, ' '), { level: 1 });
    await openFiles(page, [{ name: 'bomb.xml.gz', content: bomb }]);
    expect(await page.textContent('.reason')).toMatch(/^The file inflates to more than 256 MiB/);
  });

  test.each<[width: number, isDark: boolean]>([
    ...sized<[number, boolean][]>({ fast: [], full: [[1280, false]] }),
    [390, true],
  ])('with results it is accessible at %i pixels', async (width, dark) => {
    const other = await site.open('playground.html', { width, dark, height: 844 });
    await andWait(other.page, () => other.page.selectOption('select', { label: 'A broken sitemap' }));
    expect(await violationsOf(other.page)).toEqual([]);
    if (width < 960) await other.page.click('.narrow-tabs button:has-text("Findings")');
    await other.page.locator('.results-panel .virtual-row').first().click();
    await other.page.locator('.detail:visible').waitFor();
    expect(await violationsOf(other.page)).toEqual([]);
    await other.page.close();
  });

  test('after one visit it works without a network', async () => {
    const offline = await openSite();
    try {
      const { page: visited } = await offline.open('playground.html', { serviceWorker: true });
      await visited.evaluate('navigator.serviceWorker.ready.then(() => true)');
      await expect.poll(() => visited.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
      offline.goOffline();
      await visited.reload();
      await visited.locator('.playground').waitFor();
      await andWait(visited, () => visited.selectOption('select', { label: 'A broken sitemap' }));
      expect(await visited.textContent('.verdict')).toContain('4 pages.');
    } finally {
      await offline.close();
    }
  });

  test('nothing was sent to another origin, and nothing was complained about', () => {
    expect(opened.strays).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});

/** What the library makes of a document, in the form of "Save JSON". */
function inNode(name: string, content: Uint8Array, url: string): unknown {
  const parse = parseSitemap(content, { url });
  const items = Array.from(parse, (item) => (item.type === 'page' ? item.page : item.sitemap));
  const { kind, reason, truncated, problems } = parse;
  const findings = [...checkSitemaps([{ name, url, content }], { now: new Date(NOW) })];
  const order = { error: 0, warning: 1, info: 2 };
  findings.sort(
    (left, right) =>
      order[left.severity] - order[right.severity] || (left.offset ?? -1) - (right.offset ?? -1),
  );
  // Through JSON, which has no undefined and writes dates as text.
  return JSON.parse(
    JSON.stringify({ url: new URL(url).href, kind, reason, truncated, problems, items, findings }),
  );
}
