/** What was odd about the documents of a tree, although they were read. */
import type { Sitemap } from '../../index.ts';
import { inFlags } from '../args/flag-names.ts';
import type { Reporter } from './reporter.ts';
import { count, number } from './wording.ts';

/** So many problems of one document are told. */
const TOLD = 10;

/** Tells the problems of every document; those of the site itself are told elsewhere. A file goes by its own name. */
export function reportProblems(
  tree: Sitemap,
  tell: (line: string) => void,
  nameOfTop: string = tree.url,
): void {
  for (const node of [tree, ...tree.allSitemaps()]) {
    if (node.kind === 'website' || node.kind === 'invalid' || node.problemCount === 0) continue;
    tell(`${node === tree ? nameOfTop : node.url}: read, with ${count(node.problemCount, 'problem')}:`);
    for (const { code, message, option } of node.problems.slice(0, TOLD)) {
      tell(`  ${inFlags(message, option)} (${code})`);
    }
    if (node.problemCount > TOLD) tell(`  … and ${number(node.problemCount - TOLD)} more.`);
  }
}

/**
 * The same with `-v` only: reading documents again for what nobody asked is a waste. Without it, where the output speaks
 * of problems, how to hear of them.
 */
export function detailProblems(
  tree: Sitemap,
  reporter: Reporter,
  { format, pages: withPages = true }: { readonly format: string; readonly pages?: boolean | undefined },
): void {
  if (reporter.isVerbose) {
    reportProblems(tree, (line) => reporter.detail(line));
  } else if (format === 'tree' && !reporter.isQuiet) {
    const hasProblems = [tree, ...tree.allSitemaps()].some((node) => problemsShown(node, withPages) > 0);
    if (hasProblems) reporter.hint('-v says what the problems are.');
  }
}

/** How many problems the format `tree` shows of a node: those of a page document only where its pages were counted anyway. */
export function problemsShown(node: Sitemap, withPages: boolean): number {
  if (node.kind === 'website' || node.kind === 'invalid') return 0;
  // To know them, a page document must be read.
  return !withPages && node.kind.startsWith('pages-') ? 0 : node.problemCount;
}
