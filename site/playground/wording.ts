/** Numbers and kinds in words. */
import type { Severity } from '../../src/check/rule.ts';

export function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

/** A size as people say it. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const unit = bytes < 1024 * 1024 ? 'KiB' : 'MiB';
  const number = bytes / (unit === 'KiB' ? 1024 : 1024 * 1024);
  return `${number.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
}

/** The findings of each severity, worst first, without zeroes. */
export function describeCounts(counts: Readonly<Record<Severity, number>>): string {
  const parts = [
    counts.error > 0 ? counted(counts.error, 'error') : '',
    counts.warning > 0 ? counted(counts.warning, 'warning') : '',
    counts.info > 0 ? `${counts.info.toLocaleString('en')} info` : '',
  ].filter(Boolean);
  return parts.length === 0 ? 'No findings' : parts.join(', ');
}

const KINDS: Readonly<Record<string, string>> = {
  'pages-xml': 'XML sitemap',
  'index-xml': 'sitemap index',
  'pages-rss': 'RSS feed',
  'pages-atom': 'Atom feed',
  'pages-text': 'text sitemap',
  'robots-txt': 'robots.txt',
  invalid: 'not a sitemap',
};

export function kindName(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** What a document lists: an index lists sitemaps. */
export function itemWord(kind: string | undefined): string {
  return kind === 'index-xml' || kind === 'robots-txt' ? 'sitemap' : 'page';
}
