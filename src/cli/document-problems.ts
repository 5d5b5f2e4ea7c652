/** What was odd about the documents of a tree, although they were read. */
import type { Sitemap } from '../index.ts';
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
    for (const { code, message } of node.problems.slice(0, TOLD)) tell(`  ${message} (${code})`);
    if (node.problemCount > TOLD) tell(`  … and ${number(node.problemCount - TOLD)} more.`);
  }
}

/** The same with `-v` only: reading documents again for what nobody asked is a waste. */
export function detailProblems(tree: Sitemap, reporter: Reporter): void {
  if (reporter.isVerbose) reportProblems(tree, (line) => reporter.detail(line));
}
