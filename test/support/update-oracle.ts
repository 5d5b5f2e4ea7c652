/**
 * The law of updates, in the words of the specification (§11.2) and not in those of the code: which documents a saved
 * tree has after a run, and so which pages. It knows the site, and what each URL responded with in the run.
 */
import { ChangingSite, KNOWN_PATH, ROBOTS, type SiteDocument } from './changing-site.ts';

/** What an index declares: a path, and the time beside it. */
interface Entry {
  readonly path: string;
  readonly time: number | undefined;
}

/** A document of the saved tree, known by the path that responded. */
interface SavedDocument {
  readonly final: string;
  readonly type: SiteDocument['type'];
  readonly entries: readonly Entry[];
  /** Of what arrived, where its end is missing. */
  readonly cutBytes: number | undefined;
  /** The run of its last good read. */
  readonly readIn: number;
  readonly isStale: boolean;
  /** The paths that led to it. */
  readonly requested: ReadonlySet<string>;
  /** The same, with those that show an earlier version of it. */
  readonly led: ReadonlySet<string>;
  /** The indexes that declare it; `site` for robots.txt and the known path. */
  readonly parents: ReadonlySet<string>;
  /** The times that they declare. */
  readonly times: ReadonlySet<number | undefined>;
  /** The first run in which nothing declared it. */
  readonly undeclaredSince?: number | undefined;
}

/** What is known of a path for as long as something declares it, or what it led to is kept. */
interface Declared {
  readonly since: number;
  readonly wasRead: boolean;
  /** How many runs saw a 404 since it was read. */
  readonly notFound: number;
}

interface Place {
  readonly parents: Set<string>;
  /** Both paths of each parent: the one that is declared, and the one that responds. */
  readonly above: Set<string>;
  readonly times: Set<number | undefined>;
  /** Whether every index that declares it was read by this run. */
  isCurrent: boolean;
}

type Came = 'read' | 'stale' | 'gone' | 'failed';

const SITE = 'site';

export interface OracleOptions {
  readonly goneAfter: number;
  readonly trustLastmod?: boolean;
  /** Whether a run starts at robots.txt alone, without the known path. */
  readonly isOneSitemap?: boolean;
}

export class UpdateOracle {
  readonly #options: OracleOptions;
  #run = 0;
  #saved: ReadonlyMap<string, SavedDocument> = new Map();
  #declared: ReadonlyMap<string, Declared> = new Map();
  #pages: ReadonlySet<string> = new Set();

  constructor(options: OracleOptions) {
    this.#options = options;
  }

  /** The pages that the saved tree lists. */
  get pages(): ReadonlySet<string> {
    return this.#pages;
  }

  /** One run. Returns whether everything declared could be read. */
  run(site: ChangingSite): boolean {
    const run = new OneRun(site, this.#options, this.#run++, this.#saved, this.#declared);
    this.#saved = run.saved();
    this.#declared = run.declared;
    this.#pages = run.pages;
    return run.isWhole;
  }
}

class OneRun {
  readonly declared: Map<string, Declared> = new Map();
  readonly pages: Set<string> = new Set();
  readonly #site: ChangingSite;
  readonly #options: OracleOptions;
  readonly #number: number;
  readonly #before: ReadonlyMap<string, SavedDocument>;
  readonly #declaredBefore: ReadonlyMap<string, Declared>;
  readonly #places = new Map<string, Place>();
  readonly #came = new Map<string, Came>();
  /** What is shown at each place. */
  readonly #shown = new Map<string, SavedDocument>();
  /** What came of the indexes of the earlier tree, by both of their paths. */
  readonly #indexes = new Map<string, 'read' | 'unread' | 'gone'>();
  /** What need not be requested, unless another index says so. */
  readonly #maybeTrusted: string[] = [];

  constructor(
    site: ChangingSite,
    options: OracleOptions,
    number: number,
    before: ReadonlyMap<string, SavedDocument>,
    declaredBefore: ReadonlyMap<string, Declared>,
  ) {
    this.#site = site;
    this.#options = options;
    this.#number = number;
    this.#before = before;
    this.#declaredBefore = declaredBefore;
    for (const path of options.isOneSitemap ? [ROBOTS] : [ROBOTS, KNOWN_PATH])
      this.#visit({ path }, [SITE], true);
    this.#decide();
    this.#carryOver();
  }

