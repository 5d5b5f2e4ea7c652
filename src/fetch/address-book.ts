/**
 * The address of a host before it is connected to, so that all hosts of one address can share a limit. An extra look-up
 * for each host, made only where it matters: with few requests in total there are never too many to one address, and
 * behind a proxy or a custom client names are not ours to resolve. The network guard looks up names for itself.
 *
 * @packageDocumentation
 */
import { isIP } from 'node:net';
import type { ResolvedOptions } from '../options/resolve.ts';
import { hostOf } from '../url.ts';
import { type Resolve, resolveBySystem } from './client/network-guard.ts';
import { type Environment, type ProxyFor, proxyChooser } from './client/proxy.ts';
import type { Clock } from './rules/clock.ts';
import type { AddressOf } from './rules/pacing.ts';
import { MOST_PER_ADDRESS } from './rules/politeness.ts';

const KEPT_MS = 60_000;
const MOST_KEPT = 10_000;

export function addressBook(
  { concurrency, proxy, webClient }: ResolvedOptions,
  internals: { readonly resolve?: Resolve | undefined; readonly environment?: Environment | undefined },
  clock: Clock,
): AddressOf {
  if (concurrency <= MOST_PER_ADDRESS || webClient !== undefined) return async () => undefined;
  const { resolve = resolveBySystem, environment = process.env } = internals;
  const proxyFor = proxyChooser(proxy, environment);
  const known = new Map<string, { readonly address: Promise<string | undefined>; readonly until: number }>();

  return async (url) => {
    const name = hostOf(url);
    if (isProxied(proxyFor, url)) return undefined;
    if (isIP(name) !== 0) return name;
    const found = known.get(name);
    if (found !== undefined && found.until > clock.now()) return found.address;
    known.delete(name);
    const [oldest] = known.keys();
    if (known.size >= MOST_KEPT && oldest !== undefined) known.delete(oldest);
    // A name that does not resolve is reported when it is connected to.
    const address = resolve(name).then(
      ([first]) => first?.address,
      () => undefined,
    );
    known.set(name, { address, until: clock.now() + KEPT_MS });
    return address;
  };
}

function isProxied(proxyFor: ProxyFor, url: URL): boolean {
  try {
    return proxyFor(url) !== undefined;
  } catch {
    // The environment's proxy is not a URL: the request will fail with that.
    return true;
  }
}
