/**
 * Linear as a ratio in one run: ten times the bytes cost at most fourteen times the work, for each hostile shape,
 * whole and in pieces, whether it is walked or checked. And not much for each byte: what is scanned again for every
 * token up to a limit is linear too. Work is counted, not timed: `counted-work.ts` says how.
 */
import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderUntil } from '../support/folder.ts';
import { HOSTILE_SHAPES } from '../support/hostile-shapes.ts';
import { isFull, sized } from '../support/tier.ts';

const TIMES = 10;
/** More than ten: a token over 64 KiB is looked at again where its end arrives. */
const MOST = 14;
/**
 * The root is looked for in all that has arrived, each time that has doubled: a long prolog is read twice where it comes
 * in pieces, and once where it does not.
 */
const mostOf = (shape: string): number =>
  HOSTILE_SHAPES[shape]?.start.startsWith('<!DOCTYPE') ? 2 * MOST : MOST;
/** Blocks of code and bytes handed to natives, for each byte of the document. */
const MOST_PER_BYTE = { walk: 60, check: 150 };
/** A child is ended after this: what is linear needs a few seconds, what hangs would hang for ever. */
const HANG_MS = sized({ fast: 100_000, full: 300_000 });
/** Children that share the shapes: each is a process to start, and what it has compiled serves all its shapes. */
const CHILDREN = sized({ fast: 1, full: 4 });

interface Feed {
  readonly name: string;
  readonly size: number;
  /** How many bytes arrive at once; 0 for all of them. */
  readonly chunk: number;
}

/**
 * How the bytes arrive. A carried-over token that is scanned anew with each piece is quadratic only in pieces. In the
 * full tier the large documents are over 64 KiB, where values are cut; with TEST_STRENGTH=2 the small ones as well.
 */
const SMALL_PIECES: Feed = {
  name: 'in 64-byte pieces',
  size: sized({ fast: 5_000, full: 8_000, strong: 70_000 }),
  chunk: 64,
};
const FEEDS: readonly Feed[] = [
  { name: 'whole', size: sized({ fast: 7_000, full: 8_000, strong: 70_000 }), chunk: 0 },
  { name: 'in 64 KiB pieces', size: sized({ fast: 7_000, full: 8_000, strong: 70_000 }), chunk: 65_536 },
  SMALL_PIECES,
  { name: 'byte by byte', size: sized({ fast: 5_000, full: 8_000, strong: 40_000 }), chunk: 1 },
];

/**
 * What the search may find: floods of the shortest tokens cost most, some 65 for each byte. In a check, a finding in a
 * line that ends with CR costs most: up to 260 for each byte of a document as small as these are.
 */
const MOST_FOUND_PER_BYTE = { walk: 100, check: 400 };

const folder = folderUntil(afterAll);
let program = '';
let search = '';

// Node 20 runs no TypeScript, and the built package may be older than the sources.
beforeAll(async () => {
  program = join(folder, 'measure-hostile.mjs');
  search = join(folder, 'search-hostile.mjs');
  for (const outfile of [program, search]) {
    const entry = fileURLToPath(new URL(`../support/${basename(outfile, '.mjs')}.ts`, import.meta.url));
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  }
});

