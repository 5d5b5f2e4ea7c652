/**
 * How much the heavy tests do. `npm test` runs the fast tier: every test, at the smallest size that shows something.
 * `npm run test:all` runs the full tier: every test at full size, and what only makes sense there.
 *
 * vitest.config.ts sets TEST_TIER for the mode `full` (`vitest run --mode full`), so that no shell syntax is needed. The
 * variable can also be set by hand.
 */
export const isFull: boolean = process.env['TEST_TIER'] === 'full';

/** The size of something in this tier. */
export function sized<Size>({ fast, full }: { readonly fast: Size; readonly full: Size }): Size {
  return isFull ? full : fast;
}
