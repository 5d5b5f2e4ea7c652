/**
 * The line that documents wait in until they are handed to the fetcher. What waits here costs a reference; what the
 * fetcher holds has signals, listeners and attempts of its own. That is too much for all children of an index of fifty
 * thousand, and what lives long enough to be moved out of V8's young generation is freed late.
 *
 * Two limits apply. So many documents are under way at once, in the order in which they were asked for: among them the
 * fetcher decides which goes first. And of each host only so many wait inside the fetcher for their first request to
 * start: more than can start at once, so that the fetcher never lacks a choice.
 */
import { WaitingLine } from '../runtime/waiting-line.ts';

interface DocumentLineParts<Item> {
  readonly mostUnderWay: number;
  readonly mostUnstarted: number;
  readonly hostOf: (item: Item) => string;
  readonly begin: (item: Item, turn: Turn) => void;
}

/** How far a document has come; each call may be repeated. */
export interface Turn {
  /** Its first request starts. */
  started(): void;
  /** Nothing more is done for it. */
  over(): void;
}

/** The documents of one host that are under way and were not handed to the fetcher yet. */
interface Lane<Item> {
  readonly host: string;
  readonly waiting: WaitingLine<Item>;
  /** How many the fetcher has whose first request has not started. */
  unstarted: number;
}

export class DocumentLine<Item> {
  readonly #parts: DocumentLineParts<Item>;
  readonly #waiting = new WaitingLine<Item>();
  readonly #lanes = new Map<string, Lane<Item>>();
  #underWay = 0;

  constructor(parts: DocumentLineParts<Item>) {
    this.#parts = parts;
  }

  add(item: Item): void {
    this.#waiting.add(item);
    this.#fill();
  }

  #fill(): void {
    while (this.#underWay < this.#parts.mostUnderWay) {
      const item = this.#waiting.shift();
      if (item === undefined) return;
      this.#underWay++;
      const lane = this.#lane(this.#parts.hostOf(item));
      lane.waiting.add(item);
      this.#fillLane(lane);
    }
  }

  #fillLane(lane: Lane<Item>): void {
    while (lane.unstarted < this.#parts.mostUnstarted) {
      const item = lane.waiting.shift();
      if (item === undefined) break;
      lane.unstarted++;
      this.#parts.begin(item, this.#turn(lane));
    }
    if (lane.unstarted === 0) this.#lanes.delete(lane.host);
  }

  #turn(lane: Lane<Item>): Turn {
    let step: 'unstarted' | 'started' | 'over' = 'unstarted';
    const started = (): void => {
      if (step !== 'unstarted') return;
      step = 'started';
      lane.unstarted--;
      this.#fillLane(lane);
    };
    const over = (): void => {
      if (step === 'over') return;
      started();
      step = 'over';
      this.#underWay--;
      this.#fill();
    };
    return { started, over };
  }

  #lane(host: string): Lane<Item> {
    const known = this.#lanes.get(host);
    if (known !== undefined) return known;
    const lane = { host, waiting: new WaitingLine<Item>(), unstarted: 0 };
    this.#lanes.set(host, lane);
    return lane;
  }
}
