/**
 * What all formats of findings have in common. A format escapes what its own syntax needs; cli/output/output.ts escapes
 * the rest, since it knows whether a terminal gets the text.
 */

import type { CheckSummary, Finding, SeverityCounts } from '../../check/finding.ts';
import { describeEntries, sumOf } from '../../check/findings-by-rule.ts';
import { findingsOf } from '../../check/rule-table.ts';
import { safeText } from '../../text/safe-text.ts';
import { count, number } from '../../text/wording.ts';
import type { ItemFormat, RowStyle } from './item-format.ts';

export type Painted = 'red' | 'yellow' | 'blue' | 'dim' | 'bold' | 'green';

export interface FormatOptions {
  /** Show every finding, where a format would show the first of many. @default false */
  readonly all?: boolean | undefined;
  /** Text in a colour; as it is by default. */
  readonly paint?: ((colour: Painted, text: string) => string) | undefined;
  /** Whether a document is a local file. @default what is not a URL */
  readonly isLocal?: ((document: string) => boolean) | undefined;
  readonly version?: string | undefined;
}

export interface CheckOutcome {
  readonly summary: CheckSummary;
  readonly hidden?: number | undefined;
}

export type FindingWriter = ItemFormat<Finding, RowStyle, CheckOutcome>;

export type FindingFormat = (options: FormatOptions) => FindingWriter;

/** A message in one line: documents are not trusted to have none. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A message in one line for people, on a terminal or in a log: characters that do harm are visible. */
export function shownLine(text: string): string {
  return safeText(oneLine(text), 'terminal');
}

/** `2 errors, 1 warning`: without severities that have no finding. */
export function counts({ error, warning, info }: SeverityCounts): string {
  const parts = [
    ...(error > 0 ? [count(error, 'error')] : []),
    ...(warning > 0 ? [count(warning, 'warning')] : []),
    ...(info > 0 ? [`${number(info)} info`] : []),
  ];
  return parts.join(', ');
}

/** `2 errors, 1 warning (40 entries)` */
export function describeTally({ counts: found, entries }: Pick<CheckSummary, 'counts' | 'entries'>): string {
  const stand = describeEntries(sumOf(found), sumOf(entries));
  return `${counts(found)}${stand === '' ? '' : ` (${stand})`}`;
}

/** How many findings there are. With a baseline it is "Nothing new", since the baseline hides findings. */
export function describeCounts({ summary, hidden = 0 }: CheckOutcome): string {
  return describeTally(summary) || (hidden > 0 ? 'Nothing new' : 'Nothing found');
}

/** How much was checked, and whether that is all. */
export function describeScope(summary: CheckSummary): string {
  const { documents, pages, alternatesNotChecked = 0, complete, stopped } = summary;
  const isUnread = documents === 0 && stopped === undefined;
  const none = isUnread ? '; no document could be read.' : '; no document was checked.';
  const looked = documents === 0 ? none : ` in ${count(documents, 'document')} with ${count(pages, 'page')}.`;
  const end =
    stopped !== undefined
      ? `The check was stopped (${stopped.limit}), so there may be more.`
      : 'Not everything could be read, so there may be more.';
  const tooMany =
    alternatesNotChecked === 0
      ? ''
      : ` There are too many alternates: ${number(alternatesNotChecked)} of them were not checked.`;
  return `${looked}${tooMany}${complete || isUnread ? '' : ` ${end}`}`;
}

export function describeHidden({ hidden = 0 }: CheckOutcome): string {
  return hidden === 0
    ? ''
    : ` ${count(hidden, 'finding')} of the baseline ${hidden === 1 ? 'is' : 'are'} not shown.`;
}

export function describeRequested({ requestedPages }: CheckSummary): string {
  if (requestedPages === undefined) return '';
  const { listed, requested, results } = requestedPages;
  const parts = results.map(({ result, status, count: times }) => {
    const words = result === 'indexable' ? 'listed and indexable' : result;
    return `${number(times)} ${words}${status === undefined || status === 200 ? '' : ` (${status})`}`;
  });
  const of = `${number(requested)} of ${count(listed, 'page')} ${requested === 1 ? 'was' : 'were'} requested`;
  return `${of}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}.`;
}

export function isUrl(document: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(document);
}

/** The sentence, with the number of entries that it stands for, and the page that it does not name. */
export function messageWithPage(finding: Finding): string {
  const { message, page, document, count: times = 1 } = finding;
  const text = oneLine(message);
  const isPageSaid = page === undefined || page === document || text.includes(page);
  const more = [
    describeEntries(findingsOf(finding), times),
    isPageSaid ? '' : `${times > 1 ? 'first: ' : ''}${oneLine(page)}`,
  ].filter((part) => part !== '');
  return more.length === 0 ? text : `${text} (${more.join('; ')})`;
}