describe(`${TIMES} times the bytes cost at most ${MOST} times the work, and a byte at most ${MOST_PER_BYTE.walk}`, () => {
  // Neighbours are much alike. In the fast tier every fourth group of four shapes arrives, each in one of these ways. In the
  // full tier every shape arrives in 64-byte pieces, which show what is quadratic as a whole too, and every fourth one in
  // one of the other ways; with TEST_STRENGTH=2 in all of them.
  const others = FEEDS.filter((feed) => feed !== SMALL_PIECES);
  const cases = Object.keys(HOSTILE_SHAPES)
    .map((shape, at) => {
      const feeds = {
        fast: [FEEDS[at % FEEDS.length]!],
        full: [SMALL_PIECES, ...(at % 4 === 0 ? [others[(at >> 2) % others.length]!] : [])],
        strong: FEEDS,
      };
      return [shape, sized<readonly Feed[]>(feeds)] as const;
    })
    .filter((_case, at) => isFull || (at >> 2) % 4 === 0);
  const children = Array.from({ length: CHILDREN }, (_, child) =>
    once(() => measured(cases.filter((_case, at) => at % CHILDREN === child))),
  );
  test.concurrent.each(cases.map(([shape, feeds], at) => [shape, feeds, at] as const))(
    '%s',
    async (shape, feeds, at) => {
      const counts = (await children[at % CHILDREN]?.())?.[shape] ?? [];
      const ratios = feeds.map(({ name }, index) => {
        const [small, large] = counts[index] ?? [0, Number.NaN];
        return [name, large / small] as const;
      });
      expect(ratios.filter(([, ratio]) => !(ratio <= mostOf(shape)))).toEqual([]);
      // Each chunk costs something: a byte that arrives alone costs more.
      for (const [index, { size, chunk }] of feeds.entries())
        if (chunk !== 1)
          expect((counts[index]?.[1] ?? Number.NaN) / (TIMES * size)).toBeLessThan(MOST_PER_BYTE.walk);
    },
  );
});

describe(`${TIMES} times the bytes cost a check at most ${MOST} times the work, and a byte at most ${MOST_PER_BYTE.check}`, () => {
  // A check costs several times as much. In the fast tier every sixth shape, as a whole; in the full tier every shape, as a
  // whole and in pieces by turns.
  const size = sized({ fast: 7_000, full: 5_000, strong: 20_000 });
  const whole = { name: 'whole', size, chunk: 0 };
  const pieces = { name: 'in 64-byte pieces', size, chunk: 64 };
  const feedsOf = (at: number): readonly Feed[] =>
    sized({ fast: [whole], full: [at % 2 === 0 ? whole : pieces], strong: [whole, pieces] });
  const cases = Object.keys(HOSTILE_SHAPES)
    .filter((_shape, at) => isFull || at % 6 === 1)
    .map((shape, at) => [shape, feedsOf(at), at] as const);
  const children = Array.from({ length: CHILDREN }, (_, child) =>
    once(() =>
      measured(
        cases.filter(([, , at]) => at % CHILDREN === child),
        'check',
      ),
    ),
  );
  test.concurrent.each(cases)('%s', async (shape, feeds, at) => {
    const counts = (await children[at % CHILDREN]?.())?.[shape] ?? [];
    const ratios = feeds.map(({ name }, index) => {
      const [small, large] = counts[index] ?? [0, Number.NaN];
      return [name, large / small] as const;
    });
    expect(ratios.filter(([, ratio]) => !(ratio <= mostOf(shape)))).toEqual([]);
    const [, whole = Number.NaN] = counts[0] ?? [];
    expect(whole / (TIMES * (feeds[0]?.size ?? 0))).toBeLessThan(MOST_PER_BYTE.check);
  });
});

test.each(['walk', 'check'] as const)(
  'a search for shapes that cost much to %s finds none (npm run soak searches longer)',
  async (work) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [search, work, '1', sized({ fast: '3', full: '10', strong: '150' })],
      { timeout: HANG_MS, killSignal: 'SIGKILL' },
    );
    const found: unknown = JSON.parse(stdout);
    if (!Array.isArray(found) || found.length === 0) throw new Error(`the child found nothing: ${stdout}`);
    expect(found.filter(({ perByte }) => !(perByte <= MOST_FOUND_PER_BYTE[work]))).toEqual([]);
  },
);

/** How much work each shape is, small and large, for each of its feeds. */
type Counts = Readonly<Record<string, readonly (readonly [number, number])[]>>;

async function measured(
  cases: readonly (readonly [string, readonly Feed[], ...unknown[]])[],
  work: 'walk' | 'check' = 'walk',
): Promise<Counts> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, work, String(TIMES), JSON.stringify(cases)],
    {
      timeout: HANG_MS,
      killSignal: 'SIGKILL',
    },
  );
  const counts: unknown = JSON.parse(stdout);
  if (typeof counts !== 'object' || counts === null) throw new Error(`the child counted nothing: ${stdout}`);
  return counts as Counts;
}

function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
