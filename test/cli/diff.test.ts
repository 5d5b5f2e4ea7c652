/** §11.4: `usp diff`, its formats, options, messages and exit codes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { NamedSites } from '../../src/cli/commands/diff.ts';
import { Reporter } from '../../src/cli/io.ts';
import { reportChanges } from '../../src/cli/output/change-listing.ts';
import { IndexWebsiteSitemap, IndexXMLSitemap, InvalidSitemap, saveTree } from '../../src/index.ts';
import { type Told, uspDeclared as usp } from '../support/cli-world.ts';
import { siteOf, treeOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';

const E = 'https://example.org';

interface Files {
  readonly before: string;
  readonly after: string;
  diff(...argv: readonly string[]): Promise<Told>;
}

/** Two files in a folder, and `usp diff` of them. */
function files(before: string, after: string): Files {
  const directory = folder();
  const [one, two] = [join(directory, 'before.xml'), join(directory, 'after.xml')];
  writeFileSync(one, before);
  writeFileSync(two, after);
  return { before: one, after: two, diff: (...argv) => usp(['diff', one, two, ...argv]) };
}

const BEFORE = urlset([`${E}/a`, '2024-05-01'], `${E}/gone`, `${E}/same`);
const AFTER = urlset(`${E}/new`, [`${E}/a`, '2024-05-06T08:30:00Z'], `${E}/same`);

const COLUMNS =
  'type,site,sitemap,url,fields,lastModified,priority,changeFrequency,lastModifiedBefore,priorityBefore';

