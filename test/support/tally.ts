/** Counts what a soak did, what it found, and what must stay zero. */
import { readdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Trouble } from './troubles.ts';

/** A site that takes longer than this hangs. */
const HANG_MS = 120_000;
const MOST_COMPLAINTS = 20;

export class Tally {
  sites = 0;
  schedules = 0;
  faults = 0;
  badInputs = 0;
  kills = 0;
  archives = 0;
  checks = 0;
  findings = 0;
  pagesExpected = 0;
  pagesFound = 0;
  /** Pages of documents that could not be read whole, which say so themselves. */
  reported = 0;
  /** Pages that are missing while every document says that it was read whole. */
  lost = 0;
  hangs = 0;
  unhandled = 0;
  leakedSockets = 0;
  leakedFiles = 0;
  leakedTimers = 0;
  /** The first sentences about what went wrong. */
  readonly complaints: string[] = [];
  /** Why pages are missing that are not lost. */
  readonly reasons: string[] = [];

  /** Whether nothing went wrong. */
  get isClean(): boolean {
    const { lost, hangs, unhandled, leakedSockets, leakedFiles, leakedTimers, complaints } = this;
    return lost + hangs + unhandled + leakedSockets + leakedFiles + leakedTimers + complaints.length === 0;
  }

  complain(what: string): void {
    if (this.complaints.length < MOST_COMPLAINTS) this.complaints.push(what);
  }

  /**
   * Compares pages, each with the number of its occurrences.
   *
   * @param troubles - what the site says of documents that could not be read whole. A machine that is too busy to respond
   * within the timeouts has such, and their pages are missing with a reason; without one, pages are lost.
   */
  compare(
    name: string,
    expected: readonly string[],
    found: readonly string[],
    troubles: readonly Trouble[] = [],
  ): void {
    const left = new Map<string, number>();
    for (const url of expected) left.set(url, (left.get(url) ?? 0) + 1);
    let strange = 0;
    for (const url of found) {
      const count = left.get(url) ?? 0;
      if (count === 0) strange++;
      else left.set(url, count - 1);
    }
    const missing = [...left.values()].reduce((sum, count) => sum + count, 0);
    this.pagesExpected += expected.length;
    this.pagesFound += found.length - strange;
    if (missing > 0 && troubles.length > 0) {
      this.reported += missing;
      if (this.reasons.length < MOST_COMPLAINTS)
        this.reasons.push(
          `${name}: ${missing} of ${expected.length} pages: ${troubles.map(({ message }) => message).join(' ')}`,
        );
    } else if (missing > 0) {
      this.lost += missing;
      this.complain(`${name}: ${missing} of ${expected.length} pages are lost`);
    }
    if (strange > 0) this.complain(`${name}: ${strange} pages that the site does not have`);
  }

  /** Counts the sockets that are still open shortly after the last call has ended. */
  async noSocketsLeft(server: Pick<Server, 'getConnections'>): Promise<void> {
    const open = () =>
      new Promise<number>((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      });
    let left = await open();
    for (let waited = 0; left > 0 && waited < 5_000; waited += 20) {
      await delay(20);
      left = await open();
    }
    this.leakedSockets += left;
    if (left > 0) this.complain(`${left} sockets are left open`);
  }

  /** The summary of docs/reliability.md. */
  toString(): string {
    const number = (value: number): string => value.toLocaleString('en');
    return [
      `faults tried            ${number(this.faults)} in ${number(this.schedules)} schedules`,
      `bad inputs tried        ${number(this.badInputs)}`,
      `kills of usp crawl      ${number(this.kills)}`,
      `archives damaged        ${number(this.archives)}, killed or left while they were read`,
      `sites checked           ${number(this.checks)}, with ${number(this.findings)} findings`,
      `sites crawled           ${number(this.sites)}`,
      `pages expected          ${number(this.pagesExpected)}`,
      `pages found             ${number(this.pagesFound)}`,
      `missing, with a reason  ${number(this.reported)}`,
      `lost                    ${number(this.lost)}`,
      `hangs                   ${number(this.hangs)}`,
      `unhandled rejections    ${number(this.unhandled)}`,
      `leaked sockets          ${number(this.leakedSockets)}`,
      `leaked files            ${number(this.leakedFiles)}`,
      `leaked timers           ${number(this.leakedTimers)}`,
    ].join('\n');
  }
}

/** Runs work that must end. Work that does not end is counted, and no longer awaited. */
export async function withinHangLimit(tally: Tally, name: string, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<'hang'>((resolve) => {
    timer = setTimeout(() => resolve('hang'), HANG_MS);
  });
  try {
    if ((await Promise.race([work(), hang])) === 'hang') {
      tally.hangs++;
      tally.complain(`${name}: it hangs`);
    }
  } catch (error) {
    tally.complain(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

/** What the process has open. */
export interface Open {
  readonly files: number | undefined;
  readonly sockets: number;
  readonly timers: number;
}

/** The test runner reports the start of a test by a timer of its own, which is gone after this time and not to be counted. */
const RUNNER_TIMER_MS = 150;

export async function openNow(): Promise<Open> {
  await delay(RUNNER_TIMER_MS);
  return countOpen();
}

function countOpen(): Open {
  const resources = process.getActiveResourcesInfo();
  const count = (name: RegExp): number => resources.filter((resource) => name.test(resource)).length;
  return { files: fileDescriptors(), sockets: count(/^(?:TCP|TLS|Pipe)/), timers: count(/^Timeout$/) };
}

function fileDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}

/** Counts what is open now and was not before; what closes within five seconds is not a leak. */
export async function noteLeaks(tally: Tally, before: Open): Promise<void> {
  const over = (now: Open): readonly number[] => [
    Math.max(0, now.sockets - before.sockets),
    Math.max(0, now.timers - before.timers),
    Math.max(0, (now.files ?? 0) - (before.files ?? 0)),
  ];
  let left = over(countOpen());
  for (let waited = 0; left.some((count) => count > 0) && waited < 5_000; waited += 50) {
    await delay(50);
    left = over(countOpen());
  }
  const [sockets = 0, timers = 0, files = 0] = left;
  tally.leakedSockets += sockets;
  tally.leakedTimers += timers;
  tally.leakedFiles += Math.max(0, files - sockets);
  if (left.some((count) => count > 0))
    tally.complain(`left open: ${sockets} sockets, ${timers} timers, ${files} files`);
}
