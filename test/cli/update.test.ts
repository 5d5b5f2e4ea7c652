/** §11.4: `usp update`, what it prints, saves and remembers, its lock file and its exit codes. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { commandLine } from '../../src/cli/messages/command-line.ts';
import { callAgain } from '../../src/cli/saved-site.ts';
import { loadTree, saveTree, sitemapFromString } from '../../src/index.ts';
import { ownMark } from '../../src/runtime/process-identity.ts';
import type { Site } from '../server/scripted-server.ts';
import { nodesOf, plain } from '../support/archives.ts';
import { usp } from '../support/cli-world.ts';
import { describeIf, testIf } from '../support/collected.ts';
import { siteOf, timesAsked } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { IS_LINUX, IS_POSIX } from '../support/platform.ts';
import { type UpdatedSite, updatedSite } from '../support/updated-site.ts';

const small: Site = {
  '/robots.txt': ['/index.xml'],
  '/index.xml': [['/a.xml', '2013-05-06'], '/b.xml'],
  '/a.xml': { pages: ['/1', ['/2', '2013-05-01']] },
  '/b.xml': { pages: ['/3'] },
};

const QUICK = ['--no-known'];

/** A site that was read once. */
async function savedSite(...argv: readonly string[]): Promise<UpdatedSite> {
  const saved = await updatedSite(small);
  const { code, stderr } = await saved.update(saved.server.origin, ...QUICK, ...argv);
  expect([code, stderr]).toEqual([0, expect.stringContaining('read for the first time')]);
  return saved;
}

