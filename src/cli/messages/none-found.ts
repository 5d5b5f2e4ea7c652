/** Where no sitemap was found: what was requested, and what was not. */

import { count, list } from '../../problems/wording.ts';
import type { CrawlFlags } from '../args/option-flags.ts';
import type { SiteResult } from './site-result.ts';

/** @param knownPaths - how many known paths there are */
export function noneFoundInWords(
  flags: CrawlFlags & { readonly sitemap?: boolean | undefined },
  { problems }: SiteResult,
  knownPaths: number,
): string {
  if (flags.sitemap === true) return 'no readable sitemap.';
  // Where requests failed, what was not found says nothing.
  if (problems.length > 0) return 'no sitemap found.';
  const { robots, known, knownPath = [] } = flags;
  const asked: string[] = [];
  const notAsked: string[] = [];
  if (robots === false) notAsked.push('robots.txt (--no-robots)');
  else asked.push('robots.txt declares none');
  if (known === false) notAsked.push('the known paths (--no-known)');
  const places = (known === false ? 0 : knownPaths) + knownPath.length;
  if (places > 0) asked.push(`none is at ${count(places, 'known path')}`);
  const parts = [list(asked), notAsked.length > 0 ? `${list(notAsked)} not requested` : ''];
  return `no sitemap found: ${parts.filter((part) => part !== '').join('; ')}.`;
}
