/**
 * How much the heavy tests do. `npm test` runs the fast tier: tests at the smallest size that shows something.
 * `npm run test:all` runs the full tier: every test at full size, and what only makes sense there. With TEST_STRENGTH=2
 * a few tests of the full tier are larger still: what does not fit into its ten minutes.
 *
 * vitest.config.ts sets TEST_TIER for the mode `full` (`vitest run --mode full`), so that no shell syntax is needed.
 * The variable can also be set by hand.
 */
export const isFull: boolean = process.env['TEST_TIER'] === 'full';

/** False in `npm test`, which leaves attacks on time and memory, kills and second compilers to the full tier. */
export const hasHeavy: boolean = isFull || process.env['TEST_HEAVY'] !== 'no';

const isStrong = isFull && Number(process.env['TEST_STRENGTH'] ?? 1) >= 2;

/** The sizes of something. */
export interface Sizes<Size> {
  readonly fast: Size;
  readonly full: Size;
  /** With TEST_STRENGTH=2. @default the full size */
  readonly strong?: Size;
}

/** The size of something in this tier. */
export function sized<Size>({ fast, full, strong = full }: Sizes<Size>): Size {
  return isStrong ? strong : isFull ? full : fast;
}
