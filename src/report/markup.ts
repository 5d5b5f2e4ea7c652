/** Pieces of HTML that the sections share. */

import type { Severity } from '../check/rule.ts';
import type { TreeSummary } from '../summary/tree-summary.ts';
import { escapedHtml } from '../text/safe-text.ts';
import { number } from '../text/wording.ts';
import { parsedUrl } from '../url.ts';
import { escaped, INVISIBLE, untrusted, withoutMiddle } from './charts.ts';

export { escaped, untrusted, withoutMiddle };

/** Longer addresses are shown, but not linked. */
const LONGEST_LINK = 2048;

/** An address as a link if it is http or https; else as text. */
export function link(url: string, label: string = url): string {
  const text = untrusted(label);
  if (!isLinked(url)) return text;
  // Not `escaped`: what cannot be seen is encoded, since the link must lead to the address itself.
  const href = escapedHtml(url.toWellFormed().replaceAll(INVISIBLE, encodeURIComponent));
  return `<a href="${href}" rel="noreferrer">${text}</a>`;
}

/** Whether an address becomes a link. */
export function isLinked(url: string): boolean {
  const parsed = url.length > LONGEST_LINK ? undefined : parsedUrl(url);
  if (parsed === undefined) return false;
  const { protocol, username, password } = parsed;
  // A text before an @ makes a link look as if it led elsewhere.
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** The address of a sitemap or page, without the origin of the site. */
export function shortened(url: string, origin: string): string {
  return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
}

/** A sentence with addresses without the origin of the site. */
export function withoutOrigin(sentence: string, origin: string): string {
  return sentence.replaceAll(`${origin}/`, '/');
}

/** The origin of a web address, else `\0`, which matches no URL. */
export function originOf(url: string): string {
  const parsed = parsedUrl(url);
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) ? parsed.origin : '\0';
}

/** The explanation of a rule as HTML. It is our own text, and its only Markdown is code. */
export function markdown(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** A part of a whole: `12 %`, `below 1 %`. */
export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %';
  const percent = (part / whole) * 100;
  if (percent < 1) return 'below 1 %';
  return percent > 99 && part < whole ? 'over 99 %' : `${Math.round(Math.min(100, percent))} %`;
}

export function hasSitemaps({ sitemaps }: TreeSummary): boolean {
  return sitemaps.count > 0;
}

/** The day of a time: `2024-05-06`. */
export function day(time: string): string {
  return time.replace(/T.*/, '');
}

export function idOf(prefix: string, name: string): string {
  return `${prefix}-${withoutMiddle(name, 60).replaceAll(/[^\w-]+/g, '-')}`;
}

/** Data in a script element, which is not run: with "<" escaped its data cannot end it. */
export function dataText(data: unknown): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

/** The most bytes of each section. Together with the script and the style they stay below 1,000,000. */
export const BUDGETS = {
  verdict: 20_000,
  fixFirst: 30_000,
  changes: 60_000,
  findings: 180_000,
  affected: 90_000,
  requested: 20_000,
  sitemaps: 230_000,
  charts: 130_000,
  drilling: 60_000,
  samples: 150_000,
} as const;

export class ByteBudget {
  #remaining: number;

  constructor(bytes: number) {
    this.#remaining = bytes;
  }

  /** Whether a piece fits; if so, it is counted. */
  takes(piece: string): boolean {
    const bytes = Buffer.byteLength(piece);
    if (bytes > this.#remaining) return false;
    this.#remaining -= bytes;
    return true;
  }

  fill(pieces: Iterable<string>): string[] {
    const items: string[] = [];
    for (const piece of pieces) {
      if (!this.takes(piece)) break;
      items.push(piece);
    }
    return items;
  }
}

/** Severities are never shown by colour alone. */
const ICONS: Readonly<Record<Severity | 'ok', string>> = {
  error: 'M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2ZM5.7 5.7l4.6 4.6m0-4.6-4.6 4.6',
  warning: 'M8 1.5 15.2 14H.8ZM8 6v4m0 1.6v.8',
  info: 'M8 1a7 7 0 1 0 .01 0ZM8 7v4.6M8 4v1',
  ok: 'M8 1a7 7 0 1 0 .01 0ZM4.8 8.2l2.2 2.2 4.2-4.6',
};

export function icon(severity: Severity | 'ok'): string {
  return (
    `<svg class="icon ${severity}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">` +
    `<path d="${ICONS[severity]}"/></svg>`
  );
}

export function badge(severity: Severity): string {
  return `<span class="badge ${severity}">${icon(severity)} ${severity}</span>`;
}

/** `error`, `errors`, `info findings` */
export function severityName(severity: Severity, value: number): string {
  const one = severity === 'info' ? 'info finding' : severity;
  return value === 1 ? one : `${one}s`;
}

/** `3 errors`, `2 info findings` */
export function severityCount(severity: Severity, value: number): string {
  return `${number(value)} ${severityName(severity, value)}`;
}
