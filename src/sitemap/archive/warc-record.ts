/**
 * The head of a WARC 1.1 record (ISO 28500): what every record of an archive has in common.
 *
 * @packageDocumentation
 */
import { createHash } from 'node:crypto';

/** The headers of a record besides those that every record has. */
export interface RecordFields {
  readonly type: 'warcinfo' | 'response' | 'resource' | 'metadata';
  /** Milliseconds since the epoch. */
  readonly date: number;
  readonly targetUri?: string | undefined;
  readonly contentType: string;
  /** Why something is missing at the end of the payload. */
  readonly truncated?: string | undefined;
}

/** The digests of a record: `sha1:` and base32, as every WARC tool writes them. */
export interface RecordDigests {
  readonly block: string;
  readonly payload: string;
}

/** The lines of a record before its block, the empty line included. */
export function recordHead(fields: RecordFields, length: number, digests: RecordDigests): string {
  const { type, date, targetUri, contentType, truncated } = fields;
  const lines = [
    'WARC/1.1',
    `WARC-Type: ${type}`,
    `WARC-Record-ID: <urn:uuid:${recordId(`${type} ${date} ${targetUri ?? ''} ${digests.block}`)}>`,
    `WARC-Date: ${new Date(date).toISOString()}`,
    ...(targetUri === undefined ? [] : [`WARC-Target-URI: ${uri(targetUri)}`]),
    ...(truncated === undefined ? [] : [`WARC-Truncated: ${truncated}`]),
    `WARC-Payload-Digest: ${digests.payload}`,
    `WARC-Block-Digest: ${digests.block}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** What is behind the block of a record. */
export const RECORD_END = '\r\n\r\n';

/** Takes in bytes and says their digest. */
export class Digest {
  readonly #hash = createHash('sha1');

  update(bytes: Uint8Array): this {
    this.#hash.update(bytes);
    return this;
  }

  end(): string {
    return `sha1:${base32(this.#hash.digest())}`;
  }
}

/** The digest of bytes. */
export function digestOf(bytes: Uint8Array): string {
  return new Digest().update(bytes).end();
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(value >>> (bits - 5)) & 31];
    value &= 0xff;
  }
  return text;
}

/** A UUID (version 8) made of what the record is: the same record has the same id in every archive. */
function recordId(what: string): string {
  const hex = createHash('sha256').update(what).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** A text as a URI in one line of ASCII: a node may be named by anything. */
function uri(text: string): string {
  // Bytes and back: what is not a character becomes one.
  const characters = Buffer.from(text).toString();
  return encodeURI(characters).replaceAll(/%25([\da-f]{2})/gi, '%$1');
}
