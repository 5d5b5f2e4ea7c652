/** The ways in which a command ends before its end. */

/** Something that the user can mend: told in one line, with a hint where there is one. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(
    message: string,
    options: { readonly hint?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
  }
}

/** The user pressed Ctrl-C; the message says what was interrupted. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Whoever read the output has gone (`| head`): no error, just the end. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** What the system says about a file, in words. */
export function fileTrouble(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  return FILE_TROUBLES[code] ?? message;
}

const FILE_TROUBLES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of its path is not a folder',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
};
