/** Rules about how a site delivers its documents: robots.txt, undeclared sitemaps, and the responses themselves. */
import { FETCH_PROBLEMS, type FetchProblemCode, isTruncated } from '../../problems/catalogue.ts';
import type { Problem } from '../../problems/problem-list.ts';
import {
  PROTOCOL,
  type RuleName,
  type RuleNames,
  type RuleRows,
  ruleRows,
  type Severity,
  type WrittenRow,
} from '../rule.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap';
const GOOGLE_ROBOTS = 'https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt';

const SITE = { severity: 'error', about: 'site', documents: ['site'], source: PROTOCOL } as const;

function fetchRow(code: FetchProblemCode, severity: Severity, fix: string): WrittenRow {
  return {
    severity,
    source: 'https://www.rfc-editor.org/rfc/rfc9110',
    what: FETCH_PROBLEMS[code],
    why: 'Search engines get only a part of the document, or nothing.',
    fix,
    bad: 'A response that is not what its headers say, or not complete',
    good: 'A complete response',
  };
}

const SERVER = 'Find out what ends the response: a time limit of the server, of a proxy, or of the program.';
const COMPRESSION =
  'Compress the file again. Only one program on the way should compress the response: find those that do.';

export const DELIVERY_RULES: RuleRows<RuleNames['delivery']> = ruleRows(SITE, {
  'no-sitemap': {
    what:
      'The site has no sitemap: robots.txt declares none, and there is none at the known paths. Not reported ' +
      'if these were not requested, or robots.txt could not be read.',
    why: 'Search engines find only the pages that are linked, and learn late what has changed.',
    fix: 'Write a sitemap (most shops and content systems can), and declare it in robots.txt.',
    bad: 'https://example.org/sitemap.xml responds with 404, and robots.txt has no Sitemap line',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'site-refused': {
    source: GOOGLE_ROBOTS,
    what: 'The site refuses every request: 401, 403, 429, or an error from 500 to 599.',
    why: 'Nothing could be checked. Search engines may be refused as well, by a bot wall for instance.',
    fix: 'Allow this client (`--user-agent` sets its name), or check from another network.',
    bad: 'https://example.org/robots.txt and all known paths respond with 403',
    good: 'https://example.org/robots.txt responds with 200',
  },
  'site-unreachable': {
    source: GOOGLE_ROBOTS,
    what: 'No request to the site has a response: its name does not resolve, or no connection is possible.',
    why: 'Nothing could be checked. Search engines cannot read the site either while this lasts.',
    fix: 'Check the spelling of the address first, then the name server, the certificate and the server.',
    bad: 'https://example.invalid/: the name does not resolve',
    good: 'https://example.org/robots.txt responds with 200',
  },
  'sitemap-not-declared': {
    severity: 'info',
    source: `${PROTOCOL}#submit_robots`,
    what:
      'A sitemap was found at a known path or by a link of the homepage, and nothing declares it. Not reported ' +
      'if robots.txt, or something that it declares, was not read.',
    why: 'Search engines do not guess. Unless it was submitted to them by hand, they do not know it.',
    fix: 'Add a Sitemap line to robots.txt.',
    bad: 'robots.txt without a Sitemap line, and a sitemap at /sitemap.xml',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'no-robots-txt': {
    severity: 'info',
    source: 'https://www.rfc-editor.org/rfc/rfc9309',
    what: 'There is no robots.txt: the server responds with 404 or 410, or with an HTML page.',
    why: 'Everything may be crawled, which is fine; but sitemaps cannot be declared.',
    fix: 'Add a robots.txt with a Sitemap line.',
    bad: 'https://example.org/robots.txt responds with 404',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'robots-txt-refused': {
    severity: 'warning',
    source: 'https://www.rfc-editor.org/rfc/rfc9309',
    what: 'The server refuses robots.txt: 401, 403, or another status from 400 to 499 than 404, 410 and 429.',
    why: 'Crawlers that are refused, too, act as if there were no robots.txt: they know no rules and no sitemaps.',
    fix: 'Let everyone read robots.txt.',
    bad: 'https://example.org/robots.txt responds with 403',
    good: 'https://example.org/robots.txt responds with 200',
  },
  'robots-txt-failed': {
    source: GOOGLE_ROBOTS,
    what: 'robots.txt cannot be read: the server responds with an error (500 to 599, or 429), or not at all.',
    why: 'Google then treats the whole site as disallowed, and stops crawling it.',
    fix: 'Fix the server. Until then, a status of 404 is better than an error.',
    bad: 'https://example.org/robots.txt responds with 503',
    good: 'https://example.org/robots.txt responds with 200',
  },
  'content-type': {
    severity: 'info',
    source: GOOGLE,
    what: 'The Content-Type of a sitemap is neither XML, nor plain text, nor gzip.',
    why: 'It does little harm, since search engines look at the content. Browsers and other tools may not.',
    fix: 'Send `application/xml`, `text/plain` for a text sitemap, or `application/gzip` for a .gz file.',
    bad: 'Content-Type: text/html',
    good: 'Content-Type: application/xml; charset=utf-8',
  },
  'bad-checksum': fetchRow('bad-checksum', 'error', COMPRESSION),
  'changed-on-retry': fetchRow('changed-on-retry', 'warning', SERVER),
  'connection-broke': fetchRow('connection-broke', 'error', SERVER),
  'encoding-damaged': fetchRow('encoding-damaged', 'error', COMPRESSION),
  'gzip-corrupt': fetchRow('gzip-corrupt', 'error', COMPRESSION),
  'gzip-trailing-bytes': fetchRow('gzip-trailing-bytes', 'warning', COMPRESSION),
  'gzip-truncated': fetchRow('gzip-truncated', 'error', COMPRESSION),
  'partial-content': fetchRow('partial-content', 'error', SERVER),
  'too-large': fetchRow(
    'too-large',
    'info',
    'Raise `maxSitemapBytes` to check all of it, or divide the sitemap.',
  ),
  'unknown-content-encoding': fetchRow('unknown-content-encoding', 'warning', COMPRESSION),
  'wrong-content-encoding': fetchRow('wrong-content-encoding', 'warning', COMPRESSION),
});

const USUAL_TYPES =
  /^(?:text\/(?:plain|xml)|application\/(?:xml|gzip|x-gzip|x-gunzip|gzip-compressed)|[\w.+-]+\/[\w.+-]+\+xml)$/;

export type Reporter = (rule: RuleName, document: string, message: string) => void;

interface DeliveredDocument {
  readonly name: string;
  readonly url: string;
  readonly problems: readonly Problem[];
  readonly head: string;
}

/** Reports what is wrong with a response. @returns whether that explains why the document is cut */
export function checkResponse({ name, url, problems, head }: DeliveredDocument, report: Reporter): boolean {
  const fetchProblems = problems.filter(({ code }) => isFetchProblem(code));
  for (const { code, message } of fetchProblems) if (isFetchProblem(code)) report(code, name, message);
  const type = /^content-type:[ \t]*([^;\r\n]*)/im.exec(head)?.[1]?.trim().toLowerCase() ?? '';
  // Servers send `application/octet-stream` for files of an unknown type, which is fine for compressed ones.
  const isUsual =
    type === '' ||
    USUAL_TYPES.test(type) ||
    (type === 'application/octet-stream' && /\.gz$/i.test(new URL(url).pathname));
  if (!isUsual) {
    report('content-type', name, `The Content-Type is ${type}, which is neither XML, plain text nor gzip.`);
  }
  // That a limit of ours cut the document is not a fault of the document.
  return isTruncated(fetchProblems) || problems.some(({ code }) => code === 'cut-by-limit');
}

function isFetchProblem(code: string): code is FetchProblemCode {
  return Object.hasOwn(FETCH_PROBLEMS, code);
}
