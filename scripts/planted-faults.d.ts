/** A fault in a module: the text between two offsets is replaced. */
export interface PlantedFault {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export declare const OPERATOR_NAMES: readonly string[];

/** All faults that can be planted in a module. */
export declare function faultsIn(source: string): Generator<PlantedFault>;
