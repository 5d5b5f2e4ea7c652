/** What is said about a comparison when it is done: how many changes, what is unknown, what is stale. */
import type { DiffCounts, Sitemap } from '../../index.ts';
import { count, number } from '../../problems/wording.ts';
import { inFlags } from '../args/option-flags.ts';
import type { Reporter } from './reporter.ts';

interface Compared {
  readonly before: Sitemap;
  readonly after: Sitemap;
  readonly counts: DiffCounts;
}

export function reportChanges(reporter: Reporter, { before, after, counts }: Compared): void {
  const { added, removed, changed, unknown } = counts;
  const known = `${count(added, 'page')} added, ${number(removed)} removed, ${number(changed)} changed`;
  reporter.say(unknown === 0 ? `${known}.` : `${known}, ${number(unknown)} unknown.`);
  if (unknown > 0) {
    const more = reporter.isVerbose ? '' : ' (-v names what was not read)';
    reporter.say(
      `${count(unknown, 'page is', 'pages are')} unknown: ` +
        `a sitemap that lists ${unknown === 1 ? 'it' : 'them'} was not read in both trees${more}.`,
    );
    reportUnread(reporter, 'before', before);
    reportUnread(reporter, 'after', after);
  }
  const stale = sitemapsOf(after).filter(({ freshness }) => freshness === 'stale');
  if (stale.length === 0) return;
  reporter.say(
    `${count(stale.length, 'sitemap is', 'sitemaps are')} stale: not readable this time, and shown as read before.`,
  );
  for (const { url, staleness } of stale) {
    const { since, runs = 1, reason = '' } = staleness ?? {};
    reporter.say(`  ${url}, since ${since?.toISOString()}, in ${count(runs, 'run')}: ${reason}`);
  }
}

function reportUnread(reporter: Reporter, when: string, tree: Sitemap): void {
  for (const node of sitemapsOf(tree)) {
    if (node.kind === 'invalid') reporter.detail(`  ${when}: ${inFlags(node.reason, node.option)}`);
    else if (node.truncated) reporter.detail(`  ${when}: ${node.url} is truncated.`);
  }
  const { stopped } = tree;
  if (stopped !== undefined) reporter.detail(`  ${when}: ${inFlags(stopped.message, stopped.limit)}`);
}

function sitemapsOf(tree: Sitemap): readonly Sitemap[] {
  return [tree, ...tree.allSitemaps()];
}
