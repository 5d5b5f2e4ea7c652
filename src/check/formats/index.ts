/** The formats of findings, by name. */
import type { FindingFormat } from './format.ts';
import { github } from './github.ts';
import { csv, json, ndjson, unix } from './lines.ts';
import { sarif } from './sarif.ts';
import { text } from './text.ts';

export type { FindingWriter, FormatOptions } from './format.ts';

/** The name of a format. */
export type FindingFormatName = 'text' | 'unix' | 'json' | 'ndjson' | 'csv' | 'sarif' | 'github';

/** Each format by the name that `--format` takes; the first is the default. */
export const FINDING_FORMATS: Readonly<Record<FindingFormatName, FindingFormat>> = {
  text,
  unix,
  json,
  ndjson,
  csv,
  sarif,
  github,
};