describe('§11.4: usp diff', () => {
  test('prints a line for each change, and a summary on stderr', async () => {
    const { before, diff } = files(BEFORE, AFTER);
    const { code, stdout, stderr } = await diff();
    expect(await usp(['diff', before, '-'], { stdin: AFTER })).toMatchObject({ code, stdout, stderr });
    expect(stdout).toBe(
      [`+ ${E}/new`, `~ ${E}/a  lastmod 2024-05-01 → 2024-05-06T08:30:00Z`, `- ${E}/gone`, ''].join('\n'),
    );
    expect(stderr).toBe('1 page added, 1 removed, 1 changed.\n');
    expect(code).toBe(0);
  });

  test('names every field that differs, with its values where they are kept', async () => {
    const entry = (rest: string) =>
      `<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>${E}/a</loc>${rest}</url></urlset>`;
    const image = `<image:image><image:loc>${E}/i</image:loc></image:image>`;
    const { stdout } = await files(
      entry('<changefreq>daily</changefreq>'),
      entry(`<priority>0.9</priority><lastmod>2024</lastmod>${image}`),
    ).diff();
    expect(stdout).toBe(
      `~ ${E}/a  lastmod none → 2024-01-01, priority 0.5 → 0.9, changefreq daily → none, images\n`,
    );
  });

  test('colours lines on a terminal, and shows control characters as text', async () => {
    const { before, after } = files(BEFORE, urlset(`${E}/x&#x202e;y`, [`${E}/a`, '2024-05-06'], `${E}/same`));
    const { stdout } = await usp(['diff', before, after], { isTerminal: { stdout: true } });
    expect(stdout).toContain(`\u001b[32m+ ${E}/x\\u202ey\u001b[39m\n`);
    expect(stdout).toContain(`\u001b[31m- ${E}/gone\u001b[39m\n`);
    expect(stdout).toContain(`\u001b[36m~ ${E}/a\u001b[39m  lastmod 2024-05-01 → 2024-05-06\n`);
    expect((await usp(['diff', before, after, '-o', '-'], { isTerminal: { stdout: true } })).stdout).toBe(
      stdout,
    );
    const plain = await usp(['diff', before, after], {
      isTerminal: { stdout: true },
      env: { NO_COLOR: '1' },
    });
    expect(plain.stdout).not.toContain('\u001b');
  });

  test('-f pages prints the URLs that were added or changed', async () => {
    expect((await files(BEFORE, AFTER).diff('-f', 'pages')).lines).toEqual([`${E}/new`, `${E}/a`]);
    expect((await files(BEFORE, AFTER).diff('-f', 'pages', '--only', 'removed')).lines).toEqual([
      `${E}/gone`,
    ]);
  });

  test('-f ndjson prints a change a line', async () => {
    const { lines } = await files(BEFORE, AFTER).diff('-f', 'ndjson');
    const changes = lines.map((line) => JSON.parse(line));
    expect(changes.map(({ type, url }) => [type, url])).toEqual([
      ['added', `${E}/new`],
      ['changed', `${E}/a`],
      ['removed', `${E}/gone`],
    ]);
    expect(changes[1]).toEqual({
      type: 'changed',
      sitemap: expect.stringMatching(/after\.xml$/),
      url: `${E}/a`,
      fields: ['lastModified'],
      lastModified: '2024-05-06T08:30:00.000Z',
      priority: 0.5,
      lastModifiedBefore: '2024-05-01T00:00:00.000Z',
      priorityBefore: 0.5,
    });
    expect(Object.keys(changes[0])).toEqual(['type', 'sitemap', 'url', 'priority']);
  });

  test('-f json is one document with the numbers', async () => {
    const { stdout } = await files(BEFORE, AFTER).diff('-f', 'json');
    const { changes, counts } = JSON.parse(stdout);
    expect(changes.map(({ type }: { type: string }) => type)).toEqual(['added', 'changed', 'removed']);
    expect(counts).toEqual({ added: 1, removed: 1, changed: 1, same: 1, unknown: 0 });
    const none = await files(BEFORE, BEFORE).diff('-f', 'json');
    expect(JSON.parse(none.stdout)).toEqual({
      changes: [],
      counts: { added: 0, removed: 0, changed: 0, same: 3, unknown: 0 },
    });
  });

  test('-f csv prints a change a row', async () => {
    const { lines } = await files(BEFORE, AFTER).diff('-f', 'csv');
    expect(lines[0]).toBe(`${COLUMNS},changeFrequencyBefore`);
    expect(lines[2]).toMatch(
      /^changed,,file:.*,https:\/\/example\.org\/a,lastModified,2024-05-06T08:30:00\.000Z,0\.5,,2024-05-01T00:00:00\.000Z,0\.5,$/,
    );
    expect(lines).toHaveLength(4);
  });

  test('all changes are printed before what is said about them', async () => {
    const { before, after } = files(BEFORE, AFTER);
    const printed: string[] = [];
    const terminal = new Writable({
      write(chunk, _encoding, done) {
        printed.push(String(chunk));
        done();
      },
    });
    for (const format of ['changes', 'json', 'csv']) {
      const argv = ['diff', before, after, '-f', format];
      await usp(argv, { stdout: terminal, stderr: terminal });
      const { stdout, stderr } = await usp(argv);
      expect(printed.splice(0).join('')).toBe(stdout + stderr);
    }
  });

  test('prints many changes in every format', async () => {
    const all = Array.from({ length: 300 }, (_, number) => `${E}/${number}`);
    const { diff } = files(urlset(`${E}/0`), urlset(...all));
    expect((await diff()).lines).toEqual(all.slice(1).map((url) => `+ ${url}`));
    expect(JSON.parse((await diff('-f', 'json')).stdout).changes).toHaveLength(299);
    expect((await diff('-f', 'csv')).lines).toHaveLength(300);
  });

  test('--only, --include, --exclude and --compare choose what is printed', async () => {
    const { diff } = files(BEFORE, AFTER);
    expect((await diff('--only', 'added,removed')).lines).toEqual([`+ ${E}/new`, `- ${E}/gone`]);
    expect((await diff('--include', '*/a')).lines).toHaveLength(1);
    expect((await diff('--exclude', '/a', '--exclude', '/new')).lines).toEqual([`- ${E}/gone`]);
    expect((await diff('--compare', 'priority,images')).lines).toEqual([`+ ${E}/new`, `- ${E}/gone`]);
    expect((await diff('--compare', 'lastmod')).lines).toHaveLength(3);
    expect((await diff('--compare', 'lastModified')).lines).toHaveLength(3);
  });

  test('--exit-code exits with 5 if anything was printed', async () => {
    const { diff } = files(BEFORE, AFTER);
    expect((await diff('--exit-code')).code).toBe(5);
    expect((await diff('--exit-code', '--include', '/same')).code).toBe(0);
    expect((await files(BEFORE, BEFORE).diff('--exit-code')).code).toBe(0);
    expect((await files(BEFORE, urlset(`${E}/same`)).diff('--exit-code', '--only', 'added')).code).toBe(0);
  });

  test.each([
    ['one that lacks its end', AFTER.slice(0, -'</urlset>'.length)],
    ['one that lists nothing', urlset()],
  ])('of two files, %s changes no exit code', async (_name, after) => {
    expect((await files(BEFORE, after).diff('--strict')).code).toBe(0);
    expect((await files(BEFORE, after).diff('--exit-code')).code).toBe(5);
    expect((await files(after, after).diff('--exit-code')).code).toBe(0);
  });

  test('a site that is down is compared with nothing, and -o is not written', async () => {
    const dead = await siteOf({});
    await dead.close();
    const { before } = files(BEFORE, AFTER);
    const output = join(before, '..', 'changes.txt');
    for (const inputs of [
      [before, dead.origin],
      [dead.origin, before],
    ]) {
      const argv = ['diff', ...inputs, '--exit-code', '--retries', '0'];
      const { code, stdout } = await usp([...argv, '-o', output]);
      expect([code, stdout, existsSync(output)]).toEqual([6, '', false]);
      expect(await usp([...argv, '-f', 'json'])).toMatchObject({ code: 6, stdout: '' });
    }
  });

  test.each([
    [1, ''],
    [20, ''],
    [21, ' and 1 more'],
    [1_022, ' and 1,002 more'],
  ])('of %i sites of a crawl the first 20 are named%s', (count, rest) => {
    const sites = new NamedSites();
    for (let at = 1; at <= count; at++) sites.add(`s${at}`);
    const named = Array.from({ length: Math.min(count, 20) }, (_, at) => `s${at + 1}`);
    expect([sites.count, String(sites)]).toEqual([count, named.join(', ') + rest]);
  });

  test('a page that both list, and that changed, is counted: then they are not one site on two hosts', async () => {
    const both = (host: string, date: string) =>
      urlset(`https://${host}/1`, `https://${host}/2`, `https://${host}/3`, [`${E}/a`, date]);
    const { stderr } = await files(both('a.example', '2024'), both('b.example', '2025')).diff();
    expect(stderr).toBe('3 pages added, 3 removed, 1 changed.\n');
  });

  test('-o writes a file, and -q says nothing', async () => {
    const { diff, after } = files(BEFORE, AFTER);
    const output = join(after, '..', 'changes.txt');
    const { stdout, stderr } = await diff('-o', output, '-q');
    expect([stdout, stderr]).toEqual(['', '']);
    expect(readFileSync(output, 'utf8')).toContain(`+ ${E}/new\n`);
  });

  test('compares saved trees, and says what is unknown and what was not read', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': { pages: ['/1', '/2'] },
      '/b.xml': { pages: ['/3'] },
    });
    const directory = folder();
    const [one, two] = [join(directory, 'one.usp.gz'), join(directory, 'two.usp.gz')];
    await saveTree(await treeOf(server), one);
    server.site['/a.xml'] = { status: 503 };
    server.site['/b.xml'] = { pages: ['/4'] };
    await saveTree(await treeOf(server), two);
    const { stdout, stderr, code } = await usp(['diff', one, two, '--exit-code']);
    expect(stdout.replaceAll(server.origin, '')).toBe('+ /4\n- /3\n');
    expect(stderr).toBe(
      '1 page added, 1 removed, 0 changed, 2 unknown.\n' +
        '2 pages are unknown: a sitemap that lists them was not read in both trees (-v names what was not read).\n',
    );
    expect(code).toBe(5);
    // What a saved tree lacks is shown by the comparison, and is not a failure of this command.
    expect((await usp(['diff', one, two, '--strict'])).code).toBe(0);
    const verbose = await usp(['diff', one, two, '-v']);
    expect(verbose.stderr).toMatch(/^ {2}after: .*\/a\.xml: .*503/m);
  });

  test('a saved tree without a sitemap was read: what the site lists later is added', async () => {
    const server = await siteOf({});
    const saved = join(folder(), 'before.usp.gz');
    await saveTree(await treeOf(server), saved);
    Object.assign(server.site, { '/robots.txt': ['/a.xml'], '/a.xml': { pages: ['/1'] } });
    const { code, stdout } = await usp(['diff', saved, server.origin, '--exit-code', '--allow-private']);
    expect([code, stdout]).toEqual([5, `+ ${server.origin}/1\n`]);
  });

  test('compares a file with a site that was not read in whole: what only the file lists is unknown', async () => {
    // So is what both list: the sitemap that failed may declare it with other values.
    const server = await siteOf({ '/robots.txt': ['/a.xml', '/b.xml'], '/a.xml': { pages: ['/1', '/2'] } });
    server.site['/b.xml'] = { status: 500 };
    const file = join(folder(), 'file.xml');
    writeFileSync(file, urlset(`${server.origin}/1`, `${server.origin}/3`));
    const work = ['--retries', '0', '--no-known', '--allow-private'];
    const later = await usp(['diff', file, server.origin, ...work]);
    expect(later.stdout.replaceAll(server.origin, '')).toBe('+ /2\n');
    expect(later.stderr).toContain('1 page added, 0 removed, 0 changed, 2 unknown.');
    const earlier = await usp(['diff', server.origin, file, ...work]);
    expect(earlier.stdout.replaceAll(server.origin, '')).toBe('- /2\n');
    expect(earlier.stderr).toContain('0 pages added, 1 removed, 0 changed, 2 unknown.');
    // Differences weigh more than what could not be read, on either side.
    for (const inputs of [
      [file, server.origin],
      [server.origin, file],
    ]) {
      const ends = async (...argv: readonly string[]) =>
        (await usp(['diff', ...inputs, ...work, '--strict', ...argv])).code;
      expect([
        await ends(),
        await ends('--exit-code'),
        await ends('--exit-code', '--only', 'changed'),
      ]).toEqual([4, 5, 4]);
    }
  });
});

