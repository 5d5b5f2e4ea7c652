/**
 * A site that changes from run to run, and breaks: robots.txt, indexes in two levels, page sitemaps with and without
 * gzip and validators. What it serves is decided once for each run and URL, so that a run has one truth.
 */
import { gzipSync } from 'node:zlib';
import type { WebClient } from '../../src/index.ts';
import type { Chance } from './random.ts';

type Fault =
  | ('500' | '503' | '403' | '404' | '410' | 'timeout' | 'cut' | 'html')
  | ('wrong-304' | 'no-validators');

const FAULTS: readonly Fault[] = [
  ...(['500', '503', '403', '404', '410', 'timeout', 'cut', 'html'] as const),
  ...(['wrong-304', 'no-validators'] as const),
];

export interface SiteDocument {
  readonly type: 'robots' | 'index' | 'pages';
  /** Paths: of sitemaps for an index, of pages otherwise. */
  entries: string[];
  readonly validators: 'etag' | 'date' | 'both' | 'none';
  version: number;
}

/** What one URL responds with in one run. */
export interface Served {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The connection breaks behind the body; without a status, before it. */
  readonly breaks: boolean;
}

/** A host that refuses is asked more slowly: with more refusals a run of 200 documents would wait for minutes. */
const MOST_REFUSALS = 2;

const ROBOTS = '/robots.txt';
/** The path that is requested although nothing declares it. */
export const KNOWN_PATH = '/known.xml';
const HTML = Buffer.from(
  '<!DOCTYPE html><html><head><title>Sorry</title></head><body>Try later.</body></html>',
);
const NONE = Buffer.alloc(0);

export class ChangingSite {
  readonly origin: string;
  readonly documents: Map<string, SiteDocument> = new Map();
  readonly #chance: Chance;
  #names = 0;
  #faults: ReadonlyMap<string, Fault> = new Map();

  constructor(origin: string, chance: Chance, size: number) {
    this.origin = origin;
    this.#chance = chance;
    this.documents.set(ROBOTS, this.#made('robots'));
    if (chance.happens(0.5)) this.documents.set(KNOWN_PATH, this.#pages());
    while (this.documents.size < size) this.#addSomewhere();
  }

  #made(type: SiteDocument['type']): SiteDocument {
    const validators = this.#chance.pick(['etag', 'etag', 'date', 'both', 'none'] as const);
    return { type, entries: [], validators, version: this.#names++ };
  }

  #pages(): SiteDocument {
    const document = this.#made('pages');
    for (let count = this.#chance.between(1, 6); count > 0; count--) document.entries.push(this.#page());
    return document;
  }

  /** A new page, or one that is listed already. */
  #page(): string {
    const listed = this.#chance.happens(0.1) ? [...this.listed().pages] : [];
    return listed.length > 0 ? this.#chance.pick(listed) : `/page-${this.#names++}`;
  }

  #path(type: 'index' | 'pages'): string {
    const ending = this.#chance.happens(0.3) ? 'xml.gz' : 'xml';
    return `/${type}-${this.#names++}.${ending}`;
  }

