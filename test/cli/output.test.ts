/**
 * Where the listing goes (§10): what `-o` and `--save` may replace, and what they must not; blocked and full outputs.
 * What does not need a process of its own has none.
 */
import { spawn } from 'node:child_process';
import {
  chmod,
  chown,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { getSystemErrorMap } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../server/scripted-server.ts';
import { BINARY, build, idle, startShell, USP_IN_SHELL, until, watched } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { describeIf, testIf } from '../support/collected.ts';
import { urlset } from '../support/documents.ts';
import { folderUntil } from '../support/folder.ts';
import { withMoreTime } from '../support/more-time.ts';
import { CAN_CHOWN, HAS_PIPES, IS_LINUX } from '../support/platform.ts';
import { sized } from '../support/tier.ts';

const PARSE = 'usp ls sitemap.xml -f pages';
const folder = folderUntil(afterAll);

beforeAll(async () => {
  await build();
  await writeFile(join(folder, 'sitemap.xml'), urlset('https://a.example/1', 'https://a.example/2'));
});

const inFolder = (line: string) => startShell(line, { cwd: folder }).finished;
/** `usp ls` of the sitemap in the folder, into a file. */
const parseInto = (path: string) => usp(['ls', join(folder, 'sitemap.xml'), '-f', 'pages', '-o', path]);
const PAGES = 'https://a.example/1\nhttps://a.example/2\n';

describe('no command writes to a file that it reads', () => {
  const IN = 'sitemap.xml';
  test.each([
    ['ls', [IN], ['-o', '-l']],
    ['diff', [IN, 'other.xml'], ['-o', '-l']],
    ['diff', ['other.xml', IN], ['-o']],
    ['report', [IN], ['-o', '-l']],
    ['report', ['other.xml', '--before', IN], ['-o']],
    ['check', ['other.xml', '--config', IN], ['-o']],
    ['check', ['other.xml', '--baseline', IN], ['-o', '-l']],
    ['fix', [IN, '-o', 'new'], ['-l']],
    ['ls', ['https://a.example/', '--key', IN], ['-o', '-l']],
    ['ls', ['https://a.example/', '--from-warc', IN], ['-o', '--save', '-l']],
    ['update', ['new.warc', 'https://a.example/', '--from-warc', IN], ['-o', '-l']],
    ['crawl', [IN, '-o', 'new'], ['-l']],
    ['write', [IN, '-o', 'new', '--base', 'https://a.example/'], ['-l']],
    ['report', ['other.xml', '--logo', IN], ['-o', '-l']],
    ['ls', ['other.xml', IN], ['-o']],
  ])('%s %j', async (command, given, options) => {
    const place = (word: string): string => (/^(?:\w+\.\w+|new)$/.test(word) ? join(folder, word) : word);
    const before = await readFile(place(IN), 'utf8');
    for (const option of options) {
      const { code, stderr } = await usp([command, ...given.map(place), option, place(IN)]);
      const said = `${option} name the same file, ${place(IN)}.`;
      expect([option, code, stderr]).toEqual([option, 2, expect.stringContaining(said)]);
    }
    expect(await readFile(place(IN), 'utf8')).toBe(before);
  });

  test('but known findings may be written anew', async () => {
    const [file, baseline] = [join(folder, 'sitemap.xml'), join(folder, 'baseline.json')];
    await usp(['check', file, '--write-baseline', baseline]);
    expect(await usp(['check', file, '--baseline', baseline, '--write-baseline', baseline])).toMatchObject({
      code: 0,
    });
  });

  test.each(['-o', '-l'])('%s with an empty name, as of a variable that is not set', async (option) => {
    const { code, stderr } = await usp(['crawl', join(folder, 'sitemap.xml'), '-o', folder, option, '']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('It must be the name of a file or a folder.'),
    ]);
  });
});

describeIf(IS_LINUX, '-o with the name of an open file writes to that file and replaces nothing', () => {
  type Case = readonly [name: string, line: string, expected: string];
  const ONE_OF_EACH: readonly Case[] = [
    [
      '/dev/stdout, after a header',
      `( echo h; ${PARSE} -o /dev/stdout; echo t ) > b; cat b`,
      `h\n${PAGES}t\n`,
    ],
    ['/dev/fd/3', `( echo h >&3; ${PARSE} -o /dev/fd/3 ) 3> e; cat e`, `h\n${PAGES}`],
    ['the file that stdout goes to', `( echo h; ${PARSE} -o g ) > g; cat g`, `h\n${PAGES}`],
  ];
  const MORE: readonly Case[] = [
    ['/dev/stdout, appended to a file', `echo h > a; ${PARSE} -o /dev/stdout >> a; cat a`, `h\n${PAGES}`],
    ['/proc/self/fd/1', `( echo h; ${PARSE} -o /proc/self/fd/1 ) > c; cat c`, `h\n${PAGES}`],
    ['/dev/fd/1', `( echo h; ${PARSE} -o /dev/fd/1 ) > d; cat d`, `h\n${PAGES}`],
    ['/dev/stderr', `( echo h >&2; ${PARSE} -o /dev/stderr ) 2> f; cat f`, `h\n${PAGES}`],
    [
      '/dev/stdout, with the log in the same file',
      `${PARSE} -o /dev/stdout -l /dev/stderr > k 2>&1; cat k`,
      PAGES,
    ],
    ['a link to /dev/stdout', `ln -s /dev/stdout l; ( echo h; ${PARSE} -o l ) > i; cat i`, `h\n${PAGES}`],
    ['/dev/stdout in a pipe', `${PARSE} -o /dev/stdout | cat`, PAGES],
  ];
  test.each([...ONE_OF_EACH, ...sized({ fast: [], full: MORE })])('%s', async (_, line, expected) => {
    expect(await inFolder(line)).toMatchObject({ code: 0, stdout: expected });
  });
});

