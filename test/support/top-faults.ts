/**
 * Faults higher up: robots.txt or an index has the fault, which affects everything that it declares.
 * docs/reliability.md shows this table, and fault-matrix.test.ts tests a tree, a stream and `usp` against it.
 *
 * Each row is a site whose robots.txt declares a sitemap, an index of two and another sitemap; one more is at a known
 * path. Every sitemap has one page, named after the sitemap.
 */
import { gzipSync } from 'node:zlib';
import type { ScriptedResponse, Site } from '../server/scripted-server.ts';
import { index, robots, urlset } from './documents.ts';

const PAGES = ['before', 'first', 'second', 'after', 'known'] as const;
export type PageName = (typeof PAGES)[number];

/** The page of a sitemap. */
export const pageOf = (name: PageName): string => `https://example.org/${name}`;

export interface TopFault {
  readonly where: 'robots.txt' | 'index';
  readonly name: string;
  readonly does: string;
  /** @param whole - the document without the fault */
  readonly response: (whole: string) => ScriptedResponse;
  /** The pages that are found in spite of the fault. */
  readonly pages: readonly PageName[];
  /** The code of what is unreadable, or of the site's problem. */
  readonly failure?: string;
  readonly words?: string;
  /** Problems on nodes. */
  readonly problems?: readonly string[];
  readonly complete: boolean;
  /** As for the faults of faults.ts. */
  readonly isLong?: boolean;
}

/** The whole site, with the fault at its place. */
export function siteWith({ where, response }: TopFault, origin: string): Site {
  const top = robots(`${origin}/before.xml`, `${origin}/index.xml`, `${origin}/after.xml`);
  const middle = index(`${origin}/first.xml`, `${origin}/second.xml`);
  return {
    '/robots.txt': where === 'robots.txt' ? response(top) : top,
    '/index.xml': where === 'index' ? response(middle) : middle,
    '/before.xml': urlset(pageOf('before')),
    '/first.xml': urlset(pageOf('first')),
    '/second.xml': urlset(pageOf('second')),
    '/after.xml': urlset(pageOf('after')),
    '/sitemap.xml': urlset(pageOf('known')),
    '/circle': { redirect: '/circle' },
  };
}

const HTML = '<!DOCTYPE html><html><head><title>Sorry</title></head><body>Sorry.</body></html>';

/** Where the last line or entry begins. */
const beforeLast = (whole: string): number =>
  Math.max(whole.lastIndexOf('Sitemap:'), whole.lastIndexOf('<sitemap>'));

const ALL = PAGES;
const KNOWN: readonly PageName[] = ['known'];
const OTHERS: readonly PageName[] = ['before', 'after', 'known'];
const NO_AFTER: readonly PageName[] = ['before', 'first', 'second', 'known'];
const NO_SECOND: readonly PageName[] = ['before', 'first', 'after', 'known'];

const FAILED = { failure: 'robots-txt-failed', pages: KNOWN, complete: false } as const;
const UNREADABLE = { pages: OTHERS, complete: false } as const;

