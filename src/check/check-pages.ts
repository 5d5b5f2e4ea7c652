/**
 * Requests pages of a tree, with the politeness, the guard and the limits of sitemaps, and reports what is wrong with
 * each response.
 */

import type { OpenDocument } from '../fetch/document.ts';
import type { DocumentFetcher } from '../fetch/fetch-document.ts';
import type { FetchFailure, ResponseHead } from '../fetch/fetch-failure.ts';
import type { PageChoice } from '../filter/page-choice.ts';
import { linksOfHeader, type PageLink, readHead } from '../parse/formats/html-head.ts';
import { isIndexKind } from '../parse/model/kinds.ts';
import { isMissing, isNeverRequested } from '../problems/catalogue.ts';
import { type AgentRules, agentToken } from '../robots/robots-rules.ts';
import type { StopSignal } from '../runtime/abort.ts';
import { FairShare } from '../runtime/time.ts';
import { parsedUrl } from '../url.ts';
import type { PageResult } from './finding.ts';
import { type ListedUrl, urlKey } from './ordinary-url.ts';
import type { CheckedDocument, DocumentListener, RelatedPlace, Report } from './rule.ts';

export interface PlacedPage {
  readonly url: string;
  readonly place: RelatedPlace;
}

/** Notes the pages of each document for a sample. */
export function sampleRule(choice: PageChoice<PlacedPage>) {
  return (document: CheckedDocument): DocumentListener => ({
    location({ url, key }: ListedUrl, offset: number): void {
      if (isIndexKind(document.kind)) return;
      choice.note(document.name, key, () => ({
        url,
        place: { document: document.name, offset, ...document.place(offset) },
      }));
    },
  });
}

export interface JudgedPage extends PlacedPage {
  readonly result: PageResult;
  readonly reports: readonly PageReport[];
  readonly lastModified?: string | undefined;
}

export function judgePages(
  pages: AsyncIterable<PlacedPage> | Iterable<PlacedPage>,
  fetcher: DocumentFetcher,
  robots: AgentRules,
  { concurrency, signal }: { readonly concurrency: number; readonly signal: StopSignal | undefined },
): AsyncGenerator<JudgedPage, void, undefined> {
  return inOrder(pages, concurrency, async ({ url, place }) => {
    const response = await fetcher.fetch(url, { signal });
    if (response.type === 'failed') {
      const reports = judgeFailure(url, response);
      const result = reports[0]?.rule ?? 'not-requested';
      return { url, place, reports, result: resultOf(url, result, response.status) };
    }
    const reports = response.type === 'document' ? await judgeResponse(url, response, robots.agent) : [];
    // A crawler that must not fetch a page does not see what the page says.
    const isBlocked = robots.of(url)?.disallowing(url) !== undefined;
    const result = isBlocked ? 'page-blocked' : (reports[0]?.rule ?? 'indexable');
    const status = result === 'page-redirected' || result === 'page-unreachable' ? undefined : 200;
    const lastModified =
      response.type === 'document' ? (response.response.header('last-modified') ?? undefined) : undefined;
    return { url, place, reports, result: resultOf(url, result, status), lastModified };
  });
}

function resultOf(url: string, result: PageResult['result'], status: number | undefined): PageResult {
  return { result, ...(status !== undefined && { status }), count: 1, examples: [url] };
}

/** Works on items several at a time, and yields the results in their order. */
async function* inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const running: Promise<Result>[] = [];
  // A web client may respond from memory.
  const share = new FairShare();
  try {
    for await (const item of items) {
      if (share.isUsedUp) await share.turn();
      const result = work(item);
      // It is awaited later; until then a rejection must not end the process.
      result.catch(() => {});
      running.push(result);
      if (running.length >= atOnce) yield await running.shift()!;
    }
    while (running.length > 0) yield await running.shift()!;
  } finally {
    await Promise.allSettled(running);
  }
}

type PageReport = Pick<Report, 'rule' | 'message'>;

function judgeFailure(url: string, { code, status, reason }: FetchFailure): readonly PageReport[] {
  // Other rules report what is wrong with the URL.
  if (isNeverRequested(code) || code === 'bad-url') return [];
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

/** @param agent - the crawler whose meta tag and header count, like those for all robots */
async function judgeResponse(
  url: string,
  document: OpenDocument,
  agent: string,
): Promise<readonly PageReport[]> {
  if (document.redirected && urlKey(document.url) !== urlKey(url)) {
    await document.close();
    // The head of the other page is not about this page.
    return [{ rule: 'page-redirected', message: `The page redirects to ${document.url}: ${url}` }];
  }
  const head = await headOf(document, agent);
  if (document.end?.truncated === true) {
    const reason = document.end.problems.at(-1)?.message ?? '';
    return [{ rule: 'page-unreachable', message: `The head of the page did not arrive. ${reason}` }];
  }
  const reports: PageReport[] = [];
  if (headersSayNoindex(document.response, agent)) {
    reports.push({
      rule: 'page-noindex',
      message: `The header X-Robots-Tag of the page says noindex: ${url}`,
    });
  } else if (head.isNoindex) {
    reports.push({ rule: 'page-noindex', message: `A robots meta tag of the page says noindex: ${url}` });
  }
  const target =
    head.canonical ?? canonicalOf(linksOfHeader(document.response.header('link') ?? ''), document.url);
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

/** For a response that is not HTML, or has no end of the head. */
const NO_HEAD: PageHead = { isNoindex: false };

async function headOf(document: OpenDocument, agent: string): Promise<PageHead> {
  const type = document.response.header('content-type') ?? 'text/html';
  if (/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type))
    return readPageHead(document.bytes(), document.url, agent);
  await document.close();
  return NO_HEAD;
}

export async function readPageHead(
  chunks: AsyncIterable<Uint8Array>,
  url: string,
  agent: string,
): Promise<PageHead> {
  const token = agentToken(agent);
  const { isComplete, metas, links, baseUrl } = await readHead(chunks, url);
  if (!isComplete) return NO_HEAD;
  const isNoindex = metas.some(
    ({ name, content }) => (name === 'robots' || name === token) && saysNoindex(content),
  );
  return { isNoindex, canonical: canonicalOf(links, baseUrl) };
}

/** The canonical page that the first such link names; undefined if the link has no URL. */
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

/** Reads headers one by one: the name of a crawler holds only for the header that has it. */
function headersSayNoindex(response: ResponseHead, agent: string): boolean {
  for (const [name, value] of response.headers()) {
    if (name.toLowerCase() === 'x-robots-tag' && headerSaysNoindex(value, agent)) return true;
  }
  return false;
}

/** Whether one `X-Robots-Tag` says `noindex` to an agent. The words after `name:` are for that crawler only. */
export function headerSaysNoindex(header: string, agent: string): boolean {
  const token = agentToken(agent);
  let isForUs = true;
  for (const part of header.toLowerCase().split(',')) {
    const match = /^\s*([\w-]+|\*)\s*:\s*(.*)$/.exec(part);
    const [, name = '', rest = ''] = match ?? [];
    // `max-snippet: 20` is not the name of a crawler.
    const isAgent = match !== null && !/^(?:max-|unavailable)/.test(name);
    if (isAgent) isForUs = name === token || name === '*';
    if (isForUs && saysNoindex(isAgent ? rest : part)) return true;
  }
  return false;
}
