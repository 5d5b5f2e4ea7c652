/** §2, §5: what a node is made of, and why a document that ends too early failed. */
import { describe, expect, test } from 'vitest';
import { sitemapFromString } from '../../src/index.ts';
import { notASitemap, unlessCut } from '../../src/read/outcome.ts';
import { index } from '../support/documents.ts';

const URL = 'https://example.org/s.xml';

describe('§2 of two causes for a missing end, the fault of the server is the reason', () => {
  const tooLarge = { code: 'too-large', message: 'The document is larger than 100 bytes.' } as const;
  const broken = { code: 'connection-broke', message: 'The connection broke.' } as const;
  const unsure = notASitemap(URL, { what: 'text', words: 'a text' });

  test.each([
    [[tooLarge, broken], 'bad-response', /: the connection broke\.$/i],
    [[broken, tooLarge], 'bad-response', /: the connection broke\.$/i],
    [[tooLarge], 'not-a-sitemap', /\(too-large\)\.$/],
    [[], 'not-a-sitemap', /: it is a text\.$/],
  ])('%j', (problems, code, reason) => {
    const outcome = unlessCut(URL, unsure, { problems, truncated: true });
    expect(outcome).toMatchObject({ type: 'invalid', code, reason: expect.stringMatching(reason) });
  });
});

test('§7 the problems of an index that a limit adds are counted too', async () => {
  const text = index('https://example.org/1', 'https://example.org/2').replace(
    '<sitemap>',
    '<sitemap></sitemap>$&',
  );
  const { problems, problemCount } = await sitemapFromString(text, { maxSitemaps: 1 });
  expect([problems.map(({ code }) => code), problemCount]).toEqual([
    ['entry-without-loc', 'too-many-sitemaps'],
    2,
  ]);
});
