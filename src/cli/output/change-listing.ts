/** Changes in, the chosen format out: what every command that compares trees prints with. */
import type { DiffCounts, PageChange, RobotsVerdict } from '../../index.ts';
import type { CliIO } from '../io.ts';
import { UsageError } from '../messages/endings.ts';
import {
  CHANGE_FORMATS,
  type ChangeFormat,
  type ChangeStyle,
  type ChangeType,
} from '../render/change-formats.ts';
import { kindOf, ListingOutput } from './output.ts';

export interface ChangeListingOptions {
  readonly format: string;
  readonly output?: string | undefined;
  readonly only?: readonly ChangeType[] | undefined;
}

export interface Changes extends AsyncIterable<PageChange> {
  readonly counts: DiffCounts;
}

/** This many changes are written at once. */
const AT_ONCE = 128;

export class ChangeListing {
  readonly #output: ListingOutput;
  readonly #format: ChangeFormat;
  readonly #types: readonly ChangeType[];
  #counts: DiffCounts | undefined;

  private constructor(output: ListingOutput, format: ChangeFormat, types: readonly ChangeType[]) {
    this.#output = output;
    this.#format = format;
    this.#types = types;
  }

  /** @throws UsageError where the output cannot be written */
  static async open({ format, output, only }: ChangeListingOptions, io: CliIO): Promise<ChangeListing> {
    const chosen = CHANGE_FORMATS[format]?.();
    if (chosen === undefined) throw new UsageError(`There is no format ${format}.`);
    const listing = await ListingOutput.open(output, kindOf(format), io);
    return new ChangeListing(listing, chosen, only ?? chosen.types);
  }

  /**
   * Prints the changes as they are found, behind those that were printed before; returns how many.
   *
   * @param verdictOf - whether the agent may fetch a page, where there is one
   */
  async print(diff: Changes, verdictOf?: (url: string) => RobotsVerdict): Promise<number> {
    const style: ChangeStyle = { hasColour: this.#output.hasColour, verdictOf };
    let printed = 0;
    let waiting: PageChange[] = [];
    const flush = async (): Promise<void> => {
      await this.#output.write(this.#format.lines(waiting, style));
      waiting = [];
    };
    if (this.#counts === undefined) await this.#output.write(this.#format.header(style));
    for await (const change of diff) {
      if (!this.#types.includes(change.type)) continue;
      printed++;
      if (waiting.push(change) === AT_ONCE) await flush();
    }
    await flush();
    this.#counts = this.#counts === undefined ? diff.counts : sum(this.#counts, diff.counts);
    return printed;
  }

  async finish(): Promise<void> {
    if (this.#counts !== undefined) await this.#output.write(this.#format.footer(this.#counts));
    await this.#output.finish();
  }

  async discard(): Promise<void> {
    await this.#output.discard();
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
