/** Checks of certificates, private keys and the URLs of proxies. */
// biome-ignore lint/style/noRestrictedImports: only Node knows whether a key belongs to a certificate.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { parsedUrl } from '../url.ts';
import type { Pem } from './options.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Whether a value has one certificate or more, all of them readable. */
export function isCertificates(value: unknown): boolean {
  if (!isPem(value)) return false;
  const certificates = certificatesIn(value);
  return certificates.length > 0 && works(() => certificates.map((each) => new X509Certificate(each)));
}

/** Whether a value is a private key that needs no passphrase. */
export function isPrivateKey(value: unknown): boolean {
  return isPem(value) && works(() => createPrivateKey(pemText(value)));
}

/** Whether a private key belongs to a certificate: to the first one, if others follow as its chain. */
export function isKeyOf(cert: Pem, key: Pem): boolean {
  const [leaf] = certificatesIn(cert);
  return leaf !== undefined && new X509Certificate(leaf).checkPrivateKey(createPrivateKey(pemText(key)));
}

function isPem(value: unknown): value is Pem {
  return typeof value === 'string' || value instanceof Uint8Array;
}

function certificatesIn(pem: Pem): readonly string[] {
  return pemText(pem).match(CERTIFICATE) ?? [];
}

export function pemText(pem: Pem): string {
  return typeof pem === 'string' ? pem : new TextDecoder('latin1').decode(pem);
}

function works(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

/** Desktops write `socks:` for SOCKS5. */
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:', 'socks5h:']);

/** The URL of a proxy; undefined if the text is not such a URL. */
export function proxyUrl(text: string): URL | undefined {
  const url = parsedUrl(text);
  return url !== undefined && url.hostname !== '' && SCHEMES.has(url.protocol) ? url : undefined;
}

/** Whether a proxy speaks SOCKS5; all others speak HTTP. */
export function isSocks(proxy: URL): boolean {
  return proxy.protocol.startsWith('socks');
}
