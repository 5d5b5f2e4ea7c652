/** The text of a list or of rows, from a file or stdin, and the columns that users name in it. */
import { openToRead } from '../../runtime/file-input.ts';
import { errorCode, fileTrouble } from '../../runtime/files.ts';
import { clip } from '../../text/wording.ts';
import { UsageError } from '../endings.ts';
import { stdinChunks } from '../input.ts';
import type { CliIO } from '../io.ts';

/** Characters of a row of CSV. */
export const LONGEST_ROW = 1_000_000;

/** Characters, in which a list has an end of a line: /dev/zero has none. */
const MOST_WITHOUT_END = 64 * 1024 * 1024;

export interface TextOptions {
  /** Rows, not a list of sites: they may be one line of JSON, and must be UTF-8, since URLs are written from them. */
  readonly isOfRows?: boolean;
}

/** A text in pieces, without a BOM. @throws UsageError where it cannot be read */
export async function* textOf(
  path: string,
  io: Pick<CliIO, 'stdin' | 'signal'>,
  { isOfRows = false }: TextOptions = {},
): AsyncGenerator<string, void, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    const bytes: AsyncIterable<Uint8Array> =
      path === '-' ? stdinChunks(io) : await openToRead(path, io.signal);
    let row = 0;
    let start: Uint8Array = Buffer.alloc(0);
    for await (const chunk of bytes) {
      let data = chunk;
      if (decoder === undefined) {
        // Spreadsheets save "Unicode text" as UTF-16, whose mark has two bytes, which may arrive one by one.
        start = Buffer.concat([start, chunk]);
        if (start.length < 2) continue;
        const charset = start[0] === 0xff && start[1] === 0xfe ? 'utf-16le' : 'utf-8';
        decoder = new TextDecoder(charset, { fatal: isOfRows });
        data = start;
      }
      const text = decoder.decode(data, { stream: true });
      const end = text.lastIndexOf('\n');
      row = end === -1 ? row + text.length : text.length - end;
      if (row > MOST_WITHOUT_END && !isOfRows) throw new Error('it has no lines, so it is not a list');
      yield text;
    }
    yield decoder?.decode() ?? new TextDecoder().decode(start);
  } catch (cause) {
    if (cause instanceof UsageError || io.signal.aborted) throw cause;
    if (errorCode(cause) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new UsageError(`${nameOfList(path)} is not UTF-8.`, {
        hint: 'save it as UTF-8: spreadsheets call it "CSV UTF-8".',
        cause,
      });
    throw new UsageError(`${nameOfList(path)} cannot be read: ${fileTrouble(cause, path)}.`, { cause });
  }
}

export function nameOfList(path: string): string {
  return path === '-' ? 'stdin' : path;
}

/** The place of a column that is given as its number, which is from 1; undefined for a name. */
export function columnNumber(column: string): number | undefined {
  return /^[1-9]\d*$/.test(column) ? Number(column) - 1 : undefined;
}

/** The place of a column by its name, or by its number. */
export function indexOfColumn(names: readonly string[], column: string): number | undefined {
  const columnName = column.trim().toLowerCase();
  const at = columnNumber(column) ?? names.findIndex((name) => name.trim().toLowerCase() === columnName);
  return at >= 0 && at < names.length ? at : undefined;
}

export function columnMissing(path: string, names: readonly string[], column: string): UsageError {
  return new UsageError(`${nameOfList(path)} has no column "${clip(column, 80)}".`, {
    hint: `its first line has ${quotedNames(names)}; a column can also be a number, from 1.`,
  });
}

export function quotedNames(names: readonly string[]): string {
  return names.map((name) => `"${clip(name.trim(), 80)}"`).join(', ');
}
