/** From what the user gave to the bytes of a document. */
import type { Source } from './messages.ts';

/** More than any sitemap may have, and what a browser's tab can hold beside its pages. */
export const MAX_BYTES: number = 256 * 1024 * 1024;

/** The bytes of a document, inflated, and what was wrong with its gzip. */
export interface OpenedSource {
  readonly bytes: Uint8Array;
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
  const head = new Uint8Array(await source.file.slice(0, 2).arrayBuffer());
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    if (source.file.size > MAX_BYTES) throw new Error(tooLarge('has'));
    return { bytes: new Uint8Array(await source.file.arrayBuffer()), isText: false, damage: undefined };
  }
  return { ...(await inflate(source.file)), isText: false };
}

async function inflate(file: Blob): Promise<Pick<OpenedSource, 'bytes' | 'damage'>> {
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
    damage = 'Its gzip is damaged or ends too early: only what could be inflated is shown.';
  }
  return { bytes: joined(chunks, length), damage };
}

/** Chunks in one piece. */
export function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
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
