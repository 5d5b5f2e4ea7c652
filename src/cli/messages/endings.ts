/** The ways in which a command ends before its end. */

/** Something that the user can fix: reported in one line, with a hint where there is one. */
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

/** The time that the user gave was over before there was anything to print. */
export class TimeOver extends Error {
  override readonly name = 'TimeOver';
}

/** The reader of the output has gone (`| head`): not an error, but the end. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}
