/** `totals.pages` of a tree: the same number however a document arrives in chunks. */
import { describe, expect, test } from 'vitest';
import { EntryCounter } from '../../src/read/spooling-sink.ts';

const CASES = [
  ['pages-xml', '<urlset><url><loc>a</loc></url><url></url></urlset></ur l></url', 2],
  ['pages-rss', '<rss><item><link>a</link></item></ite</item></item></rss>', 3],
  ['pages-atom', '<feed><entry/><entry></entry></entr</feed>', 1],
  ['pages-text', 'https://a.example/\nhttps://b.example/\r\n\n', 3],
] as const;

describe('entries are counted', () => {
  test.each(CASES)('%s, in pieces of every size', (kind, text, expected) => {
    const bytes = new TextEncoder().encode(text);
    for (let size = 1; size <= bytes.length; size++) {
      const counter = new EntryCounter(kind);
      let count = 0;
      for (let at = 0; at < bytes.length; at += size) {
        // As a network does it: the same memory again and again.
        const piece = bytes.slice(at, at + size);
        count += counter.write(piece);
        piece.fill(0);
      }
      expect([size, count]).toEqual([size, expected]);
    }
  });
});
