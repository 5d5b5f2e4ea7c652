/** Who may fetch the pages of a tree: its robots.txt, read for an agent. */

import { isRobotsTxt } from '../parse/detection/detect.ts';
import { isMissing } from '../problems/catalogue.ts';
import { badInput } from '../problems/errors.ts';
import { AgentVerdicts, isAgent, NO_RULES, RobotsText, type RobotsVerdict } from '../robots/robots-rules.ts';
import { parsedUrl } from '../url.ts';
import { AbstractSitemap, internalsOf, type Sitemap } from './sitemap.ts';

/**
 * Whether an agent may fetch the pages of a site, by the robots.txt that its tree has: RFC 9309 and Google's reading of
 * it, as in `usp check`. A robots.txt that is not there (404, 410) allows everything.
 *
 * @example
 * ```ts
 * const verdictOf = await robotsVerdicts(tree, 'GPTBot');
 * for (const page of tree.allPages()) if (verdictOf(page.url).allowed !== false) console.log(page.url);
 * ```
 *
 * @param tree - of a homepage, or the node of a robots.txt; it must be open
 * @param agent - its name, or a User-Agent header that starts with it
 * @throws SitemapException with code `bad-input`
 */
export async function robotsVerdicts(
  tree: Sitemap,
  agent: string,
): Promise<(url: string | URL) => RobotsVerdict> {
  if (!(tree instanceof AbstractSitemap) || !isAgent(agent)) {
    throw badInput('robotsVerdicts needs a tree and the name of an agent.');
  }
  const verdicts = await verdictsOfTree(tree, agent);
  return (url) => verdicts.of(url);
}

/** @internal */
export async function verdictsOfTree(tree: Sitemap, agent: string): Promise<AgentVerdicts> {
  const verdicts = new AgentVerdicts(agent);
  if (tree.kind === 'website') {
    const missing = tree.triedPaths.find((path) => isRobotsTxt(path.url) && isMissing(path));
    if (missing !== undefined) verdicts.add(NO_RULES, missing);
  }
  for (const sitemap of [tree, ...tree.subSitemaps]) {
    if (sitemap.kind !== 'robots-txt' || parsedUrl(sitemap.url) === undefined) continue;
    const { document } = internalsOf(sitemap).facts ?? {};
    if (document === undefined) continue;
    verdicts.add(await RobotsText.of(document.chunksAsync()), sitemap);
  }
  return verdicts;
}
