/** Which URLs can be a proxy's. */
import { parsedUrl } from '../url.ts';

/** Desktops write `socks:` for SOCKS5. */
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:', 'socks5h:']);

/** The URL of a proxy; undefined where the text is not one. */
export function proxyUrl(text: string): URL | undefined {
  const url = parsedUrl(text);
  return url !== undefined && url.hostname !== '' && SCHEMES.has(url.protocol) ? url : undefined;
}

/** Whether a proxy speaks SOCKS5; all others speak HTTP. */
export function isSocks(proxy: URL): boolean {
  return proxy.protocol.startsWith('socks');
}
