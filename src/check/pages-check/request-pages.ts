/** Requests pages, with the politeness, the guard and the limits of sitemaps, and says what is wrong with each. */
import type { OpenDocument } from '../../fetch/document.ts';
import type { FetchFailure } from '../../fetch/failure.ts';
import type { DocumentFetcher } from '../../fetch/fetch-document.ts';
import type { Report } from '../rule.ts';
import type { PageRule } from '../rules/page-rows.ts';
import { urlKey } from '../url-key.ts';
import { canonicalOfHeader, headerSaysNoindex, PageHead } from './page-head.ts';

/** What was not requested by choice. */
const BY_CHOICE: ReadonlySet<string> = new Set(['private-network', 'limit', 'bad-url']);

/** What is wrong with a page. */
export type PageReport = Pick<Report<PageRule>, 'rule' | 'message'>;

/** Requests one page and judges it. */
export async function judgePage(
  fetcher: DocumentFetcher,
  url: string,
  agent: string,
  signal: AbortSignal | undefined,
): Promise<readonly PageReport[]> {
  const fetched = await fetcher.fetch(url, { signal });
  switch (fetched.type) {
    case 'failed':
      return ofFailure(url, fetched);
    case 'document':
      return ofDocument(url, fetched, agent);
    default:
      return [];
  }
}

function ofFailure(url: string, { code, status, reason }: FetchFailure): readonly PageReport[] {
  if (BY_CHOICE.has(code)) return [];
  const message = `The page cannot be read. ${reason}`;
  if (code === 'rate-limited') return [{ rule: 'page-refused', message }];
  if (code !== 'http-status' || status === undefined) return [{ rule: 'page-unreachable', message }];
  if (status === 404 || status === 410) {
    return [{ rule: 'page-missing', message: `The page does not exist (${status}): ${url}` }];
  }
  if (status >= 500) {
    return [{ rule: 'page-error', message: `The server responds with the error ${status}: ${url}` }];
  }
  return [{ rule: 'page-refused', message: `The server refuses the page (${status}): ${url}` }];
}

async function ofDocument(
  url: string,
  document: OpenDocument,
  agent: string,
): Promise<readonly PageReport[]> {
  if (document.redirected && urlKey(document.url) !== urlKey(url)) {
    await document.close();
    // What the other page says is about the other page.
    return [{ rule: 'page-redirected', message: `The page redirects to ${document.url}: ${url}` }];
  }
  const head = await readHead(document, agent);
  const reports: PageReport[] = [];
  const robotsTag = document.header('x-robots-tag') ?? '';
  if (headerSaysNoindex(robotsTag, agent)) {
    reports.push({
      rule: 'page-noindex',
      message: `The header X-Robots-Tag of the page says noindex: ${url}`,
    });
  } else if (head?.isNoindex === true) {
    reports.push({ rule: 'page-noindex', message: `A robots meta tag of the page says noindex: ${url}` });
  }
  const canonical = head?.canonical ?? canonicalOfHeader(document.header('link') ?? '');
  if (canonical === undefined || canonical === '' || !URL.canParse(canonical, document.url)) return reports;
  const target = new URL(canonical, document.url).href;
  if (urlKey(target) !== urlKey(url)) {
    reports.push({
      rule: 'page-canonical',
      message: `The page names ${target} as its canonical page: ${url}`,
    });
  }
  return reports;
}

/** The head of an HTML page; undefined where it is not HTML, or its head does not end. */
async function readHead(document: OpenDocument, agent: string): Promise<PageHead | undefined> {
  const type = document.header('content-type') ?? 'text/html';
  if (!/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type)) {
    await document.close();
    return undefined;
  }
  const head = new PageHead(agent);
  for await (const chunk of document.bytes()) {
    head.write(chunk);
    if (head.isOver) break;
  }
  return head.isComplete ? head : undefined;
}

/** Works on items several at a time, and yields the results in their order. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const running: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // Seen by whoever awaits it in its turn; until then it must not end the process.
      result.catch(() => {});
      running.push(result);
      if (running.length >= atOnce) yield await running.shift()!;
    }
    while (running.length > 0) yield await running.shift()!;
  } finally {
    await Promise.allSettled(running);
  }
}
