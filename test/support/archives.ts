/** Archives to test with: what other programs see of them, and how they are damaged. */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { WARCParser } from 'warcio';
import type { Sitemap } from '../../src/sitemap/sitemap.ts';

/** A record as another program (`warcio`) reads it. */
export interface SeenRecord {
  readonly type: string;
  readonly uri: string | undefined;
  readonly date: string;
  readonly status: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly truncated: string | undefined;
  readonly text: string;
}

/** All records of a file; the digests of the block and of the payload of each are checked on the way. */
export async function recordsOf(path: string): Promise<readonly SeenRecord[]> {
  const records: SeenRecord[] = [];
  for await (const record of new WARCParser(streamOf(path), { parseHttp: false })) {
    checkDigest(record.warcHeader('WARC-Block-Digest'), await record.readFully(false), record.warcTargetURI);
  }
  for await (const record of new WARCParser(streamOf(path), { keepHeadersCase: true, parseHttp: true })) {
    const payload = await record.readFully(false);
    const uri = record.warcTargetURI ?? undefined;
    checkDigest(record.warcHeader('WARC-Payload-Digest'), payload, uri);
    const http = record.httpHeaders;
    const headers: Record<string, string> = {};
    for (const [name, value] of http?.headers.entries() ?? []) headers[name] = value;
    records.push({
      type: record.warcType ?? '',
      uri,
      date: record.warcDate ?? '',
      status: http?.statusline,
      headers,
      truncated: record.warcHeader('WARC-Truncated') ?? undefined,
      text: Buffer.from(payload).toString(),
    });
  }
  return records;
}

function streamOf(path: string): ConstructorParameters<typeof WARCParser>[0] {
  return Readable.toWeb(createReadStream(path)) as ConstructorParameters<typeof WARCParser>[0];
}

function checkDigest(
  digest: string | null | undefined,
  bytes: Uint8Array,
  what: string | null | undefined,
): void {
  const sha1 = `sha1:${base32(createHash('sha1').update(bytes).digest())}`;
  if (digest !== sha1) throw new Error(`${what}: ${digest}, not ${sha1}`);
}

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)])
    .join('');
}

/** The JSON of the record with the nodes. */
export function nodesOf(path: string): {
  readonly documents: readonly Record<string, unknown>[];
  readonly nodes: readonly Record<string, unknown>[];
  readonly origin?: unknown;
} {
  const text = plain(path).toString();
  const start = text.indexOf('{"format":"ultimate-sitemap-parser tree"');
  return JSON.parse(text.slice(start, text.indexOf('\n]}\n', start) + 4));
}

/** Where the record of a URL begins in a gzipped archive: the place of its member. */
export function recordPlace(path: string, url: string): number {
  const bytes = readFileSync(path);
  const magic = Buffer.from([0x1f, 0x8b, 8]);
  for (let at = bytes.indexOf(magic); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    if (recordUrl(bytes.subarray(at)) === url) return at;
  }
  throw new Error(`${path} has no record of ${url}`);
}

/** The URL of the record that a member has; undefined where the bytes only look like a member. */
function recordUrl(member: Uint8Array): string | undefined {
  try {
    const text = gunzipSync(member).toString('latin1');
    return /^WARC-Target-URI: (.*)\r$/m.exec(text.slice(0, text.indexOf('\r\n\r\n')))?.[1];
  } catch {
    return undefined;
  }
}

/** A file without its compression. */
export function plain(path: string): Buffer {
  const bytes = readFileSync(path);
  return bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
}

/** Everything that can be seen of a tree and is not in its JSON. */
export function notInJSON(tree: Sitemap): unknown[] {
  return [tree, ...tree.allSitemaps()].map((node) => [
    node.constructor.name,
    ...[node.pageCount, node.truncated, node.bytes, node.status, node.freshness],
    node.kind === 'invalid' ? (node.error as Error | undefined)?.message : undefined,
    node.kind === 'website' ? node.triedPaths : undefined,
    [...node.pages].map(({ lastModifiedText }) => lastModifiedText),
  ]);
}
