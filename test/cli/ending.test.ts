/**
 * §10: every command ends when it is asked to, in every phase, with what was found so far where the format allows it.
 * What is interrupted here would not end by itself, or not for long.
 */
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { build, start, startShell, until } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { IS_POSIX } from '../support/platform.ts';
import { sized } from '../support/tier.ts';

let folder = '';
let silent: ScriptedServer;

beforeAll(async () => {
  await build();
  folder = await mkdtemp(join(tmpdir(), 'usp-ending-'));
  silent = await startServer({ '*': { silent: true } });
  const urls = Array.from(
    { length: sized({ fast: 20_000, full: 300_000 }) },
    (_, at) => `<url><loc>https://example.org/${at}</loc><lastmod>soon</lastmod></url>`,
  ).join('');
  const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
  await writeFile(join(folder, 'large.xml'), xml);
  await writeFile(join(folder, 'other.xml'), xml.replaceAll('example.org/', 'example.org/x'));
  await writeFile(join(folder, 'piped.xml'), `${xml.slice(0, 2_000_000)}</urlset>`);
  await writeFile(join(folder, 'open-tags.xml'), `<urlset>${'<'.repeat(sized({ fast: 1e6, full: 2e7 }))}`);
  const record = 'WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n';
  await writeFile(join(folder, 'many.warc'), record.repeat(sized({ fast: 200_000, full: 1_000_000 })));
});
afterAll(async () => {
  await silent.close();
  await rm(folder, { recursive: true, force: true });
});

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
];

/** The command computes, or waits for stdin. */
const BUSY: readonly Row[] = [
  ['parse: opening stdin', ['parse', '-']],
  ['check: opening stdin', ['check', '-']],
  ['report: opening stdin', ['report', '-']],
  ['parse: opening', ['parse', 'FILE:open-tags.xml']],
  ['check: opening', ['check', 'FILE:open-tags.xml']],
  ['ls: indexing an archive', ['ls', 'https://example.org', '--from-warc', 'FILE:many.warc']],
  ['check: indexing an archive', ['check', 'https://example.org', '--from-warc', 'FILE:many.warc']],
  ['report: indexing an archive', ['report', 'https://example.org', '--from-warc', 'FILE:many.warc']],
  ...sized({
    fast: ['pages', 'tree', 'summary'],
    full: ['tabtree', 'pages', 'tree', 'json', 'ndjson', 'csv', 'summary', 'summary-json'],
  }).map((format): Row => [`parse: rendering ${format}`, ['parse', 'FILE:large.xml', '-f', format]]),
  ...sized({ fast: ['text'], full: ['text', 'unix', 'json', 'ndjson', 'csv', 'sarif', 'github'] }).map(
    (format): Row => [`check: checking as ${format}`, ['check', 'FILE:large.xml', '-f', format]],
  ),
  ['diff: comparing', ['diff', 'FILE:large.xml', 'FILE:other.xml']],
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
    .toEqual(['large.xml', 'many.warc', 'open-tags.xml', 'other.xml', 'piped.xml']);
});

const SIGNALS: readonly NodeJS.Signals[] = sized({ fast: ['SIGTERM'], full: ['SIGINT', 'SIGTERM'] });

describe.skipIf(!IS_POSIX).each(SIGNALS)('the first %s', (signal) => {
  test.each(sized({ fast: WAITING.slice(0, 1), full: WAITING }))('ends %s', async (_, argv) => {
    const before = silent.requests.length;
    const { child, finished } = start(resolved(argv));
    await until(() => silent.requests.length > before, 'a request');
    child.kill(signal);
    expect(await finished).toMatchObject({ code: 130, stderr: expect.stringMatching(/^usp: interrupted/m) });
  });

  test('ends a listing whose reader has stopped reading', async () => {
    const { child, finished } = start(resolved(['parse', 'FILE:large.xml', '-f', 'ndjson']));
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.stdout?.pause();
    child.kill(signal);
    await delay(0);
    child.stdout?.resume();
    expect((await finished).code).toBe(130);
  });
});

/** What writes more than a pipe holds. */
const PIPED: readonly string[] = [
  'parse "$F/piped.xml" -f pages',
  'check "$F/piped.xml" -f unix',
  ...sized({
    fast: [],
    full: [
      ...['tree', 'json', 'ndjson'].map((format) => `parse "$F/piped.xml" -f ${format}`),
      ...['json', 'sarif'].map((format) => `check "$F/piped.xml" -f ${format}`),
      'report "$F/piped.xml" -o -',
    ],
  }),
];

test.skipIf(!IS_POSIX).each(PIPED)('a closed pipe ends usp %s without a word', async (command) => {
  const { finished } = startShell(
    `F="${folder}"; usp ${command} 2>"$F/said" | head -n 1; cat "$F/said"; rm "$F/said"`,
  );
  const { stdout } = await finished;
  const said = stdout.split('\n').filter((line) => /^(?:usp: |hint: |\s+at )/.test(line));
  expect(said.filter((line) => /EPIPE|\s+at /.test(line))).toEqual([]);
});

describe('--timeout', () => {
  test.each(WAITING)('ends %s', async (_, argv) => {
    const { code, stderr } = await usp(resolved([...argv, '--timeout', '0.05', '--retries', '0']));
    expect(code).toBe(3);
    expect(stderr).toContain('(--timeout)');
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
  const argv = [
    'check',
    site.origin,
    silent.origin,
    '-f',
    'unix',
    '--known-path',
    'sitemap.xml',
    '--no-known',
  ];
  const running = usp(argv, { signal: interruption.signal });
  await until(() => silent.requests.length > before, 'the second site');
  interruption.abort();
  const { code, lines } = await running;
  await site.close();
  expect(code).toBe(130);
  expect(lines[0]).toMatch(/^http:.*: (?:error|warning|info): /);
});

test.skipIf(!IS_POSIX)('a lock that is a link to nothing is named, with what to do', async () => {
  const file = join(folder, 'linked.warc.gz');
  await symlink(join(folder, 'nowhere'), `${file}.lock`);
  const { code, stderr } = await usp(['update', file, silent.origin]);
  await rm(`${file}.lock`);
  expect([code, stderr]).toEqual([
    2,
    `usp: ${file} cannot be locked: ${file}.lock is a link to a file that is not there.\nhint: remove ${file}.lock.\n`,
  ]);
});
