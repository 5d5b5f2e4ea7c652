/**
 * A site that changes from run to run, and breaks: robots.txt, indexes in two levels, page sitemaps with and without
 * gzip and validators, redirects. What it serves is decided once for each run and URL, so that a run has one truth.
 */
import { gzipSync } from 'node:zlib';
import type { WebClient } from '../../src/index.ts';
import type { Chance } from './random.ts';

/** Failures of a document. `login` and `parent` are redirects: to an HTML page, and to robots.txt. */
type Failure =
  | ('500' | '503' | '403' | '404' | '410' | 'timeout' | 'cut' | 'html')
  | ('login' | 'circle' | 'parent' | 'odd-304');
/** With those that must not change what is read: a 304 of another version, a response without its validators. */
type Fault = Failure | 'wrong-304' | 'no-validators';

const FAILURES: readonly Failure[] = [
  ...(['500', '503', '403', '404', '410', 'timeout', 'cut', 'html'] as const),
  ...(['login', 'circle', 'parent', 'odd-304'] as const),
];
const FAULTS: readonly Fault[] = [...FAILURES, 'wrong-304', 'no-validators'];
const FAILING: ReadonlySet<string> = new Set(FAILURES);

export interface SiteDocument {
  readonly type: 'robots' | 'index' | 'pages';
  /** Paths: of sitemaps for an index, of pages otherwise. */
  entries: string[];
  validators: Validators;
}

const VALIDATORS = ['etag', 'etag', 'date', 'both', 'none'] as const;
type Validators = (typeof VALIDATORS)[number];

/** What one URL responds with in one run. */
export interface Served {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The connection breaks behind the body; without a status, before it. */
  readonly breaks: boolean;
}

/** What comes of a request in one run, and the path that responds in the end. */
export interface Fate {
  readonly fate: Failure | 'missing' | 'read';
  readonly final: string;
}

/** A host that refuses is asked more slowly: with more refusals a run of 200 documents would wait for minutes. */
const MOST_REFUSALS = 2;

export const ROBOTS = '/robots.txt';
/** The path that is requested although nothing declares it. */
export const KNOWN_PATH = '/known.xml';
const LOGIN = '/login';
const HTML = Buffer.from(
  '<!DOCTYPE html><html><head><title>Sorry</title></head><body>Try later.</body></html>',
);
const NONE = Buffer.alloc(0);

export class ChangingSite {
  readonly origin: string;
  readonly documents: Map<string, SiteDocument> = new Map();
  /** Paths whose document has moved to another path. */
  readonly redirects: Map<string, string> = new Map();
  readonly #chance: Chance;
  readonly #hasTimes: boolean;
  readonly #size: number;
  /** A number for each text that a path ever had: its validators, and the time that indexes declare. */
  readonly #tags: Map<string, number> = new Map();
  #names = 0;
  #faults: ReadonlyMap<string, Fault> = new Map();

  /** @param hasTimes - whether indexes declare when their page sitemaps were modified */
  constructor(origin: string, chance: Chance, size: number, hasTimes = false) {
    this.origin = origin;
    this.#chance = chance;
    this.#hasTimes = hasTimes;
    this.#size = size;
    this.documents.set(ROBOTS, this.#made('robots'));
    if (chance.happens(0.5)) this.documents.set(KNOWN_PATH, this.#pages());
    while (this.documents.size < size) this.#addSomewhere();
  }

  #made(type: SiteDocument['type']): SiteDocument {
    return { type, entries: [], validators: this.#chance.pick(VALIDATORS) };
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
    const ending = this.#chance.happens(0.12) ? 'xml.gz' : 'xml';
    return `/${type}-${this.#names++}.${ending}`;
  }

  #of(type: SiteDocument['type']): readonly [string, SiteDocument][] {
    const { documents } = this.listed();
    return [...this.documents].filter(([path, document]) => document.type === type && documents.has(path));
  }

  /** Indexes that robots.txt declares; an index in one of them is at the second level. */
  #upperIndexes(): readonly [string, SiteDocument][] {
    const declared = this.documents.get(ROBOTS)!.entries.map((path) => this.#moved(path));
    return this.#of('index').filter(([path]) => declared.includes(path));
  }

  #addSomewhere(): void {
    const isIndex = this.#chance.happens(0.12);
    const path = this.#path(isIndex ? 'index' : 'pages');
    const [, parent] = this.#chance.pick(this.#parents(isIndex));
    this.documents.set(path, isIndex ? this.#made('index') : this.#pages());
    parent.entries.push(path);
  }

  #parents(isIndex: boolean): readonly [string, SiteDocument][] {
    const robots: [string, SiteDocument] = [ROBOTS, this.documents.get(ROBOTS)!];
    const indexes = isIndex ? this.#upperIndexes() : this.#of('index');
    return this.#chance.happens(0.2) || indexes.length === 0 ? [robots] : indexes;
  }

