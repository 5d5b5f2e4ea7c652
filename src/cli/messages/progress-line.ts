/**
 * The live line on a terminal, for one site: sitemaps done and known, pages, bytes, rate, elapsed, or what is waited
 * for; for many sites: sites done of all, pages per second, failures by kind, time left. The spinner behind it takes
 * the line away before anything else is written to the terminal, and puts it back.
 */
import type { CrawlCounts } from '../../batch/journal.ts';
import type { ProgressTotals, SitemapProgress } from '../../index.ts';
import { safeText } from '../../text/safe-text.ts';
import { bytes, count, elapsed, list, number } from '../../text/wording.ts';
import { type CliIO, escapeLine, type Reporter } from '../io.ts';
import { leftOutSentences } from '../page-filter.ts';

/** The line is drawn when its text changes and when its spinner turns: together ten times a second. */
const EVERY_MS = 200;

const NOTHING: ProgressTotals = { known: 0, done: 0, failed: 0, pages: 0, bytes: 0, elapsedMs: 0 };

interface HostPause {
  readonly host: string;
  readonly reason: string;
  readonly leftMs: number;
}

export class ProgressLine {
  readonly #startedAt = performance.now();
  totals: ProgressTotals = NOTHING;
  /** Sitemaps that were read to their end, without robots.txt. */
  finished = 0;
  #pause: (Omit<HostPause, 'leftMs'> & { readonly until: number }) | undefined;
  #stop = (): void => {};

  /** For the library's `onProgress`. */
  readonly listener: (event: SitemapProgress) => void = (event) => {
    this.totals = event.totals;
    if (event.type === 'retried' || event.type === 'waiting') {
      const { url, reason, waitMs } = event;
      this.#pause = { host: new URL(url).host, reason, until: performance.now() + waitMs };
    } else if (event.type !== 'queued') {
      this.#pause = undefined;
    }
    if (event.type !== 'finished') return;
    if (!new URL(event.url).pathname.endsWith('/robots.txt')) this.finished++;
  };

  /** The time since the site was started, up to now: an event of the library may be long ago. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Starts the line, where there is a terminal that can draw one line again and again. */
  async show(io: CliIO, name: string): Promise<void> {
    if (!io.isTerminal.stderr || !canRedraw(io.env)) return;
    this.#stop = await drawnLine(io, (width) => {
      const pause = this.#pause;
      const waiting = pause && { ...pause, leftMs: Math.max(0, pause.until - performance.now()) };
      return progressText(this.totals, this.elapsedMs, name, width, waiting);
    });
  }

  hide(): void {
    this.#stop();
    this.#stop = () => {};
  }
}

/**
 * Draws a line on a terminal again and again, until the returned function is called.
 *
 * @param text - makes the line, given how many characters it may have
 */
