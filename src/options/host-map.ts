/**
 * `mapHosts`: hosts that stand for others, as a staging server stands for the public site. Inside the library every URL
 * is public: {@link HostMap.here} returns the URL for a request, {@link HostMap.replacer} rewrites the response.
 */

import { badOption } from '../problems/errors.ts';
import { parsedUrl } from '../url.ts';

/** One side of a pair: a host with its port, and the scheme if it was given. */
interface Place {
  /** With `:` at its end. */
  readonly scheme: string | undefined;
  /** As it is in a URL: in lower case, in Punycode, with a port unless it is a default one. */
  readonly host: string;
  /** As it was given, if that is not ASCII: documents may write it in this form. */
  readonly text: string;
}

interface Pair {
  readonly here: Place;
  readonly public: Place;
}

/** Replaces addresses in a document that comes in pieces. Bytes are read as Latin-1: a name in UTF-8 is its bytes. */
interface AddressReplacer {
  write(chunk: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** An address does not begin inside another URL, as in `?from=https://…`. */
const BEFORE = '(?<![\\w/?&=%#.+-])';
/** The host does not continue. */
const BEHIND = '(?![\\w.:@%-])';

export class HostMap {
  readonly #pairs: readonly Pair[];
  readonly #here: ReadonlyMap<string, Pair>;
  readonly #public: ReadonlyMap<string, Pair>;
  readonly #addresses: RegExp;
  readonly #longest: number;

  /** @throws SitemapException with code `bad-option` */
  constructor(mapHosts: Readonly<Record<string, string>>) {
    this.#pairs = Object.entries(mapHosts).map(([here, other]) => pairOf(here, other));
    this.#here = new Map(this.#pairs.map((pair) => [pair.here.host, pair]));
    this.#public = new Map(this.#pairs.map((pair) => [pair.public.host, pair]));
    this.#checkPairs();
    const names = this.#pairs.flatMap(({ here }) => [here.host, here.text]);
    const hosts = [...new Set(names)].map((name) => name.replaceAll(/[$()+.[\]{|}]/g, '\\$&')).join('|');
    this.#addresses = new RegExp(`(?:${BEFORE}(https?:)|${BEFORE}(?<!:))//(${hosts})${BEHIND}`, 'gi');
    this.#longest = Math.max(...names.map(({ length }) => length), 0) + 'https://'.length + 1;
  }

  #checkPairs(): void {
    if (this.#here.size < this.#pairs.length) throw badMapping('has one host twice on the left side');
    if (this.#public.size < this.#pairs.length)
      throw badMapping('has two hosts for one public host; only one is possible');
    const both = [...this.#here.keys()].find((host) => this.#public.has(host));
    if (both !== undefined) throw badMapping(`has ${both} on both sides, which is a cycle`);
  }

  /** The public address of a URL. Returns the same object if the host is not mapped. */
  public(url: URL): URL {
    return withPlace(url, this.#here.get(url.host)?.public);
  }

  /** The URL to request. Returns the same object if the host is not mapped. */
  here(url: URL): URL {
    return withPlace(url, this.#public.get(url.host)?.here);
  }

  isHere(url: URL): boolean {
    return this.#here.has(url.host);
  }

  /** A text with the public addresses. */
  text(text: string): string {
    return text.replace(this.#addresses, (...match) => this.#replacement(match));
  }

  #replacement([, scheme, host = '']: readonly string[]): string {
    const name = host.toLowerCase();
    const pair = this.#here.get(name) ?? this.#pairs.find(({ here }) => here.text.toLowerCase() === name)!;
    if (scheme === undefined) return `//${pair.public.host}`;
    return `${pair.public.scheme ?? scheme}//${pair.public.host}`;
  }

  /** Starts to replace addresses in one document. */
  replacer(): AddressReplacer {
    const addresses = new RegExp(this.#addresses);
    // The last character that was returned, which may be a part of a URL, and the rest, which may be the start of an
    // address.
    let before = '';
    let rest = '';
    const upTo = (limit: number, text: string): Uint8Array => {
      let [at, replaced] = [before.length, ''];
      addresses.lastIndex = at;
      for (let match = addresses.exec(text); match !== null; match = addresses.exec(text)) {
        if (match.index >= limit) break;
        replaced += text.slice(at, match.index) + this.#replacement(match);
        at = addresses.lastIndex;
      }
      const end = Math.max(at, limit);
      replaced += text.slice(at, end);
      before = text.charAt(end - 1);
      rest = text.slice(end);
      return Buffer.from(replaced, 'latin1');
    };
    return {
      write: (chunk) => {
        const { buffer, byteOffset, byteLength } = chunk;
        const text = before + rest + Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
        return upTo(Math.max(before.length, text.length - this.#longest), text);
      },
      end: () => upTo(before.length + rest.length, before + rest),
    };
  }

  /** Replaces the addresses in a whole document. */
  bytes(bytes: Uint8Array): Uint8Array {
    const replacer = this.replacer();
    return Buffer.concat([replacer.write(bytes), replacer.end()]);
  }

  *chunks(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
    const replacer = this.replacer();
    for (const chunk of chunks) yield replacer.write(chunk);
    yield replacer.end();
  }

  async *chunksAsync(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const replacer = this.replacer();
    for await (const chunk of chunks) yield replacer.write(chunk);
    yield replacer.end();
  }
}

/** The map of `mapHosts`; undefined if no host is mapped. @throws SitemapException with code `bad-option` */
export function hostMapOf({
  mapHosts,
}: {
  readonly mapHosts?: Readonly<Record<string, string>> | undefined;
}): HostMap | undefined {
  return mapHosts === undefined || Object.keys(mapHosts).length === 0 ? undefined : new HostMap(mapHosts);
}

function withPlace(url: URL, to: Place | undefined): URL {
  if (to === undefined) return url;
  const copy = new URL(url);
  // In this order, since a URL drops the default port of its scheme.
  if (to.scheme !== undefined) copy.protocol = to.scheme;
  copy.port = '';
  copy.host = to.host;
  return copy;
}

function pairOf(here: string, other: string): Pair {
  const pair = { here: placeOf(here), public: placeOf(other) };
  if ((pair.here.scheme === undefined) !== (pair.public.scheme === undefined))
    throw badMapping(`has a scheme on one side of ${here}=${other}; write it on both sides, or on none`);
  return pair;
}

function placeOf(text: unknown): Place {
  const [, scheme, rest = ''] = /^(?:(https?:)\/\/)?(.*)$/is.exec(String(text)) ?? [];
  // A default port is not in a URL, so it is not in a host here.
  const url = parsedUrl(`${scheme ?? (rest.endsWith(':80') ? 'http:' : 'https:')}//${rest}/`);
  if (typeof text !== 'string' || url === undefined || /[\s/?#\\@*]/.test(rest)) {
    throw badMapping(
      `takes hosts, such as staging.example.org, with a port or a scheme where needed, and no path: not "${text}"`,
    );
  }
  const hostText = /^[\0-\x7f]*$/.test(rest) ? url.host : Buffer.from(rest).toString('latin1');
  return { scheme: scheme?.toLowerCase(), host: url.host, text: hostText };
}

function badMapping(why: string): Error {
  return badOption(`The option "mapHosts" ${why}.`, 'mapHosts');
}