describe('§11.4: usp update', () => {
  test('the first time lists every page, and makes the file', async () => {
    const { server, file, update } = await updatedSite(small);
    const { code, lines, stderr } = await update(server.origin, ...QUICK);
    expect([code, lines]).toEqual([0, ['+ /1', '+ /2', '+ /3']]);
    expect(stderr).toBe('3 pages in 3 sitemaps, read for the first time.\n');
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
    using tree = await loadTree(file);
    expect([...tree.allPages()]).toHaveLength(3);
  });

  test('the first time with --dry-run lists every page, and makes no file', async () => {
    const { server, file, update } = await updatedSite(small);
    const { code, lines, stderr } = await update(server.origin, ...QUICK, '--dry-run', '--exit-code');
    expect([code, lines]).toEqual([5, ['+ /1', '+ /2', '+ /3']]);
    expect(stderr).toMatch(/read for the first time\.\nNothing was saved \(--dry-run\)\.\n$/);
    expect(readdirSync(dirname(file))).toEqual([]);
    // Nor does it need a folder, and -o is written.
    const [none, output] = [join(folder(), 'no', 'site.warc'), join(dirname(file), 'changes.txt')];
    const elsewhere = await usp(['update', none, server.origin, ...QUICK, '--dry-run', '-o', output]);
    expect([elsewhere.code, elsewhere.stdout]).toEqual([0, '']);
    expect(readFileSync(output, 'utf8')).toBe(
      ['1', '2', '3'].map((at) => `+ ${server.origin}/${at}\n`).join(''),
    );
  });

  test('from then on prints what changed, and needs nothing but the file', async () => {
    const { server, update } = await savedSite();
    expect((await update()).stdout).toBe('');
    server.site['/a.xml'] = { pages: ['/4', ['/2', '2013-05-06']] };
    const changed = await update();
    expect(changed.lines).toEqual(['+ /4', '~ /2  lastmod 2013-05-01 → 2013-05-06', '- /1']);
    expect([changed.code, changed.stderr]).toEqual([0, '1 page added, 1 removed, 1 changed.\n']);
    expect((await update()).stdout).toBe('');
    // The options of the first time are remembered: no known path was requested.
    expect(new Set(server.paths())).toEqual(new Set(['/robots.txt', '/index.xml', '/a.xml', '/b.xml']));
  });

  test('an archive that a kill left moved aside, as on Windows, is found again', async () => {
    const { file, server, update } = await savedSite();
    const [host, boot, space, , started] = ownMark().split('-');
    const mark = [host, boot, space, 2 ** 31 - 1, started].join('-');
    renameSync(file, join(dirname(file), `.usp-${mark}-0123abcd.old-${basename(file)}`));
    server.site['/b.xml'] = { pages: ['/5'] };
    const { lines, stderr } = await update();
    expect([lines, stderr]).toEqual([['+ /5', '- /3'], '1 page added, 1 removed, 0 changed.\n']);
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith('.usp-'))).toEqual([]);
  });

  testIf(IS_POSIX)('the file keeps its mode', async () => {
    const { file, server, update } = await savedSite();
    chmodSync(file, 0o600);
    server.site['/b.xml'] = { pages: ['/5'] };
    expect((await update()).lines).toEqual(['+ /5', '- /3']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('prints in all formats, and to a file', async () => {
    const { server, file, update, updateIn } = await savedSite();
    server.site['/b.xml'] = { pages: ['/5'] };
    const dry = (...argv: readonly string[]) => update('--dry-run', ...argv);
    // The changes are printed before what is said about them.
    const printed: string[] = [];
    const terminal = new Writable({
      write(chunk, _encoding, done) {
        printed.push(String(chunk));
        done();
      },
    });
    await updateIn({ stdout: terminal, stderr: terminal }, '--dry-run');
    const both = await dry();
    expect(printed.join('').replaceAll(server.origin, '')).toBe(both.stdout + both.stderr);
    expect((await dry('-f', 'pages')).lines).toEqual(['/5']);
    expect((await dry('-f', 'ndjson')).lines.map((line) => JSON.parse(line).type)).toEqual([
      'added',
      'removed',
    ]);
    expect((await dry('-f', 'csv')).lines).toHaveLength(3);
    expect(JSON.parse((await dry('-f', 'json')).stdout).counts).toEqual({
      added: 1,
      removed: 1,
      changed: 0,
      same: 2,
      unknown: 0,
    });
    expect((await dry('--only', 'removed')).lines).toEqual(['- /3']);
    expect((await dry('--exclude', '/5')).lines).toEqual(['- /3']);
    const output = join(dirname(file), 'changes.txt');
    expect((await update('-o', output)).stdout).toBe('');
    expect(readFileSync(output, 'utf8')).toBe(`+ ${server.origin}/5\n- ${server.origin}/3\n`);
  });

  test('--dry-run saves nothing, and needs no lock', async () => {
    const { server, file, update } = await savedSite();
    const before = readFileSync(file);
    writeFileSync(`${file}.lock`, JSON.stringify({ host: 'elsewhere', pid: 1 }));
    server.site['/b.xml'] = { pages: ['/5'] };
    const { code, lines, stderr } = await update('--dry-run');
    expect([code, lines]).toEqual([0, ['+ /5', '- /3']]);
    expect(stderr).toContain('Nothing was saved (--dry-run).');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('--trust-lastmod does not request what its index declares to be the same', async () => {
    const { server, update } = await savedSite();
    const asked = () => [timesAsked(server, '/a.xml'), timesAsked(server, '/b.xml')];
    expect(asked()).toEqual([1, 1]);
    await update('--trust-lastmod');
    expect(asked()).toEqual([1, 2]);
    await update();
    expect(asked()).toEqual([2, 3]);
  });

  test('what fails is kept, and named; its recovery is not a change', async () => {
    const { server, update } = await savedSite();
    server.site['/a.xml'] = { status: 503 };
    server.site['/b.xml'] = { pages: ['/5'] };
    expect((await update('--dry-run', '--strict', '--exit-code')).code).toBe(5);
    const failed = await update();
    expect([failed.code, failed.lines]).toEqual([0, ['+ /5', '- /3']]);
    expect(failed.stderr).toContain('1 sitemap is stale');
    expect((await update('--strict')).code).toBe(4);
    server.site['/a.xml'] = { pages: ['/1', '/6'] };
    expect((await update()).lines).toEqual(['+ /6', '- /2']);
  });

  test('a site that is down changes nothing, and exits with 6', async () => {
    const { server, file, update } = await savedSite();
    const before = readFileSync(file);
    const table = { ...server.site };
    for (const path of Object.keys(table)) server.site[path] = { status: 503 };
    const output = join(dirname(file), 'changes.txt');
    writeFileSync(output, 'before');
    const { code, stdout, stderr } = await update('--exit-code', '-o', output);
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toMatch(/^\/: no sitemap could be read\.\nNothing was read, and nothing was saved\.\n$/m);
    expect([readFileSync(file).equals(before), readFileSync(output, 'utf8')]).toEqual([true, 'before']);
    Object.assign(server.site, table);
    expect((await update()).stdout).toBe('');
  });

  test('a site whose robots.txt alone is down was read: its one sitemap is that of the archive', async () => {
    const { server, update } = await updatedSite({ '/robots.txt': ['/a.xml'], '/a.xml': { pages: ['/1'] } });
    await update(server.origin, ...QUICK);
    server.site['/robots.txt'] = { status: 503 };
    server.site['/a.xml'] = { pages: ['/1', '/2'] };
    const { code, lines } = await update();
    expect([code, lines]).toEqual([0, ['+ /2']]);
    expect((await update('--strict')).code).toBe(4);
  });

  test.each([
    [1, { status: 404 }],
    [6, { status: 403 }],
  ])('a site without a sitemap saves nothing the first time: exit code %i for %j', async (code, response) => {
    const { server, file, update } = await updatedSite(() => ({ '*': response }));
    const told = await update(server.origin);
    expect([told.code, told.stdout, existsSync(file)]).toEqual([code, '', false]);
  });

  test('exit codes: 5 with --exit-code for differences, 3 for a limit', async () => {
    const { server, update } = await savedSite();
    expect((await update('--exit-code')).code).toBe(0);
    server.site['/b.xml'] = { pages: ['/5'] };
    expect((await update('--exit-code', '--dry-run')).code).toBe(5);
    expect((await update('--only', 'changed', '--exit-code', '--dry-run')).code).toBe(0);
    expect((await update('--max-sitemaps', '2', '--dry-run')).code).toBe(3);
    expect((await update('--max-sitemaps', '2', '--dry-run', '--exit-code')).code).toBe(5);
  });

  test('a reader that has gone saves nothing', async () => {
    const { server, file, update, updateIn } = await savedSite();
    const before = readFileSync(file);
    server.site['/b.xml'] = { pages: ['/5'] };
    const closed = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('closed'), { code: 'EPIPE' })),
    });
    expect((await updateIn({ stdout: closed })).code).toBe(0);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect((await update()).lines).toEqual(['+ /5', '- /3']);
  });

  test('an interruption saves nothing, and leaves no lock', async () => {
    const { server, file, updateIn } = await savedSite();
    const before = readFileSync(file);
    const interruption = new AbortController();
    server.site['/b.xml'] = () => {
      setTimeout(() => interruption.abort(), 10);
      return { silent: true };
    };
    const { code, stderr } = await updateIn({ signal: interruption.signal });
    expect([code, stderr]).toEqual([130, 'usp: interrupted at /; nothing was saved.\n']);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  });

  test('a damaged document is requested again, and its pages are printed as added', async () => {
    const { server, file, update } = await savedSite('--sitemap-exclude', 'nothing');
    using tree = await loadTree(file);
    const path = `${file}.plain.warc`;
    await saveTree(tree, path);
    const bytes = readFileSync(path);
    bytes[bytes.indexOf(`<loc>${server.origin}/1</loc>`) + 6] = 0x58;
    writeFileSync(file, bytes);
    server.site['/b.xml'] = { pages: ['/5'] };
    const { code, lines, stderr } = await update('--sitemap-exclude', 'nothing');
    expect([code, lines]).toEqual([0, ['+ /1', '+ /2', '+ /5', '- /3']]);
    expect(stderr).toContain('/a.xml is damaged in the archive: its pages are printed as added');
    expect((await update('--sitemap-exclude', 'nothing')).stdout).toBe('');
  });

  test('a file under a link is replaced, and the link stays', async () => {
    const { server, file, update } = await savedSite();
    const link = join(folder(), 'link.warc.gz');
    symlinkSync(file, link);
    server.site['/b.xml'] = { pages: ['/5'] };
    expect((await usp(['update', link, server.origin])).code).toBe(0);
    expect((await update()).stdout).toBe('');
    // The lock is that of the file, whichever name it is updated by.
    writeFileSync(`${file}.lock`, JSON.stringify({ host: 'elsewhere', pid: 1 }));
    const locked = await usp(['update', link, server.origin]);
    expect([locked.code, locked.stderr]).toEqual([2, expect.stringContaining(`remove ${file}.lock`)]);
  });
});

