/** What the tests of a whole call share: small sites, and a tree as lines of text. */
import { onTestFinished } from 'vitest';
import {
  type AbstractSitemap,
  type IndexWebsiteSitemap,
  InvalidSitemap,
  type SitemapOptions,
  type StreamedPage,
  type StreamOptions,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';
import type { ScriptedServer, ServerOptions, Site } from '../server/scripted-server.ts';
import { serving } from './fetching.ts';
import { waitingFor } from './waits.ts';

/** A server with a site, which may know its own origin; closed when the test ends. */
export async function siteOf(
  site: Site | ((origin: string) => Site),
  options?: ServerOptions,
): Promise<ScriptedServer> {
  const server = await serving({}, options);
  Object.assign(server.site, typeof site === 'function' ? site(server.origin) : site);
  return server;
}

/** No proxy of the machine that runs the tests, and no waiting for what will not get better. */
export const QUICK: SitemapOptions = { proxy: false, retries: 0 };
/** The same for what robots.txt declares alone. */
export const DECLARED: SitemapOptions = { ...QUICK, useKnownPaths: false };

/** The tree of a site, closed when the test ends. */
export async function treeOf(
  { origin }: { readonly origin: string },
  options: SitemapOptions = QUICK,
): Promise<IndexWebsiteSitemap> {
  const tree = await waitingFor(() => `the tree of ${origin}`, sitemapTreeForHomepage(origin, options));
  onTestFinished(() => tree.close());
  return tree;
}

/** What is below a node, a line each: kind, path, and the pages' number or the failure's code. */
export function outline(top: AbstractSitemap, { origin }: { readonly origin: string }, depth = 0): string[] {
  return top.subSitemaps.flatMap((node) => {
    const declared = node.declaredUrl === undefined ? '' : ` (${node.declaredUrl.replace(origin, '')})`;
    const detail =
      node instanceof InvalidSitemap ? ` ${node.code}` : node.pageCount > 0 ? ` ${node.pageCount}` : '';
    const line = `${'  '.repeat(depth)}${node.kind} ${node.url.replace(origin, '')}${declared}${detail}`;
    return [line, ...outline(node, { origin }, depth + 1)];
  });
}

/** The codes of problems. */
export function codesOf(problems: readonly { readonly code: string }[]): string[] {
  return problems.map(({ code }) => code);
}

/** All pages of a site, streamed. */
export async function streamed(
  { origin }: { readonly origin: string },
  options: StreamOptions = QUICK,
): Promise<readonly StreamedPage[]> {
  const pages: StreamedPage[] = [];
  const reading = async (): Promise<void> => {
    for await (const page of streamPages(origin, options)) pages.push(page);
  };
  await waitingFor(() => `the pages of ${origin} after ${pages.length} of them`, reading());
  return pages;
}

/** URLs of pages, in order. */
export function urlsOf(pages: Iterable<{ readonly url: string }>): string[] {
  return Array.from(pages, ({ url }) => url);
}

/** How often a path was requested. */
export function timesAsked(server: ScriptedServer, path: string): number {
  return server.paths().filter((asked) => asked === path).length;
}

/** A promise and the function that resolves it. */
export function signalling(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
