/** All flags of flags.ts in one list, for code that is about flags of any command. */
import { FLAGGED, flagNames } from '../../options/flagged-options.ts';
import * as groups from './flags.ts';

interface CommandFlag {
  /** `--write-baseline` */
  readonly flag: string;
  readonly attribute: string;
  /** As commander takes it: `-o, --output <file>`. */
  readonly flags: string;
  /** The option of the library that it sets. */
  readonly option?: string | undefined;
  readonly isWritten?: boolean | undefined;
}

export const COMMAND_FLAGS: readonly CommandFlag[] = Object.values<groups.FlagGroups>(groups)
  .flatMap((group) => Object.values(group))
  .flatMap((rows) => (typeof rows === 'string' ? [] : Object.entries(rows)))
  .map(([flags, row]) => ({ ...flagNames(flags), flags, ...(isFacts(row) && row) }));

function isFacts(row: groups.FlagRow): row is groups.FlagFacts {
  return typeof row === 'object' && 'help' in row;
}

/** The flags that name files which a command reads. */
export const READ_FILES: readonly CommandFlag[] = [
  ...FLAGGED.map(({ flag, attribute, row }): CommandFlag => ({ flag, attribute, flags: row.flag.flags })),
  ...COMMAND_FLAGS,
].filter(({ flags, isWritten }) => flags.endsWith('<file>') && isWritten !== true);

/** The flags that name files or folders which a command writes. */
export const WRITTEN_FILES: readonly CommandFlag[] = COMMAND_FLAGS.filter(({ isWritten }) => isWritten);
