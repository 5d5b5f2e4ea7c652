/**
 * Bombs and traps: a little of the attacker's effort for a lot of ours. Each is met by a process with 128 MB of heap,
 * whose memory is measured, and which must come back by itself and name the limit that saved it.
 *
 * 1/100 of each bomb is read, with limits 1/100 as high: in the fast tier by trees and streams in turns, in the full
 * tier by both. With TEST_STRENGTH=2 half of it is read, and with BOMB_SCALE=1 all of it. A process meets one bomb after
 * the other, so what one of them leaves in memory counts for the next.
 */
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bomb, MIB } from '../support/bombs.ts';
import { byteBombs } from '../support/byte-bombs.ts';
import { expectTable } from '../support/held-table.ts';
import { siteBombs } from '../support/site-bombs.ts';
import { isFull, sized } from '../support/tier.ts';
import { tokenBombs } from '../support/token-bombs.ts';
import {
  bundledLibrary,
  HANG_MS,
  type Report,
  startTrap,
  startVictim,
  type TrapServer,
  type Victim,
} from '../support/victim.ts';

// They compute: more of them than cores would only slow each other down. For small bombs a second process is not worth
// its start.
vi.setConfig({ maxConcurrency: isFull ? availableParallelism() : 1, testTimeout: HANG_MS + 60_000 });

/** The most MiB of memory for a process: heap, code, spooled documents (32 MiB), buffers of zlib and of sockets. */
const MOST_RSS = 400;

const SCALE = Number(process.env['BOMB_SCALE'] ?? sized({ fast: 100, full: 100, strong: 2 }));
const LIMITS = SCALE === 1 ? {} : { maxSitemapBytes: (100 / SCALE) * MIB };

let library: Awaited<ReturnType<typeof bundledLibrary>> | undefined;
/** Processes that have survived their bombs so far and have nothing to do. */
const survivors: Record<'tree' | 'stream', Victim[]> = { tree: [], stream: [] };
beforeAll(async () => {
  library = await bundledLibrary();
});
afterAll(async () => {
  for (const victim of [...survivors.tree, ...survivors.stream]) await victim.end();
  library?.remove();
});

async function meets(bomb: Bomb, mode: 'tree' | 'stream'): Promise<{ report: Report; server: TrapServer }> {
  if (library === undefined) throw new Error('there is no library to attack');
  const victim = survivors[mode].pop() ?? startVictim(library.file, mode);
  const server = await startTrap(bomb.site);
  try {
    const report = await victim.attack(server.origin, { ...LIMITS, ...bomb.options });
    survivors[mode].push(victim);
    return { report, server };
  } finally {
    await server.close();
  }
}

const SIZE = SCALE === 1 ? '' : `1/${SCALE} of `;

describe.concurrent.each(['tree', 'stream'] as const)('a %s survives within 128 MB of heap:', (mode) => {
  const bombs = [...byteBombs(SCALE), ...tokenBombs(SCALE), ...siteBombs(SCALE)].filter(
    ({ treeOnly = false }, at) =>
      treeOnly ? mode === 'tree' : isFull || mode === (at % 2 === 0 ? 'tree' : 'stream'),
  );
  test.each(bombs.map((bomb) => [`${SIZE}${bomb.name}`, bomb] as const))('%s', async (_name, bomb) => {
    const { report, server } = await meets(bomb, mode);
    const { streamed = bomb.expected } = bomb;
    expect(report).toMatchObject(mode === 'stream' ? streamed : bomb.expected);
    expect(report.maxRss).toBeLessThan(MOST_RSS);
    // No message repeats a server's words at full length.
    expect(report.longestMessage).toBeLessThan(2_000);
    bomb.requested?.(server.requested);
  });
});

test('docs/reliability.md has the table of bombs', () => {
  const outcome = ({ pages, stopped, codes = [], complete }: Partial<Report>): string => {
    const limits = stopped === undefined ? [...codes] : [`stopped: ${stopped}`];
    const named = limits.map((limit) => `\`${limit}\``).join(', ');
    const kept = pages === undefined ? '' : `${pages.toLocaleString('en')} ${pages === 1 ? 'page' : 'pages'}`;
    return [kept, named, complete === true ? '`complete`' : ''].filter((part) => part !== '').join('; ');
  };
  expectTable(
    'BOMBS',
    ['Bomb', 'What it does', 'What comes back'],
    [...byteBombs(1), ...tokenBombs(1), ...siteBombs(1)].map(({ name, does, expected }) => [
      name,
      does,
      outcome(expected),
    ]),
  );
});
