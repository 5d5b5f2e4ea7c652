/**
 * How the default client speaks TLS: whom it trusts, and who it says it is.
 *
 * The authorities of the option `ca` are trusted everywhere, besides those of Node. The client certificate is shown to
 * the homepage's own host only: any other server of a sitemap could ask for it, and learn who is asking.
 *
 * @packageDocumentation
 */
import * as tls from 'node:tls';
import type { Pem } from '../../options/options.ts';
import { pemText } from '../../options/pem.ts';

export interface TlsOptions {
  readonly verifyTls: boolean;
  readonly ca?: Pem | readonly Pem[] | undefined;
  readonly cert?: Pem | undefined;
  readonly key?: Pem | undefined;
}

/** What a TLS connection needs to know. */
export type TlsSettings = Pick<tls.ConnectionOptions, 'rejectUnauthorized' | 'secureContext'>;

/** The settings for a host: whether or not it is the homepage's own. */
export type TlsFor = (host: { readonly isOwn: boolean }) => TlsSettings;

export function tlsSettings({ verifyTls, ca, cert, key }: TlsOptions): TlsFor {
  const trusted = ca === undefined ? undefined : [ca].flat();
  const hasOwn = cert !== undefined && key !== undefined;
  // Made once, when they are needed: reading Node's own authorities takes some milliseconds.
  const forOthers = once(() => conpemText(trusted, {}));
  const forOwn = once(() => conpemText(trusted, hasOwn ? { cert: pemText(cert), key: pemText(key) } : {}));
  return ({ isOwn }) => {
    if (isOwn && hasOwn) return { rejectUnauthorized: verifyTls, secureContext: forOwn() };
    if (trusted === undefined) return { rejectUnauthorized: verifyTls };
    return { rejectUnauthorized: verifyTls, secureContext: forOthers() };
  };
}

function conpemText(
  trusted: readonly Pem[] | undefined,
  identity: { readonly cert?: string; readonly key?: string },
): tls.SecureContext {
  if (trusted === undefined) return tls.createSecureContext(identity);
  return tls.createSecureContext({ ...identity, ca: [...trustedByNode(), ...trusted.map(pemText)] });
}

/** From Node 22.15 on, those of NODE_EXTRA_CA_CERTS are among them. */
function trustedByNode(): readonly string[] {
  const list: unknown = 'getCACertificates' in tls ? tls.getCACertificates : undefined;
  return typeof list === 'function' ? list() : tls.rootCertificates;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
