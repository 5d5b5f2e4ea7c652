/**
 * Random sites that change from run to run, and trees as a crawl makes them: with failures, limits, filters, redirects
 * and stale documents. A tree is made of the same nodes as a crawl makes it of, without the network.
 */
import fc from 'fast-check';
import type { SitemapFields, TriedPath } from '../../src/sitemap/node-fields.ts';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
  type Sitemap,
  walkTree,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { SITE, source } from '../support/trees.ts';

const DOCUMENTS = 7;
const PAGES = 8;
/** These documents are at known paths. */
const KNOWN = [0, 1];

/** A document of the site; documents are numbered. */
export type DocumentSpec =
  | { readonly type: 'pages'; readonly pages: readonly (readonly [page: number, version: number])[] }
  | { readonly type: 'index'; readonly children: readonly number[] }
  | { readonly type: 'redirect'; readonly to: number }
  | { readonly type: 'missing' };

/** What a site says at one time. */
export interface SiteSpec {
  readonly robots: readonly number[] | undefined;
  readonly documents: readonly DocumentSpec[];
}

/** What happens in one run, and what the caller asked for. */
export interface RunSpec {
  readonly failing: readonly number[];
  readonly robotsFails: boolean;
  readonly truncated: readonly number[];
  readonly refused: readonly number[];
  readonly useRobots: boolean;
  readonly useKnownPaths: boolean;
  readonly maxSitemaps: number;
  readonly staleIfError: boolean;
}

const number = fc.nat(DOCUMENTS - 1);
const several = fc.uniqueArray(number, { maxLength: 4 });
const documentSpec: fc.Arbitrary<DocumentSpec> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('pages' as const),
      pages: fc.array(fc.tuple(fc.nat(PAGES - 1), fc.nat(1)), { maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('index' as const), children: several }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('redirect' as const), to: number }) },
  { weight: 1, arbitrary: fc.constant({ type: 'missing' as const }) },
);
const robots = fc.option(several, { nil: undefined, freq: 4 });

export const siteSpec: fc.Arbitrary<SiteSpec> = fc.record({
  robots,
  documents: fc.array(documentSpec, { minLength: DOCUMENTS, maxLength: DOCUMENTS }),
});

/** Five sites, each made of the one before. */
export const changingSite: fc.Arbitrary<readonly SiteSpec[]> = fc
  .tuple(
    siteSpec,
    fc.array(
      fc.record({
        robots: fc.option(
          robots.map((children) => ({ children })),
          { nil: undefined, freq: 1 },
        ),
        documents: fc.array(fc.option(documentSpec, { nil: undefined, freq: 1 }), {
          minLength: DOCUMENTS,
          maxLength: DOCUMENTS,
        }),
      }),
      { minLength: 4, maxLength: 4 },
    ),
  )
  .map(([first, changes]) => {
    const sites = [first];
    for (const change of changes) {
      const last = sites.at(-1)!;
      sites.push({
        robots: change.robots === undefined ? last.robots : change.robots.children,
        documents: last.documents.map((document, index) => change.documents[index] ?? document),
      });
    }
    return sites;
  });

const some = fc.oneof(fc.constant<number[]>([]), fc.uniqueArray(number, { maxLength: 3 }));
const mostly = fc.nat(5).map((choice) => choice > 0);

export const runSpec: fc.Arbitrary<RunSpec> = fc.record({
  failing: some,
  robotsFails: mostly.map((is) => !is),
  truncated: some,
  refused: fc.oneof({ weight: 3, arbitrary: fc.constant<number[]>([]) }, { weight: 1, arbitrary: some }),
  useRobots: mostly,
  useKnownPaths: mostly,
  maxSitemaps: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1000) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 8 }) },
  ),
  staleIfError: fc.boolean(),
});

