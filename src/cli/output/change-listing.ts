/** Changes in, the chosen format out: what every command that compares trees prints with. */
import type { DiffCounts, PageChange, RobotsVerdict } from '../../index.ts';
import { CHANGE_TYPES } from '../args/option-values.ts';
import type { CommandIO } from '../io.ts';
import type { ChangeFlags } from '../program/flags.ts';
import { CHANGE_FORMATS } from '../render/change-formats.ts';
import { ListingOutput } from './output.ts';

interface Changes extends AsyncIterable<PageChange> {
  readonly counts: DiffCounts;
}

export interface ChangeListing {
  /**
   * Prints the changes as they are found, behind those that were printed before; returns how many.
   *
   * @param verdictOf - whether the agent may fetch a page, where there is one
   */
  print(diff: Changes, verdictOf?: (url: string) => RobotsVerdict): Promise<number>;
  finish(): Promise<void>;
}

/** @throws UsageError where the output cannot be written */
export async function openChangeListing(options: ChangeFlags, io: CommandIO): Promise<ChangeListing> {
  const output = await ListingOutput.open(options, io);
  const format = CHANGE_FORMATS[options.format]!();
  const types = options.only ?? format.types ?? CHANGE_TYPES;
  let counts: DiffCounts | undefined;
  return {
    async print(diff, verdictOf) {
      const { hasColour } = output;
      const style = { hasColour, verdictOf, shorten: (url: string) => url, isShort: false };
      let printed = 0;
      if (counts === undefined) await output.add(format.header?.(style) ?? '');
      for await (const change of diff) {
        if (!types.includes(change.type)) continue;
        printed++;
        await output.add(format.lines([change], style));
      }
      await output.write('');
      counts = counts === undefined ? diff.counts : sum(counts, diff.counts);
      return printed;
    },
    async finish() {
      if (counts !== undefined) await output.add(format.footer?.(counts) ?? '');
      await output.finish();
    },
  };
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