describe('§11.4: a private address that only the file names', () => {
  test('exits with 2 before any request, and names the line that works', async () => {
    const { server, file } = await savedSite();
    const before = [readFileSync(file), server.requests.length];
    const { code, stdout, stderr } = await usp(['update', file, '--retries', '0']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      `${server.origin}/ is at a private address. A file alone cannot choose such a site`,
    );
    const hinted = ['update', file, `${server.origin}/`];
    expect(stderr).toContain(`hint: ${commandLine('usp', ...hinted)}\n`);
    expect([readFileSync(file), server.requests.length]).toEqual(before);
    expect((await usp([...hinted, '--retries', '0'])).code).toBe(0);
  });

  test('is a private name as well', async () => {
    const { server, file } = await savedSite();
    const moved = server.origin.replace('127.0.0.1', 'localhost');
    await usp(['ls', moved, '--no-known', '--save', file]);
    expect((await usp(['update', file])).stderr).toContain(`${moved}/ is at a private address`);
  });

  test('runs nothing where the line that works is copied into a shell', async () => {
    const path = "/$(id);id&'a.xml";
    const { server, file } = await updatedSite({ [path]: { pages: ['/1'] } });
    await usp(['ls', '--sitemap', `${server.origin}${path}`, '--save', file]);
    expect((await usp(['update', file])).stderr).toContain(
      `hint: usp update ${commandLine(file)} '${server.origin}/$(id);id&'\\''a.xml'\n`,
    );
  });

  test('is not requested where WARC files are read instead', async () => {
    const { server, file } = await savedSite();
    const copy = join(dirname(file), 'copy.warc');
    server.site['/b.xml'] = { pages: ['/5'] };
    await usp(['ls', server.origin, ...QUICK, '--save', copy, '-q']);
    const before = server.requests.length;
    const { code, lines } = await usp(['update', file, '--from-warc', copy]);
    expect([code, lines]).toEqual([0, [`+ ${server.origin}/5`, `- ${server.origin}/3`]]);
    expect(server.requests.length).toBe(before);
  });

  test('is opened by --allow-private', async () => {
    const { file } = await savedSite();
    expect((await usp(['update', file, '--allow-private', '--retries', '0'])).code).toBe(0);
  });
});

