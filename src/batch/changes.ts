import { unlessAborted } from '../runtime/abort.ts';

/** Lets any number of callers wait until something has changed, whatever that is: each looks for itself. */
export class Changes {
  #wake: () => void = () => {};
  #next: Promise<void> | undefined;

  wake(): void {
    this.#next = undefined;
    this.#wake();
  }

  /** Waits for the next change; rejects with the signal's reason when that aborts. */
  wait(signal?: AbortSignal): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return unlessAborted(this.#next, signal);
  }
}
