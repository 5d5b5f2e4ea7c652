/** The page around the sections. */
import { createHash } from 'node:crypto';
import { VERSION } from '../../options/version.ts';
import type { PageAssets } from '../page-assets.ts';
import type { TreeSummary } from '../summary/summary.ts';
import type { DrillData } from './charts.ts';
import { escaped } from './markup.ts';
import { nameOf } from './verdict.ts';

/** What is before the sections. */
export function pageStart(
  site: TreeSummary,
  { script, style }: PageAssets,
  sections: readonly Section[],
): string {
  const title = `Sitemap report: ${plain(nameOf(site.url))}`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const links = sections.map(({ id, name }) => `<li><a href="#${id}">${name}</a></li>`).join('');
  return (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
    `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">' +
    `<meta name="color-scheme" content="light dark"><title>${title}</title><style>${style}</style></head><body>` +
    '<a class="skip" href="#main">Skip to the report</a>' +
    '<header class="top"><h1>' +
    `<span class="kind">Sitemap report</span> ${nameOf(site.url)}</h1>${readAt(site)}</header>` +
    `<nav aria-label="Sections"><ul>${links}</ul></nav><main id="main">${PATTERNS}`
  );
}

/** A section in the list of contents. */
export interface Section {
  readonly id: string;
  readonly name: string;
}

/** What is behind the sections. */
export function pageEnd(drill: DrillData, { script }: PageAssets): string {
  // A data block is not run; with "<" escaped nothing in it can end it.
  const data = JSON.stringify(drill).replaceAll('<', '\\u003c');
  return (
    `</main><footer><p>Made by ultimate-sitemap-parser ${escaped(VERSION)}. Dates are in UTC.</p></footer>` +
    `<script type="application/json" id="drill-data">${data}</script>` +
    `<script type="module">${script}</script></body></html>\n`
  );
}

function readAt({ readAt: time }: TreeSummary): string {
  if (time === undefined) return '';
  const shown = `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
  return `<p class="read-at">Read <time datetime="${escaped(time)}">${escaped(shown)}</time></p>`;
}

function plain(html: string): string {
  return html.replaceAll(/<\/?bdi>/g, '');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Patterns that charts are filled with: they differ where colours do not. */
const PATTERNS =
  '<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>' +
  '<pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
  '<rect width="6" height="6" class="paper"/><rect width="3" height="6" class="ink"/></pattern>' +
  '<pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse">' +
  '<rect width="5" height="5" class="paper"/><circle cx="2.5" cy="2.5" r="1" class="ink"/></pattern>' +
  '</defs></svg>';
