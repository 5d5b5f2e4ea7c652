/** Tests in which something good must happen before a time is over that the test itself waits for. */

/**
 * Runs a test with a short time, and with the next longer one where it fails: a busy machine may have been too slow for
 * the short one, and a fault is there however long the time is. The last attempt counts.
 */
export async function withMoreTime<Result>(
  times: readonly number[],
  attempt: (time: number) => Promise<Result>,
): Promise<Result> {
  for (const time of times.slice(0, -1)) {
    try {
      return await attempt(time);
    } catch {
      // Again, with more time.
    }
  }
  return attempt(times.at(-1)!);
}