describe('§11.4: usp diff with input that is wrong: one line, and exit code 2', () => {
  const sound = () => files(BEFORE, AFTER);
  const cases: readonly [string, (files: Files) => readonly string[], RegExp][] = [
    [
      'a file that is not there',
      ({ before }) => [before, `${before}.x`],
      /^usp: .*before\.xml\.x cannot be read: no such file or directory\.$/,
    ],
    ['a folder', ({ before }) => [join(before, '..'), before], /is a folder; name the files in it/],
    [
      'a file that is neither',
      ({ before }) => [before, join(import.meta.dirname, '../../package.json')],
      /package\.json is neither a saved tree nor a sitemap\. The document is not .*: it is JSON\.$/,
    ],
    ['an unknown format', ({ before, after }) => [before, after, '-f', 'xml'], /xml/],
    [
      'an unknown kind',
      ({ before, after }) => [before, after, '--only', 'added,new'],
      /"new" is not one of added, removed, changed\./,
    ],
    [
      'an unknown field',
      ({ before, after }) => [before, after, '--compare', 'title'],
      /"title" is not one of lastmod, priority/,
    ],
    [
      'an invalid pattern',
      ({ before, after }) => [before, after, '--include', 're:('],
      /re:\( is not a regular expression/,
    ],
    ['one file only', ({ before }) => [before], /missing required argument 'after'/],
    [
      'an output that cannot be written',
      ({ before, after }) => [before, after, '-o', join(before, 'x')],
      /cannot be written/,
    ],
  ];
  test.each(cases)('%s', async (_name, argvOf, expected) => {
    const { code, stdout, stderr } = await usp(['diff', ...argvOf(sound())]);
    expect(stderr.trim()).toMatch(expected);
    expect([code, stdout]).toEqual([2, '']);
  });

  test.each([
    ['an index', 'index.xml', index(`${E}/a.xml`)],
    ['a robots.txt', 'robots.txt', `User-agent: *\nSitemap: ${E}/a.xml\n`],
  ])('%s, which lists no pages, as either input', async (what, name, text) => {
    const { before } = sound();
    const file = join(before, '..', name);
    writeFileSync(file, text);
    for (const inputs of [
      [file, before],
      [before, file],
    ]) {
      const { code, stdout, stderr } = await usp(['diff', ...inputs, '-f', 'json']);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(
        `${name} is ${what}, which lists no pages.\nhint: usp diff takes the URL of the site`,
      );
    }
  });

  test('a damaged archive', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { pages: ['/1'] } });
    const path = join(folder(), 'tree.usp.gz');
    await saveTree(await treeOf(server), path);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length / 2));
    const { code, stderr } = await usp(['diff', path, path]);
    expect(stderr).toMatch(/^usp: .*tree\.usp\.gz is damaged/);
    expect(code).toBe(2);
  });
});

