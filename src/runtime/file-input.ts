/**
 * Files that are read. A call that waits inside the system for a pipe cannot be interrupted, and keeps the process from
 * ending: one that opens a named pipe without a writer, or reads a pipe that is silent. So no file is opened that way.
 */
import { constants, createReadStream, fstatSync, open } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';

const openDescriptor = promisify(open);

/** To open a pipe without waiting for its other end; Windows has no such files. */
export const WITHOUT_WAITING: number = constants.O_NONBLOCK ?? 0;

/** The bytes of a file, a device or a pipe. No call of the system waits for a silent pipe. */
export async function openToRead(path: string | URL, signal?: AbortSignal): Promise<Readable> {
  const fd = await openDescriptor(path, constants.O_RDONLY | WITHOUT_WAITING);
  const bytes = streamOf(fd);
  return signal === undefined ? bytes : addAbortSignal(signal, bytes);
}

function streamOf(fd: number): Readable {
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false });
  return isatty(fd) ? new ReadStream(fd) : createReadStream('', { fd });
}

/** The content of a file. @throws an `Error` where it has more bytes than that, or does not end */
export async function readWhole(path: string, mostBytes: number, signal?: AbortSignal): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of await openToRead(path, signal)) {
    size += chunk.length;
    if (size > mostBytes) throw new Error(`it has more than ${mostBytes / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
