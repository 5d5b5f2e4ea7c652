/**
 * Every fault of faults.ts, met by a tree, a stream and `usp`: the siblings' pages are all there, the call ends, the reason
 * names the cause, no socket is left.
 *
 * Only patience is less than usual: pauses between tries and timeouts are a hundredth. The tries themselves,
 * and everything else, are the defaults, since `usp` has no others.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { InvalidSitemap, sitemapTreeForHomepage, streamPages } from '../../src/index.ts';
import { usp } from '../cli/world.ts';
import { index, robots, urlset } from '../crawl/site.ts';
import { startServer } from '../server/scripted-server.ts';
import { type Expected, FAULTS, type Fault } from './faults.ts';
import { type FaultyServer, MOST_BYTES } from './faulty-servers.ts';
import { expectTable } from './held-table.ts';

vi.mock('../../src/fetch/clock.ts', async (importOriginal) => {
  const { systemClock } = await importOriginal<typeof import('../../src/fetch/clock.ts')>();
  const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(ms / 100, signal);
  return { systemClock: { ...systemClock, sleep } };
});

vi.mock('../../src/options.ts', async (importOriginal) => {
  const real = await importOriginal<typeof import('../../src/options.ts')>();
  const resolveOptions: typeof real.resolveOptions = (options, where) => ({
    ...real.resolveOptions(options, where),
    connectTimeoutMs: 300,
    idleTimeoutMs: 600,
    sitemapTimeoutMs: 6_000,
    maxSitemapBytes: MOST_BYTES,
  });
  return { ...real, resolveOptions };
});

const SIBLINGS = ['before-1', 'before-2', 'before-3', 'after-1', 'after-2', 'after-3'].map(
  (name) => `https://example.org/${name}`,
);
/** Nobody waits longer than this; what takes so long hangs. */
const HANG_MS = 60_000;

/** What was found, by whoever looked. */
interface Found {
  readonly urls: readonly string[];
  readonly complete: boolean;
  readonly failures: readonly { readonly code: string; readonly reason: string }[];
  /** The codes of problems; a stream has no node to show them on. */
  readonly problems: readonly string[] | undefined;
}

const OPTIONS = { proxy: false, useKnownPaths: false, allowPrivateNetworks: true } as const;

async function byTree(origin: string): Promise<Found> {
  const tree = await sitemapTreeForHomepage(origin, OPTIONS);
  const nodes = [...tree.allSitemaps()];
  const found = {
    urls: Array.from(tree.allPages(), ({ url }) => url),
    complete: tree.complete,
    failures: nodes.flatMap((node) => (node instanceof InvalidSitemap ? [node] : [])),
    problems: [...new Set(nodes.flatMap(({ problems }) => problems.map(({ code }) => code)))].sort(),
  };
  tree.close();
  return found;
}

async function byStream(origin: string): Promise<Found> {
  const stream = streamPages(origin, OPTIONS);
  const urls: string[] = [];
  for await (const { page } of stream) urls.push(page.url);
  return { urls, complete: stream.complete, failures: stream.invalidSitemaps, problems: undefined };
}

async function byCommandLine(origin: string, expected: Expected): Promise<Found> {
  const argv = ['ls', origin, '-f', 'pages', '-k', '--allow-private', '--proxy', 'none', '--strict'];
  const { code, lines, stderr } = await usp(argv);
  if ('code' in expected) expect(stderr).toMatch(expected.says);
  return {
    urls: lines,
    complete: code === 0,
    failures: 'code' in expected ? [{ code: expected.code, reason: stderr }] : [],
    problems: undefined,
  };
}

/** A site of two good sitemaps, and one that is not. */
async function meets(fault: Fault, look: (origin: string) => Promise<Found>): Promise<Found> {
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
    const found = await endingWithin(HANG_MS, look(good.origin));
    await good.allSocketsClosed(5_000);
    for (let waited = 0; faulty.openSockets > 0 && waited < 5_000; waited += 10) await delay(10);
    expect(faulty.openSockets, 'sockets left').toBe(0);
    return found;
  } finally {
    await faulty?.close();
    await good.close();
  }
}

async function endingWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it hangs')), ms);
  });
  return Promise.race([work, hang]).finally(() => clearTimeout(timer));
}

const LOOKS = [
  ['tree', byTree],
  ['stream', byStream],
  ['usp', byCommandLine],
] as const;

describe.concurrent.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', (_name, fault) => {
  test.each(LOOKS)('%s', async (_who, look) => {
    const { expected } = fault;
    const { urls, complete, failures, problems } = await meets(fault, (origin) => look(origin, expected));
    const own = urls.filter((url) => !SIBLINGS.includes(url));
    expect(urls.filter((url) => SIBLINGS.includes(url)).sort(), 'siblings').toEqual([...SIBLINGS].sort());
    if ('code' in expected) {
      expect(own).toEqual([]);
      expect(failures).toHaveLength(1);
      expect(failures[0]).toMatchObject({
        code: expected.code,
        reason: expect.stringMatching(expected.says),
      });
      expect(complete).toBe(false);
      return;
    }
    expect(own).toHaveLength(expected.pages);
    expect(own.filter((url) => url.includes('evil'))).toEqual([]);
    expect(failures).toEqual([]);
    expect(complete).toBe(expected.complete);
    if (problems !== undefined) expect(problems).toEqual(expected.problems ?? []);
  });
});

test('docs/reliability.md has this table', () => {
  const outcome = ({ expected }: Fault): readonly [string, string, string] => {
    if ('code' in expected) {
      const words = expected.words.replaceAll(/ ?\.\* ?/g, ' … ');
      return [`\`${expected.code}\`: “${words}”`, 'none', '4'];
    }
    const { pages, problems = [], complete } = expected;
    const codes = problems.map((code) => `\`${code}\``).join(', ');
    const kept = complete ? 'all' : `${pages.toLocaleString('en')}: all that arrived`;
    return [codes === '' ? 'as if nothing had happened' : codes, kept, complete ? '0' : '4'];
  };
  const head = ['Fault', 'The server', 'The sitemap says', 'Its pages', '`usp --strict`'];
  expectTable(
    'FAULTS',
    head,
    FAULTS.map((fault) => [fault.name, fault.does, ...outcome(fault)]),
  );
});