  /** Whether everything declared could be read. A known path that is missing is no sitemap. */
  get isWhole(): boolean {
    return [...this.#places.keys()].every(
      (path) =>
        this.#came.get(path) === 'read' ||
        (path === KNOWN_PATH && !this.#before.has(path) && !this.#site.documents.has(path)),
    );
  }

  #visit(
    entry: Pick<Entry, 'path'> & Partial<Entry>,
    above: readonly [final: string, path?: string],
    isCurrent: boolean,
  ): void {
    const { path, time } = entry;
    const known = this.#places.get(path);
    const place = known ?? { parents: new Set(), above: new Set(), times: new Set(), isCurrent: true };
    this.#places.set(path, place);
    place.parents.add(above[0]);
    for (const each of above) if (each !== undefined) place.above.add(each);
    place.times.add(time);
    place.isCurrent &&= isCurrent;
    if (known !== undefined) return;
    if (this.#mayBeTrusted(path)) this.#maybeTrusted.push(path);
    else this.#read(path);
  }

  /** What the earlier tree has at a path: of what responded there and what it led to, what was read last. */
  #earlier(path: string): SavedDocument | undefined {
    const own = this.#before.get(path);
    const led = [...this.#before.values()].find((each) => each.led.has(path));
    return own === undefined || (led !== undefined && led.readIn > own.readIn) ? led : own;
  }

  #mayBeTrusted(path: string): boolean {
    const earlier = this.#earlier(path);
    if (this.#options.trustLastmod !== true || earlier === undefined) return false;
    return earlier.type === 'pages' && !earlier.isStale && earlier.cutBytes === undefined;
  }

  #isTrusted(path: string): boolean {
    const { times, isCurrent } = this.#places.get(path)!;
    const earlier = this.#earlier(path)!;
    const [time] = times;
    return (
      isCurrent &&
      time !== undefined &&
      times.size === 1 &&
      earlier.times.size === 1 &&
      earlier.times.has(time)
    );
  }

  /** Decides about what may be trusted, once everything was read that may declare it. */
  #decide(): void {
    for (const path of this.#maybeTrusted.splice(0)) {
      if (this.#isTrusted(path)) this.#trust(path);
      else this.#read(path);
    }
  }

  #trust(path: string): void {
    this.#note(path, 'read', 0);
    this.#show(path, this.#earlier(path)!);
  }

