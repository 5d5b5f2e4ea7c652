/** A document that is read for certain URLs gives the pages with these, as it has them, and no others. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DocumentParser } from '../../src/parse/document-parser.ts';
import { Fingerprint, FingerprintTable } from '../../src/parse/fingerprint-table.ts';
import { SoughtUrls } from '../../src/parse/seen-urls.ts';

const FOLDER = join(import.meta.dirname, '../fixtures');
const documents = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(?:xml|txt|rss|atom)$/.test(name),
);

/** The pages of a document as JSON, by URL: the first declaration of each, where all are read. */
function pagesOf(
  bytes: Uint8Array,
  name: string,
  sought?: SoughtUrls,
): readonly (readonly [string, string])[] {
  const url = `https://example.org/${name}`;
  const parser = new DocumentParser({ url, charset: undefined, sought });
  parser.write(bytes);
  parser.end();
  return parser.takePages().map((page) => [page.url, JSON.stringify(page)]);
}

function soughtUrls(...urls: readonly string[]): SoughtUrls {
  const table = new FingerprintTable();
  for (const url of urls) table.add(new Fingerprint().take(url));
  return new SoughtUrls((print) => table.find(print) !== -1);
}

describe('SoughtUrls', () => {
  test.each(documents)('finds each page of %s, and nothing else', (name) => {
    const bytes = readFileSync(join(FOLDER, name));
    const all = pagesOf(bytes, name);
    for (const [index, page] of all.entries()) {
      const sought = soughtUrls(page[0], 'https://example.org/not-in-any-document');
      // The first declaration counts; a repetition is found, too.
      expect(pagesOf(bytes, name, sought)[0]).toEqual(all[index]);
      expect(new Set(pagesOf(bytes, name, sought).map(([url]) => url))).toEqual(new Set([page[0]]));
    }
    expect(pagesOf(bytes, name, soughtUrls())).toEqual([]);
  });

  test('stays what it is, however many documents are read', () => {
    const sought = soughtUrls('https://example.org/a', 'https://example.org/b');
    const urlset =
      '<urlset><url><loc>https://example.org/a</loc></url><url><loc>https://example.org/c</loc></url></urlset>';
    for (const _ of [1, 2]) {
      expect(pagesOf(Buffer.from(urlset), 'x.xml', sought).map(([url]) => url)).toEqual([
        'https://example.org/a',
      ]);
    }
  });
});
