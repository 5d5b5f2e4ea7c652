/**
 * Which documents could not be read whole since there was no time for them, as a tree or a stream says it: on a machine
 * that is busy with other work, a server that would respond does not do so within the timeouts.
 */
import {
  type PageStream,
  type Sitemap,
  type SitemapOptions,
  type SitemapPage,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';

export interface Trouble {
  /** Of the document; of the site, where its robots.txt or homepage came too late. */
  readonly url: string;
  readonly message: string;
}

const LATE: ReadonlySet<string> = new Set(['timeout', 'host-down', 'connection-broke']);

function ofProblems({ url, problems }: Pick<Sitemap, 'url' | 'problems'>): readonly Trouble[] {
  const late = problems.filter(({ code, failure = code }) => LATE.has(failure));
  return late.map(({ message }) => ({ url, message }));
}

function ofInvalid(node: Sitemap): readonly Trouble[] {
  return node.kind === 'invalid' && LATE.has(node.code) ? [{ url: node.url, message: node.reason }] : [];
}

function troublesOfTree(tree: Sitemap): readonly Trouble[] {
  return [tree, ...tree.allSitemaps()].flatMap((node) => [...ofInvalid(node), ...ofProblems(node)]);
}

function troublesOfStream(stream: PageStream, url: string): readonly Trouble[] {
  const { problems, invalidSitemaps, incompleteSitemaps } = stream;
  return [
    ...ofProblems({ url, problems }),
    ...invalidSitemaps.flatMap(ofInvalid),
    ...incompleteSitemaps.flatMap(ofProblems),
  ];
}

/** What was found of a site. */
export interface FoundPages {
  readonly pages: readonly FoundPage[];
  readonly troubles: readonly Trouble[];
  readonly complete: boolean;
}

interface FoundPage {
  readonly url: string;
  /** The URL of the sitemap that lists it. */
  readonly document: string;
}

const foundPage = ({ url }: SitemapPage, sitemap: Pick<Sitemap, 'url'>): FoundPage => ({
  url,
  document: sitemap.url,
});

/** The pages of a site as a tree. @param look - looks at the tree before it is closed */
export async function pagesOfTree(
  homepage: string,
  options: SitemapOptions,
  look?: (tree: Sitemap) => Promise<void>,
): Promise<FoundPages> {
  const tree = await sitemapTreeForHomepage(homepage, options);
  const pages = [...tree.allSitemaps()].flatMap((node) =>
    Array.from(node.pages, (page) => foundPage(page, node)),
  );
  await look?.(tree);
  const troubles = troublesOfTree(tree);
  tree.close();
  return { pages, troubles, complete: tree.complete };
}

/** The pages of a site as a stream. */
export async function pagesOfStream(homepage: string, options: SitemapOptions): Promise<FoundPages> {
  const stream = streamPages(homepage, options);
  const pages: FoundPage[] = [];
  for await (const { page, sitemap } of stream) pages.push(foundPage(page, sitemap));
  return { pages, troubles: troublesOfStream(stream, homepage), complete: stream.complete };
}
