/**
 * Writes a Parquet part of many rows with the writer of `usp crawl`, and prints the memory of this process over time:
 *
 *     node bench/measure/part-rows.js 10000000 /tmp/part.parquet
 */
import { statSync } from 'node:fs';
import { argv } from 'node:process';
import { valuesOf } from '../../.build/batch/output/page-columns.js';
import { createTable } from '../../.build/batch/output/parts.js';
import { SitemapPage } from '../../.build/index.js';
import { cpuSeconds, peakBytes } from './usage.js';

/** As the parser hands them over. */
const BATCH = 1_000;
const LOOKS = 20;
const TITLE = 'An article about this and that, which is not short. '.repeat(3);

const [, , rowCount = '1000000', path = 'part.parquet'] = argv;
const count = Number(rowCount);
const part = await createTable(path, 'parquet');
const residentMebibytes = [];
for (let row = 0; row < count; row += BATCH) {
  await part.write(rowsFrom(row).map((page) => valuesOf(page, 'https://example.org/')));
  const isLook = Math.floor((row + BATCH) / (count / LOOKS)) > Math.floor(row / (count / LOOKS));
  if (isLook) residentMebibytes.push(mebibytes(process.memoryUsage.rss()));
}
await part.finish();
const { rows } = part;
const { size: bytes } = statSync(path);
console.log(
  JSON.stringify({ rows, bytes, cpuSeconds: cpuSeconds(), peak: mebibytes(peakBytes()), residentMebibytes }),
);

/** Rows of which no two are alike. */
function rowsFrom(row) {
  return Array.from({ length: BATCH }, (_, at) => ({
    sitemap: `https://example.org/sitemap-${Math.floor(row / 50_000)}.xml`,
    page: new SitemapPage({
      url: `https://example.org/articles/${row + at}/${Math.random()}`,
      lastModified: new Date(1.7e12 + row + at),
      images: [{ loc: `https://example.org/images/${row + at}.jpg`, title: TITLE + String(Math.random()) }],
    }),
  }));
}

function mebibytes(value) {
  return Math.round(value / 2 ** 20);
}