export const TOP_FAULTS: readonly TopFault[] = [
  {
    where: 'robots.txt',
    name: '404',
    does: 'does not have it',
    response: () => ({ status: 404 }),
    pages: KNOWN,
    complete: true,
  },
  {
    where: 'robots.txt',
    name: '403',
    does: 'refuses it',
    response: () => ({ status: 403 }),
    ...FAILED,
    words: 'responded with 403',
  },
  {
    where: 'robots.txt',
    name: '500 for ever',
    does: 'an error at every attempt',
    response: () => ({ status: 500 }),
    ...FAILED,
    words: 'responded with 500 .*after 5 attempts',
  },
  {
    where: 'robots.txt',
    name: '500, then fine',
    does: 'an error at the first attempt',
    response: (body) => ({ script: [{ status: 500 }, { body }] }),
    pages: ALL,
    complete: true,
  },
  {
    where: 'robots.txt',
    name: 'hangs up',
    does: 'closes without a response, at every attempt',
    response: () => ({ hangUp: true }),
    ...FAILED,
    words: 'the connection broke',
  },
  {
    where: 'robots.txt',
    name: 'silent',
    does: 'takes the request, and sends nothing',
    response: () => ({ silent: true }),
    ...FAILED,
    words: 'no response within',
    isLong: true,
  },
  {
    where: 'robots.txt',
    name: 'redirect in a circle',
    does: '302 to a URL that leads to itself',
    response: () => ({ redirect: '/circle' }),
    ...FAILED,
    words: 'in a circle',
  },
  {
    where: 'robots.txt',
    name: 'HTML page with 200',
    does: 'an HTML page for every missing URL',
    response: () => ({ body: HTML }),
    ...FAILED,
    words: 'HTML page',
    complete: true,
  },
  {
    where: 'robots.txt',
    name: 'reset in the body',
    does: 'all but the last line, then a reset, at every attempt',
    response: (body) => ({ body, resetAfter: beforeLast(body) }),
    pages: NO_AFTER,
    problems: ['connection-broke'],
    complete: false,
  },
  {
    where: 'robots.txt',
    name: 'reset in a line',
    does: 'a reset within the last URL, which makes it another one, at every attempt',
    response: (body) => ({ body, resetAfter: body.length - 3 }),
    pages: NO_AFTER,
    problems: ['connection-broke', 'truncated'],
    complete: false,
  },
  {
    where: 'robots.txt',
    name: 'gzip with trailing rubbish',
    does: 'compressed, with a comment behind',
    response: (body) => ({ body: Buffer.concat([gzipSync(body), Buffer.from('<!-- cached -->')]) }),
    pages: ALL,
    problems: ['gzip-trailing-bytes'],
    complete: true,
  },
  {
    where: 'index',
    name: '404',
    does: 'does not have it',
    response: () => ({ status: 404 }),
    ...UNREADABLE,
    failure: 'http-status',
    words: 'responded with 404',
  },
  {
    where: 'index',
    name: '503 for ever',
    does: 'an error at every attempt',
    response: () => ({ status: 503 }),
    ...UNREADABLE,
    failure: 'http-status',
    words: 'responded with 503 .*after 5 attempts',
  },
  {
    where: 'index',
    name: 'silent',
    does: 'takes the request, and sends nothing',
    response: () => ({ silent: true }),
    ...UNREADABLE,
    failure: 'timeout',
    words: 'no response within',
    isLong: true,
  },
  {
    where: 'index',
    name: 'HTML page with 200',
    does: 'an HTML page for every missing URL',
    response: () => ({ body: HTML }),
    ...UNREADABLE,
    failure: 'not-a-sitemap',
    words: 'HTML page',
  },
  {
    where: 'index',
    name: 'empty body',
    does: '200, and nothing',
    response: () => ({ body: '' }),
    ...UNREADABLE,
    failure: 'not-a-sitemap',
    words: 'it is empty',
  },
  {
    where: 'index',
    name: 'redirect to its parent',
    does: '302 to robots.txt',
    response: () => ({ redirect: '/robots.txt' }),
    ...UNREADABLE,
    failure: 'recursion',
    words: 'one of its own ancestors',
  },
  {
    where: 'index',
    name: 'reset in the body',
    does: 'all but the last entry, then a reset, at every attempt',
    response: (body) => ({ body, resetAfter: beforeLast(body) }),
    pages: NO_SECOND,
    problems: ['connection-broke', 'truncated'],
    complete: false,
  },
  {
    where: 'index',
    name: 'body that stops',
    does: 'all but the last entry, then nothing, at every attempt',
    response: (body) => ({ body, stallAfter: beforeLast(body) }),
    pages: NO_SECOND,
    problems: ['connection-broke', 'truncated'],
    complete: false,
    isLong: true,
  },
  {
    where: 'index',
    name: 'shorter than its Content-Length',
    does: 'all of it, and a Content-Length of 1,000 bytes more',
    response: (body) => ({ body: body.padEnd(body.length + 1000), truncateAfter: body.length }),
    pages: ALL,
    problems: ['connection-broke'],
    complete: false,
  },
];
