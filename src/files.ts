/** What the system says about a file, for people. */
import { resolve } from 'node:path';
import { getSystemErrorMap } from 'node:util';

/**
 * Why a file could not be read or written: `no such file or directory` instead of `ENOENT: …, open '…'`, which may even
 * name a file that nobody asked for.
 *
 * @param path - as it was given; where it is not found, the place that it stands for is named
 */
export function fileTrouble(error: unknown, path: string): string {
  const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : Number.NaN;
  const [code, words] = getSystemErrorMap().get(errno) ?? [];
  if (words === undefined) return error instanceof Error ? error.message : String(error);
  const place = resolve(path);
  return code === 'ENOENT' && place !== path ? `${words}; it was looked for at ${place}` : words;
}
