/** How long anything waits for Redis. */
import { onAbort } from '../../runtime/abort.ts';

/** Rejects after `ms`; what the promise comes to later is ignored. */
export function limited<Value>(promise: Promise<Value>, ms: number, late: () => Error): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** What the promise comes to; rejects with the signal's reason when that aborts first. */
export function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, reject);
    promise.then(resolve, reject).finally(stop);
  });
}

/** Whether a command failed because the server is away, and may succeed later. */
export function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^(?:E[A-Z]+|NR_CLOSED)$/.test(code)) return true;
  return /Connection is closed|max retries per request|LOADING|READONLY|Socket timeout/i.test(error.message);
}
