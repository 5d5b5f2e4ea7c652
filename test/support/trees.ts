/** Trees to test with: real documents in a real spool, by hand or as fast-check makes them. */

import fc from 'fast-check';
import type { PagesSitemapKind } from '../../src/parse/model/kinds.ts';
import type { ProblemCode } from '../../src/problems/catalogue.ts';
import { SitemapException, SitemapXMLParsingException } from '../../src/problems/errors.ts';
import type { Problem } from '../../src/problems/problem-list.ts';
import { DocumentPages, type PageSource } from '../../src/sitemap/page-source.ts';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesAtomSitemap,
  PagesRSSSitemap,
  PagesTextSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { anyCharacter, webUrls } from './any-text.ts';
import { documentFrom } from './generated-document.ts';

export const SITE = 'https://example.org/';

/** A urlset that lists these paths. */
export function urlset(...paths: readonly string[]): string {
  const urls = paths.map((path) => `<url><loc>${SITE}${path}</loc></url>`).join('');
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
}

/** The pages of a document that is put into a spool. */
export function source(spool: Spool, text: string, url: string = `${SITE}sitemap.xml`): DocumentPages {
  const writer = spool.writer();
  void writer.write(Buffer.from(text));
  return new DocumentPages(
    writer.end({ options: { url, charset: undefined }, requestedAt: undefined, truncatedBy: undefined }),
  );
}

/** A node that lists these paths. */
export function pagesNode(spool: Spool, name: string, ...paths: readonly string[]): PagesXMLSitemap {
  const url = `${SITE}${name}`;
  return new PagesXMLSitemap({ url, pages: source(spool, urlset(...paths), url) });
}

/** robots.txt → an index of two, one of them shared with a second index; then a feed and one that is unreadable. */
export function sampleTree(spool: Spool = new Spool({ memoryBytes: 1_000_000 })): IndexWebsiteSitemap {
  const a = pagesNode(spool, 'a.xml', 'a1', 'a2', 'both');
  const shared = source(spool, urlset('s1', 'both'), `${SITE}shared.xml`);
  const sharedNode = () => new PagesXMLSitemap({ url: `${SITE}shared.xml`, pages: shared });
  const index = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps: [a, sharedNode()] });
  const missing = new InvalidSitemap({
    url: `${SITE}missing.xml`,
    code: 'http-status',
    reason: `${SITE}missing.xml answered 404 Not Found.`,
    status: 404,
  });
  const second = new IndexXMLSitemap({ url: `${SITE}second.xml`, subSitemaps: [missing, sharedNode()] });
  const robots = new IndexRobotsTxtSitemap({ url: `${SITE}robots.txt`, subSitemaps: [index, second] });
  const rss =
    '<rss version="2.0"><channel><item><link>https://example.org/news</link></item></channel></rss>';
  const feed = new PagesRSSSitemap({ url: `${SITE}feed`, pages: source(spool, rss, `${SITE}feed`) });
  return new IndexWebsiteSitemap({
    url: SITE,
    subSitemaps: [robots, feed],
    complete: false,
    documents: spool,
  });
}

const PAGES = {
  'pages-xml': PagesXMLSitemap,
  'pages-text': PagesTextSitemap,
  'pages-rss': PagesRSSSitemap,
  'pages-atom': PagesAtomSitemap,
} as const;

type DocumentSpec = { readonly kind: PagesSitemapKind; readonly text: string };
type NodeSpec = {
  readonly type: 'index' | 'robots' | 'pages' | 'invalid';
  readonly name: string;
  readonly declared: boolean;
  readonly time: number | undefined;
  readonly document: number;
  readonly problems: readonly Problem[];
  readonly uncounted: number;
  readonly status: number | undefined;
  readonly children: readonly NodeSpec[];
};

/** What a tree is to be made of: plain, so that fast-check can show and shrink it. */
export interface TreeSpec {
  readonly documents: readonly DocumentSpec[];
  readonly nodes: readonly NodeSpec[];
  readonly complete: boolean;
  readonly stopped: { readonly limit: string; readonly message: string } | undefined;
}

