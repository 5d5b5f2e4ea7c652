/** §12: the summary of several checks, as of the sites that one command checks, is what all of them say together. */
import { expect, test } from 'vitest';
import { joinedSummary } from '../../src/check/check-summary.ts';
import { type CheckSummary, checkSitemaps } from '../../src/check/index.ts';

function summaryOf(host: string, ...locations: readonly string[]): CheckSummary {
  const urls = locations.map((loc) => `<url><loc>${loc}</loc></url>`).join('');
  const content = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
  const check = checkSitemaps([{ content, url: `https://${host}/sitemap.xml` }]);
  for (const _ of check);
  return check.summary;
}

test('findings, rules, documents and pages of two sites are added up', () => {
  const one = summaryOf('a.example', '/relative', 'https://a.example/1');
  const two = summaryOf('b.example', '/relative', '/too', 'https://b.example/1');
  expect(joinedSummary([one, two])).toEqual({
    counts: { error: 0, warning: 3, info: 2 },
    entries: { error: 0, warning: 3, info: 5 },
    rules: { 'relative-url': 3, 'lastmod-missing': 2 },
    documents: 2,
    pages: 5,
    complete: true,
    worst: [
      {
        document: 'https://b.example/sitemap.xml',
        counts: { error: 0, warning: 2, info: 1 },
        entries: { error: 0, warning: 2, info: 3 },
      },
      {
        document: 'https://a.example/sitemap.xml',
        counts: { error: 0, warning: 1, info: 1 },
        entries: { error: 0, warning: 1, info: 2 },
      },
    ],
  });
});

test('the requested pages of all sites are added up, and of the reasons for an end the first is named', () => {
  const one = summaryOf('a.example', 'https://a.example/1');
  const indexable = {
    result: 'indexable',
    status: 200,
    count: 2,
    examples: ['https://a.example/1'],
  } as const;
  const missing = {
    result: 'page-missing',
    status: 404,
    count: 1,
    examples: ['https://b.example/1'],
  } as const;
  const summaries: CheckSummary[] = [
    { ...one, requestedPages: { listed: 5, requested: 2, results: [indexable] } },
    { ...one, complete: false, stopped: { limit: 'maxTimeMs', message: 'first' } },
    {
      ...one,
      complete: false,
      stopped: { limit: 'abort', message: 'second' },
      requestedPages: { listed: 4, requested: 3, results: [missing, indexable] },
    },
  ];
  expect(joinedSummary(summaries)).toMatchObject({
    complete: false,
    stopped: { message: 'first' },
    requestedPages: {
      listed: 9,
      requested: 5,
      results: [
        { result: 'indexable', count: 4, examples: ['https://a.example/1', 'https://a.example/1'] },
        { result: 'page-missing', count: 1 },
      ],
    },
  });
});
