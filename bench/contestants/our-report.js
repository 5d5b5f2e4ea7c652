/** A report of a site, the walk that it is compared with, and how soon a browser shows the report. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { reportHtml, sitemapTreeForHomepage } from '../../dist/index.js';
import { commandPath } from '../requirements.js';

export { name, version } from './ours.js';

const fileIn = (folder) => join(folder, 'report.html');

export async function walk({ homepage }, reader) {
  const tree = await treeOf(homepage);
  for await (const batch of tree.allPages().batchesAsync()) reader.count += batch.length;
  tree.close();
}

export async function report({ homepage, folder }) {
  const tree = await treeOf(homepage);
  let html = '';
  for await (const piece of reportHtml(tree)) html += piece;
  tree.close();
  const bytes = Buffer.byteLength(html);
  if (bytes > 1_000_000) throw new Error(`The report has ${bytes} bytes.`);
  writeFileSync(fileIn(folder), html);
  return { note: `${bytes.toLocaleString('en')} bytes` };
}

/** Until Chromium has drawn the page. */
export async function show({ homepage, folder }) {
  if (!existsSync(fileIn(folder))) await report({ homepage, folder });
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: commandPath('chromium'),
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const started = performance.now();
    await page.goto(pathToFileURL(fileIn(folder)).href, { waitUntil: 'load' });
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    return { seconds: (performance.now() - started) / 1000, cpuSeconds: undefined };
  } finally {
    await browser.close();
  }
}

function treeOf(homepage) {
  return sitemapTreeForHomepage(homepage, { maxSitemaps: 60_000 });
}
