/**
 * Every fault of faults.ts and top-faults.ts, met by a tree, a stream and `usp`: all pages of the siblings are found,
 * the call ends, the reason names the cause, and no socket is left open. In the fast tier the three take turns, in the
 * full tier a tree meets all of them, and the other two take turns.
 *
 * Nothing of ours is mocked: the five attempts have their usual pauses, and many rows wait at the same time instead.
 * Only where a fault would last for minutes, public options make timeouts shorter and attempts fewer (looks.ts); `usp`
 * has one option for that, `--timeout`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { startServer } from '../server/scripted-server.ts';
import { testIf } from '../support/collected.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { FAULTS, type Fault } from '../support/faults.ts';
import type { FaultyServer } from '../support/faulty-servers.ts';
import { expectTable } from '../support/held-table.ts';
import { type Found, itsTurn, LOOKS, USP_GAVE_UP, USP_TIMEOUTS } from '../support/looks.ts';
import { withMoreTime } from '../support/more-time.ts';
import { HAS_MANY_FILES, IS_LINUX } from '../support/platform.ts';
import { isFull } from '../support/tier.ts';
import { pageOf, siteWith, TOP_FAULTS, type TopFault } from '../support/top-faults.ts';

// Many at once: most of them only wait. All at once, a busy machine has too little time for each of them. Each must end by
// itself (looks.ts), long before this timeout.
vi.setConfig({ maxConcurrency: HAS_MANY_FILES ? 60 : 25, testTimeout: 240_000 });

const SIBLINGS = ['before-1', 'before-2', 'before-3', 'after-1', 'after-2', 'after-3'].map(
  (name) => `https://example.org/${name}`,
);

/** Reads a site of two good sitemaps and one with the fault. */
async function meets(fault: Fault, look: (origin: string) => Promise<Found>): Promise<Found> {
  await itsTurn();
  const good = await startServer({});
  let faulty: FaultyServer | undefined;
  try {
    faulty = await fault.start(`${good.origin}/index.xml`);
    Object.assign(good.site, {
      '/robots.txt': robots(`${good.origin}/index.xml`),
      '/index.xml': index(`${good.origin}/before.xml`, faulty.url, `${good.origin}/after.xml`),
      '/before.xml': urlset(...SIBLINGS.slice(0, 3)),
      '/after.xml': urlset(...SIBLINGS.slice(3)),
    });
    const found = await look(good.origin);
    await good.allSocketsClosed();
    for (let turn = 0; faulty.openSockets > 0 && turn < 400; turn++) await delay(5);
    expect(faulty.openSockets, 'sockets left').toBe(0);
    return found;
  } finally {
    await faulty?.close();
    await good.close();
  }
}

/** The exit code of `usp --strict`. */
function exitCodeOf({ expected, isLong = false }: Fault): number {
  if (isLong) return 3;
  return 'pages' in expected && expected.complete ? 0 : 4;
}

/** Who meets the fault with this number. */
function looksAt(number: number): typeof LOOKS {
  const [tree, ...others] = LOOKS;
  return isFull ? [tree!, others[number % others.length]!] : [LOOKS[number % LOOKS.length]!];
}

const MET = FAULTS.map((fault, at) => [fault.name, fault, looksAt(at)] as const);

describe.concurrent.each(MET)('%s', (_name, fault, looks) => {
  testIf(fault.linuxOnly !== true || IS_LINUX).each(looks)('%s', async (who, look) => {
    const { expected, isLong = false } = fault;
    const exitCode = exitCodeOf(fault);
    const isEnded = who === 'usp' && isLong;
    // The time of `usp` may be over before a busy machine has read the siblings.
    const { urls, complete, said, failures, problems } = await withMoreTime(
      isEnded ? USP_TIMEOUTS : USP_TIMEOUTS.slice(0, 1),
      async (timeout) => {
        const found = await meets(fault, (origin) =>
          look(origin, { useKnownPaths: false, isLong, exitCode, timeout }),
        );
        if (isEnded) expect(found.urls).toEqual(expect.arrayContaining(SIBLINGS));
        return found;
      },
    );
    const own = urls.filter((url) => !SIBLINGS.includes(url));
    expect(urls.filter((url) => SIBLINGS.includes(url)).sort(), 'siblings').toEqual([...SIBLINGS].sort());
    expect(own.filter((url) => url.includes('evil'))).toEqual([]);
    if (isEnded) expect(said).toMatch(USP_GAVE_UP);
    else if ('code' in expected) expect(said).toMatch(expected.says);
    if ('code' in expected) {
      expect(own).toEqual([]);
      if (failures !== undefined) expect(failures).toEqual([expected.code]);
      expect(complete).toBe(false);
      return;
    }
    expect(own).toHaveLength(who === 'usp' ? (fault.uspPages ?? expected.pages) : expected.pages);
    if (failures !== undefined) expect(failures).toEqual([]);
    expect(complete).toBe(expected.complete);
    if (problems !== undefined) expect(problems).toEqual(expected.problems ?? []);
  });
});

