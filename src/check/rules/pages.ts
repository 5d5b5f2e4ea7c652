/** The pages themselves, which are requested only where that is asked for: what is wrong with the response to each. */
import { linksOfHeader, type PageLink, readHead } from '../../parse/formats/html-head.ts';
import { isMissing, isNotAsked } from '../../problems/catalogue.ts';
import type { Problem } from '../../problems/problem-list.ts';
import { agentToken } from '../../robots/robots-rules.ts';
import { parsedUrl } from '../../url.ts';
import { urlKey } from '../ordinary-url.ts';
import { type Report, type RuleNames, type RuleRows, ruleRows } from '../rule.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing';

const PAGE = {
  severity: 'warning',
  about: 'pages',
  documents: ['site'],
  source: `${GOOGLE}/http-network-errors`,
} as const;

export const PAGE_RULES: RuleRows<RuleNames['pages']> = ruleRows(PAGE, {
  'page-missing': {
    severity: 'error',
    what: 'A page that was requested does not exist: 404 or 410.',
    why: 'A sitemap should list pages that exist. Search engines waste requests on the others.',
    fix: 'Remove the page from the sitemap, or bring it back.',
    bad: '<loc>https://example.org/gone</loc> responds with 404',
    good: '<loc>https://example.org/there</loc> responds with 200',
  },
  'page-error': {
    severity: 'error',
    what: 'The server responds with an error (500 to 599) when the page is requested.',
    why: 'Search engines slow down, and drop the page if it stays so.',
    fix: 'Fix the page or the server.',
    bad: '<loc>https://example.org/shoes</loc> responds with 500',
    good: '<loc>https://example.org/shoes</loc> responds with 200',
  },
  'page-redirected': {
    what: 'The page redirects to another one, which the message names.',
    why:
      'A sitemap should list the final addresses: a redirect costs a request, and the listed address is ' +
      'not indexed.',
    fix: 'List the page that it redirects to.',
    bad: '<loc>http://example.org/shoes</loc> redirects to https',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'page-refused': {
    what: 'The server refuses the page to us: 401, 403, 429, or another status from 400 to 499 than 404 and 410.',
    why: 'It may refuse it to search engines as well, or only to unknown clients; this cannot be told from here.',
    fix: 'See in the server’s log, or with the URL inspection of Search Console, what crawlers get.',
    bad: '<loc>https://example.org/members</loc> responds with 403',
    good: '<loc>https://example.org/shoes</loc> responds with 200',
  },
  'page-unreachable': {
    what:
      'There is no response for the page, or its head does not arrive: no connection, no name, a time limit (30 ' +
      'seconds at most), too many redirects.',
    why: 'Search engines cannot read the page either, if it stays so.',
    fix: 'The message has the reason: correct the address, the redirect or the server.',
    bad: '<loc>https://old.example.org/shoes</loc>: the name does not resolve',
    good: '<loc>https://example.org/shoes</loc> responds with 200',
  },
  'page-noindex': {
    severity: 'error',
    source: `${GOOGLE}/block-indexing`,
    what: 'The page says `noindex`, in a robots meta tag or in the header `X-Robots-Tag`.',
    why: 'The sitemap asks to index what the page forbids to index.',
    fix: 'Remove the page from the sitemap, or the `noindex` from the page.',
    bad: '<meta name="robots" content="noindex">',
    good: '<meta name="robots" content="index, follow">',
  },
  'page-canonical': {
    source: `${GOOGLE}/consolidate-duplicate-urls`,
    what:
      'The page names another page as its canonical one. A link with `hreflang`, `lang`, `media` or `type` does not ' +
      'count, as for Google.',
    why: 'Search engines index the other one. A sitemap should list canonical pages only.',
    fix: 'List the canonical page instead.',
    bad: '<link rel="canonical" href="https://example.org/shoes"> on https://example.org/shoes?color=red',
    good: '<link rel="canonical" href="https://example.org/shoes"> on https://example.org/shoes',
  },
});

export type PageReport = Pick<Report, 'rule' | 'message'>;

interface PageFailure {
  readonly code: string;
  readonly status?: number | undefined;
  readonly reason: string;
}

interface PageResponse {
  readonly url: string;
  readonly redirected: boolean;
  header(name: string): string | null;
  /** All of them, repeated ones apart where the client has them so. */
  headers(): Iterable<readonly [name: string, value: string]>;
  bytes(): AsyncIterable<Uint8Array>;
  /** How it ended, once it was read to its end. */
  readonly end?: { readonly truncated: boolean; readonly problems: readonly Problem[] } | undefined;
  close(): Promise<void>;
}

export function judgeFailure(url: string, { code, status, reason }: PageFailure): readonly PageReport[] {
  // What is wrong with its URL has rules of its own.
  if (isNotAsked(code) || code === 'bad-url') return [];
  const message = `The page cannot be read. ${reason}`;
  if (code === 'rate-limited') return [{ rule: 'page-refused', message }];
  if (code !== 'http-status' || status === undefined) return [{ rule: 'page-unreachable', message }];
  if (isMissing({ code, status })) {
    return [{ rule: 'page-missing', message: `The page does not exist (${status}): ${url}` }];
  }
  if (status >= 500) {
    return [{ rule: 'page-error', message: `The server responds with the error ${status}: ${url}` }];
  }
  return [{ rule: 'page-refused', message: `The server refuses the page (${status}): ${url}` }];
}

/** @param agent - the crawler whose own meta tag and header count besides those of all robots */
export async function judgeResponse(
  url: string,
  response: PageResponse,
  agent: string,
): Promise<readonly PageReport[]> {
  if (response.redirected && urlKey(response.url) !== urlKey(url)) {
    await response.close();
    // What the other page says is about the other page.
    return [{ rule: 'page-redirected', message: `The page redirects to ${response.url}: ${url}` }];
  }
  const head = await headOf(response, agent);
  if (response.end?.truncated === true) {
    const reason = response.end.problems.at(-1)?.message ?? '';
    return [{ rule: 'page-unreachable', message: `The head of the page did not arrive. ${reason}` }];
  }
  const reports: PageReport[] = [];
  if (headersSayNoindex(response, agent)) {
    reports.push({
      rule: 'page-noindex',
      message: `The header X-Robots-Tag of the page says noindex: ${url}`,
    });
  } else if (head.isNoindex) {
    reports.push({ rule: 'page-noindex', message: `A robots meta tag of the page says noindex: ${url}` });
  }
  const target = head.canonical ?? canonicalOf(linksOfHeader(response.header('link') ?? ''), response.url);
  if (target !== undefined && urlKey(target) !== urlKey(url)) {
    reports.push({
      rule: 'page-canonical',
      message: `The page names ${target} as its canonical page: ${url}`,
    });
  }
  return reports;
}

interface PageHead {
  readonly isNoindex: boolean;
  readonly canonical?: string | undefined;
}

/** Of what is not HTML, or of a head without an end, nothing is known. */
const NO_HEAD: PageHead = { isNoindex: false };

async function headOf(response: PageResponse, agent: string): Promise<PageHead> {
  const type = response.header('content-type') ?? 'text/html';
  if (/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type))
    return readPageHead(response.bytes(), response.url, agent);
  await response.close();
  return NO_HEAD;
}

