/**
 * Many sites on loopback, without vitest. Where all of 127.0.0.0/8 is there (Linux, Windows), each site has an address of
 * its own, and one server listens on all of them. Where addresses are few (macOS), each site has a port of its own.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Chance } from './random.ts';

export interface LoopbackServer {
  /** The host and port of a site, by number. */
  host(number: number): string;
  /** The homepages, by number. */
  homepage(number: number): string;
  /** What a crawl of a site must find: the URLs of its pages, sorted. */
  pages(number: number): readonly string[];
  /** Requests so far. */
  readonly requests: number;
  /** Responses with 304 so far. */
  readonly unchanged: number;
  /** The most requests that were in progress at once, by host. */
  readonly most: ReadonlyMap<string, number>;
  /** The same over all hosts. */
  readonly mostInAll: number;
}

export interface LoopbackServerOptions {
  /** Before each response. @default 0 */
  readonly delayMs?: number;
  /** No response before this resolves. */
  readonly held?: Promise<void>;
  /** The same for single sites. */
  readonly hold?: (number: number) => Promise<void> | undefined;
  /** The sites that respond with 503 to everything. */
  readonly isDown?: (number: number) => boolean;
  /** Called before each response. */
  readonly onRequest?: (number: number, path: string) => void;
  /** Says when the server closes. */
  readonly onEnd: (end: () => void | Promise<void>) => void;
}

/** The pages of a site: the same for the same number. Some sites are larger, some have none, some do not respond. */
function pagesOf(number: number): readonly string[] {
  if (number % 10 === 7) return [];
  const chance = new Chance(number + 1);
  const count = number % 50 === 3 ? 3_000 : chance.between(1, 40);
  return Array.from(
    { length: count },
    (_, at) => `https://s${number}.example/${String(at).padStart(5, '0')}`,
  );
}

/** Starts the server. */
export async function startLoopbackServer(options: LoopbackServerOptions): Promise<LoopbackServer> {
  const { delayMs = 0, held, hold, isDown = () => false, onRequest, onEnd } = options;
  const most = new Map<string, number>();
  const active = new Map<string, number>();
  let requests = 0;
  let unchanged = 0;
  let activeInAll = 0;
  let mostInAll = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const host = request.headers.host ?? '';
    const now = (active.get(host) ?? 0) + 1;
    active.set(host, now);
    most.set(host, Math.max(now, most.get(host) ?? 0));
    requests++;
    mostInAll = Math.max(mostInAll, ++activeInAll);
    const number = places.number(host);
    const path = request.url ?? '/';
    onRequest?.(number, path);
    await held;
    await hold?.(number);
    if (delayMs > 0) await delay(delayMs);
    const body = documentOf(number, path, `http://${host}`);
    active.set(host, (active.get(host) ?? 1) - 1);
    activeInAll--;
    if (body === undefined || isDown(number)) {
      response.writeHead(isDown(number) ? 503 : 404).end();
      return;
    }
    const etag = `"${createHash('sha1').update(body).digest('hex')}"`;
    const isKnown = request.headers['if-none-match'] === etag;
    if (isKnown) unchanged++;
    response.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? undefined : body);
  };
  const places = (await hasManyAddresses()) ? await manyAddresses(respond, onEnd) : manyPorts(respond, onEnd);
  return {
    host: places.host,
    homepage: (number) => `http://${places.host(number)}/`,
    pages: pagesOf,
    get requests() {
      return requests;
    },
    get unchanged() {
      return unchanged;
    },
    most,
    get mostInAll() {
      return mostInAll;
    },
  };
}

type Respond = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Where the sites are: their hosts by number, and their numbers by host. */
interface Places {
  host(number: number): string;
  number(host: string): number;
}

async function hasManyAddresses(): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.1.0.1', resolve);
    });
    await closed(server);
    return true;
  } catch {
    return false;
  }
}

async function manyAddresses(respond: Respond, onEnd: LoopbackServerOptions['onEnd']): Promise<Places> {
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onEnd(() => closed(server));
  const { port } = server.address() as AddressInfo;
  return {
    host: (number) => `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}:${port}`,
    number: (host) => {
      const [, a = 0, b = 0, c = 0] = host.split(':')[0]!.split('.').map(Number);
      return ((a - 1) << 16) | (b << 8) | c;
    },
  };
}

/** A server for each site, from the first time that its host is asked for. */
function manyPorts(respond: Respond, onEnd: LoopbackServerOptions['onEnd']): Places {
  const servers: Server[] = [];
  const hosts = new Map<number, string>();
  const numbers = new Map<string, number>();
  onEnd(async () => {
    await Promise.all(servers.map(closed));
  });
  return {
    host: (number) => {
      const known = hosts.get(number);
      if (known !== undefined) return known;
      const server = createServer((request, response) => void respond(request, response));
      servers.push(server);
      // Without an address to look up it listens at once.
      server.listen(0);
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      hosts.set(number, host);
      numbers.set(host, number);
      return host;
    },
    number: (host) => numbers.get(host) ?? -1,
  };
}

function documentOf(number: number, path: string, origin: string): string | undefined {
  const pages = pagesOf(number);
  if (path === '/robots.txt') return pages.length === 0 ? 'User-agent: *' : `Sitemap: ${origin}/index.xml`;
  if (pages.length === 0) return undefined;
  const half = Math.ceil(pages.length / 2);
  if (path === '/index.xml') return listed('sitemapindex', 'sitemap', [`${origin}/a.xml`, `${origin}/b.xml`]);
  if (path === '/a.xml') return listed('urlset', 'url', pages.slice(0, half));
  if (path === '/b.xml') return listed('urlset', 'url', pages.slice(half));
  return undefined;
}

function listed(root: string, entry: string, urls: readonly string[]): string {
  const entries = urls.map((url) => `<${entry}><loc>${url}</loc></${entry}>`).join('');
  return `<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</${root}>`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
