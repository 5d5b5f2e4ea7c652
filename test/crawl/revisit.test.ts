/** §11.2 When a document counts as cut, and when a missing one is gone. */
import { expect, test } from 'vitest';
import { isCut, isGone } from '../../src/crawl/revisit.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import type { ProblemCode } from '../../src/problems/catalogue.ts';
import type { InvalidOutcome, PagesOutcome } from '../../src/read/outcome.ts';
import type { Freshness } from '../../src/sitemap/node-fields.ts';

test.each<[string, boolean, readonly ProblemCode[], Freshness | undefined, boolean]>([
  ['whole', false, [], 'changed', false],
  ['whole, with another problem', false, ['connection-broke'], 'changed', false],
  ['truncated', true, ['truncated'], 'changed', true],
  ['truncated, and new', true, [], 'new', true],
  ['truncated, and read for the first time', true, [], undefined, true],
  ['larger than it may be', true, ['too-large', 'truncated'], 'changed', false],
  ['larger than it may be, and broken', true, ['connection-broke', 'too-large'], 'changed', false],
  ['truncated as before', true, ['truncated'], 'unchanged', false],
  ['as before, since the connection broke', true, ['truncated', 'connection-broke'], 'unchanged', true],
  ['as before, since it changed meanwhile', true, ['changed-on-retry'], 'unchanged', true],
  ['as before, since a limit came', true, ['cut-by-limit'], 'unchanged', true],
])('a document that is %s', (_what, truncated, codes, freshness, expected) => {
  const outcome: PagesOutcome = {
    type: 'pages',
    kind: 'pages-xml',
    pages: undefined,
    url: 'https://a.example/',
    status: 200,
    problems: codes.map((code) => ({ code, message: 'x' })),
    problemCount: codes.length,
    truncated,
    redirected: false,
    freshness,
  };
  expect(isCut(outcome)).toBe(expected);
});

test.each<[string, number | undefined, number | undefined, number, boolean]>([
  ['http-status', 404, 1, 2, false],
  ['http-status', 404, 2, 2, true],
  ['http-status', 404, 3, 2, true],
  ['http-status', 404, undefined, 2, false],
  ['http-status', 404, undefined, 1, true],
  ['http-status', 410, undefined, 9, true],
  ['http-status', 403, 9, 2, false],
  ['http-status', 500, 9, 2, false],
  ['not-a-sitemap', 404, 9, 2, false],
  ['connection', undefined, 9, 1, false],
])('%s %s, seen by %s runs, with goneAfter %i is gone: %s', (code, status, notFound, goneAfter, expected) => {
  const facts = notFound === undefined ? undefined : { unread: { runs: 9, notFound } };
  const outcome = { type: 'invalid', code, status, reason: 'x', facts } as InvalidOutcome;
  expect(isGone(outcome, resolveOptions({ goneAfter }, 'tree'))).toBe(expected);
});