test('§11.4: a public site that only the file names is read as it was, and by the flags of this run', async () => {
  // The proxy itself responds for it.
  const site = 'http://site.test';
  const proxy = await siteOf({
    [`${site}/index.xml`]: index(`${site}/a.xml`, `${site}/b.xml`),
    [`${site}/a.xml`]: urlset(`${site}/1`),
    [`${site}/b.xml`]: urlset(`${site}/2`),
  });
  const file = join(folder(), 'site.warc.gz');
  const update = (...argv: readonly string[]) =>
    usp(['update', file, ...argv, '--proxy', proxy.origin, '--retries', '0']);
  expect((await update('--sitemap', `${site}/index.xml`)).lines).toEqual([`+ ${site}/1`, `+ ${site}/2`]);
  proxy.site[`${site}/a.xml`] = { status: 503 };
  proxy.site[`${site}/b.xml`] = urlset(`${site}/3`);
  const asked = proxy.requests.length;
  // It goes on from the file: what fails is stale. No robots.txt is requested for a sitemap.
  const again = await update();
  expect([again.code, again.lines]).toEqual([0, [`+ ${site}/3`, `- ${site}/2`]]);
  expect(again.stderr).toContain('1 sitemap is stale');
  expect(proxy.paths().slice(asked)).toEqual(['index', 'a', 'b'].map((name) => `${site}/${name}.xml`));
  const filtered = await update('--dry-run', '--sitemap-exclude', 'b.xml');
  expect([filtered.code, filtered.lines]).toEqual([0, [`- ${site}/3`]]);
});