test.each([
  ['EPIPE', 0, ''],
  ['EOF', 0, ''],
  ['ERR_STREAM_DESTROYED', 0, ''],
  ['ENOSPC', 2, 'usp: The output cannot be written: no space is left on the device.\n'],
])('a write to stdout that fails with %s ends the command with %i', async (code, exitCode, words) => {
  const [errno] = [...getSystemErrorMap()].find(([, [name]]) => name === code) ?? [];
  const failure = Object.assign(new Error(`${code}: write`), { code, errno });
  for (const command of ['ls', 'check']) {
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(failure) });
    const { code: ended, stderr } = await usp([command, join(folder, 'sitemap.xml')], { stdout });
    expect([command, ended, stderr]).toEqual([command, exitCode, words]);
  }
});

describe('an output that cannot be written', () => {
  test('since there is no such folder', async () => {
    const file = join(folder, 'missing', 'x');
    const { code, stderr } = await parseInto(file);
    expect([code, stderr]).toEqual([2, `usp: ${file} cannot be written: there is no such folder.\n`]);
  });

  testIf(IS_LINUX)('-o /dev/full exits 2 with the reason', async () => {
    const { code, stderr } = await parseInto('/dev/full');
    expect([code, stderr]).toEqual([
      2,
      'usp: /dev/full cannot be written: no space is left on the device.\n',
    ]);
  });

  testIf(IS_LINUX)('a full disk under -l ends the log and not the crawl', async () => {
    await using server = await startServer({ '/sitemap.xml': urlset('https://a.example/1') });
    const { code, stdout, stderr } = await usp(['ls', server.origin, '-f', 'pages', '-l', '/dev/full']);
    expect([code, stdout]).toEqual([0, 'https://a.example/1\n']);
    expect(stderr).toBe('The log file cannot be written any more: no space is left on the device.\n');
  });

  testIf(HAS_PIPES)('a named pipe whose reader goes away ends it without an error', async () => {
    const many = urlset(...Array.from({ length: 20_000 }, (_, n) => `https://a.example/page/${n}`));
    const [file, pipe] = [join(folder, 'many.xml'), join(folder, 'p')];
    await writeFile(file, many);
    const reader = watched(spawn('sh', ['-c', 'mkfifo p; echo ready; exec head -c 10 p'], { cwd: folder }));
    await until(() => reader.written.stdout !== '', 'the pipe');
    expect(await usp(['ls', file, '-f', 'pages', '-o', pipe])).toMatchObject({ code: 0, stderr: '' });
    expect((await reader.finished).stdout).toBe('ready\nhttps://a.');
  });
});

describe('a listing with lines of more than 64 KiB beyond ASCII', () => {
  const titles = Array.from({ length: 4 }, (_, at) => `${at}${'€'.repeat(21_000)}`);
  const entries = titles.map(
    (title, at) =>
      `<url><loc>https://a.example/${at}</loc><news:news><news:publication><news:name>${title}</news:name>` +
      `</news:publication><news:title>${title}</news:title></news:news></url>`,
  );
  const file = join(folder, 'titles.xml');
  const namespace = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
  beforeAll(() => writeFile(file, `<urlset ${namespace}>${entries.join('')}</urlset>`));

  function expectTitles(lines: readonly string[]): void {
    const stories = lines.map((line) => JSON.parse(line).newsStory);
    expect(stories.map(({ title, publicationName }) => title === publicationName && title)).toEqual(titles);
  }

  test('goes to stdout whole', async () => {
    expectTitles((await usp(['ls', file, '-f', 'ndjson'])).lines);
  });

  testIf(HAS_PIPES)('goes to a named pipe whole, which takes a part of each line', async () => {
    const reader = watched(spawn('sh', ['-c', 'mkfifo t; echo ready; exec cat t >copy'], { cwd: folder }));
    await until(() => reader.written.stdout !== '', 'the pipe');
    expect(await usp(['ls', file, '-f', 'ndjson', '-o', join(folder, 't')])).toMatchObject({ code: 0 });
    await reader.finished;
    expectTitles((await readFile(join(folder, 'copy'), 'utf8')).trimEnd().split('\n'));
  });
});

