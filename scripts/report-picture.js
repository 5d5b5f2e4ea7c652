/**
 * Takes the picture of a report for the README: the top of what `usp report` writes of the demo site, as Chromium shows
 * it. `--write` replaces docs/usp-report.png; else only the size of a new one is printed. `pngquant --nofs 16` and
 * `zopflipng --filters=01234mepb` make a fifth of it, which is what the package has room for.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { reportHtml, sitemapTreeForHomepage } from '../dist/index.js';
import { PLACEHOLDER, serveDemoSite } from './demo-site.js';
import { removeProxies } from './proxies.js';

const PICTURE = new URL('../docs/usp-report.png', import.meta.url);

const executablePath = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'chromium'))
  .find((path) => existsSync(path));
if (executablePath === undefined) {
  console.error('There is no chromium on the PATH to take the picture with.');
  process.exit(1);
}

removeProxies();
const picture = await taken(await demoReport());
if (process.argv.includes('--write')) await writeFile(PICTURE, picture);
console.log(`${picture.length} bytes`);

async function demoReport() {
  const site = await serveDemoSite();
  try {
    const tree = await sitemapTreeForHomepage(site.origin);
    let html = '';
    for await (const piece of reportHtml(tree)) html += piece;
    tree.close();
    return html
      .replaceAll(site.origin, PLACEHOLDER)
      .replaceAll(new URL(site.origin).host, new URL(PLACEHOLDER).host);
  } finally {
    await site.close();
  }
}

async function taken(html) {
  const browser = await chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1100, height: 688 }, colorScheme: 'light' });
    await page.setContent(html);
    return await page.screenshot();
  } finally {
    await browser.close();
  }
}