describe('§11.4: usp update remembers', () => {
  test('where to look; given options win and are remembered', async () => {
    const { server, file, update } = await updatedSite({ ...small, '/x.xml': { pages: ['/9'] } });
    await update(server.origin, ...QUICK, '--no-robots', '--known-path', 'x.xml', '--max-depth', '3');
    expect(nodesOf(file).origin).toMatchObject({
      options: { useRobots: false, useKnownPaths: false, extraKnownPaths: ['x.xml'], maxDepth: 3 },
    });
    expect((await update()).stdout).toBe('');
    const refused = await update('--agent', 'example-bot');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'usp: --agent needs robots.txt, which --no-robots leaves out.\n',
    ]);
    expect(timesAsked(server, '/robots.txt')).toBe(0);
    await update('--robots', '--max-depth', '5');
    expect(nodesOf(file).origin).toMatchObject({
      options: { useKnownPaths: false, extraKnownPaths: ['x.xml'], maxDepth: 5 },
    });
    await update();
    expect(timesAsked(server, '/robots.txt')).toBe(2);
  });

  test('each filter of pages by itself: another that is given does not cancel it', async () => {
    const { server, update } = await updatedSite(small);
    server.site['/b.xml'] = urlset(`${server.origin}/3`, 'https://other.example/1');
    const first = await update(server.origin, ...QUICK, '--exclude', '/2', '--hosts', 'same');
    expect([first.lines, first.stderr]).toEqual([
      ['+ /1', '+ /3'],
      expect.stringContaining('1 page on other hosts was left out (--hosts).'),
    ]);
    expect(await update('--include', '*')).toMatchObject({ code: 0, stdout: '' });
    expect((await update('--hosts', 'any')).lines).toEqual(['+ https://other.example/1']);
    expect((await update('--exclude', '/3')).lines).toEqual(['+ /2', '- /3']);
  });

  test('that only allowed pages are listed, until that is taken back', async () => {
    const { server, update } = await updatedSite(small);
    const { origin } = server;
    server.site['/robots.txt'] = `User-agent: *\nDisallow: /1\n\nSitemap: ${origin}/index.xml\n`;
    const first = await update(origin, ...QUICK, '--agent', 'example-bot', '--only-allowed');
    expect(first.lines).toEqual(['+ /2', '+ /3']);
    expect((await update()).stdout).toBe('');
    expect((await update('--no-only-allowed')).lines).toEqual(['+ /1']);
    expect((await update()).stdout).toBe('');
  });

  test('that the URL is a sitemap', async () => {
    const { server, update } = await updatedSite(small);
    await update(`${server.origin}/index.xml`, '--sitemap');
    server.site['/b.xml'] = { pages: ['/5'] };
    expect((await update()).lines).toEqual(['+ /5', '- /3']);
    const refused = await update('--agent', 'example-bot');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'usp: --agent needs robots.txt, which is not read with --sitemap.\n',
    ]);
    expect(timesAsked(server, '/robots.txt')).toBe(0);
    const other = await update(`${server.origin}/other.xml`, '--sitemap');
    expect([other.code, other.stderr]).toEqual([
      2,
      'usp: FILE is of /index.xml, not of /other.xml.\nhint: each site has a file of its own.\n',
    ]);
  });

  test.each([
    [['--header', 'x-token: secret1'], '--header', ['--header', 'x-token: secret2']],
    [['--user-agent', 'secret1'], '--user-agent', ['--user-agent', 'other']],
    [['--cookies'], '--cookies', ['--cookies']],
    [['--allow-private'], '--allow-private', ['--allow-private']],
    [['--insecure'], '--insecure', ['--insecure']],
    [
      ['--sitemap-exclude', 'b.xml'],
      '--sitemap-include or --sitemap-exclude',
      ['--sitemap-exclude', 'b.xml'],
    ],
  ])('not what is given with %j, but that it was', async (argv, flag, again) => {
    const { file, update } = await savedSite(...argv);
    expect(plain(file).toString('latin1')).not.toContain('secret1');
    const without = await update();
    expect([without.code, without.stderr]).toEqual([
      2,
      `usp: FILE was made with ${flag}, which is not saved: give it again.\n`,
    ]);
    expect((await update(...again)).code).toBe(0);
  });

  test('not the user and the password of a URL, but that there were some', async () => {
    const { server, file, update } = await updatedSite(small);
    const url = server.origin.replace('//', '//user:secret1@');
    expect((await update(url, ...QUICK)).code).toBe(0);
    expect(plain(file).toString('latin1')).not.toContain('secret1');
    const without = await update();
    expect([without.code, without.stderr]).toEqual([
      2,
      'usp: FILE was made with a user and a password in the URL, which is not saved: give it again.\n',
    ]);
    expect((await update(url)).code).toBe(0);
  });

  test('no userinfo of a sitemap that is declared with one', async () => {
    const { server, file, update } = await updatedSite((origin) => ({
      '/sitemap.xml': index(`${origin.replace('//', '//user:secret1@')}/a.xml`).replaceAll(
        'secret1',
        '&#115;ecret1',
      ),
      '/a.xml': { pages: ['/1'] },
    }));
    expect((await update(server.origin, '--no-robots')).lines).toEqual(['+ /1']);
    expect(plain(file).toString('latin1')).not.toContain('secret1');
    expect((await update()).stdout).toBe('');
  });
});