  #read(path: string): void {
    const { fate, final } = this.#site.fateOf(path);
    const document = this.#site.documents.get(final);
    const earlier = this.#earlier(path);
    const is404 = fate === '404' || fate === 'missing';
    const notFound = (this.#declaredBefore.get(path)?.notFound ?? 0) + (is404 ? 1 : 0);
    if (fate === 'read' && document !== undefined) {
      this.#note(path, 'read', 0);
      this.#show(path, this.#arrived(final, document, document.entries, undefined));
      return;
    }
    if (fate === '410' || (is404 && notFound >= this.#options.goneAfter)) {
      this.#note(path, 'gone', notFound);
      return;
    }
    if (fate === 'cut' && document !== undefined) {
      const arrived = this.#site.cutBody(document).length;
      if (earlier === undefined || (earlier.cutBytes ?? Number.POSITIVE_INFINITY) < arrived) {
        this.#note(path, 'failed', notFound);
        this.#show(path, this.#arrived(final, document, ChangingSite.arriving(document), arrived));
        return;
      }
    }
    this.#note(path, earlier === undefined ? 'failed' : 'stale', notFound);
    if (earlier !== undefined) this.#show(path, { ...earlier, isStale: true, undeclaredSince: undefined });
  }

  #arrived(
    final: string,
    { type }: SiteDocument,
    entries: readonly string[],
    cutBytes: number | undefined,
  ): SavedDocument {
    const timed = entries.map((path) => ({
      path,
      time: type === 'index' ? this.#site.timeOf(path) : undefined,
    }));
    const none = {
      requested: new Set<string>(),
      led: new Set<string>(),
      parents: new Set<string>(),
      times: new Set<undefined>(),
    };
    return { final, type, entries: timed, cutBytes, readIn: this.#number, isStale: false, ...none };
  }

  #note(path: string, came: Came, notFound: number): void {
    const earlier = this.#earlier(path);
    const known = this.#declaredBefore.get(path) ?? {
      since: this.#number,
      wasRead: earlier !== undefined,
    };
    this.#came.set(path, came);
    this.declared.set(path, { since: known.since, wasRead: known.wasRead || came === 'read', notFound });
    if (earlier === undefined || earlier.type === 'pages') return;
    const state = came === 'read' || came === 'gone' ? came : 'unread';
    for (const each of [path, earlier.final]) {
      const before = this.#indexes.get(each);
      const isMore = before === undefined || before === 'gone' || state === 'read';
      if (isMore) this.#indexes.set(each, state);
    }
  }

  #show(path: string, document: SavedDocument): void {
    this.#shown.set(path, document);
    for (const entry of document.entries) {
      if (document.type === 'pages') this.pages.add(entry.path);
      else this.#visit(entry, [document.final, path], !document.isStale);
    }
  }

  /** The paths below an index, at any depth. */
  #below(index: string): ReadonlySet<string> {
    const found = new Set<string>();
    const follow = (final: string): void => {
      for (const [path, { above }] of this.#places) {
        if (!above.has(final) || found.has(path)) continue;
        found.add(path);
        const shown = this.#shown.get(path);
        if (shown !== undefined) follow(shown.final);
      }
    };
    follow(index);
    return found;
  }

  /** Whether a path was declared since a run, and never read: it may list what another one listed. */
  #isOpen(path: string, since: number): boolean {
    const { since: first, wasRead } = this.declared.get(path)!;
    if (wasRead || this.#came.get(path) === 'gone') return false;
    return first >= since && path !== ROBOTS && path !== KNOWN_PATH;
  }

  /** What nothing declares any more, an index before what it declares. */
  #carryOver(): void {
    const isEveryIndexRead = ![...this.#indexes.values()].includes('unread');
    const isAsked = ({ final, requested }: SavedDocument): boolean =>
      [final, ...requested].some((path) => this.#places.has(path));
    let undecided = [...this.#before.values()].filter((document) => !isAsked(document));
    while (undecided.length > 0) {
      const isUndecided = (final: string): boolean => undecided.some((each) => each.final === final);
      const next = undecided.find(({ parents }) => ![...parents].some(isUndecided)) ?? undecided[0]!;
      undecided = undecided.filter((each) => each !== next && !isAsked(each));
      if (isAsked(next)) continue;
      const { undeclaredSince: since = this.#number } = next;
      const there = [...next.parents].filter(
        (parent) => parent === SITE || (this.#indexes.get(parent) ?? 'gone') !== 'gone',
      );
      const mayBeElsewhere =
        !isEveryIndexRead ||
        there.some((parent) => [...this.#below(parent)].some((path) => this.#isOpen(path, since)));
      if (there.length === 0 || !mayBeElsewhere) continue;
      this.#keep(next, since);
    }
  }

  #keep(document: SavedDocument, since: number): void {
    const [path = document.final] = document.requested;
    for (const each of [document.final, ...document.requested]) {
      const known = this.#declaredBefore.get(each);
      if (known !== undefined) this.declared.set(each, known);
    }
    for (const each of new Set([path, document.final])) {
      this.#places.set(each, {
        parents: new Set(document.parents),
        above: new Set(document.parents),
        times: new Set([...document.times].slice(0, 1)),
        isCurrent: false,
      });
      this.#came.set(each, 'stale');
    }
    if (document.type !== 'pages') this.#indexes.set(document.final, 'unread');
    this.#show(path, { ...document, isStale: true, undeclaredSince: since });
    this.#decide();
  }

  /** What the tree remembers: of two versions of one document the later one. */
  saved(): ReadonlyMap<string, SavedDocument> {
    const saved = new Map<string, SavedDocument>();
    for (const [path, document] of this.#shown) {
      const { parents, times } = this.#places.get(path)!;
      const known = saved.get(document.final);
      const isLater = known === undefined || known.readIn < document.readIn;
      const all = isLater ? document : known;
      const before = isLater ? undefined : known;
      saved.set(document.final, {
        ...all,
        requested: new Set([...(before?.requested ?? []), path]),
        led: new Set([...(known?.led ?? []), path]),
        parents: new Set([...(before?.parents ?? []), ...parents]),
        times: new Set([...(before?.times ?? []), ...times]),
      });
    }
    return saved;
  }
}
