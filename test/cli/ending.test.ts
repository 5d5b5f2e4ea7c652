/**
 * §10: every command ends when it is asked to, in every phase, with what was found so far where the format allows it.
 * What is interrupted here would not end by itself, or not for long.
 */
import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program/program.ts';
import { saveTree, sitemapFromString } from '../../src/index.ts';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { build, start, startShell, until } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { folderUntil } from '../support/folder.ts';
import { IS_POSIX } from '../support/platform.ts';
import { sized } from '../support/tier.ts';

const folder = folderUntil(afterAll);
let silent: ScriptedServer;

beforeAll(async () => {
  await build();
  silent = await startServer({ '*': { silent: true } });
  const urls = Array.from(
    { length: 20_000 },
    (_, at) => `<url><loc>https://example.org/${at}</loc><lastmod>soon</lastmod></url>`,
  ).join('');
  const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
  await writeFile(join(folder, 'large.xml'), xml);
  await writeFile(join(folder, 'other.xml'), xml.replaceAll('example.org/', 'example.org/x'));
  await writeFile(join(folder, 'piped.xml'), `${xml.slice(0, 600_000)}</urlset>`);
  const tree = await sitemapFromString(xml, { url: 'https://example.org/sitemap.xml' });
  await saveTree(tree, join(folder, 'saved.warc.gz'));
  await writeFile(join(folder, 'open-tags.xml'), `<urlset>${'<'.repeat(1e6)}`);
  const record = 'WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n';
  await writeFile(join(folder, 'many.warc'), record.repeat(200_000));
});
afterAll(() => silent.close());

/** FILE… is in the folder, SITE the server that never answers. */
const resolved = (argv: readonly string[]): readonly string[] =>
  argv.map((arg) => arg.replace('SITE', silent.origin).replace(/^FILE:/, `${folder}/`));

type Row = readonly [phase: string, argv: readonly string[]];

/** The command waits for a site. */
const WAITING: readonly Row[] = [
  ['ls: crawling', ['ls', 'SITE']],
  ['ls: streaming', ['ls', 'SITE', '-f', 'pages']],
  ['check: crawling', ['check', 'SITE']],
  ['report: crawling', ['report', 'SITE']],
  ['update: crawling', ['update', 'FILE:site.warc.gz', 'SITE']],
  ['fix: crawling', ['fix', 'SITE', '-o', 'FILE:set']],
];

const LISTED = sized({
  fast: ['pages', 'tree', 'summary'],
  full: ['tabtree', 'pages', 'tree', 'json', 'ndjson', 'csv', 'summary', 'summary-json'],
});

/** The command computes, or waits for stdin. */
const BUSY: readonly Row[] = [
  ['ls: opening stdin', ['ls', '-']],
  ['check: opening stdin', ['check', '-']],
  ['report: opening stdin', ['report', '-']],
  ['fix: opening stdin', ['fix', '-', '-o', 'FILE:set']],
  ['write: opening stdin', ['write', '-', '-o', 'FILE:set', '--base', 'https://example.org/']],
  [
    'write: reading rows',
    ['write', 'FILE:many.warc', '-o', 'FILE:set', '--base', 'https://example.org/', '--column', 'url=1'],
  ],
  ['ls: opening a file', ['ls', 'FILE:open-tags.xml']],
  ['check: opening', ['check', 'FILE:open-tags.xml']],
  ['ls: indexing an archive', ['ls', 'https://example.org', '--from-warc', 'FILE:many.warc']],
  ['check: indexing an archive', ['check', 'https://example.org', '--from-warc', 'FILE:many.warc']],
  ['report: indexing an archive', ['report', 'https://example.org', '--from-warc', 'FILE:many.warc']],
  [
    'fix: indexing an archive',
    ['fix', 'https://example.org', '--from-warc', 'FILE:many.warc', '-o', 'FILE:set'],
  ],
  [
    'update: indexing an archive',
    ['update', 'FILE:site.warc.gz', 'https://example.org', '--from-warc', 'FILE:many.warc'],
  ],
  ...LISTED.map(
    (format): Row => [`ls: rendering a file as ${format}`, ['ls', 'FILE:large.xml', '-f', format]],
  ),
  ...LISTED.map(
    (format): Row => [`ls: rendering a saved tree as ${format}`, ['ls', 'FILE:saved.warc.gz', '-f', format]],
  ),
  ['ls: verifying', ['ls', 'FILE:saved.warc.gz', '--verify', '-f', 'pages']],
  ...sized({
    fast: ['text'],
    full: ['text', 'unix', 'json', 'ndjson', 'csv', 'sarif', 'github', 'markdown'],
  }).map((format): Row => [`check: checking as ${format}`, ['check', 'FILE:large.xml', '-f', format]]),
  ['diff: comparing', ['diff', 'FILE:large.xml', 'FILE:other.xml']],
  ['diff: comparing saved trees', ['diff', 'FILE:saved.warc.gz', 'FILE:other.xml']],
  ['fix: writing', ['fix', 'FILE:large.xml', '-o', 'FILE:set']],
  ['fix: dividing anew', ['fix', 'FILE:large.xml', '-o', 'FILE:set', '--layout', 'new', '--by', 'folder']],
  ['worker: waiting for its crawl', ['worker', '--queue', 'redis://127.0.0.1:1']],
  ['report: checking', ['report', 'FILE:large.xml', '-o', 'FILE:report.html']],
];

async function* nothing(): AsyncGenerator<Uint8Array> {
  await new Promise(() => {});
}

