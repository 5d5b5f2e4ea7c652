/** The problems of documents that were read. */

import { type Problem, type Sitemap, walkTree } from '../../index.ts';
import { count, number } from '../../problems/wording.ts';
import { inFlags } from '../args/option-flags.ts';
import type { Reporter } from './reporter.ts';

/** How many problems of one document are listed without `-v`. */
const LISTED = 10;

interface DocumentProblems {
  readonly name: string;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

/** Lists the problems of one document, each with its place and its code; all that are known with `-v`. */
export function listProblems(
  document: DocumentProblems,
  reporter: Reporter,
  say: (line: string) => void,
): void {
  const { name, problems, problemCount } = document;
  if (problemCount === 0) return;
  say(`${name}: read, with ${count(problemCount, 'problem')}:`);
  const listed = reporter.isVerbose ? problems : problems.slice(0, LISTED);
  for (const problem of listed) {
    say(`  ${placeOf(problem)}${inFlags(problem.message, problem.option)} (${problem.code})`);
  }
  if (problemCount > listed.length) say(`  … and ${number(problemCount - listed.length)} more.`);
}

function placeOf({ offset, line, column }: Problem): string {
  if (line !== undefined) return `line ${number(line)}, column ${number(column ?? 1)}: `;
  return offset === undefined ? '' : `byte ${number(offset)}: `;
}

/**
 * Lists the problems of the documents of a tree with `-v` only, since they may have to be read again for it. Without
 * `-v`, where the output counts problems, says how to see them. Those of the site itself are reported elsewhere.
 */
export function detailProblems(
  tree: Sitemap,
  reporter: Reporter,
  { format, pages: withPages = true }: { readonly format: string; readonly pages?: boolean | undefined },
): void {
  // A document at several places of the tree is one document.
  const documents = new Map<string, Sitemap>();
  for (const { sitemap } of walkTree(tree))
    if (sitemap.kind !== 'website' && sitemap.kind !== 'invalid') documents.set(sitemap.url, sitemap);
  if (reporter.isVerbose) {
    for (const [name, { problems, problemCount }] of documents)
      listProblems({ name, problems, problemCount }, reporter, (line) => reporter.detail(line));
  } else if (format === 'tree' && !reporter.isQuiet) {
    const hasProblems = [...documents.values()].some((sitemap) => problemsShown(sitemap, withPages) > 0);
    if (hasProblems) reporter.hint('-v says what the problems are.');
  }
}

/** How many problems the format `tree` shows for a node: those of a page document only where its pages are counted. */
export function problemsShown(node: Sitemap, withPages: boolean): number {
  if (node.kind === 'website' || node.kind === 'invalid') return 0;
  // To know them, a page document must be read.
  return !withPages && node.kind.startsWith('pages-') ? 0 : node.problemCount;
}
