/** What the tests of fetch/ share: a fetcher with a clock that does not wait, and ways to read a document. */
import { onTestFinished } from 'vitest';
import type { DocumentEnd, OpenDocument } from '../../src/fetch/document.ts';
import type { DocumentFetcher, FetchResult } from '../../src/fetch/fetch-document.ts';
import type { FetchFailure } from '../../src/fetch/fetch-failure.ts';
import { createNetwork, type FetchInternals, type Network } from '../../src/fetch/network.ts';
import type { StreamOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import {
  type ScriptedServer,
  type ServerOptions,
  type Site,
  startServer,
} from '../server/scripted-server.ts';
import { FakeClock } from './fake-clock.ts';
import { needAddress } from './platform.ts';

export interface Fetching extends DocumentFetcher {
  readonly clock: FakeClock;
}

/** A network with a clock that does not wait, closed when the test ends. */
export function networking(
  options: StreamOptions = {},
  internals: FetchInternals = {},
): { readonly network: Network; readonly clock: FakeClock } {
  const clock = new FakeClock();
  const network = createNetwork(resolveOptions(options, 'stream'), {
    clock,
    // The middle of every jitter, and no proxy of the machine that runs the tests.
    random: () => 0.5,
    environment: {},
    ...internals,
  });
  onTestFinished(() => network.close());
  return { network, clock };
}

/** A fetcher for a call about `site`, with a network of its own, which is closed with it. */
export function fetching(
  site: string,
  options: StreamOptions = {},
  internals: FetchInternals = {},
): Fetching {
  const { network, clock } = networking(options, internals);
  const fetcher = network.forSite(new URL(site), resolveOptions(options, 'stream'));
  return { ...fetcher, close: () => network.close(), clock };
}

/** A server that is closed when the test ends. */
export async function serving(site: Site, options?: ServerOptions): Promise<ScriptedServer> {
  if (options?.address !== undefined) needAddress(options.address);
  const server = await startServer(site, options);
  onTestFinished(() => server.close());
  return server;
}

/**
 * A server on a public address and one on 127.0.0.1, both on one port, for tests of which of them is connected to. Where
 * another process has that port on 127.0.0.1, another one is tried.
 */
export async function servingOutsideAndInside(
  address: string,
): Promise<{ readonly outside: ScriptedServer; readonly inside: ScriptedServer }> {
  for (let triesLeft = 20; ; triesLeft--) {
    const outside = await serving({ '*': 'public' }, { address });
    try {
      return { outside, inside: await serving({ '*': 'secret' }, { port: outside.port }) };
    } catch (error) {
      const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isInUse || triesLeft === 0) throw error;
    }
  }
}

/** What a fetcher of its own gets of a server. */
export function fetched(
  { origin }: { readonly origin: string },
  path: string,
  request?: Parameters<DocumentFetcher['fetch']>[1],
): Promise<FetchResult> {
  return fetching(origin).fetch(origin + path, request);
}

export interface Read {
  readonly text: string;
  readonly end: DocumentEnd;
}

/** Reads an open document as a stream does; fails the test when it is not a document. */
export async function readAll(outcome: FetchResult): Promise<Read> {
  const document = opened(outcome);
  const chunks: Uint8Array[] = [];
  for await (const chunk of document.bytes()) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), end: document.end! };
}

export interface MemorySink {
  readonly chunks: Uint8Array[];
  discarded: boolean;
  write(chunk: Uint8Array): void;
  discard(): void;
}

export function memorySink(): MemorySink {
  return {
    chunks: [],
    discarded: false,
    write(chunk) {
      this.chunks.push(chunk);
    },
    discard() {
      this.discarded = true;
    },
  };
}

/** Reads an open document as a tree does. */
export async function collectAll(
  outcome: FetchResult,
): Promise<Read & { sinks: MemorySink[]; url: string; charset: string | undefined }> {
  const sinks: MemorySink[] = [];
  const { sink, end, response } = await opened(outcome).collect(() => {
    const next = memorySink();
    sinks.push(next);
    return next;
  });
  return {
    text: Buffer.concat(sink.chunks).toString(),
    end,
    sinks,
    url: response.url,
    charset: response.charset,
  };
}

export function opened(outcome: FetchResult): OpenDocument {
  if (outcome.type !== 'document') throw new Error(`no document: ${JSON.stringify(outcome)}`);
  return outcome;
}

export function failed(outcome: FetchResult): FetchFailure {
  if (outcome.type !== 'failed') throw new Error(`not a failure: ${outcome.url}`);
  return outcome;
}

export function codes(end: DocumentEnd): string[] {
  return end.problems.map(({ code }) => code);
}
