/** The three ways to read a site with a fault, and what each of them reports. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { InvalidSitemap, type SitemapOptions, sitemapTreeForHomepage, streamPages } from '../../src/index.ts';
import { usp } from './cli-world.ts';
import { MOST_BYTES } from './faulty-servers.ts';
import { sized } from './tier.ts';

/** What a tree, a stream or `usp` found. */
export interface Found {
  readonly urls: readonly string[];
  readonly complete: boolean;
  /** What a user reads: why sitemaps are unreadable and what is wrong with the site, or stderr. */
  readonly said: string;
  /** The codes of unreadable sitemaps and of the site's problems; `usp` has only words for them. */
  readonly failures?: readonly string[];
  /** The codes of problems, each once; only a tree has nodes to show them on. */
  readonly problems?: readonly string[];
}

interface LookOptions {
  readonly useKnownPaths: boolean;
  /** Whether the fault lasts for minutes with the default timeouts. */
  readonly isLong: boolean;
  /** What `usp --strict` must end with. */
  readonly exitCode: number;
  /** The `--timeout` of `usp`. @default the first of USP_TIMEOUTS */
  readonly timeout?: number;
}

/** A call that takes longer than this hangs. */
const HANG_MS = 110_000;
/**
 * The `--timeout` of `usp`, in seconds, for servers that make every client wait: `usp` has no other option for that. The
 * second one is for a busy machine.
 */
export const USP_TIMEOUTS: readonly [number, number] = sized({ fast: [10, 60], full: [20, 80] });

const OPTIONS: SitemapOptions = {
  proxy: false,
  allowPrivateNetworks: true,
  maxSitemapBytes: MOST_BYTES,
  // Long enough for a good server on a busy machine, and each well apart from the next, even after all attempts.
  ...sized({
    fast: { connectTimeoutMs: 4_000, idleTimeoutMs: 10_000, sitemapTimeoutMs: 24_000 },
    full: { connectTimeoutMs: 4_000, idleTimeoutMs: 10_000, sitemapTimeoutMs: 45_000 },
  }),
};
/** How often a server is asked again that makes every client wait for a timeout. */
const RETRIES_OF_LONG_FAULTS = sized({ fast: 1, full: 2 });

const optionsFor = ({ useKnownPaths, isLong }: LookOptions) => ({
  ...OPTIONS,
  useKnownPaths,
  ...(isLong ? { retries: RETRIES_OF_LONG_FAULTS } : {}),
});

type Look = (origin: string, options: LookOptions) => Promise<Found>;

const byTree: Look = async (origin, options) => {
  const tree = await sitemapTreeForHomepage(origin, optionsFor(options));
  const nodes = [...tree.allSitemaps()];
  const invalid = nodes.flatMap((node) => (node instanceof InvalidSitemap ? [node] : []));
  const found = {
    urls: Array.from(tree.allPages(), ({ url }) => url),
    complete: tree.complete,
    ...failures(invalid, tree.problems),
    problems: [...new Set(nodes.flatMap(({ problems }) => problems.map(({ code }) => code)))].sort(),
  };
  tree.close();
  return found;
};

const byStream: Look = async (origin, options) => {
  const stream = streamPages(origin, optionsFor(options));
  const urls: string[] = [];
  for await (const { page } of stream) urls.push(page.url);
  return { urls, complete: stream.complete, ...failures(stream.invalidSitemaps, stream.problems) };
};

function failures(
  invalid: readonly { readonly code: string; readonly reason: string }[],
  problems: readonly { readonly code: string; readonly message: string }[],
): { readonly failures: readonly string[]; readonly said: string } {
  return {
    failures: [...invalid, ...problems].map(({ code }) => code),
    said: [...invalid.map(({ reason }) => reason), ...problems.map(({ message }) => message)].join('\n'),
  };
}

const byCommandLine: Look = async (
  origin,
  { useKnownPaths, isLong, exitCode, timeout = USP_TIMEOUTS[0] },
) => {
  const argv = ['ls', origin, '-f', 'pages', '--allow-private', '--proxy', 'none', '--strict'];
  if (!useKnownPaths) argv.push('--no-known');
  if (isLong) argv.push('--timeout', String(timeout));
  const { code, lines, stderr } = await usp(argv);
  expect(code, stderr).toBe(exitCode);
  return { urls: lines, complete: code === 0, said: stderr };
};

export const LOOKS: readonly (readonly [string, Look])[] = [
  ['tree', ending(byTree)],
  ['stream', ending(byStream)],
  ['usp', ending(byCommandLine)],
];

/** What `usp` prints when `--timeout` ends a crawl: which document it waited for, and what had arrived of it. */
export const USP_GAVE_UP: RegExp = new RegExp(
  'stopped after \\d+ seconds \\(--timeout\\)[^]*' +
    '(?:fault|index|robots)\\S*' +
    '(?: was not fetched: .*, and (?:nothing of it had arrived|\\d+ bytes of it had arrived|.*attempts? had failed: .*)' +
    '|: The rest of the document was not read: the time for the call was over \\(--timeout\\))\\.',
);

/** A look that fails where it would hang. */
function ending(look: Look): Look {
  return async (origin, options) => {
    let timer: NodeJS.Timeout | undefined;
    const hang = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('it hangs')), HANG_MS);
    });
    return Promise.race([look(origin, options), hang]).finally(() => clearTimeout(timer));
  };
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Spreads the starts: hundreds of crawls wait together well, but would slow each other down if they started at once.
 */
export async function itsTurn(): Promise<void> {
  last = last.then(() => delay(50));
  await last;
}
