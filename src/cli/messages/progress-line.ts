/**
 * The live line on a terminal: sitemaps done and known, pages, bytes, rate, elapsed; or what is waited for. The spinner
 * behind it takes the line away before anything else is written to the terminal, and puts it back.
 */
import type { ProgressEvent, ProgressTotals } from '../../index.ts';
import { bytes, count, elapsed, number } from '../../problems/wording.ts';
import type { CliIO } from '../io.ts';
import { escapeLine } from './reporter.ts';

/** The line is drawn when its text changes and when its spinner turns: together ten times a second. */
const EVERY_MS = 200;

const NOTHING: ProgressTotals = { known: 0, done: 0, failed: 0, pages: 0, bytes: 0, elapsedMs: 0 };

interface Waiting {
  readonly host: string;
  readonly reason: string;
  readonly leftMs: number;
}

export class ProgressLine {
  readonly #startedAt = performance.now();
  totals: ProgressTotals = NOTHING;
  /** Sitemaps that were read to their end, without robots.txt. */
  finished = 0;
  #pause: (Omit<Waiting, 'leftMs'> & { readonly until: number }) | undefined;
  #stop = (): void => {};

  /** For the library's `onProgress`. */
  readonly listener: (event: ProgressEvent) => void = (event) => {
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
    this.#stop = await drawnLine(io, (width) =>
      progressText(this.totals, this.elapsedMs, name, width, this.#waiting()),
    );
  }

  #waiting(): Waiting | undefined {
    if (this.#pause === undefined) return undefined;
    const { host, reason, until } = this.#pause;
    return { host, reason, leftMs: Math.max(0, until - performance.now()) };
  }

  hide(): void {
    this.#stop();
    this.#stop = () => {};
  }
}

/**
 * Draws a line on a terminal again and again, until the returned function is called.
 *
 * @param text - the line, of at most so many characters
 */
export async function drawnLine({ stderr }: CliIO, text: (width: number) => string): Promise<() => void> {
  const { default: yoctoSpinner } = await import('yocto-spinner');
  const textNow = (): string => text((stderr.columns || 80) - 3);
  const spinner = yoctoSpinner({
    // Ctrl-C is ours: a spinner that ends the process would leave temporary files behind.
    handleSignals: false,
    spinner: { frames: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'], interval: EVERY_MS },
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
export function canRedraw({ CI, TERM }: CliIO['env']): boolean {
  return CI === undefined && TERM !== 'dumb';
}

export function progressText(
  { known, done, failed, pages, bytes: size }: ProgressTotals,
  elapsedMs: number,
  name: string,
  width: number,
  waiting?: Waiting,
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

export function fitted(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
}
