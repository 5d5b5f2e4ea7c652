/** The formats of findings, by name. */
import type { FindingFormat } from './format.ts';
import { github } from './github.ts';
import { csv, json, ndjson, unix } from './lines.ts';
import { sarif } from './sarif.ts';
import { text } from './text.ts';

export type { FindingFormat, FindingWriter, FormatOptions, Outcome, Painted } from './format.ts';

/** Each format by the name that `--format` takes; the first is the default. */
export const FINDING_FORMATS = { text, unix, json, ndjson, csv, sarif, github } as const satisfies Record<
  string,
  FindingFormat
>;

/** The name of a format. */
export type FindingFormatName = keyof typeof FINDING_FORMATS;
