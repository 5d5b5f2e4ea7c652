/**
 * A crawl in a process of its own, with little memory, against a server in this process: the attacked process can die
 * without ending the test, and its memory can be measured.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { watched } from './cli-binary.ts';

const SOURCE = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
/** Megabytes of V8's heap. */
const HEAP = 128;
/** A process that takes longer than this hangs, even on a busy machine. */
export const HANG_MS = 300_000;

/** What the process printed when a crawl had ended. */
export interface Report {
  readonly pages: number;
  readonly nodes: number;
  readonly complete: boolean;
  readonly stopped: string | undefined;
  /** The codes of all problems and of all unreadable sitemaps, each once. */
  readonly codes: readonly string[];
  /** The length of the longest message. */
  readonly longestMessage: number;
  /** The heap in use at the end, in MiB. */
  readonly heap: number;
  /** The largest memory of the process, in MiB. */
  readonly maxRss: number;
}

/** The library in one file: Node 20 does not read TypeScript. */
export async function bundledLibrary(): Promise<{ readonly file: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'usp-victim-'));
  const file = join(folder, 'library.mjs');
  await build({
    entryPoints: [SOURCE],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  writeFileSync(join(folder, 'victim.mjs'), VICTIM);
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

// One crawl after the other, a line of its standard input each. It ends by itself when there are no more.
const VICTIM = `
import { createInterface } from 'node:readline';
import { sitemapTreeForHomepage, streamPages } from './library.mjs';
const [mode] = process.argv.slice(2);
let maxRss = 0;
const look = () => {
  maxRss = Math.max(maxRss, process.memoryUsage.rss());
};
setInterval(look, 20).unref();
for await (const line of createInterface(process.stdin)) {
  const { homepage, options } = JSON.parse(line);
  console.log(JSON.stringify(await crawled(homepage, options)));
}
async function crawled(homepage, options) {
  const given = { proxy: false, useKnownPaths: false, retries: 0, ...options };
  maxRss = 0;
  const codes = new Set();
  let longestMessage = 0;
  const note = (code, message) => {
    codes.add(code);
    longestMessage = Math.max(longestMessage, message.length);
  };
  const noteNode = (node) => {
    for (const { code, message } of node.problems) note(code, message);
    if (node.kind === 'invalid') note(node.code, node.reason);
  };
  let [pages, nodes] = [0, 0];
  let top;
  if (mode === 'tree') {
    top = await sitemapTreeForHomepage(homepage, given);
    noteNode(top);
    for (const node of top.allSitemaps()) {
      nodes++;
      for await (const batch of node.pages.batchesAsync()) pages += batch.length;
      noteNode(node);
    }
  } else {
    top = streamPages(homepage, given);
    for await (const batch of top.batches()) pages += batch.length;
    for (const { code, message } of top.problems) note(code, message);
    for (const node of top.invalidSitemaps) noteNode(node);
    nodes = top.totals.known;
  }
  look();
  globalThis.gc?.();
  const { complete, stopped } = top;
  return {
    pages, nodes, complete, stopped: stopped?.limit, codes: [...codes].sort(), longestMessage,
    heap: Math.round(process.memoryUsage().heapUsed / 1048576), maxRss: Math.round(maxRss / 1048576),
  };
}
`;

/** A process that crawls sites, one after the other. */
export interface Victim {
  /** Crawls a site. @throws if the process dies, or does not come back */
  attack(homepage: string, options: object): Promise<Report>;
  /** Waits until the process has ended by itself. @throws if it does not */
  end(): Promise<void>;
}

/** Starts a process with little memory. */
export function startVictim(library: string, mode: 'tree' | 'stream'): Victim {
  const script = join(library, '../victim.mjs');
  const flags = ['--expose-gc', `--max-old-space-size=${HEAP}`, script, mode];
  const { child, finished } = watched(spawn(process.execPath, flags));
  // A process that died does not read: `finished` says so.
  child.stdin?.on('error', () => {});
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  /** Waits for something, and ends the process where that never comes. */
  const withinLimit = async <Result>(wait: () => Promise<Result>): Promise<Result> => {
    const hang = setTimeout(() => child.kill('SIGKILL'), HANG_MS);
    return wait().finally(() => clearTimeout(hang));
  };
  const died = async (): Promise<never> => {
    const { code, stderr } = await finished;
    throw new Error(`the process ended with ${code ?? child.signalCode}:\n${stderr.slice(0, 2000)}`);
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    attack(homepage, options) {
      const report = last.then(() =>
        withinLimit(async (): Promise<Report> => {
          child.stdin?.write(`${JSON.stringify({ homepage, options })}\n`);
          const { value } = await lines.next();
          return value === undefined ? died() : JSON.parse(value);
        }),
      );
      last = report.catch(() => {});
      return report;
    },
    async end() {
      await last;
      child.stdin?.end();
      const { code } = await withinLimit(() => finished);
      if (code !== 0) await died();
    },
  };
}

/** The body of a response: a text, bytes, or pieces made while they are sent. */
export type Body = string | Uint8Array | (() => Iterable<string | Uint8Array>);

/** One response. */
export interface Trap {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  /** Sent instead of an HTTP response, as it is. */
  readonly raw?: string;
}

/** A server whose responses may be larger than any memory. */
export interface TrapServer {
  readonly origin: string;
  /** The paths of all requests. */
  readonly requested: readonly string[];
  close(): Promise<void>;
}

/** @param respond - the response for a path; undefined is a 404 */
export async function startTrap(
  respond: (path: string, origin: string) => Trap | Body | undefined,
): Promise<TrapServer> {
  const requested: string[] = [];
  let origin = '';
  const server = createServer({ maxHeaderSize: 128 * 1024 }, (request, response) => {
    const path = request.url ?? '';
    requested.push(path);
    const given = respond(path, origin) ?? { status: 404 };
    const trap: Trap =
      typeof given === 'string' || typeof given === 'function' || given instanceof Uint8Array
        ? { body: given }
        : given;
    if (trap.raw !== undefined) request.socket.end(trap.raw);
    else send(trap, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requested,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send({ status = 200, statusText, headers = {}, body = '' }: Trap, response: ServerResponse) {
  if (statusText === undefined) response.writeHead(status, headers);
  else response.writeHead(status, statusText, headers);
  if (typeof body !== 'function') {
    response.end(body);
    return;
  }
  for (const piece of body()) {
    if (response.destroyed) return;
    if (!response.write(piece)) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          response.off('drain', go).off('close', go);
          resolve();
        };
        response.on('drain', go).on('close', go);
      });
    }
  }
  response.end();
}