test('§11.4: the summary names each stale sitemap, why, since when, and in how many runs', async () => {
  const lines: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const reporter = new Reporter(
    {
      stdout: stderr,
      stderr,
      stdin: (async function* () {})(),
      env: {},
      isTerminal: { stdout: false, stderr: false, stdin: false },
      signal: new AbortController().signal,
      version: '1.2.3',
    },
    { verbose: 1 },
  );
  const sitemap = (freshness: 'stale' | 'unchanged', runs = 3) =>
    new IndexXMLSitemap({
      url: `${E}/${freshness}.xml`,
      subSitemaps: [],
      freshness,
      problems: [{ code: 'stale', message: 'It responded with 503.', status: 503 }],
      facts: { checkedAt: Date.UTC(2024, 4, 6), unread: { runs } },
    });
  const after = new IndexXMLSitemap({
    url: `${E}/index.xml`,
    subSitemaps: [sitemap('stale'), sitemap('unchanged')],
  });
  const counts = { added: 2, removed: 0, changed: 1200, same: 0, unknown: 1 };
  reportChanges(reporter, after, after, counts);
  expect(lines.splice(0).join('')).toBe(
    '2 pages added, 0 removed, 1,200 changed, 1 unknown.\n' +
      '1 page is unknown: a sitemap that lists it was not read in both trees.\n' +
      '1 sitemap is stale: not readable this time, and shown as read before.\n' +
      `  ${E}/stale.xml, since 2024-05-06T00:00:00.000Z, in 3 runs: It responded with 503.\n`,
  );
  // What was not read is named where anything is unknown: of both trees, with the nodes at their tops.
  const cut = new IndexXMLSitemap({ url: `${E}/cut.xml`, subSitemaps: [], truncated: true });
  const missing = new InvalidSitemap({ url: `${E}/m.xml`, code: 'http-status', reason: 'It is missing.' });
  const stopped = { limit: 'maxTimeMs', message: 'The time was over (maxTimeMs).' } as const;
  const before = new IndexWebsiteSitemap({ url: E, subSitemaps: [cut, missing], complete: false, stopped });
  reportChanges(reporter, before, missing, { ...counts, unknown: 1000 });
  expect(lines.splice(0).slice(1)).toEqual([
    '1,000 pages are unknown: a sitemap that lists them was not read in both trees.\n',
    `  before: ${E}/cut.xml is truncated.\n`,
    '  before: It is missing.\n',
    '  before: The time was over (--timeout).\n',
    '  after: It is missing.\n',
  ]);
  reportChanges(reporter, before, before, { ...counts, unknown: 0 });
  expect(lines.splice(0)).toEqual(['2 pages added, 0 removed, 1,200 changed.\n']);
  const both = new IndexXMLSitemap({ url: E, subSitemaps: [sitemap('stale', 1), sitemap('stale')] });
  reportChanges(reporter, both, both, { ...counts, unknown: 0 });
  expect(lines.slice(1, 3)).toEqual([
    '2 sitemaps are stale: not readable this time, and shown as read before.\n',
    `  ${E}/stale.xml, since 2024-05-06T00:00:00.000Z, in 1 run: It responded with 503.\n`,
  ]);
});
