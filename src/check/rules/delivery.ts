/** How a site delivers its documents: robots.txt, sitemaps that nothing declares, and the responses themselves. */
import { FETCH_PROBLEMS, type FetchProblemCode, isTruncated } from '../../problems/catalogue.ts';
import type { Problem } from '../../problems/problem-list.ts';
import type { RuleRow, RuleRows } from '../rule.ts';

const PROTOCOL = 'https://www.sitemaps.org/protocol.html';
const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap';
const GOOGLE_ROBOTS = 'https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt';

/** The rules of this file. */
export type DeliveryRule =
  | 'sitemap-not-declared'
  | 'no-robots-txt'
  | 'robots-txt-failed'
  | 'content-type'
  | FetchProblemCode;

const SITE = { about: 'site', documents: ['site'], source: PROTOCOL } as const satisfies Partial<RuleRow>;

/** What fetching left on a document. */
function fetchRow(code: FetchProblemCode, severity: RuleRow['severity'], fix: string): RuleRow {
  return {
    ...SITE,
    severity,
    source: 'https://www.rfc-editor.org/rfc/rfc9110',
    explanation: {
      what: FETCH_PROBLEMS[code],
      why: 'Search engines get less of the document than is meant, or none of it.',
      fix,
    },
    bad: 'A response that is not what its headers say, or not complete',
    good: 'A complete response',
  };
}

const SERVER = 'Find out what ends the response: a time limit of the server, of a proxy, or of the program.';
const COMPRESSION =
  'Compress the file again, and look at what compresses responses on the way: only one should.';

export const DELIVERY_RULES: RuleRows<DeliveryRule> = {
  'sitemap-not-declared': {
    ...SITE,
    severity: 'info',
    source: `${PROTOCOL}#submit_robots`,
    explanation: {
      what: 'A sitemap was found at a known path or by a link of the homepage, and nothing declares it.',
      why: 'Search engines do not guess. Unless it was submitted to them by hand, they do not know it.',
      fix: 'Add a Sitemap line to robots.txt.',
    },
    bad: 'robots.txt without a Sitemap line, and a sitemap at /sitemap.xml',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'no-robots-txt': {
    ...SITE,
    severity: 'info',
    source: 'https://www.rfc-editor.org/rfc/rfc9309',
    explanation: {
      what: 'There is no robots.txt: the server responds with a status from 400 to 499, or with an HTML page.',
      why: 'Everything may be crawled, which is fine; but sitemaps cannot be declared.',
      fix: 'Add a robots.txt with a Sitemap line.',
    },
    bad: 'https://example.org/robots.txt responds with 404',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'robots-txt-failed': {
    ...SITE,
    severity: 'error',
    source: GOOGLE_ROBOTS,
    explanation: {
      what: 'robots.txt cannot be read: the server responds with an error (500 to 599, or 429), or not at all.',
      why: 'Google then treats the whole site as disallowed, and stops crawling it.',
      fix: 'Fix the server. Until then, a status of 404 is better than an error.',
    },
    bad: 'https://example.org/robots.txt responds with 503',
    good: 'https://example.org/robots.txt responds with 200',
  },
  'content-type': {
    ...SITE,
    severity: 'info',
    source: GOOGLE,
    explanation: {
      what: 'The Content-Type of a sitemap is neither XML, nor plain text, nor gzip.',
      why: 'Search engines look at the content, so it does little harm; browsers and tools may not.',
      fix: 'Send `application/xml`, `text/plain` for a text sitemap, or `application/gzip` for a .gz file.',
    },
    bad: 'Content-Type: text/html',
    good: 'Content-Type: application/xml; charset=utf-8',
  },
  'changed-on-retry': fetchRow('changed-on-retry', 'warning', SERVER),
  'connection-broke': fetchRow('connection-broke', 'error', SERVER),
  'encoding-damaged': fetchRow('encoding-damaged', 'error', COMPRESSION),
  'gzip-bad-checksum': fetchRow('gzip-bad-checksum', 'error', COMPRESSION),
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
};

/** Failures that say nothing about a robots.txt. */
const NOT_ITS_FAULT: ReadonlySet<string> = new Set([
  'limit',
  'private-network',
  'not-fetched',
  'web-client',
  'proxy',
]);
const USUAL_TYPES =
  /^(?:text\/(?:plain|xml)|application\/(?:xml|gzip|x-gzip|x-gunzip|gzip-compressed)|[\w.+-]+\/[\w.+-]+\+xml)$/;

/** Takes what is wrong with a document as a whole. */
type Reporter = (rule: DeliveryRule, document: string, message: string) => void;

/** The top of a tree, as far as it is looked at. */
interface SiteTop {
  readonly subSitemaps: readonly { readonly kind: string; readonly url: string }[];
  readonly triedPaths: readonly {
    readonly url: string;
    readonly code?: string | undefined;
    readonly status?: number | undefined;
  }[];
  readonly problems: readonly Problem[];
}

/** What is wrong at the top of a site. */
export function checkTop(top: SiteTop, report: Reporter): void {
  checkRobotsTxt(top, report);
  for (const { kind, url } of top.subSitemaps) {
    if (kind === 'robots-txt' || kind === 'invalid') continue;
    report('sitemap-not-declared', url, `Neither robots.txt nor an index declares the sitemap ${url}`);
  }
}

function checkRobotsTxt({ triedPaths, problems }: SiteTop, report: Reporter): void {
  const tried = triedPaths.find(({ url }) => /\/robots\.txt$/.test(url));
  if (tried?.code === undefined || NOT_ITS_FAULT.has(tried.code)) return;
  const { url, code, status } = tried;
  const isHtml = code === 'not-a-sitemap';
  const isAbsent = status !== undefined && status >= 400 && status < 500 && status !== 429;
  if (isHtml || isAbsent) {
    const why = isHtml ? 'it is not a text file' : `status ${status}`;
    report('no-robots-txt', url, `There is no robots.txt at ${url} (${why}).`);
    return;
  }
  const problem = problems.find(({ code }) => code === 'robots-txt-failed');
  const reason =
    problem?.message.replace(/^.*?may be incomplete\. /, '') ?? `${url} could not be read (${code}).`;
  report('robots-txt-failed', url, `${reason} Google treats the whole site as disallowed then.`);
}

/** The response behind a document. */
interface Delivered {
  readonly name: string;
  readonly url: string;
  readonly problems: readonly Problem[];
  /** Its status line and headers. */
  readonly head: string;
}

/** What is wrong with a response. @returns whether that explains why the document is cut */
export function checkResponse({ name, url, problems, head }: Delivered, report: Reporter): boolean {
  const ofFetching = problems.filter(({ code }) => isFetchProblem(code));
  for (const { code, message } of ofFetching) if (isFetchProblem(code)) report(code, name, message);
  const type = /^content-type:[ \t]*([^;\r\n]*)/im.exec(head)?.[1]?.trim().toLowerCase() ?? '';
  // `application/octet-stream` is what servers send for files that they do not know: right for what is compressed.
  const isUsual =
    type === '' ||
    USUAL_TYPES.test(type) ||
    (type === 'application/octet-stream' && /\.gz$/i.test(new URL(url).pathname));
  if (!isUsual) {
    report('content-type', name, `The Content-Type is ${type}, which is neither XML, plain text nor gzip.`);
  }
  return isTruncated(ofFetching);
}

function isFetchProblem(code: string): code is FetchProblemCode {
  return Object.hasOwn(FETCH_PROBLEMS, code);
}
