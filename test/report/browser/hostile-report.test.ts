/** §13: what a site says is text in its report, however long and whatever it is made of. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../../src/check/finding.ts';
import { reportHtml, type Sitemap } from '../../../src/index.ts';
import {
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
} from '../../../src/sitemap/sitemap.ts';
import { Spool } from '../../../src/sitemap/spool/spool.ts';
import { CHROMIUM, launched, NO_CHROMIUM } from '../../support/browser.ts';
import { describeIf } from '../../support/collected.ts';
import { folderUntil } from '../../support/folder.ts';
import { sized } from '../../support/tier.ts';
import { source } from '../../support/trees.ts';

test('there is a Chromium to test in', ({ skip }) => skip(CHROMIUM === undefined, NO_CHROMIUM));

const LONG = 'x'.repeat(sized({ fast: 10_000, full: 100_000 }));
const WIDE = '\u{1F469}\u200d\u{1F680}'.repeat(sized({ fast: 1_000, full: 10_000 }));
/** Each sets `window.ran` where it is not text. */
const TEXTS: readonly string[] = [
  '<script>window.ran = 1</script>',
  '</script><script>window.ran = 1</script>',
  '"><img src=x onerror="window.ran = 1">',
  "' onmouseover='window.ran = 1' x='",
  '</title></style></textarea><svg onload="window.ran = 1">',
  '</bdi></details></main><h1 id="broken-out">out</h1>',
  '<!-- <![CDATA[ &lt;b&gt; ]]> -->',
  '\u202Egnp.exe\u2066\u200F',
  '\0\u0007\u001b[31m\ud800',
  '{{7*7}} `window.ran = 1`',
  LONG,
  WIDE,
];
const ADDRESSES: readonly string[] = [
  ...TEXTS.map((text) => `https://example.org/${text}`),
  ...TEXTS.map((text) => `https://${text}.example/`),
  'javascript:window.ran=1',
  'data:text/html,<script>window.ran=1</script>',
  'https://user:secret@example.org/a',
  'not a url',
];

function hostileTree(): Sitemap {
  const spool = new Spool({ memoryBytes: 50_000_000 });
  const escaped = (text: string): string =>
    text.replaceAll('\0', '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const entries = TEXTS.map(
    (text) =>
      `<url><loc>https://example.org/${escaped(text)}/${escaped(text)}</loc><xhtml:link rel="alternate" hreflang="${escaped(text).replaceAll('"', '&quot;')}" href="https://example.org/other"/>` +
      `<news:news><news:title>${escaped(text)}</news:title></news:news></url>`,
  );
  const urlset = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">${entries.join('')}</urlset>`;
  const children: Sitemap[] = ADDRESSES.flatMap((url) => [
    new InvalidSitemap({ url, code: url.slice(0, 200), reason: `${url} did not answer.`, status: 500 }),
    new PagesXMLSitemap({ url, pages: source(spool, urlset) }),
  ]);
  const index = new IndexXMLSitemap({ url: TEXTS[0]!, subSitemaps: children });
  return new IndexWebsiteSitemap({
    url: `https://example.org/${TEXTS[2]}`,
    subSitemaps: [index],
    complete: false,
    stopped: { limit: 'maxTimeMs', message: TEXTS[0]! + LONG },
    documents: spool,
  });
}

async function* hostileFindings(): AsyncGenerator<Finding> {
  for (const text of TEXTS) {
    for (const address of ADDRESSES) {
      yield {
        rule: 'url-not-encoded',
        severity: 'error',
        message: text,
        document: address,
        page: address,
        line: 1,
      };
    }
    // A rule that the table does not have, as a newer version would.
    yield { rule: text.slice(0, 300) as Finding['rule'], severity: 'info', message: text, document: text };
  }
}

describeIf(CHROMIUM !== undefined, 'hostile content', () => {
  const folder = folderUntil(afterAll);
  let browser: Browser;
  let html = '';
  let url = '';

  beforeAll(async () => {
    for await (const piece of reportHtml(hostileTree(), { findings: hostileFindings() })) html += piece;
    await writeFile(join(folder, 'report.html'), html);
    url = pathToFileURL(join(folder, 'report.html')).href;
    browser = await launched();
  });
  afterAll(() => browser?.close());

  test('stays below a megabyte', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(1_000_000);
  });

  // What is too wide is too wide for a phone first.
  const WIDTHS = sized({ fast: [390], full: [390, 1280] });
  test.each(WIDTHS)('is inert and breaks no layout at %i pixels', async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const faults: string[] = [];
    page.on('console', (message) => faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (request.url() !== url) faults.push(request.url().slice(0, 100));
    });
    await page.goto(url);
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = true;
    });
    const found = await page.evaluate(() => ({
      ran: 'ran' in window,
      width: document.documentElement.scrollWidth,
      // Nothing but what a report has.
      tags: [
        ...new Set([...document.body.querySelectorAll('*')].map(({ tagName }) => tagName.toLowerCase())),
      ],
      handlers: [...document.querySelectorAll('*')].filter((one) =>
        one.getAttributeNames().some((name) => name.startsWith('on')),
      ).length,
      links: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].filter(
        ({ protocol, username }) => !/^(?:https?|file):$/.test(protocol) || username !== '',
      ).length,
      brokenOut: document.querySelector('#broken-out') !== null,
      sections: [...document.querySelectorAll('main > section')].map(({ id }) => id),
      bidi: /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(
        document.querySelector('main')?.textContent ?? '',
      ),
    }));
    const own =
      'a bdi button circle code defs details div figcaption figure footer g h1 h2 h3 header i input label li line main nav ol p path pattern rect script section span strong summary svg table tbody td text th thead time title tr ul';
    expect(found.tags.filter((tag) => !own.split(' ').includes(tag))).toEqual([]);
    expect(found).toMatchObject({ ran: false, width, handlers: 0, links: 0, brokenOut: false, bidi: false });
    expect(found.sections).toEqual(['verdict', 'fix-first', 'findings', 'sitemaps', 'charts', 'samples']);
    // The same through the script: drilling draws it again.
    await page.evaluate(() => {
      location.hash = 'folders=0';
    });
    await page.fill('#search-sitemaps', '<script>');
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    expect(faults).toEqual([]);
    await page.close();
  });
});
