/**
 * The law of updates, in the words of the specification (§11.2) and not in those of the code: which documents a saved
 * tree has after a run, and so which pages. It knows the site, and what each URL responded with in the run.
 */
import { ChangingSite, KNOWN_PATH } from './changing-site.ts';

interface SavedDocument {
  readonly type: 'robots' | 'index' | 'pages';
  readonly entries: readonly string[];
  /** Of what arrived, where its end is missing. */
  readonly cutBytes: number | undefined;
  /** How many runs saw a 404 since it was read. */
  readonly notFound: number;
  /** The indexes that declare it; `site` for robots.txt and the known path. */
  readonly parents: ReadonlySet<string>;
  /** The first run in which nothing declared it. */
  readonly undeclaredSince?: number;
}

/** What is known of a URL for as long as something declares it. */
interface Declared {
  readonly since: number;
  readonly wasRead: boolean;
  readonly notFound: number;
}

const SITE = 'site';
const ROBOTS = '/robots.txt';

export class UpdateOracle {
  readonly #goneAfter: number;
  /** Where a run starts: robots.txt, and for a whole site the known path. */
  readonly #starts: readonly string[];
  #run = 0;
  #saved: ReadonlyMap<string, SavedDocument> = new Map();
  #declared: ReadonlyMap<string, Declared> = new Map();

  constructor(goneAfter: number, starts: readonly string[] = [ROBOTS, KNOWN_PATH]) {
    this.#goneAfter = goneAfter;
    this.#starts = starts;
  }

  /** The pages that the saved tree lists. */
  get pages(): ReadonlySet<string> {
    return new Set(
      [...this.#saved.values()].flatMap(({ type, entries }) => (type === 'pages' ? entries : [])),
    );
  }

  /** One run. Returns whether everything declared could be read. */
  run(site: ChangingSite): boolean {
    const run = this.#run++;
    const before = this.#saved;
    const after = new Map<string, SavedDocument>();
    const declared = new Map<string, Declared>();
    const parents = new Map<string, Set<string>>();
    const fates = new Map<string, 'read' | 'stale' | 'gone' | 'failed'>();

    const visit = (path: string, parent: string): void => {
      const isFirst = !parents.has(path);
      const all = parents.get(path) ?? new Set<string>();
      parents.set(path, all.add(parent));
      if (isFirst) read(path, all);
    };

    const read = (path: string, places: ReadonlySet<string>): void => {
      const known = this.#declared.get(path) ?? { since: run, wasRead: false, notFound: 0 };
      const earlier = before.get(path);
      const fate = site.fateOf(path);
      const document = site.documents.get(path);
      const is404 = fate === '404' || fate === 'missing';
      const notFound = (earlier?.notFound ?? known.notFound) + (is404 ? 1 : 0);
      let shown: SavedDocument | undefined;
      let came: 'read' | 'stale' | 'gone' | 'failed';
      if (fate === 'read' && document !== undefined) {
        came = 'read';
        const { type, entries } = document;
        shown = { type, entries: [...entries], cutBytes: undefined, notFound: 0, parents: places };
      } else if (fate === '410' || (is404 && notFound >= this.#goneAfter)) {
        came = 'gone';
      } else if (fate === 'cut' && document !== undefined && document.type === 'robots') {
        // A text has no end that could be missing, but the connection broke.
        came = 'failed';
        shown = this.#cut(site, document, earlier, places);
        if (shown !== undefined && shown === earlier) came = 'stale';
      } else if (fate === 'cut' && document !== undefined) {
        came = 'failed';
        shown = this.#cut(site, document, earlier, places);
      } else {
        came = earlier === undefined ? 'failed' : 'stale';
        shown = earlier;
      }
      if (came !== 'read' && shown !== undefined) {
        shown = { ...shown, notFound, parents: places };
        delete (shown as { undeclaredSince?: number }).undeclaredSince;
      }
      fates.set(path, came);
      declared.set(path, {
        since: known.since,
        wasRead: known.wasRead || came === 'read',
        notFound: came === 'read' ? 0 : notFound,
      });
      if (shown === undefined) return;
      after.set(path, shown);
      if (shown.type !== 'pages') for (const entry of shown.entries) visit(entry, path);
    };

    for (const path of this.#starts) visit(path, SITE);

    const couldReadEveryIndex = [...before].every(([path, { type }]) => {
      const fate = fates.get(path);
      return type === 'pages' || fate === undefined || fate === 'read' || fate === 'gone';
    });
    const below = (parent: string): ReadonlySet<string> => {
      const found = new Set<string>();
      const follow = (path: string): void => {
        for (const [child, places] of parents) {
          if (!places.has(path) || found.has(child)) continue;
          found.add(child);
          follow(child);
        }
      };
      follow(parent);
      return found;
    };
    const isOpen = (path: string, since: number): boolean => {
      const known = declared.get(path);
      if (known === undefined || known.wasRead || fates.get(path) === 'gone') return false;
      return known.since >= since && path !== ROBOTS && path !== KNOWN_PATH;
    };
    const isThere = (parent: string): boolean => {
      if (parent === SITE) return true;
      const fate = fates.get(parent);
      return fate !== undefined && fate !== 'gone' && !isRefused.has(parent);
    };
    const isRefused = new Set<string>();
    const newDocuments = new Map([...parents.keys()].map((path) => [path, true]));

    // Indexes before what they declare.
    let undecided = [...before.keys()].filter((path) => !fates.has(path));
    while (undecided.length > 0) {
      const ready = undecided.filter(
        (path) => ![...before.get(path)!.parents].some((each) => undecided.includes(each)),
      );
      const [path] = ready.length > 0 ? ready : undecided;
      undecided = undecided.filter((each) => each !== path && !fates.has(each));
      if (path === undefined || fates.has(path)) continue;
      const document = before.get(path)!;
      const since = document.undeclaredSince ?? run;
      const there = [...document.parents].filter(isThere);
      const mayBeElsewhere =
        !couldReadEveryIndex ||
        there.some((parent) =>
          [...below(parent)].some((each) => newDocuments.has(each) && isOpen(each, since)),
        );
      if (there.length === 0 || !mayBeElsewhere) continue;
      after.set(path, { ...document, undeclaredSince: since });
      fates.set(path, 'stale');
      if (document.type !== 'pages') for (const entry of document.entries) visit(entry, path);
    }
    this.#saved = after;
    this.#declared = declared;
    return [...declared.keys()].every(
      (path) => fates.get(path) === 'read' || (path === KNOWN_PATH && !before.has(path)),
    );
  }

  /** The earlier document, where it has at least as much; otherwise what arrived. */
  #cut(
    site: ChangingSite,
    document: NonNullable<ReturnType<ChangingSite['documents']['get']>>,
    earlier: SavedDocument | undefined,
    parents: ReadonlySet<string>,
  ): SavedDocument | undefined {
    const entries = ChangingSite.arriving(document);
    const { length } = site.serve([...site.documents].find(([, each]) => each === document)![0], {}).body;
    if (earlier !== undefined && (earlier.cutBytes ?? Number.POSITIVE_INFINITY) >= length) return earlier;
    return { type: document.type, entries, cutBytes: length, notFound: 0, parents };
  }
}