describe('an interruption ends a command whose output is blocked', () => {
  const many = urlset(...Array.from({ length: 20_000 }, (_, n) => `https://many.example/page/${n}`));
  const SIGNALS = sized<readonly NodeJS.Signals[]>({ fast: ['SIGINT'], full: ['SIGINT', 'SIGTERM'] });

  test.each(SIGNALS)('%s while stdout is a full pipe', async (signal) => {
    await using server = await startServer({ '/sitemap.xml': many });
    for (const format of sized({ fast: ['pages'], full: ['pages', 'json'] })) {
      const child = spawn(process.execPath, [BINARY, 'ls', server.origin, '-f', format]);
      child.stdout.pause();
      const stderr: string[] = [];
      child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()));
      const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
      await until(() => server.paths().includes('/sitemap.xml'), 'the sitemap');
      await idle(child, 700);
      child.kill(signal);
      const code = await Promise.race([ended, delay(60_000, 'still running' as const)]);
      child.kill('SIGKILL');
      child.stdout.destroy();
      expect([format, code, stderr.join('')]).toEqual([
        format,
        130,
        expect.stringContaining('interrupted at'),
      ]);
      (server.requests as unknown[]).length = 0;
    }
  });

  testIf(HAS_PIPES)('SIGINT while a named pipe has no reader', async () => {
    const line = `mkfifo q; exec ${USP_IN_SHELL} ls sitemap.xml -o q`;
    const codeAfter = async (wait: number): Promise<number | null | 'still running'> => {
      const { child, finished } = watched(spawn('bash', ['-c', line], { cwd: folder }));
      await idle(child, wait);
      child.kill('SIGINT');
      const code = await Promise.race([
        finished.then((one) => one.code),
        delay(60_000, 'still running' as const),
      ]);
      child.kill('SIGKILL');
      return code;
    };
    // Ended by the signal itself: on a busy machine the process had not started yet.
    await withMoreTime([1_500, 6_000, 40_000], async (wait) => expect(await codeAfter(wait)).toBe(130));
  });
});

describeIf(
  CAN_CHOWN && IS_LINUX,
  'a symbolic link of another user in a folder that everyone may write to (needs root)',
  () => {
    const OTHER = 65_534;

    /** A sticky folder with a link in it, and what the link leads to. */
    async function sticky(linkOwner: number): Promise<{ link: string; target: string; place: string }> {
      const place = await mkdtemp(join(folder, 'sticky-'));
      await chown(place, 0, 0);
      await chmod(place, 0o1777);
      const target = join(await mkdtemp(join(folder, 'home-')), 'precious');
      await writeFile(target, 'precious');
      const link = join(place, 'out');
      await symlink(target, link);
      await lchown(link, linkOwner, linkOwner);
      return { link, target, place };
    }

    test.each(['-o', '--save'])('%s does not follow it', async (option) => {
      await using server = await startServer({ '/sitemap.xml': urlset('https://a.example/1') });
      const { link, target, place } = await sticky(OTHER);
      const { code, stderr } = await usp(['ls', server.origin, option, link]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('belongs to another user')]);
      expect(await readFile(target, 'utf8')).toBe('precious');
      expect(await readdir(place)).toEqual(['out']);
      expect(server.requests).toEqual([]);
    });

    test('nor one on the way to the file', async () => {
      const { place } = await sticky(OTHER);
      const home = await mkdtemp(join(folder, 'folder-'));
      await symlink(home, join(place, 'way'));
      await lchown(join(place, 'way'), OTHER, OTHER);
      const { code } = await parseInto(join(place, 'way', 'out'));
      expect([code, await readdir(home)]).toEqual([2, []]);
    });

    test('a link of your own is followed, and stays', async () => {
      const { link, target } = await sticky(0);
      expect((await parseInto(link)).code).toBe(0);
      expect(await readFile(target, 'utf8')).toBe(PAGES);
      expect((await stat(link)).ino).toBe((await stat(target)).ino);
    });

    test('elsewhere a link of another user is followed', async () => {
      const place = await mkdtemp(join(folder, 'plain-'));
      const target = join(place, 'target');
      await writeFile(target, 'old');
      await symlink('target', join(place, 'out'));
      await lchown(join(place, 'out'), OTHER, OTHER);
      expect((await parseInto(join(place, 'out'))).code).toBe(0);
      expect(await readFile(target, 'utf8')).toBe(PAGES);
    });
  },
);

test('a replaced file keeps its mode, and its links', async () => {
  const place = join(folder, 'mode');
  await mkdir(join(place, 'deep'), { recursive: true });
  await writeFile(join(place, 'deep', 'file'), 'old');
  await chmod(join(place, 'deep', 'file'), 0o640);
  await symlink('deep', join(place, 'way'));
  await symlink('way/../way/file', join(place, 'link'));
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  expect((await parseInto(join(place, 'link'))).code).toBe(0);
  expect(await readFile(join(place, 'deep', 'file'), 'utf8')).toBe(PAGES);
  expect((await stat(join(place, 'deep', 'file'))).mode & 0o777).toBe(0o640);
  expect((await readdir(join(place, 'deep'))).concat(await readdir(place)).sort()).toEqual(
    ['deep', 'file', 'link', 'way'].sort(),
  );
});