describe.concurrent.each(
  TOP_FAULTS.map((fault, at) => [fault.where, fault.name, fault, looksAt(at)] as const),
)('at the site’s %s: %s', (_where, _name, fault, looks) => {
  test.each(looks)('%s', async (who, look) => {
    const { pages, complete, isLong = false, failure, words } = fault;
    await itsTurn();
    const server = await startServer({});
    try {
      Object.assign(server.site, siteWith(fault, server.origin));
      const found = await look(server.origin, {
        useKnownPaths: true,
        isLong,
        exitCode: topExitCodeOf(fault),
      });
      await server.allSocketsClosed();
      if (who === 'usp' && isLong) {
        expect(found.said).toMatch(USP_GAVE_UP);
        // Known paths come last, and there was no time left for them.
        if (fault.where === 'index')
          expect(found.urls).toEqual(expect.arrayContaining([pageOf('before'), pageOf('after')]));
        return;
      }
      expect([...found.urls].sort()).toEqual(pages.map(pageOf).sort());
      expect(found.complete).toBe(complete);
      if (words !== undefined) expect(found.said).toMatch(new RegExp(words));
      if (found.failures !== undefined)
        expect(found.failures).toEqual(failure === undefined ? [] : [failure]);
      if (found.problems !== undefined) expect(found.problems).toEqual(fault.problems ?? []);
    } finally {
      await server.close();
    }
  });
});

function topExitCodeOf({ complete, isLong = false }: TopFault): number {
  return isLong ? 3 : complete ? 0 : 4;
}

test('docs/reliability.md has the table of faults', () => {
  const outcome = (fault: Fault): readonly [string, string, string] => {
    const { expected, isLong = false } = fault;
    const exit = `${exitCodeOf(fault)}${isLong ? ', by `--timeout`' : ''}`;
    if ('code' in expected) {
      return [`\`${expected.code}\`: ${quoted(expected.words)}`, 'none', exit];
    }
    const { pages, problems = [], complete } = expected;
    const kept = complete ? 'all' : `${pages.toLocaleString('en')}: all that arrived`;
    return [named(problems), kept, exit];
  };
  const head = ['Fault', 'The server', 'The sitemap reports', 'Its pages', '`usp --strict`'];
  expectTable(
    'FAULTS',
    head,
    FAULTS.map((fault) => [fault.name, fault.does, ...outcome(fault)]),
  );
});

test('docs/reliability.md has the table of faults at the top', () => {
  const row = (fault: TopFault): readonly string[] => {
    const { where, name, does, failure, words = '', problems, pages, isLong = false } = fault;
    const said = failure === undefined ? named(problems ?? []) : `\`${failure}\`: ${quoted(words)}`;
    const exit = `${topExitCodeOf(fault)}${isLong ? ', by `--timeout`' : ''}`;
    return [where, name, does, said, pages.join(', '), exit];
  };
  const head = ['Where', 'Fault', 'The server', 'What is reported', 'Pages', '`usp --strict`'];
  expectTable('TOP_FAULTS', head, TOP_FAULTS.map(row));
});

function quoted(words: string): string {
  return `“${words.replaceAll(/ ?\.\* ?/g, ' … ')}”`;
}

function named(problems: readonly string[]): string {
  return problems.map((code) => `\`${code}\``).join(', ') || 'no problem';
}