/** Nothing fails, and everything is asked for. */
export const PERFECT: RunSpec = {
  failing: [],
  robotsFails: false,
  truncated: [],
  refused: [],
  useRobots: true,
  useKnownPaths: true,
  maxSitemaps: 1000,
  staleIfError: false,
};

/** The URL of a document. */
const urlOf = (document: number): string => `${SITE}${document}.xml`;
const ROBOTS = `${SITE}robots.txt`;

/** What a URL turned out to be. */
type Outcome =
  | { readonly type: 'invalid'; readonly code: string; readonly status?: number }
  | {
      readonly type: 'found';
      readonly url: string;
      readonly entries: readonly string[] | undefined;
      readonly text: string;
      readonly truncated: boolean;
      readonly stale: boolean;
    };

/** Makes the tree of a run. */
export function crawl(site: SiteSpec, run: RunSpec, previous: Sitemap | undefined): IndexWebsiteSitemap {
  return new RandomCrawl(site, run, previous).tree();
}

/** What documents said, so that a later run can show them again. */
const said = new WeakMap<
  Sitemap,
  { readonly text: string; readonly entries: readonly string[] | undefined }
>();

class RandomCrawl {
  readonly #site: SiteSpec;
  readonly #run: RunSpec;
  readonly #earlier = new Map<string, Sitemap>();
  readonly #spool = new Spool({ memoryBytes: 1_000_000 });
  readonly #sources = new Map<string, ReturnType<typeof source>>();
  readonly #declared = new Set<string>();
  #nodes = 0;
  #isFull = false;

  constructor(site: SiteSpec, run: RunSpec, previous: Sitemap | undefined) {
    this.#site = site;
    this.#run = run;
    if (previous === undefined || !run.staleIfError) return;
    for (const { sitemap } of walkTree(previous)) {
      if (!said.has(sitemap)) continue;
      for (const url of [sitemap.url, sitemap.declaredUrl]) if (url) this.#earlier.set(url, sitemap);
    }
  }

