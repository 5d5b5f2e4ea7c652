/** §12: the summary of several checks, as of the sites that one command checks, is what all of them say together. */
import { expect, test } from 'vitest';
import { joinedSummary, PageResults, SummaryCounter } from '../../src/check/check-summary.ts';
import { type CheckSummary, checkSitemaps, type Finding, type PageResult } from '../../src/check/index.ts';

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

/** A finding of a document, in the words `2 error`. */
function finding(document: string, text: string, rule: Finding['rule'] = 'lastmod-missing'): Finding {
  const [count, severity] = text.split(' ') as [string, Finding['severity']];
  return { rule, severity, message: 'It is.', document, count: Number(count) };
}

test('the worst ten documents are those with the most entries of errors, then warnings, then infos', () => {
  const counter = new SummaryCounter();
  const documents: Readonly<Record<string, readonly string[]>> = {
    'many findings': ['1 warning', '1 warning', '1 warning'],
    'two infos': ['2 info'],
    'three infos': ['3 info'],
    'one warning': ['1 warning', '9 info'],
    'four warnings': ['4 warning'],
    'an error': ['1 error'],
    'two errors': ['2 error'],
    'an error and a warning': ['1 error', '1 warning'],
    'an error and two warnings': ['1 error', '2 warning'],
    'five infos': ['5 info'],
    'one info': ['1 info'],
    'first of equal ones': ['2 info'],
  };
  for (const [document, findings] of Object.entries(documents))
    for (const each of findings) counter.add(finding(document, each));
  expect(counter.summary.worst.map(({ document }) => document)).toEqual([
    'two errors',
    'an error and two warnings',
    'an error and a warning',
    'an error',
    'four warnings',
    'many findings',
    'one warning',
    'five infos',
    'three infos',
    'two infos',
  ]);
});

test('a summary stays as it is when more is counted', () => {
  const counter = new SummaryCounter();
  counter.add(finding('a', '2 error'));
  const { summary } = counter;
  counter.add(finding('a', '3 error'));
  const counts = { error: 1, warning: 0, info: 0 };
  const entries = { error: 2, warning: 0, info: 0 };
  expect(summary).toMatchObject({ counts, entries, worst: [{ document: 'a', counts, entries }] });
});

test('the rest of a rule is as many findings of the rule as it counts, and an aggregated finding is one', () => {
  const counter = new SummaryCounter();
  counter.add(finding('a', '5 warning', 'url-fragment'));
  counter.add(finding('a', '1 warning', 'url-fragment'));
  counter.add(finding('b', '4 info'));
  expect(counter.summary).toMatchObject({
    counts: { error: 0, warning: 6, info: 1 },
    entries: { error: 0, warning: 6, info: 4 },
    rules: { 'url-fragment': 6, 'lastmod-missing': 1 },
  });
});

test('of several checks, alternates are added up, and documents of the same name', () => {
  const [one, two] = [new SummaryCounter(), new SummaryCounter()];
  one.add(finding('a', '2 error'));
  two.add(finding('a', '3 error'));
  one.alternatesNotChecked = 2;
  two.alternatesNotChecked = 3;
  const { summary: nothing } = new SummaryCounter();
  expect(nothing).not.toHaveProperty('alternatesNotChecked');
  expect(nothing).not.toHaveProperty('requestedPages');
  expect(joinedSummary([one.summary, nothing, two.summary])).toMatchObject({
    alternatesNotChecked: 5,
    counts: { error: 2 },
    entries: { error: 5 },
    worst: [{ document: 'a', counts: { error: 2 }, entries: { error: 5 } }],
  });
  expect(joinedSummary([])).toMatchObject({ complete: true, documents: 0 });
});

test('requested pages are counted by result and status, with five examples of each', () => {
  const results = new PageResults(99);
  const add = (result: PageResult['result'], status: number | undefined, ...paths: string[]): void =>
    results.add({ result, ...(status !== undefined && { status }), count: paths.length, examples: paths });
  add('page-missing', 404, '/1');
  add('page-missing', 410, '/2');
  add('page-missing', 404, '/3');
  add('not-requested', undefined, '/4', '/5', '/6', '/7');
  add('page-refused', 403, '/8', '/9', '/10', '/11', '/12', '/13', '/14');
  add('indexable', 200, '/15');
  for (const at of [1, 2, 3]) add('page-redirected', undefined, `/a${at}`, `/b${at}`);
  expect(results.summary).toEqual({
    listed: 99,
    requested: 17,
    results: [
      { result: 'indexable', status: 200, count: 1, examples: ['/15'] },
      { result: 'page-refused', status: 403, count: 7, examples: ['/8', '/9', '/10', '/11', '/12'] },
      { result: 'page-redirected', count: 6, examples: ['/a1', '/b1', '/a2', '/b2', '/a3'] },
      { result: 'not-requested', count: 4, examples: ['/4', '/5', '/6', '/7'] },
      { result: 'page-missing', status: 404, count: 2, examples: ['/1', '/3'] },
      { result: 'page-missing', status: 410, count: 1, examples: ['/2'] },
    ],
  });
});
