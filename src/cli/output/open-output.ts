/**
 * From `-o FILE` and `--save FILE` to what is written to; what cannot be written is found before anything is fetched.
 */
import { fstatSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type FoundFile, ReplacedFile, writeTarget } from '../../runtime/files.ts';
import type { CliIO } from '../io.ts';
import { Interrupted, UsageError } from '../messages/failure.ts';
import { DescriptorOutput, ReplacingOutput } from './file-output.ts';
import { type Output, unwritable } from './output.ts';
import { StreamOutput } from './stream-output.ts';

/** @throws UsageError where the file cannot be written */
export async function openOutput(path: string | undefined, io: CliIO): Promise<Output> {
  if (path === undefined || path === '-') return streamOutput('stdout', io);
  try {
    const target = await writeTarget(path);
    if (target.type === 'special') return await DescriptorOutput.open(target.path, path, io.signal);
    if (target.type === 'descriptor') {
      const stream = streamOf(target.fd, io);
      return stream === undefined
        ? DescriptorOutput.of(path, target.fd, io.signal)
        : streamOutput(stream, io);
    }
    // To replace the file that stdout goes to would lose what others wrote there: `( echo x; usp … -o f ) >> f`.
    const stream = target.found === undefined ? undefined : streamTo(target.found, io);
    if (stream !== undefined) return streamOutput(stream, io);
    return new ReplacingOutput(path, await ReplacedFile.at(target));
  } catch (cause) {
    throw cause instanceof Interrupted ? cause : unwritable(path, cause);
  }
}

type StreamName = 'stdout' | 'stderr';

function streamOutput(stream: StreamName, io: CliIO): Output {
  return new StreamOutput(io[stream], io.isTerminal[stream], io.signal);
}

function streamOf(fd: number, { descriptors }: CliIO): StreamName | undefined {
  if (fd === descriptors?.stdout) return 'stdout';
  return fd === descriptors?.stderr ? 'stderr' : undefined;
}

/** The stream of the process that is open on a file. */
function streamTo({ dev, ino }: FoundFile, { descriptors = {} }: CliIO): StreamName | undefined {
  return (['stdout', 'stderr'] as const).find((name) => {
    const fd = descriptors[name];
    if (fd === undefined) return false;
    try {
      const opened = fstatSync(fd);
      return opened.dev === dev && opened.ino === ino;
    } catch {
      return false;
    }
  });
}

/** Checks that a file could be written, and leaves nothing behind. @throws UsageError where it could not */
export async function checkWritable(path: string): Promise<void> {
  try {
    const file = await ReplacedFile.open(path);
    await file.discard();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/**
 * Checks that no two options write to one file, under whatever names.
 *
 * @param files - by option
 * @throws UsageError where two do: the later would replace the earlier
 */
export async function checkDistinct(files: Readonly<Record<string, string | undefined>>): Promise<void> {
  const options = new Map<string, string>();
  for (const [option, path] of Object.entries(files)) {
    if (path === undefined || path === '-') continue;
    const real = await realPathOf(path);
    const found = await stat(real).catch(() => undefined);
    // A device may be written to twice.
    if (found !== undefined && !found.isFile()) continue;
    const other = options.get(real);
    if (other !== undefined) throw new UsageError(`${other} and ${option} name the same file, ${path}.`);
    options.set(real, option);
  }
}

/** The path of a file without links, whether or not the file is there. */
async function realPathOf(path: string): Promise<string> {
  const inFolder = async (): Promise<string> => {
    const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
    return join(folder, basename(path));
  };
  return realpath(path).catch(inFolder);
}