  tree(): IndexWebsiteSitemap {
    const children: Sitemap[] = [];
    const tried: TriedPath[] = [];
    if (this.#run.useRobots) {
      this.#declared.add(ROBOTS);
      const outcome = this.#robotsOutcome();
      tried.push(triedPath(ROBOTS, outcome));
      if (outcome.type === 'found' && this.#takeNode()) children.push(this.#node(ROBOTS, [], outcome));
    }
    if (this.#run.useKnownPaths) {
      const outcomes = KNOWN.map(urlOf)
        .filter((url) => !this.#declared.has(url))
        .map((url) => [url, this.#outcome(url)] as const);
      for (const [url, outcome] of outcomes) {
        tried.push(triedPath(url, outcome));
        if (outcome.type === 'invalid' || this.#declared.has(outcome.url)) continue;
        this.#declared.add(url).add(outcome.url);
        if (this.#takeNode()) children.push(this.#node(url, [], outcome));
      }
    }
    return new IndexWebsiteSitemap({
      url: SITE,
      subSitemaps: children,
      triedPaths: tried,
      complete: false,
      stopped: this.#isFull ? { limit: 'maxSitemaps', message: 'full' } : undefined,
      documents: this.#spool,
    });
  }

  #takeNode(): boolean {
    if (this.#nodes < this.#run.maxSitemaps) return this.#nodes++ >= 0;
    this.#isFull = true;
    return false;
  }

  #robotsOutcome(): Outcome {
    const { robots: children } = this.#site;
    if (this.#run.robotsFails) return this.#failed(ROBOTS);
    if (children === undefined) return { type: 'invalid', code: 'http-status', status: 404 };
    const entries = children.map(urlOf);
    return { type: 'found', url: ROBOTS, entries, text: '', truncated: false, stale: false };
  }

  #outcome(url: string): Outcome {
    const document = Number(url.slice(SITE.length, -'.xml'.length));
    if (this.#run.failing.includes(document)) return this.#failed(url);
    const spec = this.#site.documents[document]!;
    if (spec.type === 'missing') return { type: 'invalid', code: 'http-status', status: 404 };
    if (spec.type === 'redirect') {
      // Two hops at most: the second one must not redirect again.
      const target = this.#site.documents[spec.to]!;
      return target.type === 'redirect'
        ? { type: 'invalid', code: 'too-many-redirects' }
        : this.#outcome(urlOf(spec.to));
    }
    const truncated = this.#run.truncated.includes(document);
    const shown = <Item>(items: readonly Item[]): readonly Item[] => (truncated ? items.slice(0, 1) : items);
    if (spec.type === 'index') {
      return {
        type: 'found',
        url,
        entries: shown(spec.children).map(urlOf),
        text: '',
        truncated,
        stale: false,
      };
    }
    const text = urlsetOf(shown(spec.pages));
    return { type: 'found', url, entries: undefined, text, truncated, stale: false };
  }

  #failed(url: string): Outcome {
    const earlier = this.#earlier.get(url);
    const kept = earlier === undefined ? undefined : said.get(earlier);
    if (earlier === undefined || kept === undefined)
      return { type: 'invalid', code: 'http-status', status: 503 };
    return { type: 'found', url: earlier.url, ...kept, truncated: earlier.truncated, stale: true };
  }

  #node(url: string, above: readonly string[], outcome: Outcome): Sitemap {
    if (outcome.type === 'invalid') return new InvalidSitemap({ url, reason: 'It failed.', ...outcome });
    const { entries, text, truncated, stale } = outcome;
    const isRedirected = outcome.url !== url;
    if (isRedirected) {
      this.#declared.add(outcome.url);
      if (above.includes(outcome.url)) return recursion(url);
    }
    const fields = {
      url: outcome.url,
      declaredUrl: isRedirected ? url : undefined,
      truncated,
      freshness: stale ? ('stale' as const) : undefined,
    };
    const node =
      entries === undefined
        ? new PagesXMLSitemap({ ...fields, pages: this.#source(outcome.url, text) })
        : this.#index(fields, entries, [...above, url, outcome.url]);
    said.set(node, { text, entries });
    return node;
  }

  #index(fields: SitemapFields, entries: readonly string[], below: readonly string[]): Sitemap {
    for (const url of entries) this.#declared.add(url);
    const refused = entries.filter((url) => this.#run.refused.some((document) => urlOf(document) === url));
    const chosen = entries.filter((url) => !refused.includes(url));
    const children: Sitemap[] = [];
    for (const url of chosen) {
      if (!this.#takeNode()) break;
      children.push(below.includes(url) ? recursion(url) : this.#node(url, below, this.#outcome(url)));
    }
    const isCutOff = children.length < chosen.length;
    const Class = fields.url === ROBOTS ? IndexRobotsTxtSitemap : IndexXMLSitemap;
    return new Class({
      ...fields,
      subSitemaps: children,
      filteredUrls: refused,
      problems: isCutOff ? [{ code: 'too-many-sitemaps', message: 'full' }] : [],
    });
  }

  /** One source for a document, as in a real tree; a stale document is another than the one that was read. */
  #source(url: string, text: string): ReturnType<typeof source> {
    const key = `${url} ${text}`;
    const made = this.#sources.get(key) ?? source(this.#spool, text, url);
    this.#sources.set(key, made);
    return made;
  }
}

function recursion(url: string): Sitemap {
  return new InvalidSitemap({ url, code: 'recursion', reason: 'It leads back.' });
}

function triedPath(url: string, outcome: Outcome): TriedPath {
  return outcome.type === 'invalid' ? { url, code: outcome.code, status: outcome.status } : { url };
}

function urlsetOf(pages: readonly (readonly [number, number])[]): string {
  const urls = pages.map(
    ([page, version]) =>
      `<url><loc>${SITE}page-${page}</loc><lastmod>2024-05-0${version + 1}</lastmod></url>`,
  );
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`;
}
