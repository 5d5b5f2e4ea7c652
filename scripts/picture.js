// Draws the terminal picture of the README: what `usp ls -f tree` prints of the demo site, as SVG.
import { readFile, writeFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { run } from '../.build/cli/run.js';
import { PLACEHOLDER, serveDemoSite } from './demo-site.js';

const CELL = { width: 8.4, height: 19 };
const MARGIN = { x: 22, top: 64, bottom: 18 };
const COLOURS = {
  back: '#0d1117',
  bar: '#161b22',
  text: '#c9d1d9',
};
/** What a terminal makes of the colours that the CLI asks for, by their number. */
const ON_TERMINAL = { 2: '#6e7681', 31: '#ff7b72', 32: '#7ee787', 34: '#79c0ff' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is told colours with it.
const ESCAPE = /\u001b\[(\d+)m/;
const picture = new URL('../docs/usp-ls-tree.svg', import.meta.url);

const site = await serveDemoSite();
try {
  const argv = ['ls', site.origin, '-f', 'tree', '-u', '-q'];
  const printed = (await printedOnTerminal(argv)).trimEnd();
  const svg = draw(`$ usp ${argv.join(' ')}\n${printed}`.replaceAll(site.origin, PLACEHOLDER).split('\n'));
  if (process.argv.includes('--write')) await writeFile(picture, svg);
  else process.stdout.write(svg);
  const isCurrent = (await readFile(picture, 'utf8').catch(() => '')) === svg;
  if (!isCurrent)
    console.error('docs/usp-ls-tree.svg is not what the demo site looks like now; --write draws it anew.');
} finally {
  await site.close();
}

async function printedOnTerminal(argv) {
  let printed = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      printed += chunk;
      done();
    },
  });
  const code = await run(argv, {
    stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: {},
    isTerminal: { stdin: false, stdout: true, stderr: false },
    signal: new AbortController().signal,
    version: '',
  });
  if (code !== 0) throw new Error(`usp ${argv.join(' ')} ended with ${code}`);
  return printed;
}

function draw(lines) {
  const columns = Math.max(...lines.map((line) => stripVTControlCharacters(line).length));
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
  let colour = COLOURS.text;
  return line
    .split(ESCAPE)
    .map((piece, index) => {
      if (index % 2 === 0) return span(piece, colour);
      colour = ON_TERMINAL[piece] ?? COLOURS.text;
      return '';
    })
    .join('');
}

function span(text, colour) {
  if (text === '' || colour === COLOURS.text) return escaped(text);
  return `<tspan fill="${colour}">${escaped(text)}</tspan>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
