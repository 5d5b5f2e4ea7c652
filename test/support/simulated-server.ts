/** Servers in simulated time, as web clients: a limit of requests as nginx has it, an outage, a window. */
import type { WebClient, WebResponse } from '../../src/options/web-seam.ts';
import type { SimulatedClock } from './simulated-clock.ts';

export interface SimulatedServer {
  readonly client: WebClient;
  /** The status of each request, 0 where the connection failed, with its path and the time of its arrival. */
  readonly requests: readonly { readonly status: number; readonly path: string; readonly at: number }[];
  /** The most requests that were in flight at once. */
  readonly mostAtOnce: number;
}

interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The error that the body breaks with. */
  readonly breaks?: Error;
}

/** What happens to a request: a status, a response, or an error of the connection. */
export type Fate = number | Response | Error;

/** @param fate - decides about each request as it arrives */
export function simulatedServer(
  clock: SimulatedClock,
  fate: (request: { readonly path: string; readonly atMs: number; readonly inFlight: number }) => Fate,
  latencyMs: number | ((path: string) => number) = 20,
): SimulatedServer {
  const requests: { status: number; path: string; at: number }[] = [];
  let inFlight = 0;
  let mostAtOnce = 0;
  const client: WebClient = async (url, { signal }) => {
    const path = new URL(url).pathname;
    const ms = typeof latencyMs === 'number' ? latencyMs : latencyMs(path);
    inFlight++;
    mostAtOnce = Math.max(mostAtOnce, inFlight);
    try {
      await clock.sleep(ms / 2, signal);
      const decided = fate({ path, atMs: clock.elapsedMs, inFlight });
      const response = typeof decided === 'number' ? { status: decided } : decided;
      const status = response instanceof Error ? 0 : response.status;
      requests.push({ status, path, at: clock.elapsedMs });
      if (response instanceof Error) throw response;
      await clock.sleep(ms / 2, signal);
      return responseOf(response);
    } finally {
      inFlight--;
    }
  };
  return {
    client,
    requests,
    get mostAtOnce() {
      return mostAtOnce;
    },
  };
}

function responseOf({ status, headers = {}, breaks }: Response): WebResponse {
  return {
    status,
    headers: { get: (name) => headers[name] ?? null },
    body: (async function* () {
      yield Buffer.from('https://example.org/\n');
      if (breaks !== undefined) throw breaks;
    })(),
  };
}

/** nginx's `limit_req rate=<perSecond>r/s burst=<burst> nodelay`: whether a request that arrives now is allowed. */
export function leakyBucket(perSecond: number, burst: number): (atMs: number) => boolean {
  let [excess, last] = [0, 0];
  return (atMs) => {
    const next = Math.max(0, excess - ((atMs - last) / 1000) * perSecond) + 1;
    const isAllowed = next <= burst + 1;
    [excess, last] = [isAllowed ? next : next - 1, atMs];
    return isAllowed;
  };
}

/** An error of the connection, as Node has it. */
export function connectionError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
