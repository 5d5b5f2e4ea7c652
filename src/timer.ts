/** Timers of any length. */

/** `setTimeout` takes 31 bits and fires at once when given more; a wait this long (25 days) never ends in practice. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** Calls `onPassed` after `ms`, unless the returned function is called first. */
export function startTimer(ms: number, onPassed: () => void): () => void {
  const timer = setTimeout(onPassed, Math.min(ms, LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
}
