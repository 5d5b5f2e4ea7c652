/**
 * Differential: on well-formed documents the core finds what a plain extraction on `saxes` finds, and has
 * nothing to complain of. Hundreds or thousands of generated documents, each also cut at random places.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutAt, type Reading, read, readWhole, seededRandom } from '../support/every-cut.ts';
import { documentFrom, type Format } from '../support/generated-document.ts';
import { type Extraction, extractWithSaxes } from '../support/saxes-extraction.ts';
import { sized } from '../support/tier.ts';

const URL_OF_DOCUMENT = { url: 'https://example.org/sitemap.xml' };

/** How many documents of each format; together 250 or 12,000. */
const RUNS: readonly (readonly [Format, number])[] = [
  ['urlset', sized({ fast: 50, full: 300, strong: 6000 })],
  ['sitemapindex', sized({ fast: 25, full: 100, strong: 2000 })],
  ['rss', sized({ fast: 25, full: 100, strong: 2000 })],
  ['atom', sized({ fast: 25, full: 100, strong: 2000 })],
];

describe('generated documents, against saxes', () => {
  test.each(RUNS)('%s: %d documents', (format, numRuns) => {
    const property = fc.property(
      fc.uint8Array({ maxLength: 1500, size: 'max' }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
      (tape, cuts) => {
        const document = documentFrom(tape, format);
        const expected = extractWithSaxes(document);
        const bytes = new TextEncoder().encode(document);
        expectEqual(readWhole(bytes, URL_OF_DOCUMENT), expected, document);
        const places = cuts
          .map((share) => Math.floor(share * bytes.length))
          .sort((left, right) => left - right);
        expectEqual(read(cutAt(bytes, places), URL_OF_DOCUMENT), expected, `cut at ${places}: ${document}`);
      },
    );
    fc.assert(property, { numRuns });
  });

  // A generator that writes empty documents would prove nothing. These are always the same, so chance has no part in it.
  test.each(RUNS)('%s: generated documents have entries', (format) => {
    const random = seededRandom(1);
    const items = Array.from({ length: 20 }, () => {
      const tape = Uint8Array.from({ length: 1500 }, () => Math.floor(random() * 256));
      return extractWithSaxes(documentFrom(tape, format)).items.length;
    });
    expect(items.filter((count) => count > 0).length).toBeGreaterThan(10);
  });
});

function expectEqual(
  { kind, items, problems, problemCount }: Reading,
  expected: Extraction,
  document: string,
): void {
  const found = { kind, items, problems, problemCount };
  const wanted = { ...expected, problems: [], problemCount: 0 };
  if (!isDeepStrictEqual(found, wanted)) expect(found, document).toEqual(wanted);
}
