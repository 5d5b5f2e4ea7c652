/**
 * Which proxy, if any, a URL goes through: the `proxy` option, else the environment as curl reads it, with names in
 * lower or upper case.
 *
 * @packageDocumentation
 */
import { BlockList, isIP } from 'node:net';
import { proxyUrl } from '../../options/proxy.ts';
import { hostOf, portOf, unbracketed } from '../../url.ts';
import { FetchError } from '../failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a URL, or `undefined` for a direct connection. Throws where the environment's is not a proxy. */
export type ProxyFor = (url: URL) => URL | undefined;

/**
 * @param proxy - the option: a URL for everything, `false` for none, `undefined` for the environment's
 */
export function proxyChooser(proxy: string | URL | false | undefined, environment: Environment): ProxyFor {
  if (proxy === false) return () => undefined;
  if (proxy !== undefined) {
    const fixed = new URL(String(proxy));
    return () => fixed;
  }
  const variable = (name: string): Variable | undefined => {
    const found = [name, name.toUpperCase()].find((each) => environment[each]);
    return found === undefined ? undefined : { name: found, value: environment[found] ?? '' };
  };
  const all = variable('all_proxy');
  const http = variable('http_proxy') ?? all;
  const https = variable('https_proxy') ?? all;
  const isExempt = exemptions(variable('no_proxy')?.value ?? '');
  return (url) => (isExempt(url) ? undefined : proxyOf(url.protocol === 'https:' ? https : http));
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** `proxy.example:3128` without a scheme is common, and means http. */
function proxyOf(variable: Variable | undefined): URL | undefined {
  if (variable === undefined) return undefined;
  const { name, value } = variable;
  const url = proxyUrl(value.includes('://') ? value : `http://${value}`);
  if (url !== undefined) return url;
  // Users who set a proxy may not want a direct connection. The value is not repeated: it may hold a password.
  throw new FetchError(
    'proxy',
    `the environment variable ${name} is not the URL of a proxy (http:, https:, socks5: or socks5h:)`,
  );
}

/**
 * NO_PROXY: names with their subdomains, a leading `.` or `*.` allowed, `host:port`, ranges of addresses (`10.0.0.0/8`,
 * `fd00::/8`), or `*` for everything. A range is compared with addresses in URLs only: names are not resolved for it.
 */
function exemptions(noProxy: string): (url: URL) => boolean {
  const parts = noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((part) => part !== '');
  const ranges = rangesIn(parts);
  const entries = parts
    .filter((part) => !part.includes('/'))
    .map((entry) => {
      const [, host = entry, port] = /^(\[.*\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      return { host: unbracketed(host.replace(/^\*?\./, '')), port };
    });
  return (url) => {
    const host = hostOf(url);
    const port = String(portOf(url));
    const family = isIP(host);
    if (family !== 0 && ranges.check(host, family === 4 ? 'ipv4' : 'ipv6')) return true;
    return entries.some(
      (entry) =>
        entry.host === '*' ||
        ((entry.port === undefined || entry.port === port) &&
          (host === entry.host || host.endsWith(`.${entry.host}`))),
    );
  };
}

/** What is written like a range and is not one is ignored, as curl does. */
function rangesIn(parts: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const part of parts) {
    const [, network = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(part) ?? [];
    const address = unbracketed(network);
    const family = isIP(address);
    if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) continue;
    ranges.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  }
  return ranges;
}
