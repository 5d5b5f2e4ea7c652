/** What a request needs before it may be sent: a slot, which politeness.ts gives out. */
import type { StopSignal } from '../../runtime/abort.ts';

export interface PolitenessOptions {
  readonly concurrency: number;
  readonly perHostConcurrency: number;
  readonly waitMs: number;
  readonly randomWait: boolean;
}

/** What is asked of `Politeness.enter`. */
export interface SlotRequest {
  /** Ends the wait; its reason is thrown. */
  readonly signal: StopSignal;
  /** An undeclared request waits behind all declared ones of its host. */
  readonly isDeclared: boolean;
  /** The address of the host, where it is known: hosts of one address share its limit. */
  readonly address?: string | undefined;
  /** The call that asks, for `Politeness.dismiss`. */
  readonly call?: object | undefined;
}

/** The right to have one request in flight. */
export interface Slot {
  /** The headers of a response have arrived that is not a refusal. */
  responded(): void;
  /** The request was refused, took too long or broke. Returns the new spacing, if that reduced the host's pace. */
  refused(): number | undefined;
  /** Gives the slot back; further calls do nothing. */
  leave(): void;
}
