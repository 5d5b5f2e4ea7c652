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

interface ProgressWorld {
  readonly io: CliIO;
  readonly reporter: Reporter;
  readonly format: LogFormat;
}

/** @param all - the sites of the list that are not finished yet, and those that were finished before */
export function crawlProgress(
  { io, reporter, format }: ProgressWorld,
  countsNow: () => CrawlCounts,
  all: number,
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
    const { sites, pages, outcomes, reasons } = countsNow();
    const { elapsedMs, pagesPerSecond, leftMs = null } = pace();
    const line = {
      ...{ time: new Date().toISOString(), type, sites: all, finished: sites, pages },
      ...{ outcomes, failures: Object.fromEntries(reasons) },
      ...{ pagesPerSecond, elapsedMs: Math.round(elapsedMs), leftMs },
    };
    io.stderr.write(`${JSON.stringify(line)}\n`);
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
    if (leftMs !== undefined && sites < all) parts.push(`${elapsed(leftMs)} left`);
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
    },
  };
}

function kindsOf({ reasons }: CrawlCounts): string {
  const kinds = [...reasons].sort(([, a], [, b]) => b - a);
  const named = kinds.slice(0, KINDS).map(([code, many]) => `${number(many)} ${code}`);
  const others = kinds.slice(KINDS).reduce((sum, [, many]) => sum + many, 0);
  return list(others > 0 ? [...named, `${number(others)} others`] : named);
}