export async function readPageHead(
  chunks: AsyncIterable<Uint8Array>,
  url: string,
  agent: string,
): Promise<PageHead> {
  const own = agentToken(agent);
  const { isComplete, metas, links, baseUrl } = await readHead(chunks, url);
  if (!isComplete) return NO_HEAD;
  const isNoindex = metas.some(
    ({ name, content }) => (name === 'robots' || name === own) && saysNoindex(content),
  );
  return { isNoindex, canonical: canonicalOf(links, baseUrl) };
}

/** The canonical page that the first such link names; undefined where that is not a URL. */
export function canonicalOf(links: readonly PageLink[], base: string): string | undefined {
  const href = links.find(({ rel, isOfVersion }) => rel.includes('canonical') && !isOfVersion)?.href;
  return href === undefined || href === '' ? undefined : parsedUrl(href, base)?.href;
}

function saysNoindex(content: string): boolean {
  return content
    .toLowerCase()
    .split(/[\s,]+/)
    .some((word) => word === 'noindex' || word === 'none');
}

/** Each header by itself: a crawler that one names is not meant by the next one. */
function headersSayNoindex(response: PageResponse, agent: string): boolean {
  for (const [name, value] of response.headers()) {
    if (name.toLowerCase() === 'x-robots-tag' && headerSaysNoindex(value, agent)) return true;
  }
  return false;
}

/** Whether one `X-Robots-Tag` says `noindex` to an agent. A name with a colon is whom the words behind it are for. */
export function headerSaysNoindex(header: string, agent: string): boolean {
  const own = agentToken(agent);
  let isForUs = true;
  for (const part of header.toLowerCase().split(',')) {
    const named = /^\s*([\w-]+)\s*:\s*(.*)$/.exec(part);
    const [, name = '', rest = ''] = named ?? [];
    // `max-snippet: 20` is not the name of a crawler.
    const isAgent = named !== null && !/^(?:max-|unavailable)/.test(name);
    if (isAgent) isForUs = name === own || name === '*';
    if (isForUs && saysNoindex(isAgent ? rest : part)) return true;
  }
  return false;
}
