/**
 * `npm run demo`: serves the demo site on loopback, runs `usp` on it in a few ways, and says what one sees. It needs no
 * network and ends by itself. Numbers as arguments choose scenes: `npm run demo -- 1 6`. It fails if usp could
 * not read the site.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.js';
import { serveDemoSite } from './demo-site.js';
import { removeProxies } from './proxies.js';
import { isBuilt, whyNoTemporaryFiles } from './surroundings.js';

const BINARY = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const FOLDER = fileURLToPath(new URL('..', import.meta.url));

const { positionals: numbers } = readArguments(import.meta.url, { allowPositionals: true });
const missing = whyNoTemporaryFiles();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
if (!isBuilt()) {
  console.error('The demo runs the built usp, so it is built first.');
  const build = fileURLToPath(new URL('build.js', import.meta.url));
  if (spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] }).status !== 0) process.exit(1);
}

// The reader of a pipe has gone: `npm run demo | head -3`.
let hasReader = true;
process.stdout.on('error', ({ code }) => {
  hasReader = false;
  if (code !== 'EPIPE') process.exitCode = 1;
});

removeProxies();

const isPlain = !process.stdout.isTTY || (process.env.NO_COLOR ?? '') !== '';
const bold = (text) => (isPlain ? text : `\u001b[1m${text}\u001b[22m`);
const dim = (text) => (isPlain ? text : `\u001b[2m${text}\u001b[22m`);

const { origin, close } = await serveDemoSite();
/** The report has a folder of its own, which stays. */
const REPORT_FOLDER = mkdtempSync(join(tmpdir(), 'usp-demo-'));
const REPORT = join(REPORT_FOLDER, 'report.html');
const SCENES = [
  {
    says: 'One homepage in, every sitemap out: from robots.txt, from indexes in indexes, from a known path.',
    args: ['ls', origin, '-f', 'tree', '-u', '-q'],
    shows:
      'broken.xml has nine faults and gives all its pages; the missing one and the loop are named, and cost nothing else.',
  },
  {
    says: 'Only what changed since the first of May, one URL per line.',
    args: ['ls', origin, '-f', 'pages', '-u', '--since', '2024-05-01', '--ordered'],
    shows: 'Sitemaps that their index declares older were not even fetched. What went wrong is on stderr.',
  },
  {
    says: 'The news with all their fields, as JSON, one page per line: for jq, a database, a script.',
    args: ['ls', '--sitemap', `${origin}/news.xml`, '-f', 'ndjson'],
    shows:
      'Pages are printed while documents are still arriving, in constant memory, however large the site.',
  },
  {
    says: 'News, images, videos and languages in columns.',
    args: [
      'ls',
      origin,
      '-f',
      'csv',
      '-u',
      '-q',
      '--sitemap-exclude',
      'products',
      '--include',
      're:/(news|gallery|videos|en)/',
    ],
    shows:
      'A cell that a spreadsheet would take for a formula, the title =Prices, begins with an apostrophe.',
  },
  {
    says: 'A broken file from the disk.',
    args: ['ls', 'examples/demo-site/broken.xml', '--url', 'https://demo.example/broken.xml', '-f', 'pages'],
    shows: 'Every page is there, and what is wrong with the file is reported.',
  },
  {
    says: 'What is wrong with all of it, and what to do first, as a page to look at.',
    args: ['report', origin, '-o', REPORT, '-q'],
    shows: `The report is in ${REPORT}: open it in a browser.`,
  },
  {
    says: 'In a script, --strict makes what could not be read an exit code.',
    args: ['ls', '--sitemap', `${origin}/sitemap_index.xml`, '-f', 'tree', '-u', '--no-pages', '--strict'],
    code: 4,
    shows: 'usp ls --help lists the codes, the formats and all options.',
  },
  {
    says: 'What is wrong with the sitemaps of this site, where, and what to fix first.',
    // The demo site is on loopback.
    args: ['check', origin, '-q', '--rule', 'url-not-public=off'],
    code: 5,
    shows: 'usp check fails a build (exit code 5) if there is an error; docs/check.md has recipes.',
  },
];

try {
  console.log(dim(`The demo site is examples/demo-site, served at ${origin} for as long as this runs.`));
  const chosen = numbers.map((number) => SCENES[Number(number) - 1]);
  for (const { says, args, code: expected = 0, shows } of chosen.length === 0
    ? SCENES
    : chosen.filter(Boolean)) {
    console.log(`\n${bold(says)}`);
    console.log(dim(`$ usp ${args.map(quoted).join(' ')}`));
    const code = await usp(args);
    if (!hasReader) break;
    if (code !== 0) console.log(dim(`(exit code ${code})`));
    // It is 0 too if the reader of a pipe has gone.
    if (code !== expected && code !== 0) {
      console.error('The demo ends here: usp could not read the demo site.');
      process.exitCode = 1;
      break;
    }
    console.log(`→ ${shows}`);
  }
} finally {
  await close();
  if (!existsSync(REPORT)) rmSync(REPORT_FOLDER, { recursive: true });
}

function usp(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BINARY, ...args], {
      cwd: FOLDER,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', resolve);
  });
}

function quoted(text) {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text}'`;
}
