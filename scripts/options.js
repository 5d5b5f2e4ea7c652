/**
 * Fills in docs/options.md: what each option accepts and its default from the table of options, what it is for from its
 * TSDoc. Which option is in which table is what the page says.
 *
 *     node scripts/options.js [--write]
 */
import { readFileSync } from 'node:fs';
import { argv } from 'node:process';
import { deliver, filled, table } from './deliver.js';
import { importSource } from './source.js';

const { OPTIONS } = await importSource('options/option-table.ts');
const { VERSION } = await importSource('options/version.ts');

const files = ['options/options.ts', 'filter/filter-options.ts'].map((path) =>
  readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8'),
);
const source = files.join('\n');
const comments = [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly (\w+)\?:/g)];
const texts = new Map(comments.map(([, comment, name]) => [name, textsOf(comment)]));

const page = readFileSync(new URL('../docs/options.md', import.meta.url), 'utf8');
const sections = [...page.matchAll(/<!-- begin: (.*?) -->([\s\S]*?)<!-- end/g)];
const tables = sections.map(([, name, text]) => [name, tableOf([...text.matchAll(/^\| `(\w+)`/gm)])]);
deliver('options.md', filled('options.md', Object.fromEntries(tables)), argv);

function tableOf(found) {
  const names = found.map(([, name]) => name).filter((name) => Object.hasOwn(OPTIONS, name));
  return table(
    ['Option', 'Type', 'Default', ''],
    names.map((name) => [`\`${name}\``, OPTIONS[name].type, defaultOf(name), texts.get(name)?.text]),
  );
}

/** The words of a TSDoc comment before its `@default`, and those after it, with values as code. */
function textsOf(comment) {
  const [text, byDefault = 'none'] = comment
    .replaceAll(/^\s*\*/gm, '')
    .replaceAll(/\s+/g, ' ')
    .split('@default');
  return {
    text: text.trim().replace(/\.$/, ''),
    byDefault: byDefault.trim().replaceAll(/'\w+'|\btrue\b|\bfalse\b/g, '`$&`'),
  };
}

function defaultOf(name) {
  const { default: value } = OPTIONS[name];
  if (name === 'logger') return 'silent';
  // What no row of the table decides: the environment, or the function that gets the option.
  if (value === undefined) return texts.get(name)?.byDefault ?? 'none';
  if (typeof value === 'string') return `\`${value.replace(VERSION, '<version>')}\``;
  return `\`${typeof value === 'number' ? String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, '_') : JSON.stringify(value)}\``;
}