describe('§11.4: usp update refuses, with exit code 2,', () => {
  const cases: readonly [string, (saved: UpdatedSite) => readonly string[], RegExp][] = [
    ['another site', () => ['https://example.org'], /FILE is of \/, not of https:\/\/example\.org\//],
    ['a sitemap of a whole site', () => ['--sitemap'], /FILE is of the whole site \/, not of one sitemap/],
    ['an output that is the archive', ({ file }) => ['-o', file], /the input and -o name the same file/],
    ['what is not a URL', () => ['nonsense'], /"nonsense" is not an http or https URL/],
  ];
  test.each(cases)('%s', async (_what, argv, message) => {
    const saved = await savedSite();
    const before = readFileSync(saved.file);
    const { code, stderr } = await saved.update(...argv(saved));
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(readFileSync(saved.file).equals(before)).toBe(true);
    expect(readdirSync(dirname(saved.file))).toEqual([basename(saved.file)]);
  });

  test.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    ['a file that is not an archive', () => Buffer.from('hello'), /is not a saved tree/],
    ['an archive whose end is missing', (bytes) => bytes.subarray(0, -50), /is damaged/],
    [
      'an archive that was changed',
      (bytes) => bytes.fill(0, bytes.length - 900, bytes.length - 899),
      /is damaged/,
    ],
  ])('%s, which stays as it is', async (_what, change, message) => {
    const { file, update } = await savedSite();
    writeFileSync(file, change(readFileSync(file)));
    const before = readFileSync(file);
    const { code, stderr } = await update();
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  });

  test('a file that is not there, without a URL; and a folder that is not there', async () => {
    const { server, update } = await updatedSite(small);
    const told = await update();
    expect([told.code, told.stderr]).toEqual([
      2,
      'usp: There is no FILE yet: the first time, give the URL of the site.\nhint: usp update FILE https://example.org\n',
    ]);
    const nowhere = join(folder(), 'nowhere/site.warc.gz');
    const other = await usp(['update', nowhere, server.origin]);
    expect([other.code, other.stderr]).toEqual([
      2,
      `usp: ${nowhere} cannot be written: there is no such folder.\n`,
    ]);
  });

  test('an archive of something that is not a site', async () => {
    const { file, update } = await updatedSite(small);
    await saveTree(await sitemapFromString('https://example.org/1\n'), file);
    const { code, stderr } = await update();
    expect([code, stderr]).toEqual([2, expect.stringMatching(/FILE does not say which site it is of/)]);
  });
});

