// All pages of a site into a CSV file, in constant memory for any number of pages: a slow disk slows the downloads.
//
//     npm install csv-stringify
//     npx tsx examples/pages-to-csv.ts https://example.org pages.csv
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { streamPages } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/', file = 'pages.csv'] = process.argv.slice(2);

const stream = streamPages(homepage);

async function* rows(): AsyncGenerator<readonly (string | number | undefined)[]> {
  for await (const { page, sitemap } of stream) {
    yield [page.url, page.lastModified?.toISOString(), page.priority, sitemap.url];
  }
}

await pipeline(
  Readable.from(rows()),
  stringify({ header: true, columns: ['url', 'lastModified', 'priority', 'sitemap'], escape_formulas: true }),
  createWriteStream(file),
);
console.log(`${stream.totals.pages} pages of ${stream.totals.done} documents are in ${file}`);
