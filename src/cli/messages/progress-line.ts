/**
 * The live line on a terminal: sitemaps done and known, pages, bytes, rate, elapsed. The spinner behind it takes the line
 * away before anything else is written to the terminal, and puts it back.
 */
import type { Spinner } from 'yocto-spinner';
import type { ProgressEvent, ProgressTotals } from '../../index.ts';
import type { CliIO } from '../io.ts';
import { bytes, count, elapsed, number } from './wording.ts';

/** The line is drawn when its text changes and when its spinner turns: together ten times a second. */
const EVERY_MS = 200;

const NOTHING: ProgressTotals = { known: 0, done: 0, failed: 0, pages: 0, bytes: 0, elapsedMs: 0 };

/** Shows the progress of one site. */
export class ProgressLine {
  #totals = NOTHING;
  #finished = 0;
  #robots = 0;
  #stop = (): void => {};

  /** For the library's `onProgress`. */
  readonly listener: (event: ProgressEvent) => void = (event) => {
    this.#totals = event.totals;
    if (event.type !== 'finished') return;
    if (new URL(event.url).pathname.endsWith('/robots.txt')) this.#robots++;
    else this.#finished++;
  };

  /** What was done so far. */
  get totals(): ProgressTotals {
    return this.#totals;
  }

  /** Sitemaps that were read to their end, robots.txt not among them. */
  get finished(): number {
    return this.#finished;
  }

  /** The same with robots.txt. */
  get finishedWithRobots(): number {
    return this.#finished + this.#robots;
  }

  /** Starts the line, where there is a terminal and somebody who looks at it. */
  async show(io: CliIO, name: string): Promise<void> {
    if (!io.isTerminal.stderr) return;
    const { default: yoctoSpinner } = await import('yocto-spinner');
    const startedAt = performance.now();
    const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
    const text = (): string =>
      progressText(this.#totals, performance.now() - startedAt, name, (io.stderr.columns ?? 80) - 3);
    const spinner: Spinner = yoctoSpinner({
      // Ctrl-C is ours: a spinner that ends the process would leave temporary files behind.
      handleSignals: false,
      spinner: { frames, interval: EVERY_MS },
      stream: io.stderr as unknown as NodeJS.WriteStream,
      text: text(),
    }).start();
    const timer = setInterval(() => {
      spinner.text = text();
    }, EVERY_MS);
    this.#stop = () => {
      clearInterval(timer);
      spinner.stop();
    };
  }

  /** Takes the line away. */
  hide(): void {
    this.#stop();
    this.#stop = () => {};
  }
}

/** The line's text, cut to the width of the terminal. */
export function progressText(
  { known, done, failed, pages, bytes: size }: ProgressTotals,
  elapsedMs: number,
  name: string,
  width: number,
): string {
  const rate = elapsedMs > 0 ? (size * 1000) / elapsedMs : 0;
  const text = [
    name,
    `${number(done + failed)}/${count(known, 'sitemap')}`,
    count(pages, 'page'),
    bytes(size),
    `${bytes(rate)}/s`,
    elapsed(elapsedMs),
  ].join(' · ');
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
}
