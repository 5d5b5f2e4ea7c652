// Draws the terminal picture of the README: what `usp ls -f tree` prints of the demo site, as SVG.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serveDemoSite } from './demo-site.js';

const CELL = { width: 8.4, height: 19 };
const MARGIN = { x: 22, top: 64, bottom: 18 };
const COLOURS = {
  back: '#0d1117',
  bar: '#161b22',
  text: '#c9d1d9',
  dim: '#6e7681',
  url: '#79c0ff',
  bad: '#ff7b72',
  kind: '#7ee787',
};

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const picture = new URL('../docs/usp-ls-tree.svg', import.meta.url);

const site = await serveDemoSite();
try {
  const args = [main, 'ls', site.origin, '-f', 'tree', '-u', '-q'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const svg = draw(['$ usp ls https://demo.example -f tree -u', ...stdout.trimEnd().split('\n')]);
  if (process.argv.includes('--write')) await writeFile(picture, svg);
  else process.stdout.write(svg);
  const isCurrent = (await readFile(picture, 'utf8').catch(() => '')) === svg;
  if (!isCurrent)
    console.error('docs/usp-ls-tree.svg is not what the demo site looks like now; --write draws it anew.');
} finally {
  await site.close();
}

function draw(lines) {
  const columns = Math.max(...lines.map((line) => line.length));
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN.x);
  const height = Math.ceil(lines.length * CELL.height + MARGIN.top + MARGIN.bottom);
  const dots = ['#ff5f56', '#ffbd2e', '#27c93f'].map(
    (colour, index) => `<circle cx="${22 + index * 20}" cy="20" r="6" fill="${colour}"/>`,
  );
  const rows = lines.map((line, index) => {
    const y = MARGIN.top + index * CELL.height;
    return `<text x="${MARGIN.x}" y="${y}" xml:space="preserve">${coloured(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="usp ls -f tree, on the demo site">`,
    `<rect width="100%" height="100%" rx="8" fill="${COLOURS.back}"/>`,
    `<path d="M0 40V8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v32z" fill="${COLOURS.bar}"/>`,
    ...dots,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${COLOURS.text}">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function coloured(line) {
  const [, branches = '', name = '', note = ''] = /^([\s│├└─]*)(\S*)(.*)$/s.exec(line) ?? [];
  const isPath = name.startsWith('/');
  const colour = note.includes('unreadable') ? COLOURS.bad : COLOURS.kind;
  if (!isPath) return escaped(line);
  return (
    span(branches, COLOURS.dim) +
    span(name, COLOURS.url) +
    span(note, note.startsWith(' (') ? colour : COLOURS.text)
  );
}

function span(text, colour) {
  return text === '' ? '' : `<tspan fill="${colour}">${escaped(text)}</tspan>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
