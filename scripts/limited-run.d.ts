import type { SpawnOptions } from 'node:child_process';

export interface LimitedRun {
  readonly ending: Promise<'ok' | 'failed' | 'too slow' | 'too much memory' | 'stopped'>;
  stop(): void;
}

/** Starts Node: it and all processes that it starts end after a time, or when they take too much memory. */
export declare function limitedRun(
  args: readonly string[],
  limits: SpawnOptions & { readonly seconds: number; readonly gigabytes: number },
): LimitedRun;
