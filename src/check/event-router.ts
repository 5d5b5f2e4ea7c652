/** Hands the events of one document to the rules that listen to them. */
import type { ParseListener, TagAttribute } from '../parse/listener.ts';
import type { Problem } from '../problems/problem-list.ts';
import { PlainPage } from './plain-page.ts';
import type { DocumentEnd, DocumentListener } from './rule.ts';

type Heard<Arguments extends unknown[]> = ((...event: Arguments) => void)[];
type Handlers<Arguments extends unknown[]> = Map<string, Heard<Arguments>>;

/** The events that rules hear of. */
type RoutedEvents = Omit<Required<ParseListener>, 'isAll' | 'takesPlain' | 'text' | 'plainEntry'> &
  Pick<ParseListener, 'plainEntry'>;

/** The listeners of one document as one. */
export class EventRouter {
  readonly #listeners: readonly DocumentListener[];
  readonly #texts: readonly DocumentListener[];
  /** The plain page that rules have heard of last. */
  readonly page: PlainPage = new PlainPage();
  /** For the parser: functions, not methods. */
  readonly events: RoutedEvents;

  constructor(listeners: readonly DocumentListener[]) {
    this.#listeners = listeners;
    this.#texts = listeners.filter(({ text }) => text !== undefined);
    const starts: Handlers<[number, readonly TagAttribute[]]> = byName(
      listeners.map(({ startTags }) => startTags),
    );
    const values: Handlers<[string, number]> = byName(listeners.map(({ values }) => values));
    const ends: Handlers<[number]> = byName(listeners.map(({ endTags }) => endTags));
    const { page } = this;
    // Functions by themselves: looking a method up in objects of many shapes takes longer than most of them do.
    const paged = listeners.flatMap((one) => one.plainPage?.bind(one) ?? []);
    const hearsPages = listeners.every(
      (one) => one.plainPage !== undefined || one.ignoresPlainPages === true || !hearsEntries(one),
    );
    const located = listeners.filter(({ location }) => location !== undefined);
    this.events = {
      startNames: new Set(starts.keys()),
      valueNames: new Set(values.keys()),
      parsed(chunk) {
        for (const listener of listeners) listener.parsed?.(chunk);
      },
      root(name, offset, attributes) {
        for (const listener of listeners) listener.root?.(name, offset, attributes);
      },
      startTag(name, offset, attributes) {
        const handlers = starts.get(name);
        if (handlers !== undefined) for (const handle of handlers) handle(offset, attributes);
      },
      value(name, text, offset) {
        const handlers = values.get(name);
        if (handlers !== undefined) for (const handle of handlers) handle(text, offset);
      },
      endTag(name, offset) {
        const handlers = ends.get(name);
        if (handlers !== undefined) for (const handle of handlers) handle(offset);
      },
      location(url, offset, isRepeated) {
        for (const listener of located) listener.location?.(url, offset, isRepeated);
      },
      plainEntry: hearsPages
        ? (entry) => {
            page.take(entry);
            for (const hear of paged) hear(page);
          }
        : undefined,
    };
  }

  text(chunk: Uint8Array): void {
    for (const listener of this.#texts) listener.text?.(chunk);
  }

  /** Whether a rule reports the problem under a name of its own. All of them hear of it. */
  claims(problem: Problem): boolean {
    let isClaimed = false;
    for (const listener of this.#listeners) if (listener.problem?.(problem) === true) isClaimed = true;
    return isClaimed;
  }

  end(end: DocumentEnd): void {
    for (const listener of this.#listeners) listener.end?.(end);
  }
}

/** Whether a listener hears of the entries of a urlset that have nothing but values of their own. */
function hearsEntries({ location, startTags, values, endTags }: DocumentListener): boolean {
  const names = [startTags, values, endTags].flatMap((table) => Object.keys(table ?? {}));
  return location !== undefined || names.some((name) => name.startsWith('sitemap:'));
}

function byName<Arguments extends unknown[]>(
  tables: readonly (Readonly<Record<string, (...event: Arguments) => void>> | undefined)[],
): Handlers<Arguments> {
  const handlers: Handlers<Arguments> = new Map();
  for (const table of tables) {
    for (const [name, handle] of Object.entries(table ?? {})) {
      const known = handlers.get(name);
      if (known === undefined) handlers.set(name, [handle]);
      else known.push(handle);
    }
  }
  return handlers;
}
