/** From what the user gave to the bytes of a document. */
import type { Source } from './messages.ts';

/** More than any sitemap may have, and what a browser's tab can hold beside its pages. */
export const MAX_BYTES: number = 256 * 1024 * 1024;

/** The bytes of a document, inflated, and what was wrong with its gzip. */
export interface OpenedSource {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the bytes are UTF-8 whatever the document says of itself. */
  readonly isText: boolean;
  /** Why the bytes end early. */
  readonly damage: string | undefined;
}

/** Reads a source. Of damaged gzip, what could be inflated is used. */
export async function openSource(source: Source): Promise<OpenedSource> {
  if ('text' in source) {
    return { bytes: new TextEncoder().encode(source.text), isText: true, damage: undefined };
  }
  if (!isGzip(new Uint8Array(await source.file.slice(0, 2).arrayBuffer()))) {
    if (source.file.size > MAX_BYTES) throw new Error(tooLarge('has'));
    return { bytes: new Uint8Array(await source.file.arrayBuffer()), isText: false, damage: undefined };
  }
  const once = await inflate(source.file);
  // A file that was compressed twice is read as the library reads it.
  const isNested = once.damage === undefined && isGzip(once.bytes);
  return { ...(isNested ? await inflate(new Blob([once.bytes])) : once), isText: false };
}

type Inflated = Pick<OpenedSource, 'bytes' | 'damage'>;

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** In a few bytes of ten million it looks as if a member of gzip began, where none does. */
const MOST_FALSE_HEADS = 20;

/** Browsers refuse what follows the first member of gzip, so several members are inflated one by one. */
async function inflate(file: Blob): Promise<Inflated> {
  const whole = await inflateMember(file);
  if (whole.damage === undefined || file.size > MAX_BYTES) return whole;
  const members: Uint8Array[] = [];
  let length = 0;
  let start = 0;
  let falseHeads = 0;
  for (const head of laterHeads(new Uint8Array(await file.arrayBuffer()))) {
    const { bytes, damage } = await inflateMember(file.slice(start, head));
    if (damage !== undefined && ++falseHeads > MOST_FALSE_HEADS) break;
    if (damage !== undefined) continue;
    length += bytes.length;
    if (length > MAX_BYTES) throw new Error(tooLarge('inflates to'));
    members.push(bytes);
    start = head;
  }
  if (start === 0) return whole;
  const last = await inflateMember(file.slice(start));
  return { bytes: joined([...members, last.bytes], length + last.bytes.length), damage: last.damage };
}

/** Where another member of gzip may begin: its magic number, deflate, and flags that exist. */
function* laterHeads(bytes: Uint8Array): Generator<number, void, undefined> {
  for (let at = bytes.indexOf(0x1f, 1); at !== -1; at = bytes.indexOf(0x1f, at + 1)) {
    if (bytes[at + 1] === 0x8b && bytes[at + 2] === 8 && bytes[at + 3]! < 0x20) yield at;
  }
}

async function inflateMember(file: Blob): Promise<Inflated> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let damage: string | undefined;
  try {
    const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > MAX_BYTES) {
        await reader.cancel();
        throw new RangeError(tooLarge('inflates to'));
      }
      chunks.push(read.value);
    }
  } catch (error) {
    if (error instanceof RangeError) throw new Error(error.message);
    damage =
      'Its gzip is damaged, ends too early or is followed by something else: only what could be inflated is shown.';
  }
  return { bytes: joined(chunks, length), damage };
}

/** Chunks in one piece. */
export function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function tooLarge(verb: string): string {
  return `The file ${verb} more than ${MAX_BYTES / 1024 / 1024} MiB, which is too much for a browser. Use the command: usp check FILE.`;
}
