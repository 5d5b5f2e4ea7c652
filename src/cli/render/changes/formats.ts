/** The formats of changes. Each is loaded when it is used. */
import type { ChangeFormat } from './format.ts';

export const CHANGE_FORMATS: Readonly<Record<string, () => Promise<ChangeFormat>>> = {
  changes: async () => (await import('./text.ts')).text,
  pages: async () => (await import('./urls.ts')).urls,
  ndjson: async () => (await import('./json.ts')).ndjson,
  csv: async () => (await import('./table.ts')).table,
  json: async () => (await import('./json.ts')).json(),
};

/** All names, the default first. */
export const CHANGE_FORMAT_NAMES: readonly string[] = Object.keys(CHANGE_FORMATS);