  #of(type: SiteDocument['type']): readonly [string, SiteDocument][] {
    const { documents } = this.listed();
    return [...this.documents].filter(([path, document]) => document.type === type && documents.has(path));
  }

  /** Indexes that robots.txt declares; an index in one of them is at the second level. */
  #upperIndexes(): readonly [string, SiteDocument][] {
    const declared = this.documents.get(ROBOTS)!.entries;
    return this.#of('index').filter(([path]) => declared.includes(path));
  }

  #addSomewhere(): void {
    const isIndex = this.#chance.happens(0.12);
    const path = this.#path(isIndex ? 'index' : 'pages');
    const [, parent] = this.#chance.pick(this.#parents(isIndex));
    this.documents.set(path, isIndex ? this.#made('index') : this.#pages());
    parent.entries.push(path);
    parent.version = this.#names++;
  }

  #parents(isIndex: boolean): readonly [string, SiteDocument][] {
    const robots: [string, SiteDocument] = [ROBOTS, this.documents.get(ROBOTS)!];
    const indexes = isIndex ? this.#upperIndexes() : this.#of('index');
    return this.#chance.happens(0.2) || indexes.length === 0 ? [robots] : indexes;
  }

  /** What robots.txt leads to, and what is at the known path. */
  listed(): { readonly documents: ReadonlySet<string>; readonly pages: ReadonlySet<string> } {
    const documents = new Set<string>();
    const pages = new Set<string>();
    const follow = (path: string): void => {
      const document = this.documents.get(path);
      if (document === undefined || documents.has(path)) return;
      documents.add(path);
      for (const entry of document.entries) {
        if (document.type === 'pages') pages.add(entry);
        else follow(entry);
      }
    };
    follow(ROBOTS);
    follow(KNOWN_PATH);
    return { documents, pages };
  }

  /** Changes something, and decides what fails in the next run. @param faulty - how many of a hundred requests fail */
  next(changes: number, faulty: number): void {
    for (let count = 0; count < changes; count++) this.#change();
    const faults = new Map<string, Fault>();
    let refusals = 0;
    for (const path of this.documents.keys()) {
      if (!this.#chance.happens(faulty)) continue;
      const fault = this.#chance.pick(FAULTS);
      const isRefusal = fault === '503' || fault === 'timeout';
      faults.set(path, isRefusal && ++refusals > MOST_REFUSALS ? '500' : fault);
    }
    this.#faults = faults;
  }

  #change(): void {
    const pages = this.#of('pages').filter(([path]) => path !== KNOWN_PATH);
    const parents = [...this.#of('robots'), ...this.#of('index')];
    const [path, document] = pages.length === 0 ? ['', this.#pages()] : this.#chance.pick(pages);
    const owners = parents.filter(([, { entries }]) => entries.includes(path));
    const replace = (...paths: readonly string[]): void => {
      for (const [, owner] of owners) {
        owner.entries.splice(owner.entries.indexOf(path), 1, ...paths);
        owner.version = this.#names++;
      }
      this.documents.delete(path);
    };
    switch (this.#chance.between(0, 9)) {
      case 0:
      case 1:
      case 2: {
        if (document.entries.length > 1 && this.#chance.happens(0.5)) document.entries.shift();
        else document.entries.push(this.#page());
        document.version = this.#names++;
        return;
      }
      case 3:
        this.#addSomewhere();
        return;
      case 4:
        replace();
        return;
      case 5: {
        const renamed = this.#path('pages');
        this.documents.set(renamed, { ...document, version: this.#names++ });
        replace(renamed);
        return;
      }
      case 6: {
        const halves = [this.#path('pages'), this.#path('pages')] as const;
        const middle = Math.ceil(document.entries.length / 2);
        for (const [number, half] of halves.entries()) {
          const entries = number === 0 ? document.entries.slice(0, middle) : document.entries.slice(middle);
          this.documents.set(half, { ...document, entries, version: this.#names++ });
        }
        replace(...halves);
        return;
      }
      case 7: {
        // To another index.
        const [, other] = this.#chance.pick(parents);
        if (other.entries.includes(path) || path === '') return;
        const kept = this.documents.get(path)!;
        replace();
        this.documents.set(path, kept);
        other.entries.push(path);
        other.version = this.#names++;
        return;
      }
      case 8: {
        // An index with another name, or without a part of what it lists.
        const [old, index] = this.#chance.pick([...this.#of('index'), ['', undefined] as const]);
        if (index === undefined) return;
        const renamed = this.#path('index');
        for (const [, parent] of parents.filter(([, { entries }]) => entries.includes(old))) {
          const by = this.#chance.happens(0.8) ? [renamed] : [];
          parent.entries.splice(parent.entries.indexOf(old), 1, ...by);
          parent.version = this.#names++;
        }
        this.documents.delete(old);
        this.documents.set(renamed, { ...index, version: this.#names++ });
        return;
      }
      default: {
        // A page moves from one document to another one.
        const [, other] = this.#chance.pick(pages.length === 0 ? [['', document] as const] : pages);
        if (other === document || document.entries.length < 2) return;
        other.entries.push(document.entries.shift()!);
        for (const each of [document, other]) each.version = this.#names++;
      }
    }
  }

  /** What comes of a request for a document in this run. */
  fateOf(path: string): Fault | 'missing' | 'read' {
    const fault = this.#faults.get(path);
    if (!this.documents.has(path)) return 'missing';
    return fault === 'wrong-304' || fault === 'no-validators' || fault === undefined ? 'read' : fault;
  }

  /** The entries that arrive of a document whose connection breaks. */
  static arriving({ entries }: SiteDocument): readonly string[] {
    return entries.slice(0, Math.floor(entries.length / 2));
  }

  body(path: string, document: SiteDocument, entries: readonly string[] = document.entries): Uint8Array {
    const urls = entries.map((entry) => this.origin + entry);
    const text =
      document.type === 'robots'
        ? urls.map((url) => `Sitemap: ${url}\n`).join('')
        : document.type === 'index'
          ? wrapped('sitemapindex', 'sitemap', urls)
          : wrapped('urlset', 'url', urls);
    const bytes = Buffer.from(`${document.type === 'robots' ? 'User-agent: *\n' : ''}${text}`);
    return path.endsWith('.gz') ? gzipSync(bytes) : bytes;
  }

  /** What is sent of a document whose connection breaks: some entries, and a part of the next one. */
  #cutBody(document: SiteDocument): Uint8Array {
    const entries = ChangingSite.arriving(document);
    const whole = Buffer.from(this.body('', document, entries)).toString();
    const closing = whole.lastIndexOf('</');
    return Buffer.from(document.type === 'robots' ? whole : `${whole.slice(0, closing)}<ur`);
  }

  serve(path: string, headers: Readonly<Record<string, string | readonly string[] | undefined>>): Served {
    const document = this.documents.get(path);
    const fault = this.#faults.get(path);
    const failed = (status: number): Served => ({ status, headers: {}, body: NONE, breaks: false });
    if (document === undefined) return failed(404);
    if (fault === 'timeout') return { status: 0, headers: {}, body: NONE, breaks: true };
    if (fault === 'html') {
      return { status: 200, headers: { 'content-type': 'text/html' }, body: HTML, breaks: false };
    }
    if (fault !== undefined && /^\d+$/.test(fault)) return failed(Number(fault));
    const etag = `"${document.version}"`;
    const date = new Date(Date.UTC(2020, 0, 1) + document.version * 1000).toUTCString();
    const has = { etag: document.validators !== 'date', date: document.validators !== 'etag' };
    const own: Record<string, string> = {};
    if (document.validators !== 'none' && fault !== 'no-validators') {
      if (has.etag) own['etag'] = etag;
      if (has.date) own['last-modified'] = date;
    }
    if (fault === 'cut') return { status: 200, headers: own, body: this.#cutBody(document), breaks: true };
    const [match, since] = [headers['if-none-match'], headers['if-modified-since']];
    const isAsked = match !== undefined || since !== undefined;
    if (isAsked && fault === 'wrong-304') {
      return { status: 304, headers: { etag: '"of-another-version"' }, body: NONE, breaks: false };
    }
    const isSame = match === undefined ? since === date : match === etag;
    if (isAsked && isSame && fault === undefined)
      return { status: 304, headers: own, body: NONE, breaks: false };
    return { status: 200, headers: own, body: this.body(path, document), breaks: false };
  }

  /** The site without a network. */
  get client(): WebClient {
    return async (url, request) => {
      const served = this.serve(new URL(url).pathname, request.headers);
      if (served.status === 0) throw new Error('connect ETIMEDOUT');
      return {
        status: served.status,
        headers: new Headers(served.headers),
        body: bodyOf(served),
      };
    };
  }
}

async function* bodyOf({ body, breaks }: Served): AsyncGenerator<Uint8Array, void, undefined> {
  if (body.length > 0) yield body;
  if (breaks) throw new Error('read ECONNRESET');
}

function wrapped(root: string, entry: string, urls: readonly string[]): string {
  const entries = urls.map((url) => `<${entry}><loc>${url}</loc></${entry}>`).join('');
  return `<?xml version="1.0"?><${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</${root}>`;
}
