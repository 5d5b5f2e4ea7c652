/** How a crawl of many sites goes on: sites done of all, pages per second, failures by kind, time left. */
import type { CrawlCounts } from '../../batch/journal.ts';
import { safeText } from '../../problems/safe-text.ts';
import { count, elapsed, list, number } from '../../problems/wording.ts';
import type { CliIO } from '../io.ts';
import { canRedraw, drawnLine, fitted } from './progress-line.ts';
import type { Reporter } from './reporter.ts';

export type LogFormat = 'text' | 'json';

/** Says what is worth knowing: in words, or as an object of its own for machines. */
export function messenger(io: CliIO, reporter: Reporter, format: LogFormat): (message: string) => void {
  if (format === 'text') return (message) => reporter.say(message);
  return (message) => {
    if (reporter.isQuiet) return;
    const line = JSON.stringify({ time: new Date().toISOString(), type: 'message', message });
    io.stderr.write(`${safeText(line, 'json')}\n`);
  };
}

/** How often the line is written where there is no terminal to draw it on. */
const WRITTEN_MS = 10_000;
const KINDS = 4;

export class CrawlProgress {
  readonly #io: CliIO;
  readonly #reporter: Reporter;
  readonly #format: LogFormat;
  readonly #countsNow: () => CrawlCounts;
  readonly #startedAt = performance.now();
  readonly #before: { readonly sites: number; readonly pages: number };
  readonly #all: number;
  #stop = (): void => {};

  /** @param all - the sites of the list that are not finished yet, and those that were finished before */
  constructor(
    world: { readonly io: CliIO; readonly reporter: Reporter; readonly format: LogFormat },
    countsNow: () => CrawlCounts,
    all: number,
  ) {
    this.#io = world.io;
    this.#reporter = world.reporter;
    this.#format = world.format;
    this.#countsNow = countsNow;
    const { sites, pages } = countsNow();
    this.#before = { sites, pages };
    this.#all = all;
  }

  get #counts(): CrawlCounts {
    return this.#countsNow();
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  async show(): Promise<void> {
    if (this.#reporter.isQuiet) return;
    const isLine = this.#format === 'text' && this.#io.isTerminal.stderr && canRedraw(this.#io.env);
    const timer = isLine
      ? undefined
      : setInterval(
          () => (this.#format === 'json' ? this.#writeJson('progress') : this.#reporter.say(this.#text())),
          WRITTEN_MS,
        );
    if (this.#format === 'json') this.#writeJson('start');
    const hideLine = isLine ? await drawnLine(this.#io, (width) => this.#text(width)) : () => {};
    this.#stop = () => {
      clearInterval(timer);
      hideLine();
    };
  }

  hide(): void {
    this.#stop();
    this.#stop = () => {};
  }

  finish(): void {
    this.hide();
    if (this.#format === 'json') {
      if (!this.#reporter.isQuiet) this.#writeJson('end');
      return;
    }
    const { outcomes, pages, sites } = this.#counts;
    const each = Object.entries(outcomes).filter(([, many]) => many > 0);
    const words = each.map(([outcome, many]) => `${number(many)} ${outcome}`).join(', ');
    const time = elapsed(this.#elapsedMs);
    this.#reporter.say(
      `${count(sites, 'site')}${words === '' ? '' : ` (${words})`}, ${count(pages, 'page')}, in ${time}.`,
    );
    const kinds = this.#kinds();
    if (kinds !== '') this.#reporter.say(`Failed: ${kinds}.`);
  }

  #writeJson(type: 'start' | 'progress' | 'end'): void {
    const { sites, pages, outcomes, reasons } = this.#counts;
    const line = {
      ...{ time: new Date().toISOString(), type, sites: this.#all, finished: sites, pages },
      ...{ outcomes, failures: Object.fromEntries(reasons) },
      pagesPerSecond: Math.round(this.#pagesPerSecond),
      elapsedMs: Math.round(this.#elapsedMs),
      leftMs: this.#leftMs === undefined ? null : Math.round(this.#leftMs),
    };
    this.#io.stderr.write(`${JSON.stringify(line)}\n`);
  }

  get #pagesPerSecond(): number {
    return ((this.#counts.pages - this.#before.pages) * 1000) / Math.max(1, this.#elapsedMs);
  }

  /** Undefined until a site is finished. */
  get #leftMs(): number | undefined {
    const done = this.#counts.sites - this.#before.sites;
    return done === 0 ? undefined : (this.#elapsedMs / done) * Math.max(0, this.#all - this.#counts.sites);
  }

  #kinds(): string {
    const kinds = [...this.#counts.reasons].sort(([, a], [, b]) => b - a);
    const named = kinds.slice(0, KINDS).map(([code, many]) => `${number(many)} ${code}`);
    const others = kinds.slice(KINDS).reduce((sum, [, many]) => sum + many, 0);
    return list(others > 0 ? [...named, `${number(others)} others`] : named);
  }

  #text(width = Number.POSITIVE_INFINITY): string {
    const { sites, pages, outcomes } = this.#counts;
    const parts = [`${number(sites)}/${count(this.#all, 'site')}`, count(pages, 'page')];
    parts.push(`${number(Math.round(this.#pagesPerSecond))}/s`);
    if (outcomes.failed > 0) parts.push(`${number(outcomes.failed)} failed: ${this.#kinds()}`);
    const left = this.#leftMs;
    if (left !== undefined && sites < this.#all) parts.push(`${elapsed(left)} left`);
    return fitted(parts.join(' · '), width);
  }
}
