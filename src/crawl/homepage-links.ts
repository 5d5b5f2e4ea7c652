/** The sitemaps and feeds that the homepage itself links to, in its head and its `Link:` header. */
import { linksOfHeader, readHead } from '../parse/formats/html-head.ts';
import { isHttpUrl, resolveUrl } from '../parse/values/written-url.ts';
import { factsOfFailure, type Problem, type ProblemFacts } from '../problems/problem-list.ts';
import { TIME_IS_UP } from './limits.ts';
import type { Crawl } from './node-crawl.ts';

const FEED_TYPE = /^application\/(?:rss|atom|rdf)\+xml\b/i;

export interface HomepageLinks {
  readonly urls: readonly string[];
  readonly problems: readonly Problem[];
}

/** Fetches the homepage and reads its links; it is read no further than its head. */
export async function homepageLinks<Node>(crawl: Crawl<Node>, homepage: string): Promise<HomepageLinks> {
  const { deadline } = crawl.limits;
  try {
    deadline.throwIfAborted();
    const document = await crawl.parts.fetcher.fetch(homepage, { signal: deadline });
    if (document.type === 'failed') return failed(document.reason, factsOfFailure(document));
    if (document.type !== 'document') throw new TypeError('The homepage is fetched without conditions.');
    const urls = new Set<string>();
    const add = (rel: readonly string[], type: string, href: string): void => {
      const isFeed = rel.includes('alternate') && FEED_TYPE.test(type);
      const url = isFeed || rel.includes('sitemap') ? resolveUrl(href, document.url) : undefined;
      if (url !== undefined && isHttpUrl(url)) urls.add(url);
    };
    for (const { rel, type, href } of linksOfHeader(document.header('link') ?? '')) add(rel, type, href);
    await readHead(document.bytes(), (name, attribute) => {
      const href = name === 'link' ? attribute('href') : undefined;
      if (href === undefined) return;
      add(attribute('rel')?.toLowerCase().split(/\s+/) ?? [], attribute('type') ?? '', href);
    });
    return { urls: [...urls], problems: [] };
  } catch (error) {
    if (error !== TIME_IS_UP) throw error;
    return failed(`${homepage}: the time for the call was over (maxTimeMs).`, {
      failure: 'limit',
      option: 'maxTimeMs',
    });
  }
}

function failed(reason: string, facts: ProblemFacts): HomepageLinks {
  const message = `The homepage could not be read for its links. ${reason}`;
  return {
    urls: [],
    problems: [{ code: 'homepage-links-failed', message, ...facts }],
  };
}
