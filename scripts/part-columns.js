/**
 * Fills in the tables of columns in docs/many-sites-output.md from the schema of the code.
 *
 *     node scripts/part-columns.js [--write]
 */
import { argv } from 'node:process';
import { deliver, filled, table } from './deliver.js';
import { importSource } from './source.js';

const { COLUMNS } = await importSource('batch/output/page-columns.ts');

const PARQUET = { text: 'string', number: 'double', boolean: 'boolean', timestamp: 'timestamp (ms, UTC)' };

const page = filled('many-sites-output.md', {
  columns: columns(COLUMNS),
  newsStory: columns(fieldsOf('newsStory')),
  images: columns(fieldsOf('images')),
  videos: columns(fieldsOf('videos')),
  alternates: columns(fieldsOf('alternates')),
});
deliver('many-sites-output.md', page, argv);

/** The fields of a column that is a struct, or a list of structs. */
function fieldsOf(name) {
  const { type } = COLUMNS.find((column) => column.name === name);
  return (type.list ?? type).struct;
}

function columns(fields) {
  const rows = fields.map(({ name, type, isRequired, meaning }) => [
    `\`${name}\``,
    isRequired ? inWords(type) : `${inWords(type)}, or null`,
    `${meaning}${details(type)}`,
  ]);
  return table(['Name', 'Type', 'Meaning'], rows);
}

function inWords(type) {
  if (typeof type === 'string') return PARQUET[type];
  if (type.struct !== undefined) return 'struct';
  return `list of ${typeof type.list === 'string' ? `${inWords(type.list)}s` : 'structs'}`;
}

/** The fields of what is nested once more, which have no table of their own. */
function details(type) {
  const struct = (type.list ?? type).struct;
  if (struct === undefined || COLUMNS.some((column) => column.type === type)) return '';
  const names = struct.map(({ name, type: inner }) => `\`${name}\` (${inWords(inner)})`);
  return `: ${names.join(', ')}`;
}
