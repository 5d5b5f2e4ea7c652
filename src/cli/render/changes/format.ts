/** What a format of changes is, and what it is given. `usp diff` prints with these, and so can every other command. */
import type { DiffCounts, PageChange } from '../../../index.ts';

/** The kinds of changes. */
export type ChangeType = PageChange['type'];

export const CHANGE_TYPES: readonly ChangeType[] = ['added', 'removed', 'changed'];

/** How changes are shown. */
export interface ChangeStyle {
  /** Makes harmless what could harm the output: on a terminal, control characters. */
  defuse(text: string): string;
  readonly hasColour: boolean;
}

/** A format of changes, for one listing: they are printed as they are found. */
export interface ChangeFormat {
  /** The kinds that it shows where the user does not say which. */
  readonly types: readonly ChangeType[];
  /** Printed before the first change. */
  readonly header: string;
  /** A line for each change, with its line feed. */
  lines(changes: readonly PageChange[], style: ChangeStyle): string;
  /** Printed behind the last change. */
  footer(counts: DiffCounts): string;
}
