/** Specification §14: the writer of a part needs the same memory for any number of rows. In the full tier only. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { build, COMPILED } from '../../support/cli-binary.ts';
import { temporaryFolder } from '../../support/real-servers.ts';
import { sized } from '../../support/tier.ts';

const ROWS = sized({ fast: 0, full: 60_000, strong: 250_000 });
/** Megabytes of V8's heap: enough for one row group, and not for all rows. */
const HEAP = 48;

/** Writes rows, no two of them alike, and prints what became of it. */
const PROGRAM = `
const [, compiled, path, format, count] = process.argv;
const { createTable, valuesOf } = await import(compiled + 'batch/output/parts.js');
const { SitemapPage } = await import(compiled + 'index.js');
const part = await createTable(path, format);
const title = 'An article about this and that, which is not short. '.repeat(3);
for (let row = 0; row < Number(count); row += 1000) {
  const rows = Array.from({ length: 1000 }, (_, at) => ({
    sitemap: 'https://example.org/sitemap-' + Math.floor(row / 50_000) + '.xml',
    page: new SitemapPage({
      url: 'https://example.org/articles/' + (row + at) + '/' + Math.random(),
      lastModified: new Date(1.7e12 + row + at),
      images: [{ loc: 'https://example.org/images/' + (row + at) + '.jpg', title: title + Math.random() }],
    }),
  }));
  await part.write(rows.map((row) => valuesOf(row, 'https://example.org/')));
}
await part.finish();
console.log(part.rows);`;

test.each(['parquet', 'ndjson', 'csv'])('%s', async (format) => {
  await build();
  const compiled = pathToFileURL(COMPILED).href;
  const path = join(temporaryFolder(), 'part');
  const flags = [`--max-old-space-size=${HEAP}`, '--input-type=module', '-e', PROGRAM];
  const said = execFileSync(process.execPath, [...flags, compiled, path, format, String(ROWS)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(Number(said)).toBe(ROWS);
  expect(statSync(path).size).toBeGreaterThan(10 * ROWS);
});
