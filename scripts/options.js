/**
 * Fills in docs/options.md from the table of options: what each accepts, its default, and what it is for.
 *
 *     node scripts/options.js [--write]
 */
import { argv } from 'node:process';
import { deliver, filled, table } from './deliver.js';
import { importSource } from './source.js';

const { OPTIONS } = await importSource('options/option-table.ts');
const { VERSION } = await importSource('options/version.ts');

const rows = Object.entries(OPTIONS);
const sections = new Set(rows.map(([, { section }]) => section));
deliver(
  'options.md',
  filled('options.md', Object.fromEntries([...sections].map((name) => [name, page(name)]))),
  argv,
);

function page(section) {
  const own = rows.filter(([, row]) => row.section === section);
  return table(
    ['Option', 'Type', 'Default', ''],
    own.map(([name, row]) => [`\`${name}\``, row.type, defaultOf(name, row), row.text]),
  );
}

function defaultOf(name, { default: value }) {
  if (name === 'logger') return 'silent';
  if (value === undefined) return 'none';
  if (typeof value === 'string') return `\`${value.replace(VERSION, '<version>')}\``;
  return `\`${typeof value === 'number' ? String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, '_') : JSON.stringify(value)}\``;
}
