/**
 * Why TLS failed, in words, and what to do about it. Certificates of companies and of local servers are the usual case:
 * nothing is wrong with the site, and one option solves it.
 *
 * @packageDocumentation
 */

// OpenSSL's verification results. A retry does not change a certificate.
const CERTIFICATE =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|CRL_|ERR_TLS_CERT_)/;

/** The certificate may be fine, but its authority is not known here. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'INVALID_CA',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The server wants a certificate of the client, or another one. */
const CLIENT_CERTIFICATE =
  /^ERR_SSL_(TLSV13_ALERT_CERTIFICATE_REQUIRED|(SSLV3|TLSV1)_ALERT_(BAD_CERTIFICATE|HANDSHAKE_FAILURE|UNKNOWN_CA))$/;

/** What is there does not speak TLS. */
const OTHER_PROTOCOL = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;

/** Whether an error code is of TLS. */
export function isTls(code: string): boolean {
  return (
    code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_') || code === 'EPROTO' || CERTIFICATE.test(code)
  );
}

/** OpenSSL's own reason: its message has addresses and line numbers around it. */
export function tlsReason(error: Error): string {
  return `TLS failed: ${'reason' in error && typeof error.reason === 'string' ? error.reason : error.message}`;
}

/** What a user can do without our options, to follow a reason. */
export function adviceOnTls(code: string): string {
  if (UNTRUSTED.has(code)) return '; to trust it, set NODE_EXTRA_CA_CERTS';
  return OTHER_PROTOCOL.test(code) ? '; the port may not be one for https' : '';
}

/** What a user of the default client can do, to follow a reason, and the option that it is about. */
export function adviceOnOptions(code: string): { readonly says: string; readonly option?: string } {
  if (UNTRUSTED.has(code)) {
    const says =
      '; to trust it, use the option "ca" or NODE_EXTRA_CA_CERTS; to skip the check, the option "verifyTls"';
    return { says, option: 'ca' };
  }
  if (CERTIFICATE.test(code)) {
    return { says: '; to skip the check, use the option "verifyTls"', option: 'verifyTls' };
  }
  if (CLIENT_CERTIFICATE.test(code)) {
    const says = '; the server may want a client certificate: the option "cert" with the option "key"';
    return { says, option: 'cert' };
  }
  return { says: adviceOnTls(code) };
}