test.each([
  ['a folder with --normalize is one of the whole site', '/shop/', false, '/', true, true],
  ['a folder without it is one of the folder', '/shop/', false, '/', undefined, false],
  ['a whole site with --no-normalize is not one of a folder', '/', undefined, '/shop/', false, false],
  ['a whole site without it is one of the site of a folder', '/', undefined, '/shop/', undefined, true],
])('§11.4: a file of %s', (_what, saved, before, requested, now, isSame) => {
  const origin = {
    call: 'homepage',
    url: `https://example.org${saved}`,
    options: before === undefined ? {} : { normalizeHomepageUrl: before },
    notKept: [],
  } as const;
  const url = new URL(`https://example.org${requested}`);
  const options = { normalizeHomepageUrl: now };
  const again = () => callAgain(origin, { file: 'FILE', url, isSitemap: false, options });
  if (isSame) expect(again().url.href).toBe(url.href);
  else expect(again).toThrow(`FILE is of ${origin.url}, not of ${url.href}.`);
});

/** The content of a lock file: of this very process, except for what is given. */
function lockOf(identity: Readonly<Record<string, unknown>>): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return JSON.stringify({ host: hostname(), boot, pid: process.pid, started, key: 'x', ...identity });
}

describeIf(IS_LINUX, '§11.4: the lock file of usp update', () => {
  test.each([
    [
      'of a process that runs',
      {},
      /is being updated by process \d+;.*\nhint: if that process is something else, remove FILE\.lock\./,
    ],
    [
      'of another host',
      { host: 'elsewhere', boot: 'x', pid: 1 },
      /is being updated by process 1 on elsewhere\.\nhint: .* remove FILE\.lock/,
    ],
  ])('%s stops the update', async (_what, identity, message) => {
    const { server, file, update } = await savedSite();
    const before = readFileSync(file);
    server.site['/b.xml'] = { pages: ['/5'] };
    writeFileSync(`${file}.lock`, lockOf(identity));
    const { code, stderr, stdout } = await update();
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe(lockOf(identity));
  });

  test.each([
    ['of a process that is over', { pid: 2 ** 22 + 1 }],
    ['of a process whose id another one has now', { started: '1' }],
    ['of an earlier boot', { boot: '00000000-0000-0000-0000-000000000000' }],
  ])('%s is taken over', async (_what, identity) => {
    const { file, update } = await savedSite();
    writeFileSync(`${file}.lock`, lockOf(identity));
    expect((await update()).code).toBe(0);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('that says nothing stops the update, and says what to do', async () => {
    const { file, update } = await savedSite();
    writeFileSync(`${file}.lock`, '');
    const { code, stderr } = await update();
    expect([code, stderr]).toEqual([
      2,
      'usp: FILE is locked, and FILE.lock does not say by which process.\nhint: if no update is running, remove FILE.lock.\n',
    ]);
  });

  test('that is lost meanwhile: nothing is saved', async () => {
    const { server, file, update } = await savedSite();
    const before = readFileSync(file);
    server.site['/b.xml'] = () => {
      writeFileSync(`${file}.lock`, lockOf({ host: 'elsewhere' }));
      return { body: urlset(`${server.origin}/5`) };
    };
    const { code, stderr } = await update();
    expect([code, stderr]).toEqual([2, expect.stringMatching(/FILE was not saved: its lock file/)]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('lets one of several updates at once through, which loses nothing', async () => {
    const { server, file, update } = await savedSite();
    server.site['/b.xml'] = { pages: ['/5'] };
    writeFileSync(`${file}.lock`, lockOf({ pid: 2 ** 22 + 1 }));
    const told = await Promise.all(Array.from({ length: 6 }, () => update()));
    const printed = told.filter(({ lines }) => lines.length > 0);
    expect(printed.map(({ lines }) => lines)).toEqual([['+ /5', '- /3']]);
    expect(told.every(({ code }) => code === 0 || code === 2)).toBe(true);
    expect((await update()).stdout).toBe('');
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  });
});
