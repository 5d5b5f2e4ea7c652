/** Changes in, the chosen format out: what every command that compares trees prints with. */
import type { DiffCounts, PageChange, RobotsVerdict } from '../../index.ts';
import { CHANGE_TYPES } from '../args/option-values.ts';
import type { CommandIO } from '../io.ts';
import type { ChangeFlags } from '../program/flags.ts';
import { CHANGE_FORMATS, type ChangeFormat } from '../render/change-formats.ts';
import { ListingOutput } from './output.ts';

export interface Changes extends AsyncIterable<PageChange> {
  readonly counts: DiffCounts;
}

export class ChangeListing {
  readonly #output: ListingOutput;
  readonly #format: ChangeFormat;
  readonly #types: readonly PageChange['type'][];
  #counts: DiffCounts | undefined;

  private constructor(output: ListingOutput, { format, only }: ChangeFlags) {
    this.#output = output;
    this.#format = CHANGE_FORMATS[format]!();
    this.#types = only ?? this.#format.types ?? CHANGE_TYPES;
  }

  /** @throws UsageError where the output cannot be written */
  static async open(options: ChangeFlags, io: CommandIO): Promise<ChangeListing> {
    return new ChangeListing(await ListingOutput.open(options, io), options);
  }

  /**
   * Prints the changes as they are found, behind those that were printed before; returns how many.
   *
   * @param verdictOf - whether the agent may fetch a page, where there is one
   */
  async print(diff: Changes, verdictOf?: (url: string) => RobotsVerdict): Promise<number> {
    const { hasColour } = this.#output;
    const style = { hasColour, verdictOf, shorten: (url: string) => url, isShort: false };
    let printed = 0;
    if (this.#counts === undefined) await this.#output.add(this.#format.header?.(style) ?? '');
    for await (const change of diff) {
      if (!this.#types.includes(change.type)) continue;
      printed++;
      await this.#output.add(this.#format.lines([change], style));
    }
    await this.#output.write('');
    this.#counts = this.#counts === undefined ? diff.counts : sum(this.#counts, diff.counts);
    return printed;
  }

  async finish(): Promise<void> {
    if (this.#counts !== undefined) await this.#output.add(this.#format.footer?.(this.#counts) ?? '');
    await this.#output.finish();
  }
}

function sum(a: DiffCounts, b: DiffCounts): DiffCounts {
  return {
    added: a.added + b.added,
    removed: a.removed + b.removed,
    changed: a.changed + b.changed,
    same: b.same,
    unknown: a.unknown + b.unknown,
  };
}
