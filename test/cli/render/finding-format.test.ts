/** §12: the sentences about findings that several formats have. */
import { describe, expect, test } from 'vitest';
import type { CheckSummary, Finding } from '../../../src/check/finding.ts';
import {
  counts,
  describeCounts,
  describeHidden,
  describeRequested,
  describeScope,
  describeTally,
  isUrl,
  messageWithPage,
  oneLine,
  shownLine,
} from '../../../src/cli/render/finding-format.ts';

const NONE = { error: 0, warning: 0, info: 0 };

function summary(more: Partial<CheckSummary> = {}): CheckSummary {
  return {
    counts: NONE,
    entries: NONE,
    rules: {},
    documents: 1,
    pages: 1,
    complete: true,
    worst: [],
    ...more,
  };
}

test.each([
  [NONE, ''],
  [{ error: 1, warning: 0, info: 0 }, '1 error'],
  [{ error: 0, warning: 2, info: 0 }, '2 warnings'],
  [{ error: 0, warning: 0, info: 1 }, '1 info'],
  [{ error: 0, warning: 0, info: 2000 }, '2,000 info'],
  [{ error: 1000, warning: 1, info: 3 }, '1,000 errors, 1 warning, 3 info'],
])('the counts %j', (found, words) => {
  expect(counts(found)).toBe(words);
});

test.each([
  [{ error: 1, warning: 1, info: 1 }, { error: 1, warning: 1, info: 1 }, '1 error, 1 warning, 1 info'],
  [{ error: 1, warning: 0, info: 0 }, { error: 2, warning: 0, info: 0 }, '1 error (2 entries)'],
  [
    { error: 1, warning: 1, info: 1 },
    { error: 1, warning: 1, info: 9 },
    '1 error, 1 warning, 1 info (11 entries)',
  ],
])('findings %j for the entries %j', (found, entries, words) => {
  expect(describeTally({ counts: found, entries })).toBe(words);
});

test('no finding is nothing, or nothing new where a baseline hides some', () => {
  expect(describeCounts({ summary: summary() })).toBe('Nothing found');
  expect(describeCounts({ summary: summary(), hidden: 0 })).toBe('Nothing found');
  expect(describeCounts({ summary: summary(), hidden: 1 })).toBe('Nothing new');
  const one = { error: 1, warning: 0, info: 0 };
  expect(describeCounts({ summary: summary({ counts: one, entries: one }), hidden: 1 })).toBe('1 error');
});

test.each([
  [undefined, ''],
  [0, ''],
  [1, ' 1 finding of the baseline is not shown.'],
  [2000, ' 2,000 findings of the baseline are not shown.'],
])('%s hidden findings', (hidden, words) => {
  expect(describeHidden({ summary: summary(), hidden })).toBe(words);
});

describe('how much was checked', () => {
  const stopped = { limit: 'maxTimeMs', message: 'm' };
  test.each<[Partial<CheckSummary>, string]>([
    [{}, ' in 1 document with 1 page.'],
    [{ documents: 2, pages: 0 }, ' in 2 documents with 0 pages.'],
    [{ documents: 1000, pages: 50_000 }, ' in 1,000 documents with 50,000 pages.'],
    [{ complete: false }, ' in 1 document with 1 page. Not everything could be read, so there may be more.'],
    [
      { complete: false, stopped },
      ' in 1 document with 1 page. The check was stopped (maxTimeMs), so there may be more.',
    ],
    [{ documents: 0, complete: false }, '; no document could be read.'],
    [{ documents: 0 }, '; no document could be read.'],
    [
      { documents: 0, complete: false, stopped },
      '; no document was checked. The check was stopped (maxTimeMs), so there may be more.',
    ],
    [
      { alternatesNotChecked: 1234, complete: false },
      ' in 1 document with 1 page. There are too many alternates: 1,234 of them were not checked. ' +
        'Not everything could be read, so there may be more.',
    ],
    [{ alternatesNotChecked: 0 }, ' in 1 document with 1 page.'],
  ])('%j', (more, words) => {
    expect(describeScope(summary(more))).toBe(words);
  });
});

describe('the pages that were requested', () => {
  const requested = (requestedPages: NonNullable<CheckSummary['requestedPages']>): string =>
    describeRequested(summary({ requestedPages }));

  test('none is nothing to say', () => {
    expect(describeRequested(summary())).toBe('');
  });

  test.each<[NonNullable<CheckSummary['requestedPages']>, string]>([
    [{ listed: 3, requested: 0, results: [] }, '0 of 3 pages were requested.'],
    [
      { listed: 1, requested: 1, results: [{ result: 'indexable', status: 200, count: 1, examples: [] }] },
      '1 of 1 page was requested: 1 listed and indexable.',
    ],
    [
      {
        listed: 5000,
        requested: 1004,
        results: [
          { result: 'indexable', status: 200, count: 1000, examples: [] },
          { result: 'page-gone' as never, status: 404, count: 3, examples: [] },
          { result: 'not-requested', count: 1, examples: [] },
        ],
      },
      '1,004 of 5,000 pages were requested: 1,000 listed and indexable, 3 page-gone (404), 1 not-requested.',
    ],
  ])('%j', (pages, words) => {
    expect(requested(pages)).toBe(words);
  });
});

describe('the message of a finding', () => {
  const found = (more: Partial<Finding>): string =>
    messageWithPage({ rule: 'url-fragment', severity: 'warning', message: 'M.', document: 'd', ...more });

  test.each<[Partial<Finding>, string]>([
    [{}, 'M.'],
    [{ page: 'p' }, 'M. (p)'],
    [{ page: 'd' }, 'M.'],
    [{ page: 'p', message: 'About p.' }, 'About p.'],
    [{ page: 'p', count: 1 }, 'M. (p)'],
    [{ page: 'p', count: 2 }, 'M. (first: p)'],
    [{ rule: 'page-blocked', count: 2000 }, 'M. (2,000 entries)'],
    [{ rule: 'page-blocked', page: 'p', count: 2 }, 'M. (2 entries; first: p)'],
    [{ rule: 'page-blocked', page: 'p', count: 1 }, 'M. (p)'],
    [{ message: ' a\n b\t\tc ', page: 'p\nq' }, 'a b c (p q)'],
  ])('%j', (more, words) => {
    expect(found(more)).toBe(words);
  });

  test('is one line, in which what does harm is visible', () => {
    expect(oneLine('\n a\r\n\r\n b\u2028c ')).toBe('a b c');
    expect(shownLine('a\n\u001b[1mb')).toBe('a \\u001b[1mb');
  });
});

test.each([
  ['https://a.example/', true],
  ['HTTP://a.example', true],
  ['file:///a', true],
  ['urn:a', false],
  ['a.xml', false],
  ['C:\\a.xml', false],
  ['c://a', false],
  ['x/https://a.example', false],
  ['', false],
])('%s is a URL: %s', (document, expected) => {
  expect(isUrl(document)).toBe(expected);
});
