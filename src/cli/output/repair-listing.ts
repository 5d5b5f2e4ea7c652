/** What `usp fix` did: repairs in, text or JSON out. */
import { count, number } from '../../problems/wording.ts';
import type { Repair } from '../../write/repair.ts';
import type { RepairResult } from '../../write/repair-tree.ts';
import { inFlags } from '../args/option-flags.ts';
import type { CommandIO } from '../io.ts';
import { OutputClosed } from '../messages/endings.ts';
import { ListingOutput } from './output.ts';

interface RepairListingOptions {
  readonly format: 'text' | 'json';
  readonly all?: boolean | undefined;
}

/** What is known once everything is written. */
export interface RepairSummary extends RepairResult {
  readonly directory: string;
  readonly missing: readonly string[];
  readonly removed: readonly string[];
  /** Files of an earlier set that stay, since something could not be read. */
  readonly kept: readonly string[];
}

interface RuleCount {
  dropped: number;
  changed: number;
}

/** As many of a rule are shown in text, unless all are wanted. */
const MOST_OF_RULE = 10;

export class RepairListing {
  readonly #output: ListingOutput;
  readonly #options: RepairListingOptions;
  readonly #rules = new Map<string, RuleCount>();
  readonly #shown = new Map<string, number>();
  #document: string | undefined;
  #isFirst = true;
  #isClosed = false;

  private constructor(options: RepairListingOptions, output: ListingOutput) {
    this.#options = options;
    this.#output = output;
  }

  static async open(options: RepairListingOptions, io: CommandIO): Promise<RepairListing> {
    return new RepairListing(options, await ListingOutput.open({ format: options.format }, io));
  }

  async print(repairs: readonly Repair[]): Promise<void> {
    let text = '';
    for (const found of repairs) {
      const { rule, message } = found;
      // The library names its option, a user of the command has a flag.
      const repair = rule === 'unresolvable-url' ? { ...found, message: inFlags(message, 'url') } : found;
      this.#count(repair);
      text += this.#options.format === 'json' ? this.#json(repair) : this.#line(repair);
    }
    if (text !== '') await this.#write(text);
  }

  async finish(summary: RepairSummary): Promise<void> {
    await this.#write(this.#options.format === 'json' ? this.#jsonEnd(summary) : this.#textEnd(summary));
    await this.#output.finish();
  }

  /** A reader of the report that has gone is no reason not to write the set. */
  async #write(text: string): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#output.write(text);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
      this.#isClosed = true;
    }
  }

  #count({ rule, action, count: times = 1 }: Repair): void {
    const counts = this.#rules.get(rule) ?? { dropped: 0, changed: 0 };
    this.#rules.set(rule, counts);
    counts[action] += times;
  }

  #json(repair: Repair): string {
    const start = this.#isFirst ? '{"repairs":[' : ',';
    this.#isFirst = false;
    return `${start}\n${JSON.stringify(repair)}`;
  }

  #jsonEnd(summary: RepairSummary): string {
    const { directory, missing, removed, kept, files, pagesRead, pagesWritten, robots } = summary;
    const end = JSON.stringify({
      rules: Object.fromEntries(this.#sorted),
      directory,
      pages: { read: pagesRead, written: pagesWritten },
      files,
      removed,
      kept,
      robots: robots.map((url) => `Sitemap: ${url}`),
      missing,
    });
    return `${this.#isFirst ? '{"repairs":[' : '\n'}],${end.slice(1)}\n`;
  }

  get #sorted(): readonly (readonly [string, RuleCount])[] {
    const total = ({ dropped, changed }: RuleCount): number => dropped + changed;
    return [...this.#rules].sort(([, a], [, b]) => total(b) - total(a));
  }

  #line(repair: Repair): string {
    const { rule, action, message, document, line, column, page } = repair;
    const shown = (this.#shown.get(rule) ?? 0) + 1;
    this.#shown.set(rule, shown);
    if (shown > MOST_OF_RULE && this.#options.all !== true) return '';
    const head =
      document === this.#document ? '' : `${this.#document === undefined ? '' : '\n'}${document}\n`;
    this.#document = document;
    const place = line === undefined ? '' : `${line}:${column}`;
    const about = page === undefined || message.includes(page) ? '' : ` ${page}`;
    const what = this.#output.paint(action === 'dropped' ? 'red' : 'yellow', action);
    return `${head}  ${place.padEnd(8)} ${what}  ${message}${about}  ${this.#output.paint('dim', rule)}\n`;
  }

  #textEnd(summary: RepairSummary): string {
    const { directory, missing, removed, kept, files, pagesRead, pagesWritten, robots } = summary;
    const lines: string[] = [];
    if (this.#rules.size === 0) lines.push('Nothing had to be repaired.');
    else {
      lines.push('', 'dropped  changed  rule');
      for (const [rule, { dropped, changed }] of this.#sorted)
        lines.push(`${shownNumber(dropped, 7)}  ${shownNumber(changed, 7)}  ${rule}`);
      const isCut =
        this.#options.all !== true && [...this.#shown.values()].some((times) => times > MOST_OF_RULE);
      if (isCut) lines.push(`The first ${MOST_OF_RULE} of each rule are shown; --all shows all of them.`);
    }
    const written = `${number(pagesWritten)} of ${count(pagesRead, 'page')}`;
    lines.push('', `${directory}: ${written} in ${count(files.length, 'file')}.`);
    for (const { name, pages, from } of files) {
      const what = pages === 0 ? 'index' : count(pages, 'page');
      lines.push(`  ${name}  ${what}${from === undefined || from === name ? '' : `, from ${from}`}`);
    }
    for (const name of removed) lines.push(`  ${name}  removed: an earlier run wrote it`);
    for (const name of kept) lines.push(`  ${name}  kept as an earlier run wrote it`);
    if (missing.length > 0) lines.push('', 'Missing, or incomplete:', ...missing.map((each) => `  ${each}`));
    if (robots.length > 0) lines.push('', 'For robots.txt:', ...robots.map((url) => `Sitemap: ${url}`));
    return `${lines.join('\n')}\n`;
  }
}

function shownNumber(value: number, width: number): string {
  return (value === 0 ? '' : number(value)).padStart(width);
}
