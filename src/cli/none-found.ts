/** Why there may be no sitemap: which places were looked at. */
import type { CrawlFlags } from './crawl-flags.ts';
import { count, list } from './wording.ts';

/** @param knownPaths - how many usual places there are */
export function noneFoundInWords(flags: CrawlFlags, isSitemap: boolean, knownPaths: number): string {
  if (isSitemap) return 'no readable sitemap.';
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
