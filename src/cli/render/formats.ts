/** The output formats. Each is loaded when it is used. */
import type { PageFormat, SitemapFormat, TreeFormat } from './format.ts';

/** The formats that list pages. */
export const PAGE_FORMATS: Readonly<Record<string, () => Promise<PageFormat>>> = {
  pages: async () => (await import('./pages.ts')).pages,
  ndjson: async () => (await import('./ndjson.ts')).ndjson,
  csv: async () => (await import('./csv.ts')).csv,
};

/** The formats that list sitemaps, with `--no-pages`. */
export const SITEMAP_FORMATS: Readonly<Record<string, () => Promise<SitemapFormat>>> = {
  ndjson: async () => (await import('./ndjson.ts')).ndjsonOfSitemaps,
  csv: async () => (await import('./csv.ts')).csvOfSitemaps,
};

/** The formats that show the tree. */
export const TREE_FORMATS: Readonly<Record<string, () => Promise<TreeFormat>>> = {
  tabtree: async () => (await import('./tabtree.ts')).tabtree,
  tree: async () => (await import('./tree.ts')).tree,
  json: async () => (await import('./json.ts')).json,
  summary: async () => (await import('./summary.ts')).summary,
  'summary-json': async () => (await import('./summary.ts')).summaryJson,
};

/** All names, the default first. */
export const FORMAT_NAMES: readonly string[] = [
  'tabtree',
  'pages',
  'tree',
  'json',
  'ndjson',
  'csv',
  'summary',
  'summary-json',
];
