/** The sites of loopback-server.ts, for a test. */
import { onTestFinished } from 'vitest';
import { type LoopbackServer, type LoopbackServerOptions, startLoopbackServer } from './loopback-server.ts';

export type LoopbackSites = LoopbackServer;

/** The server closes when the test ends, unless `onEnd` says otherwise. */
export type LoopbackOptions = Partial<LoopbackServerOptions>;

export function loopbackSites(options: LoopbackOptions = {}): Promise<LoopbackSites> {
  return startLoopbackServer({ onEnd: onTestFinished, ...options });
}
