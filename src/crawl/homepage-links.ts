/** The sitemaps and feeds that the homepage itself links to, in its head and its `Link:` header. */
import { HtmlLinks, linksOfHeader } from '../parse/formats/html-links.ts';
import { factsOfFailure, type Problem, type ProblemFacts } from '../problems/problem-list.ts';
import type { Crawl } from './crawl.ts';
import { TIME_IS_UP } from './limits.ts';

/** What the homepage links to. */
export interface HomepageLinks {
  readonly urls: readonly string[];
  readonly problems: readonly Problem[];
}

/** Fetches the homepage and reads its links; it is read no further than its head. */
export async function homepageLinks<Node>(crawl: Crawl<Node>, homepage: string): Promise<HomepageLinks> {
  const { deadline } = crawl.limits;
  try {
    deadline.throwIfAborted();
    const document = await crawl.fetcher.fetch(homepage, { signal: deadline });
    if (document.type === 'failed') return failed(document.reason, factsOfFailure(document));
    if (document.type !== 'document') throw new TypeError('The homepage is fetched without conditions.');
    const links = new HtmlLinks(document.url);
    for await (const chunk of document.bytes()) {
      links.write(chunk);
      if (links.isOver) break;
    }
    const fromHeader = linksOfHeader(document.header('link') ?? '', document.url);
    return { urls: [...new Set([...fromHeader, ...links.urls])], problems: [] };
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