async function drawnLine({ stderr }: CliIO, text: (width: number) => string): Promise<() => void> {
  const { default: yoctoSpinner } = await import('yocto-spinner');
  const textNow = (): string => text((stderr.columns || 80) - 3);
  const spinner = yoctoSpinner({
    // Ctrl-C is ours: a spinner that ends the process would leave temporary files behind.
    handleSignals: false,
    spinner: { frames: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'], interval: EVERY_MS },
    // It writes, and asks for the columns.
    stream: stderr as unknown as NodeJS.WriteStream,
    text: textNow(),
  }).start();
  const timer = setInterval(() => {
    spinner.text = textNow();
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    spinner.stop();
  };
}

// With CI in the environment, whatever its value, the spinner writes a new line for every state; a dumb terminal cannot
// take a line away.
function canRedraw({ CI, TERM }: CliIO['env']): boolean {
  return CI === undefined && TERM !== 'dumb';
}

export function progressText(
  { known, done, failed, pages, bytes: size }: ProgressTotals,
  elapsedMs: number,
  name: string,
  width: number,
  waiting?: HostPause,
): string {
  const rate = elapsedMs > 0 ? (size * 1000) / elapsedMs : 0;
  const parts = known === 0 ? [] : [`${number(done + failed)}/${count(known, 'sitemap')}`];
  if (waiting !== undefined) {
    const { host, reason, leftMs } = waiting;
    const where = host === name ? '' : ` for ${host}`;
    parts.push(
      `waiting ${number(Math.ceil(leftMs / 1000))} s${where}: ${escapeLine(reason)}`,
      elapsed(elapsedMs),
    );
  } else {
    parts.push(count(pages, 'page'), bytes(size), `${bytes(rate)}/s`, elapsed(elapsedMs));
  }
  return fitted([name, ...parts].join(' · '), width);
}

function fitted(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
}

export type LogFormat = 'text' | 'json';

/** Prints messages: as sentences, or as JSON objects for machines. */
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

interface ShownCrawl {
  readonly countsNow: () => CrawlCounts;
  /** The sites of the list that are not finished yet, and those that were finished before. */
  readonly all: number;
  /** The sites that are being crawled here, with when that began (`performance.now()`). */
  readonly running: () => ReadonlyMap<string, number>;
  /** The time that one site has. */
  readonly siteMs: number;
}

export function crawlProgress(
  io: CliIO,
  reporter: Reporter,
  format: LogFormat,
  { countsNow, all, running, siteMs }: ShownCrawl,
): { show(): Promise<void>; hide(): void; finish(): void } {
  const startedAt = performance.now();
  const before = countsNow();
  let stop = (): void => {};

  const pace = (): { elapsedMs: number; pagesPerSecond: number; leftMs: number | undefined } => {
    const { sites, pages } = countsNow();
    const elapsedMs = performance.now() - startedAt;
    const done = sites - before.sites;
    return {
      elapsedMs,
      pagesPerSecond: Math.round(((pages - before.pages) * 1000) / Math.max(1, elapsedMs)),
      // Not known until a site is finished.
      leftMs: done === 0 ? undefined : Math.round((elapsedMs / done) * Math.max(0, all - sites)),
    };
  };
  const writeJson = (type: 'start' | 'progress' | 'end'): void => {
    const { sites, pages, outcomes, reasons, leftOut } = countsNow();
    const { elapsedMs, pagesPerSecond, leftMs = null } = pace();
    const line = {
      time: new Date().toISOString(),
      type,
      sites: all,
      finished: sites,
      pages,
      outcomes,
      failures: Object.fromEntries(reasons),
      leftOut: Object.fromEntries(leftOut),
      running: running().size,
      pagesPerSecond,
      elapsedMs: Math.round(elapsedMs),
      leftMs,
    };
    io.stderr.write(`${safeText(JSON.stringify(line), 'json')}\n`);
  };
  const text = (width = Number.POSITIVE_INFINITY): string => {
    const counts = countsNow();
    const { sites, pages, outcomes } = counts;
    const { pagesPerSecond, leftMs } = pace();
    const parts = [
      `${number(sites)}/${count(all, 'site')}`,
      count(pages, 'page'),
      `${number(pagesPerSecond)}/s`,
    ];
    if (outcomes.failed > 0) parts.push(`${number(outcomes.failed)} failed: ${kindsOf(counts)}`);
    // The pace of the others says nothing about the last ones.
    const waiting = running();
    if (waiting.size > 0 && sites + waiting.size >= all)
      parts.push(waitingFor(waiting, siteMs, performance.now()));
    else if (leftMs !== undefined && sites < all) parts.push(`${elapsed(leftMs)} left`);
    return fitted(parts.join(' · '), width);
  };
  const hide = (): void => {
    stop();
    stop = () => {};
  };

  return {
    async show() {
      if (reporter.isQuiet) return;
      const isLine = format === 'text' && io.isTerminal.stderr && canRedraw(io.env);
      const write = (): void => (format === 'json' ? writeJson('progress') : reporter.say(text()));
      const timer = isLine ? undefined : setInterval(write, WRITTEN_MS);
      if (format === 'json') writeJson('start');
      const hideLine = isLine ? await drawnLine(io, text) : () => {};
      stop = () => {
        clearInterval(timer);
        hideLine();
      };
    },
    hide,
    finish() {
      hide();
      if (format === 'json') {
        if (!reporter.isQuiet) writeJson('end');
        return;
      }
      const counts = countsNow();
      const each = Object.entries(counts.outcomes).filter(([, many]) => many > 0);
      const words = each.map(([outcome, many]) => `${number(many)} ${outcome}`).join(', ');
      const sites = `${count(counts.sites, 'site')}${words === '' ? '' : ` (${words})`}`;
      reporter.say(`${sites}, ${count(counts.pages, 'page')}, in ${elapsed(pace().elapsedMs)}.`);
      const kinds = kindsOf(counts);
      if (kinds !== '') reporter.say(`Failed: ${kinds}.`);
      for (const sentence of leftOutSentences(Object.fromEntries(counts.leftOut))) reporter.say(sentence);
    },
  };
}

const NAMED_AFTER_MS = 30_000;
const MOST_NAMES = 3;

/** The sites that are waited for; after a while the first ones by name, and how long all may take. */
export function waitingFor(running: ReadonlyMap<string, number>, siteMs: number, now: number): string {
  const longest = [...running].sort(([, a], [, b]) => a - b);
  const many = `waiting for ${count(running.size, 'site')}`;
  if (now - (longest[0]?.[1] ?? now) < NAMED_AFTER_MS) return many;
  const remainingMs = Math.max(0, (longest.at(-1)?.[1] ?? now) + siteMs - now);
  const names = longest.slice(0, MOST_NAMES).map(([site]) => site);
  const more = running.size > MOST_NAMES ? ', …' : '';
  return `${many}, at most ${elapsed(remainingMs)} (--timeout): ${names.join(', ')}${more}`;
}

function kindsOf({ reasons }: CrawlCounts): string {
  const kinds = [...reasons].sort(([, a], [, b]) => b - a);
  const names = kinds.slice(0, KINDS).map(([code, many]) => `${number(many)} ${code}`);
  const others = kinds.slice(KINDS).reduce((sum, [, many]) => sum + many, 0);
  return list(others > 0 ? [...names, count(others, 'other')] : names);
}
