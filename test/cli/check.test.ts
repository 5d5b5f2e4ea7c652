/** §12: `usp check`, its inputs, options, formats and exit codes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { saveTree } from '../../src/index.ts';
import { type Told, uspDeclared as usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { siteOf, treeOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { folder, written } from '../support/folder.ts';
import { IS_POSIX } from '../support/platform.ts';

const E = 'https://example.org';
const GOOD = urlset([`${E}/a`, '2013-05-01'], [`${E}/b`, '2013-05-02']);
const BAD = GOOD.replace(`${E}/a`, `${E}/a?x=1&y=2`);
const WARNED = GOOD.replace(`${E}/a`, `${E}/a#top`);

function check(...argv: readonly string[]): Promise<Told> {
  return usp(['check', ...argv]);
}

const WEB = ['--retries', '0', '--proxy', 'none'];

describe('§12: usp check of files', () => {
  test('a healthy file has no findings, and exits with 0', async () => {
    const { code, stdout, stderr } = await check(written({ 'a.xml': GOOD })('a.xml'));
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'Nothing found in 1 document with 2 pages.\n',
      stderr: '',
    });
  });

  test('an error is shown at its line and column, and exits with 5', async () => {
    const file = written({ 'a.xml': BAD })('a.xml');
    const { code, stdout } = await check(file);
    expect(code).toBe(5);
    expect(stdout).toContain(`${file}\n`);
    expect(stdout).toMatch(
      /^ {2}1:96 {2}error {4}This "&" must be written as "&amp;"\. \(https:\/\/example\.org\/a\?x=1&y=2\) {2}bare-ampersand$/m,
    );
    expect(stdout).toContain('Fix first:\n  1. bare-ampersand (1 error)');
  });

  test('--also writes the same findings in other formats to files', async () => {
    const file = written({ 'a.xml': BAD });
    const also = ['--also', `sarif=${file('a.sarif')}`, '--also', `csv=${file('a=b.csv')}`];
    const told = await check(file('a.xml'), '-f', 'unix', ...also);
    expect(told).toMatchObject({ code: 5, stdout: expect.stringContaining('[bare-ampersand]') });
    const sarif = await check(file('a.xml'), '-f', 'sarif');
    expect(readFileSync(file('a.sarif'), 'utf8')).toBe(sarif.stdout);
    const csv = await check(file('a.xml'), '-f', 'csv');
    expect(readFileSync(file('a=b.csv'), 'utf8')).toBe(csv.stdout);
  });

  test('--also does not write to a file that is read, or written by another option', async () => {
    const file = written({ 'a.xml': BAD });
    for (const [flags, message] of [
      [['--also', `csv=${file('a.xml')}`], 'the input and --also name the same file'],
      [['-o', file('x'), '--also', `csv=${file('x')}`], '-o and --also name the same file'],
      [['--also', `csv=${file('x')}`, '--also', `json=${file('x')}`], '--also and --also name the same file'],
      [['--write-baseline', file('a.xml')], 'the input and --write-baseline name the same file'],
      [['--write-baseline', file('x'), '-o', file('x')], 'name the same file'],
      [
        ['--baseline', file('a.xml'), '--also', `csv=${file('a.xml')}`],
        '--baseline and --also name the same file',
      ],
      [
        ['--config', file('x'), '--write-baseline', file('x')],
        '--config and --write-baseline name the same file',
      ],
    ] as const) {
      const { code, stderr } = await check(file('a.xml'), ...flags);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
    }
    expect(readFileSync(file('a.xml'), 'utf8')).toBe(BAD);
  });

  test('gzip is read by its content', async () => {
    const { stdout } = await check(written({ 'a.gz': gzipSync(BAD) })('a.gz'), '-f', 'unix');
    expect(stdout).toContain(':1:96: error:');
  });

  test('stdin is read, with its address', async () => {
    const told = await usp(['check', '-', '--url', `${E}/deep/s.xml`, '-f', 'ndjson'], { stdin: BAD });
    expect(told.lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ rule: 'url-outside-directory', document: `${E}/deep/s.xml` }),
    );
  });

  test('a file that is not a sitemap is a finding, and exits with 5', async () => {
    for (const content of ['<!doctype html><title>x</title>', 'just words', '{}', '']) {
      const { code, stdout, stderr } = await check(written({ 'a.xml': content })('a.xml'), '-f', 'unix');
      expect({ content, code, stderr }).toEqual({ content, code: 5, stderr: '' });
      expect(stdout).toMatch(/ error: /);
    }
  });

  testIf(IS_POSIX)('a device or a pipe is read once', async () => {
    const { code, stdout } = await check('/dev/null', '-f', 'unix');
    expect({ code, stdout }).toEqual({
      code: 5,
      stdout:
        '/dev/null:1:1: error: The document is not a sitemap or feed: it is empty. [sitemap-unreadable]\n',
    });
  });

  test('several files are parts of one site', async () => {
    const file = written({ 'a.xml': GOOD, 'b.xml': GOOD });
    const { stdout, code } = await check(file('a.xml'), file('b.xml'), '-f', 'unix');
    expect(stdout).toContain('[url-in-several-sitemaps]');
    expect(code).toBe(0);
  });

  test('dates are compared with --now', async () => {
    const file = written({ 'a.xml': GOOD })('a.xml');
    const { stdout } = await check(file, '--now', '2013-04-01', '-f', 'unix');
    expect(stdout.match(/\[lastmod-future\]/g)).toHaveLength(2);
  });
});

describe('§12: usp check of sites and archives', () => {
  test('a site is fetched and checked, robots.txt included', async () => {
    const { origin } = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml', '/gone.xml'],
      '/a.xml': { pages: ['/admin/x', '/b'] },
    });
    const { code, stdout, stderr } = await check(origin, ...WEB, '-f', 'unix');
    // What a finding says is not said once more.
    expect([code, stderr]).toEqual([5, '']);
    expect(stdout).toContain('[page-blocked]');
    expect(stdout).toContain('[sitemap-unreadable]');
  });

  test('what was never requested, or why there is nothing to check, is on stderr', async () => {
    const { origin, site } = await siteOf({
      '/robots.txt': 'Sitemap: http://10.1.2.3/a.xml\n',
      '/b.xml': urlset(`${E}/1`).replace('</urlset>', ''),
    });
    const at = [origin, ...WEB, '-k', '--known-path', '/b.xml'];
    const named = `${origin}/: 1 sitemap could not be read:\n  http://10.1.2.3/a.xml: 10.1.2.3 is not a public address;`;
    expect((await check(...at)).stderr.split(' the option')).toEqual([
      named,
      ' --allow-private permits it.\n',
    ]);
    // Those of a site that could be read in part are findings.
    site['/robots.txt'] = { status: 503 };
    expect((await check(...at)).stderr).toBe('');
    delete site['/b.xml'];
    const { code, stderr } = await check(...at, '--fail-on', 'never');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^robots\.txt could not be read, .*\n.*: no sitemap found\.\n$/),
    ]);
  });

  test('--agent chooses whose rules count', async () => {
    const { origin } = await siteOf((own) => ({
      '/robots.txt': `User-agent: Bingbot\nDisallow: /\nUser-agent: *\nAllow: /\nSitemap: ${own}/a.xml`,
      '/a.xml': { pages: ['/b'] },
    }));
    expect((await check(origin, ...WEB, '-f', 'unix')).stdout).not.toContain('page-blocked');
    expect((await check(origin, ...WEB, '-f', 'unix', '--agent', 'bingbot')).stdout).toContain(
      'page-blocked',
    );
  });

  test('--sitemap checks one and what is below it', async () => {
    const { origin, paths } = await siteOf({ '/index.xml': ['/a.xml'], '/a.xml': { pages: ['/x#y'] } });
    const { stdout } = await check('--sitemap', `${origin}/index.xml`, ...WEB, '-f', 'unix');
    expect(stdout).toContain(`${origin}/a.xml:1:`);
    expect(paths()).toEqual(['/index.xml', '/a.xml']);
  });

  test('--request-pages requests pages', async () => {
    const { origin } = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { pages: ['/here', '/gone'] },
      '/here': '<html><head><title>x</title></head></html>',
    });
    const { stdout } = await check(origin, ...WEB, '-f', 'unix', '--request-pages', 'all');
    expect(stdout.match(/\[page-missing\]/g)).toHaveLength(1);
  });

  test('an archive is checked without a network', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml', '/gone.xml'], '/a.xml': { pages: ['/x#y'] } });
    const archive = written({})('site.warc.gz');
    await saveTree(await treeOf(server), archive);
    const before = server.requests.length;
    const { stdout, code } = await check(archive, '-f', 'unix');
    expect(stdout).toContain(`${server.origin}/a.xml:1:`);
    expect(stdout).toContain('[url-fragment]');
    expect(code).toBe(5);
    // What it lacks is a finding.
    expect((await check(archive, '--strict', '--fail-on', 'never')).code).toBe(0);
    expect(server.requests.length).toBe(before);
  });

  test('a dead site exits with 6, one without sitemaps with 1', async () => {
    const dead = await siteOf({});
    await dead.close();
    const below = '--no-normalize looks below /shop instead.';
    const refusing = await siteOf({ '*': { status: 403 } });
    const refused = await check(`${refusing.origin}/shop`, ...WEB);
    expect([refused.code, refused.stderr]).toEqual([6, expect.not.stringContaining(below)]);
    expect(await check(dead.origin, ...WEB)).toMatchObject({ code: 6 });
    const empty = await siteOf({});
    const none = await check(`${empty.origin}/shop`, ...WEB);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining(below)]);
    const looked = await check(`${empty.origin}/shop`, ...WEB, '--no-normalize');
    expect([looked.code, looked.stderr]).toEqual([1, expect.not.stringContaining(below)]);
  });

  test('a check that a limit stopped exits with 3, unless there are errors', async () => {
    const { origin } = await siteOf((own) => ({
      '/robots.txt': `User-agent: *\nSitemap: ${own}/a.xml\nSitemap: ${own}/b.xml`,
      '/a.xml': WARNED.replaceAll(E, own),
      '/b.xml': GOOD.replaceAll(E, own).replaceAll('/a<', '/c<'),
    }));
    const stopped = [origin, ...WEB, '--max-sitemaps', '2', '--rule', 'url-not-public=off'];
    const told = await check(...stopped);
    expect(told.code).toBe(3);
    expect(told.stdout).toContain('The check was stopped');
    // What stopped the reading is not said to have stopped the requests of pages.
    expect(told.stderr).not.toContain('Not all pages were requested');
    const asError = [...stopped, '--rule', 'url-fragment=error'];
    expect(await check(...asError)).toMatchObject({ code: 5 });
    expect(await check(...asError, '--fail-on', 'never')).toMatchObject({ code: 3 });
  });
});

describe('§12: what is set', () => {
  const SET = {
    'a.xml': WARNED,
    'bad.xml': BAD,
    'off.json': '{"rules": {"url-fragment": "off"}}',
    'error.json': '{"overrides": [{"match": "a.xml", "rules": {"url-fragment": "error"}}]}',
    'fail.json': '{"failOn": "warning"}',
    'no-warnings.json': '{"maxWarnings": 0}',
    'wrong.json': '{"rules": {"url-fragmnt": "off"}}',
  };

  test.each([
    [[], 0],
    [['--fail-on', 'warning'], 5],
    [['--max-warnings', '0'], 5],
    [['--max-warnings', '1'], 0],
    [['--rule', 'url-fragment=error'], 5],
    [['--rule', 'url-fragment=error', '--fail-on', 'never'], 0],
    [['--rule', 'url-fragment=error', '--rule', 'url-fragment=off'], 0],
    [['--config', 'off.json', '--fail-on', 'info'], 0],
    [['--config', 'error.json'], 5],
    [['--config', 'error.json', '--rule', 'url-fragment=info'], 0],
    [['--config', 'fail.json'], 5],
    [['--config', 'fail.json', '--fail-on', 'error'], 0],
    [['--config', 'no-warnings.json'], 5],
    [['--config', 'no-warnings.json', '--max-warnings', '1'], 0],
  ] as const)('%j exits with %i', async (flags, code) => {
    const file = written(SET);
    const argv = flags.map((flag) => (flag.endsWith('.json') ? file(flag) : flag));
    expect(await check(file('a.xml'), ...argv)).toMatchObject({ code });
  });

  test('a baseline hides what is known, and shows what is new', async () => {
    const file = written(SET);
    const baseline = file('known.json');
    const first = await check(file('bad.xml'), '--write-baseline', baseline);
    expect(first).toMatchObject({ code: 0, stderr: `${baseline}: 1 known finding written.\n` });
    const second = await check(file('bad.xml'), '--baseline', baseline);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('1 finding of the baseline is not shown.');
    writeFileSync(file('bad.xml'), `\n\n${BAD.replace('/b<', '/b?&<')}`);
    const third = await check(file('bad.xml'), '--baseline', baseline, '-f', 'unix');
    expect(third.code).toBe(5);
    expect(third.stdout.match(/bare-ampersand/g)).toHaveLength(1);
    // The known finding stays known.
    const anew = await check(file('bad.xml'), '--baseline', baseline, '--write-baseline', file('both.json'));
    expect(anew).toMatchObject({ code: 0, stderr: `${file('both.json')}: 2 known findings written.\n` });
    writeFileSync(file('bad.xml'), GOOD);
    const last = await check(file('bad.xml'), '--baseline', baseline);
    expect(last.stderr).toContain('1 known finding is gone');
  });

  test.each([
    [['--rule', 'url-fragmnt=off'], 'did you mean "url-fragment"?'],
    [['--rule', 'url-fragment=warn'], 'Did you mean "warning"?'],
    [['--config', 'wrong.json'], 'wrong.json: There is no rule "url-fragmnt"; did you mean "url-fragment"?'],
    [['--config', 'none.json'], 'none.json cannot be read: no such file or directory.'],
    [['--baseline', 'off.json'], 'off.json: It is not a baseline'],
    [['--now', 'tomorrow'], '--now: "tomorrow" is not a date or a time.'],
    [['--request-pages', '0'], 'It must be a whole number, 1 or more, or all.'],
    [['--fail-on', 'errors'], 'Allowed choices are error, warning, info, never'],
    [['--url', 'x'], '--url needs an absolute URL'],
    [['-o', '/nowhere/x'], 'cannot be written: there is no such folder'],
    [['--also', 'sarif'], '--also needs a format and a file.'],
    [['--also', 'xml=x.xml'], 'formats: text, unix, json, ndjson, csv, sarif, github, markdown'],
    [['--also', 'sarif=/nowhere/x'], 'cannot be written: there is no such folder'],
    [['-f', 'xml'], 'Allowed choices are text, unix, json, ndjson, csv, sarif, github'],
  ] as const)('%j is refused with 2', async (flags, message) => {
    const file = written(SET);
    const argv = flags.map((flag) => (flag.endsWith('.json') ? file(flag) : flag));
    const { code, stdout, stderr } = await check(file('a.xml'), ...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('§10: exit codes of inputs', () => {
  test.each(['nothing.xml', './nothing', '/nowhere/a.xml.gz'])(
    '%s, which is not there, exits with 2',
    async (name) => {
      const { code, stderr } = await check(name);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `usp: ${name} cannot be read: no such file or directory.\n`,
      });
    },
  );

  test('a folder exits with 2, and says what to do', async () => {
    const { code, stderr } = await check(folder());
    expect(code).toBe(2);
    expect(stderr).toContain('is a folder; name the files in it.');
  });

  test('of several inputs the worst code counts, and the others are checked all the same', async () => {
    const file = written({ 'bad.xml': BAD });
    const { code, stdout, stderr } = await check('nothing.xml', file('bad.xml'), '-f', 'unix');
    expect(code).toBe(2);
    expect(stdout).toContain('[bare-ampersand]');
    expect(stderr).toContain('nothing.xml cannot be read');
    const dead = await siteOf({});
    await dead.close();
    expect(await check(dead.origin, file('bad.xml'), ...WEB)).toMatchObject({ code: 6 });
  });

  test.each(['-o', '--write-baseline', '-l'])('%s may not be the input itself', async (option) => {
    const file = written({ 'a.xml': GOOD });
    const { code, stderr } = await check(file('a.xml'), option, file('a.xml'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('name the same file')]);
    expect(readFileSync(file('a.xml'), 'utf8')).toBe(GOOD);
  });

  test('-o is replaced at the end, and stays as it was if nothing could be opened', async () => {
    const file = written({ 'a.xml': GOOD, out: 'before' });
    await check('nothing.xml', '-o', file('out'));
    expect(readFileSync(file('out'), 'utf8')).toBe('before');
    await check(file('a.xml'), '-o', file('out'));
    expect(readFileSync(file('out'), 'utf8')).toContain('Nothing found');
    expect(existsSync(file('none'))).toBe(false);
  });
});

test('on a terminal it is coloured, and a document cannot move the cursor', async () => {
  const file = written({ 'a.xml': WARNED.replace('#top', '#\u009b2J') })('a.xml');
  const { stdout } = await usp(['check', file], { isTerminal: { stdout: true } });
  expect(stdout).toContain('\u001b[33mwarning\u001b[39m');
  expect(stdout).not.toContain('\u009b');
  // A file beside it has no colours, whichever format is on the terminal.
  const also = `${file}.txt`;
  const plain = (await usp(['check', file])).stdout;
  for (const format of ['text', 'json']) {
    await usp(['check', file, '--also', `text=${also}`, '-f', format], { isTerminal: { stdout: true } });
    expect(readFileSync(also, 'utf8')).toBe(plain);
  }
});
