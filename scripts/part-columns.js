/**
 * Fills in the tables of columns in docs/many-sites-output.md from the schema of the code: names and types. What a column
 * means is written by hand there, and stays; a new column gets a row without it.
 *
 *     node scripts/part-columns.js [--write]
 */
import { readFileSync } from 'node:fs';
import { argv } from 'node:process';
import { deliver, filled, table } from './deliver.js';
import { importSource } from './source.js';

const { COLUMNS } = await importSource('batch/output/parts.ts');

const PARQUET = { text: 'string', number: 'double', boolean: 'boolean', timestamp: 'timestamp (ms, UTC)' };

const before = readFileSync(new URL('../docs/many-sites-output.md', import.meta.url), 'utf8');
const structs = ['newsStory', 'images', 'videos', 'alternates'];
const tables = [['columns', COLUMNS], ...structs.map((name) => [name, fieldsOf(name)])];
const page = filled(
  'many-sites-output.md',
  Object.fromEntries(tables.map(([section, fields]) => [section, columns(section, fields)])),
);
deliver('many-sites-output.md', page, argv);

/** The fields of a column that is a struct, or a list of structs. */
function fieldsOf(name) {
  const { type } = COLUMNS.find((column) => column.name === name);
  return (type.list ?? type).struct;
}

function columns(section, fields) {
  const rows = fields.map(({ name, type, isRequired }) => [
    `\`${name}\``,
    isRequired ? typeName(type) : `${typeName(type)}, or null`,
    `${meaningOf(section, name)}${details(type)}`,
  ]);
  return table(['Name', 'Type', 'Meaning'], rows);
}

/** What the page says, without the fields of what is nested. */
function meaningOf(section, name) {
  const [, rows] = before.split(`<!-- begin: ${section} -->`);
  const [, meaning = ''] = new RegExp(`^\\| \`${name}\` \\|[^|]*\\| (.*) \\|$`, 'm').exec(rows) ?? [];
  return meaning.replace(/: `\w+` \(.*\)$/, '');
}

function typeName(type) {
  if (typeof type === 'string') return PARQUET[type];
  if (type.struct !== undefined) return 'struct';
  return `list of ${typeof type.list === 'string' ? `${typeName(type.list)}s` : 'structs'}`;
}

/** The fields of what is nested once more, which have no table of their own. */
function details(type) {
  const struct = (type.list ?? type).struct;
  if (struct === undefined || COLUMNS.some((column) => column.type === type)) return '';
  const names = struct.map(({ name, type: inner }) => `\`${name}\` (${typeName(inner)})`);
  return `: ${names.join(', ')}`;
}
