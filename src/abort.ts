/** Listening to abort signals. */

/**
 * Calls `listener` once with the reason of the abort: at once, where the signal is aborted already. The returned
 * function stops listening; call it when the work is over, since a signal may live longer than what listens to it.
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  if (signal === undefined) return () => {};
  const onEvent = (): void => listener(signal.reason);
  if (signal.aborted) onEvent();
  else signal.addEventListener('abort', onEvent, { once: true });
  return () => signal.removeEventListener('abort', onEvent);
}
