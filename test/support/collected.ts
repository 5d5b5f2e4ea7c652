/**
 * What is collected. A test that this tier or system does not run is not one of its tests; what a missing program costs
 * is one line that says what to install. So whatever a run prints as skipped is something to act on.
 */
import { describe, type TestAPI, test } from 'vitest';

/** `test` where the condition holds; elsewhere it takes the same arguments and collects nothing. */
export function testIf(condition: boolean): TestAPI {
  return condition ? test : NOT_COLLECTED;
}

/** `describe`, or where something is missing one skipped test with the sentence that names it. */
export function describeUnless(missing: string | undefined, title: string, body: () => void): void {
  if (missing === undefined) describe(title, body);
  else describe(title, () => test(missing, ({ skip }) => skip(missing)));
}

/** `describe` where the condition holds, for what a tier or a system does not have at all. */
export function describeIf(condition: boolean, title: string, body: () => void): void {
  if (condition) describe(title, body);
}

const NOT_COLLECTED = Object.assign(() => {}, {
  each: () => () => {},
  for: () => () => {},
}) as unknown as TestAPI;
