/** What every script that writes a page of docs/ does with it: prints it or, with --write, puts it there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Prints a page, or writes it where `argv` has --write. */
export function deliver(name, text, argv) {
  const page = `${text.trimEnd()}\n`;
  if (!argv.includes('--write')) console.log(page.trimEnd());
  else writeFileSync(pathOf(name), page);
}

/**
 * A page as it is, with new text between its pairs of comments, `<!-- begin: name -->` and `<!-- end: name -->`. What
 * stands outside of them is written by hand.
 */
export function filled(name, sections) {
  let page = readFileSync(pathOf(name), 'utf8');
  for (const [section, text] of Object.entries(sections)) {
    const [begin, end] = [`<!-- begin: ${section} -->`, `<!-- end: ${section} -->`];
    const [from, to] = [page.indexOf(begin), page.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`docs/${name} has no place for "${section}".`);
    page = `${page.slice(0, from)}${begin}\n\n${text.trim()}\n\n${page.slice(to)}`;
  }
  return page;
}

/** A table in Markdown. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function pathOf(name) {
  return fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
}