  /** Where the document of a path is. */
  #moved(path: string): string {
    let final = path;
    for (let to = this.redirects.get(final); to !== undefined; to = this.redirects.get(final)) final = to;
    return final;
  }

  /** What robots.txt leads to, and what is at the known path. */
  listed(): { readonly documents: ReadonlySet<string>; readonly pages: ReadonlySet<string> } {
    const documents = new Set<string>();
    const pages = new Set<string>();
    const follow = (declared: string): void => {
      const path = this.#moved(declared);
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

  /** Changes something, and decides what fails in the next run. @param faulty - the part of the requests that fail */
  next(changes: number, faulty: number): void {
    for (let count = 0; count < changes; count++) this.#change();
    const faults = new Map<string, Fault>();
    let refusals = 0;
    for (const path of [...this.documents.keys(), ...this.redirects.keys()]) {
      if (!this.#chance.happens(faulty)) continue;
      const fault = this.#chance.pick(FAULTS);
      const isRefusal = fault === '503' || fault === 'timeout';
      // A known path that leads to robots.txt leads to something that is declared: it has failed in no way.
      const isRedirect = fault === 'parent' || fault === 'cut';
      const isOther =
        isRefusal && ++refusals > MOST_REFUSALS
          ? true
          : isRedirect && (this.redirects.has(path) || (fault === 'parent' && isStart(path)));
      faults.set(path, isOther ? '500' : fault);
    }
    this.#faults = faults;
  }

  #change(): void {
    const pages = this.#of('pages').filter(([path]) => path !== KNOWN_PATH);
    const [path, document] = pages.length === 0 ? ['', this.#pages()] : this.#chance.pick(pages);
    const isLarge = this.documents.size > this.#size;
    switch (this.#chance.between(0, 13)) {
      case 0:
      case 1:
      case 2:
        if (document.entries.length > 1 && this.#chance.happens(0.5)) document.entries.shift();
        else document.entries.push(this.#page());
        return;
      case 3:
      case 4:
        if (isLarge || this.#chance.happens(0.3)) this.#replace(path, []);
        else this.#addSomewhere();
        return;
      case 5:
        this.#replace(path, [{ ...document }]);
        return;
      case 6: {
        const middle = Math.ceil(document.entries.length / 2);
        const halves = [document.entries.slice(0, middle), document.entries.slice(middle)];
        this.#replace(
          path,
          halves.map((entries) => ({ ...document, entries })),
        );
        return;
      }
      case 7:
        this.#moveToAnotherIndex(path);
        return;
      case 8:
        this.#renameIndex();
        return;
      case 9:
        // It is found at another path from now on; the old one leads there.
        this.#redirect(path, document);
        return;
      case 10:
        this.#declareWhatIsMeant();
        return;
      case 11:
        this.#declareAgain(path);
        return;
      case 12:
        document.validators = this.#chance.pick(VALIDATORS);
        return;
      default: {
        // A page moves from one document to another one.
        const [, other] = this.#chance.pick(pages.length === 0 ? [['', document] as const] : pages);
        if (other === document || document.entries.length < 2) return;
        other.entries.push(document.entries.shift()!);
      }
    }
  }

  #owners(path: string): readonly SiteDocument[] {
    return [...this.#of('robots'), ...this.#of('index')]
      .map(([, owner]) => owner)
      .filter(({ entries }) => entries.some((entry) => this.#moved(entry) === path));
  }

  /** Other documents take the place of one, under new names. */
  #replace(path: string, by: readonly SiteDocument[]): void {
    const names = by.map((document) => {
      const name = this.#path(document.type === 'index' ? 'index' : 'pages');
      this.documents.set(name, document);
      return name;
    });
    for (const owner of this.#owners(path)) {
      owner.entries = owner.entries.flatMap((entry) => (this.#moved(entry) === path ? names : [entry]));
    }
    this.documents.delete(path);
  }

  #moveToAnotherIndex(path: string): void {
    const [, other] = this.#chance.pick([...this.#of('robots'), ...this.#of('index')]);
    const owners = this.#owners(path);
    if (owners.includes(other) || path === '') return;
    for (const owner of owners) {
      owner.entries = owner.entries.filter((entry) => this.#moved(entry) !== path);
    }
    other.entries.push(path);
  }

  #renameIndex(): void {
    const [path, index] = this.#chance.pick([...this.#of('index'), ['', undefined] as const]);
    if (index !== undefined) this.#replace(path, this.#chance.happens(0.8) ? [{ ...index }] : []);
  }

  #redirect(path: string, document: SiteDocument): void {
    if (path === '') return;
    const [old, moved] = this.#chance.pick([[path, document] as const, ...this.#of('index').slice(0, 1)]);
    const renamed = this.#path(moved.type === 'index' ? 'index' : 'pages');
    this.documents.delete(old);
    this.documents.set(renamed, moved);
    this.redirects.set(old, renamed);
  }

  /** An index declares the path itself that an old one of it leads to, instead of that or beside it. */
  #declareWhatIsMeant(): void {
    const old = [...this.redirects.keys()];
    if (old.length === 0) return;
    const path = this.#chance.pick(old);
    const final = this.#moved(path);
    const isBeside = this.#chance.happens(0.3);
    for (const owner of this.#owners(final)) {
      if (!owner.entries.includes(path)) continue;
      const paths = owner.entries.flatMap((entry) =>
        entry === path ? (isBeside ? [path, final] : [final]) : [entry],
      );
      owner.entries = [...new Set(paths)];
    }
  }

  /** One document, declared by two indexes; or one that is in none for a while, and then in one again. */
  #declareAgain(path: string): void {
    const { documents } = this.listed();
    const lost = [...this.documents].filter(([each, { type }]) => type === 'pages' && !documents.has(each));
    const [back] = lost.length > 0 ? this.#chance.pick(lost) : [path];
    const [, other] = this.#chance.pick([...this.#of('robots'), ...this.#of('index')]);
    if (back !== '' && back !== KNOWN_PATH && !other.entries.includes(back)) other.entries.push(back);
    if (lost.length > 0 || this.#chance.happens(0.5) || path === '') return;
    for (const owner of this.#owners(path)) {
      owner.entries = owner.entries.filter((entry) => this.#moved(entry) !== path);
    }
  }

  /** What comes of a request for a document in this run. */
  fateOf(path: string): Fate {
    let final = path;
    for (;;) {
      const fault = this.#faults.get(final) ?? '';
      if (fault === 'parent') return this.#fateAtTop(final);
      if (FAILING.has(fault)) return { fate: fault as Failure, final };
      const to = this.redirects.get(final);
      if (to === undefined) break;
      final = to;
    }
    return { fate: this.documents.has(final) ? 'read' : 'missing', final };
  }

  /** What comes of a redirect to robots.txt: that is an ancestor, unless it fails as well. */
  #fateAtTop(path: string): Fate {
    const top = this.fateOf(ROBOTS);
    return top.fate === 'read' || top.fate === 'cut' ? { fate: 'parent', final: path } : top;
  }

  /** The time that an index declares for a sitemap, in seconds; undefined where it declares none. */
  timeOf(path: string): number | undefined {
    const final = this.#moved(path);
    const document = this.documents.get(final);
    return this.#hasTimes && document?.type === 'pages' ? this.#tag(final, document) : undefined;
  }

  #tag(path: string, document: SiteDocument): number {
    const key = path + this.#text(document);
    const tag = this.#tags.get(key) ?? this.#tags.size;
    this.#tags.set(key, tag);
    return tag;
  }

  /** The entries that arrive of a document whose connection breaks. */
  static arriving({ entries }: SiteDocument): readonly string[] {
    return entries.slice(0, Math.floor(entries.length / 2));
  }

  #text({ type, entries }: SiteDocument): string {
    if (type === 'robots')
      return `User-agent: *\n${entries.map((entry) => `Sitemap: ${this.origin}${entry}\n`).join('')}`;
    const [root, name] = type === 'index' ? ['sitemapindex', 'sitemap'] : ['urlset', 'url'];
    const all = entries.map((entry) => {
      const time = type === 'index' ? this.timeOf(entry) : undefined;
      const lastmod = time === undefined ? '' : `<lastmod>${dateOf(time).toISOString()}</lastmod>`;
      return `<${name}><loc>${this.origin}${entry}</loc>${lastmod}</${name}>`;
    });
    return `<?xml version="1.0"?><${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${all.join('')}</${root}>`;
  }

  /** What is sent of a document whose connection breaks: some entries, and a part of the next one. */
  cutBody(document: SiteDocument): Uint8Array {
    const whole = this.#text({ ...document, entries: [...ChangingSite.arriving(document)] });
    const closing = whole.lastIndexOf('</');
    return Buffer.from(document.type === 'robots' ? whole : `${whole.slice(0, closing)}<ur`);
  }

  serve(path: string, headers: Readonly<Record<string, string | readonly string[] | undefined>>): Served {
    const document = this.documents.get(path);
    const fault = this.#faults.get(path);
    const to = redirectOf(path, fault) ?? this.redirects.get(path);
    if (fault === 'timeout') return { status: 0, headers: {}, body: NONE, breaks: true };
    if (fault === 'html' || path === LOGIN) {
      return { status: 200, headers: { 'content-type': 'text/html' }, body: HTML, breaks: false };
    }
    if (fault !== undefined && /^\d+$/.test(fault)) return empty(Number(fault));
    if (fault === 'odd-304') return empty(304, { etag: '"of-another-version"' });
    if (to !== undefined) return empty(302, { location: this.origin + to });
    if (document === undefined) return empty(404);
    const tag = this.#tag(path, document);
    const [etag, date] = [`"${tag}"`, dateOf(tag).toUTCString()];
    const own: Record<string, string> = {};
    if (document.validators !== 'none' && fault !== 'no-validators') {
      if (document.validators !== 'date') own['etag'] = etag;
      if (document.validators !== 'etag') own['last-modified'] = date;
    }
    if (fault === 'cut') return { status: 200, headers: own, body: this.cutBody(document), breaks: true };
    const [match, since] = [headers['if-none-match'], headers['if-modified-since']];
    const isAsked = match !== undefined || since !== undefined;
    if (isAsked && fault === 'wrong-304') {
      // That of the document as it is now, or of any other.
      return empty(304, { etag: match === etag || tag % 2 === 0 ? '"of-another-version"' : etag });
    }
    const isSame = match === undefined ? since === date : match === etag;
    if (isAsked && isSame && fault === undefined) return empty(304, sameAs(own, tag));
    const text = Buffer.from(this.#text(document));
    const body = path.endsWith('.gz') ? gzipSync(text, { level: 1 }) : text;
    return { status: 200, headers: own, body, breaks: false };
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

function isStart(path: string): boolean {
  return path === ROBOTS || path === KNOWN_PATH;
}

function redirectOf(path: string, fault: Fault | undefined): string | undefined {
  if (fault === 'login') return LOGIN;
  if (fault === 'circle') return path;
  return fault === 'parent' ? ROBOTS : undefined;
}

function empty(status: number, headers: Readonly<Record<string, string>> = {}): Served {
  return { status, headers, body: NONE, breaks: false };
}

/** The headers of a 304: as they were, with a weak tag as nginx sends it with gzip, or none. */
function sameAs(own: Readonly<Record<string, string>>, tag: number): Readonly<Record<string, string>> {
  if (tag % 5 === 0) return {};
  const { etag } = own;
  return tag % 5 === 1 && etag !== undefined ? { ...own, etag: `W/${etag}` } : own;
}

function dateOf(seconds: number): Date {
  return new Date(Date.UTC(2010, 0, 1) + seconds * 1000);
}

async function* bodyOf({ body, breaks }: Served): AsyncGenerator<Uint8Array, void, undefined> {
  if (body.length > 0) yield body;
  if (breaks) throw new Error('read ECONNRESET');
}
