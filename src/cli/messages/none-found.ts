/** Why there may be no sitemap: which places were looked at. */
import type { CrawlFlags } from '../args/crawl-flags.ts';
import type { SiteResult } from './site-result.ts';
import { count, list } from './wording.ts';

/** @param knownPaths - how many usual places there are */
export function noneFoundInWords(
  flags: CrawlFlags & { readonly sitemap?: boolean | undefined },
  { problems }: SiteResult,
  knownPaths: number,
): string {
  if (flags.sitemap === true) return 'no readable sitemap.';
  // Where looking itself failed, what was not found says nothing.
  if (problems.length > 0) return 'no sitemap found.';
  const { robots, known, knownPath = [] } = flags;
  const asked: string[] = [];
  const notAsked: string[] = [];
  if (robots === false) notAsked.push('robots.txt (--no-robots)');
  else asked.push('robots.txt leads to none');
  if (known === false) notAsked.push('the usual places (--no-known)');
  const places = (known === false ? 0 : knownPaths) + knownPath.length;
  if (places > 0) asked.push(`none is at ${count(places, 'usual place')}`);
  const parts = [list(asked), notAsked.length > 0 ? `${list(notAsked)} not looked at` : ''];
  return `no sitemap found: ${parts.filter((part) => part !== '').join('; ')}.`;
}