test.each([...WAITING, ...BUSY])('an aborted signal ends %s', async (_, argv) => {
  const interruption = new AbortController();
  const running = usp(resolved(argv), { signal: interruption.signal, chunks: nothing() });
  await delay(20);
  interruption.abort();
  const { code, stderr } = await running;
  expect([code, stderr.split('\n').filter((line) => line.startsWith('usp: '))]).toEqual([
    130,
    [expect.stringMatching(/^usp: interrupted\b/)],
  ]);
  // In a process of its own the system would end what is abandoned here.
  await expect
    .poll(async () => (await readdir(folder)).sort())
    .toEqual(['large.xml', 'many.warc', 'open-tags.xml', 'other.xml', 'piped.xml', 'saved.warc.gz']);
});

test('every command that may take long is in these tables', () => {
  const program = createProgram('1.2.3', async () => {}, undefined);
  const inTables = [...WAITING, ...BUSY].map(([, [command]]) => command);
  // A crawl finishes what it has begun: test/batch/usp-crawl.test.ts. An agent ends its server: test/mcp/limits.test.ts.
  const elsewhere = ['crawl', 'mcp', 'rules', 'completion'];
  expect([...new Set(inTables), ...elsewhere].sort()).toEqual(
    program.commands.map((command) => command.name()).sort(),
  );
});

/** What a signal does to each command is the same for both: one of them is sent to all commands. */
const SIGNALS: readonly (readonly [NodeJS.Signals, readonly Row[]])[] = sized({
  fast: [['SIGTERM', WAITING.slice(0, 1)]],
  full: [
    ['SIGINT', WAITING.slice(0, 1)],
    ['SIGTERM', WAITING],
  ],
});

describe.each(IS_POSIX ? SIGNALS : [])('the first %s', (signal, rows) => {
  test.each(rows)('ends %s', async (_, argv) => {
    const before = silent.requests.length;
    const { child, finished } = start(resolved(argv));
    await until(() => silent.requests.length > before, 'a request');
    child.kill(signal);
    expect(await finished).toMatchObject({ code: 130, stderr: expect.stringMatching(/^usp: interrupted/m) });
  });

  test('ends a listing whose reader has stopped reading', async () => {
    const { child, finished } = start(resolved(['ls', 'FILE:large.xml', '-f', 'ndjson']));
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.stdout?.pause();
    child.kill(signal);
    await delay(0);
    child.stdout?.resume();
    expect((await finished).code).toBe(130);
  });
});

/** What writes more than a pipe holds: each command, and in the full tier each of its writers once. */
const PIPED: readonly string[] = [
  'ls "$F/piped.xml" -f pages',
  'check "$F/piped.xml" -f unix',
  ...sized({
    fast: [],
    full: [
      'ls "$F/piped.xml" -f tree',
      'ls "$F/saved.warc.gz" -f json',
      'ls https://example.org/sitemap.xml --sitemap --from-warc "$F/saved.warc.gz" -f csv',
      'check "$F/piped.xml" -f sarif',
      'report "$F/piped.xml" -o -',
      'diff "$F/piped.xml" "$F/other.xml" -f pages',
      'diff "$F/piped.xml" "$F/other.xml" -f json',
      'fix "$F/piped.xml" -o "$F/set" --all',
    ],
  }),
];

testIf(IS_POSIX).each(PIPED)('a closed pipe ends usp %s without a word', async (command) => {
  const line = `{ usp ${command}; echo $? >"$F/code"; } | head -c 1 | wc -c; exit "$(cat "$F/code")"`;
  const { code, stdout, stderr } = await startShell(line, { env: { F: folder } }).finished;
  // A check whose findings fit into the pipe has said them all.
  expect([command.startsWith('check') && code === 5 ? 0 : code, stdout.trim()]).toEqual([0, '1']);
  expect(stderr.split('\n').filter((said) => /EPIPE|^(?:usp|hint): |^\s+at /.test(said))).toEqual([]);
});

describe('--timeout', () => {
  test.each(WAITING)('ends %s', async (_, argv) => {
    const { code, stderr } = await usp(resolved([...argv, '--timeout', '0.05', '--retries', '0']));
    expect(code).toBe(3);
    expect(stderr).toContain('stopped after 0.05 seconds (--timeout)');
  });

  test.each(BUSY.filter(([name]) => name.includes('archive')))('ends %s', async (_, argv) => {
    const { code, stderr } = await usp(resolved([...argv, '--timeout', '0.05']));
    expect([code, stderr]).toEqual([
      3,
      `usp: ${folder}/many.warc: the time was over before all records were found (--timeout).\n`,
    ]);
  });
});

test('what a check has found by then is written', async () => {
  const site = await startServer({ '/sitemap.xml': '<urlset><url><loc>/a</loc></url></urlset>' });
  const interruption = new AbortController();
  const before = silent.requests.length;
  const command = `check ${site.origin} ${silent.origin} -f unix --known-path sitemap.xml --no-known`;
  const running = usp(command, { signal: interruption.signal });
  await until(() => silent.requests.length > before, 'the second site');
  interruption.abort();
  const { code, lines } = await running;
  await site.close();
  expect(code).toBe(130);
  expect(lines[0]).toMatch(/^http:.*: (?:error|warning|info): /);
});

testIf(IS_POSIX)('a lock that is a link to nothing is named, with what to do', async () => {
  const file = join(folder, 'linked.warc.gz');
  await symlink(join(folder, 'nowhere'), `${file}.lock`);
  const { code, stderr } = await usp(['update', file, silent.origin]);
  await rm(`${file}.lock`);
  expect([code, stderr]).toEqual([
    2,
    `usp: ${file} cannot be written: ${file}.lock is a link to a file that is not there.\n`,
  ]);
});
