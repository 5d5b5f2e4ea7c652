/**
 * The head of a response as a tree keeps it: its status line and headers, each with CRLF behind it, without the empty
 * line at the end.
 *
 * What a client hands over is decoded, so `Content-Encoding`, `Transfer-Encoding` and `Content-Length` as they were
 * received are kept under other names. What could be a secret is not kept: cookies, credentials, the userinfo of URLs.
 */
import type { ResponseHead } from '../fetch/fetch-failure.ts';

/** The most bytes of headers that are kept of one response; header lines beyond that are left out. */
const MOST_KEPT_HEADER_BYTES = 16 * 1024;

const NEVER_KEPT: ReadonlySet<string> = new Set([
  'set-cookie',
  'set-cookie2',
  'cookie',
  'authorization',
  'proxy-authorization',
  'authentication-info',
  'proxy-authentication-info',
]);

const AS_RECEIVED: ReadonlySet<string> = new Set(['content-encoding', 'transfer-encoding', 'content-length']);

/** Without these a document cannot be followed, read or requested again: they are kept first. */
const KEPT_FIRST: ReadonlySet<string> = new Set(['location', 'content-type', 'etag', 'last-modified']);

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a line must not hold
const CONTROLS = /[\0-\x08\n-\x1f\x7f]+/g;
const USERINFO = /(\/\/)[^/?#\s<>"',;]*@/g;
const LONGEST_STATUS_TEXT = 200;

export function headBytes(head: ResponseHead): Uint8Array {
  const statusText = oneLine(head.statusText).slice(0, LONGEST_STATUS_TEXT);
  const lines = linesOf(head);
  const size = lines.reduce((sum, { line }) => sum + line.length, 0);
  const keptLines = size <= MOST_KEPT_HEADER_BYTES ? lines : fitting(lines);
  const text = `HTTP/1.1 ${head.status} ${statusText}\r\n${keptLines.map(({ line }) => line).join('')}`;
  return Buffer.from(text, 'latin1');
}

interface HeaderLine {
  readonly name: string;
  /** Every character is one byte. */
  readonly line: string;
}

function linesOf(head: ResponseHead): readonly HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (const [headerName, value] of head.headers()) {
    const name = headerName.toLowerCase();
    if (NEVER_KEPT.has(name) || !TOKEN.test(headerName)) continue;
    const savedName = AS_RECEIVED.has(name) ? `X-Crawler-${headerName}` : headerName;
    lines.push({ name, line: `${savedName}: ${oneLine(value.replaceAll(USERINFO, '$1')).trim()}\r\n` });
  }
  return lines;
}

function fitting(lines: readonly HeaderLine[]): readonly HeaderLine[] {
  const selection = new Set<HeaderLine>();
  let remaining = MOST_KEPT_HEADER_BYTES;
  const choose = (candidates: readonly HeaderLine[]): void => {
    for (const each of candidates) {
      if (each.line.length > remaining) continue;
      remaining -= each.line.length;
      selection.add(each);
    }
  };
  choose(lines.filter(({ name }) => KEPT_FIRST.has(name)));
  choose(lines.filter(({ name }) => !KEPT_FIRST.has(name)));
  return lines.filter((each) => selection.has(each));
}

/** Text for one line of a head, one byte for each character: header values are Latin-1, as clients hand them over. */
function oneLine(text: string): string {
  const flat = text.replaceAll(CONTROLS, ' ');
  if (!/[^\0-\xff]/.test(flat)) return flat;
  return String.fromCharCode(...new TextEncoder().encode(flat.slice(0, MOST_KEPT_HEADER_BYTES)));
}