/** Choices for a generated document; as long as it may be, or hardly any would have an extension. */
const tape: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 300, size: 'max' });
const lines = fc.array(fc.oneof(webUrls, fc.string({ unit: 'grapheme' })), { maxLength: 5 });
const document: fc.Arbitrary<DocumentSpec> = fc.oneof(
  tape.map((choices) => ({ kind: 'pages-xml' as const, text: documentFrom(choices, 'urlset') })),
  tape.map((choices) => ({ kind: 'pages-rss' as const, text: documentFrom(choices, 'rss') })),
  tape.map((choices) => ({ kind: 'pages-atom' as const, text: documentFrom(choices, 'atom') })),
  lines.map((all) => ({ kind: 'pages-text' as const, text: `${SITE}first\n${all.join('\n')}` })),
  // Cut anywhere: the document's own problems, and `truncated`.
  fc.tuple(tape, fc.nat(500)).map(([choices, length]) => ({
    kind: 'pages-xml' as const,
    text: `<urlset>${documentFrom(choices, 'urlset').slice(0, length)}`,
  })),
);

const problem = fc.record({
  // An archive that another version has saved may have other codes.
  code: fc.constantFrom('truncated', 'x' as ProblemCode),
  message: fc.string(),
  offset: fc.nat(),
});
const { node } = fc.letrec<{ node: NodeSpec }>((tie) => ({
  node: fc.record({
    type: fc.constantFrom('index', 'robots', 'pages', 'pages', 'pages', 'invalid'),
    name: fc.string({ unit: anyCharacter, maxLength: 8 }),
    declared: fc.boolean(),
    time: fc.option(fc.integer({ min: -1e13, max: 1e14 }), { nil: undefined }),
    document: fc.nat(20),
    problems: fc.array(problem, { maxLength: 2 }),
    uncounted: fc.nat(3),
    status: fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }),
    children: fc.oneof({ maxDepth: 3 }, fc.constant([]), fc.array(tie('node'), { maxLength: 3 })),
  }),
}));

export const treeSpec: fc.Arbitrary<TreeSpec> = fc.record({
  documents: fc.array(document, { minLength: 1, maxLength: 4 }),
  nodes: fc.array(node, { maxLength: 4 }),
  complete: fc.boolean(),
  stopped: fc.option(fc.record({ limit: fc.string(), message: fc.string() }), { nil: undefined }),
});

/** Makes the tree. Several nodes may show one document. */
export function treeFrom(spec: TreeSpec, spool: Spool): IndexWebsiteSitemap {
  const sources = spec.documents.map(({ kind, text }) => ({ kind, pages: source(spool, text) }));
  const subSitemaps = spec.nodes.map((each) => nodeFrom(each, sources));
  const { complete, stopped } = spec;
  return new IndexWebsiteSitemap({ url: SITE, subSitemaps, complete, stopped, documents: spool });
}

function nodeFrom(
  spec: NodeSpec,
  sources: readonly { readonly kind: PagesSitemapKind; readonly pages: PageSource }[],
): Sitemap {
  const fields = {
    url: `${SITE}${spec.name}`,
    declaredUrl: spec.declared ? `${SITE}declared` : undefined,
    lastModified: spec.time === undefined ? undefined : new Date(spec.time),
    problems: spec.problems,
    problemCount: spec.problems.length === 0 ? 0 : spec.problems.length + spec.uncounted,
  };
  const subSitemaps = spec.children.map((child) => nodeFrom(child, sources));
  const { kind, pages } = sources[spec.document % sources.length]!;
  switch (spec.type) {
    case 'index':
      return new IndexXMLSitemap({ ...fields, subSitemaps });
    case 'robots':
      return new IndexRobotsTxtSitemap({ ...fields, subSitemaps });
    case 'pages':
      return new PAGES[kind]({ ...fields, pages });
    case 'invalid': {
      const options = { code: 'not-a-sitemap', url: fields.url };
      const error = spec.declared
        ? new SitemapXMLParsingException('an SVG', options)
        : new SitemapException('refused', options);
      return new InvalidSitemap({
        ...fields,
        code: spec.name,
        reason: 'It is no use.',
        status: spec.status,
        error,
      });
    }
  }
}
