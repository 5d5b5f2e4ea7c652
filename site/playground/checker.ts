/** The check worker, as the session uses it: one check at a time, and a newer one ends an older one. */
import type { FindingRow, InputDocument } from './messages.ts';

/** What is checked: documents whose addresses are known as far as they can be. */
export interface CheckRequest {
  readonly documents: readonly (Omit<InputDocument, 'url'> & { readonly url: string | undefined })[];
  readonly now: number | undefined;
}

/** What comes of it. */
export type CheckReply = { readonly findings: readonly FindingRow[] } | { readonly failure: string };

/** Runs checks. */
export class Checker {
  #worker: Worker | undefined;
  #isBusy = false;

  /** Ends the check that is running, if there is one; its promise never settles. */
  cancel(): void {
    if (!this.#isBusy) return;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#isBusy = false;
  }

  check(request: CheckRequest): Promise<readonly FindingRow[]> {
    this.cancel();
    this.#worker ??= new Worker(new URL('./check-worker.ts', import.meta.url), { type: 'module' });
    const worker = this.#worker;
    this.#isBusy = true;
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<CheckReply>) => {
        this.#isBusy = false;
        if ('findings' in data) resolve(data.findings);
        else reject(new Error(data.failure));
      };
      worker.onerror = ({ message }) => reject(new Error(message || 'The checks could not be started.'));
      worker.postMessage(request);
    });
  }
}
