/** §14.3: `usp diff` of the folders of two crawls. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { build, runBinary } from '../support/cli-binary.ts';
import { type Told, usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { crawlHere } from '../support/crawl-command.ts';
import { crawlPath } from '../support/crawl-folders.ts';
import { siteOf } from '../support/crawled-site.ts';
import { robots, urlset } from '../support/documents.ts';
import { openFiles } from '../support/folder.ts';
import { tableOf } from '../support/part-rows.ts';
import { canMount, IS_LINUX } from '../support/platform.ts';
import { isFull, sized } from '../support/tier.ts';

beforeAll(build);

/** What stderr says of pages that cannot be compared. */
const UNKNOWN =
  'unknown: one of the crawls did not read all of the site, or left pages out, so what changed is not known.\n';

interface Change {
  readonly type: string;
  readonly url: string;
}

type Entries = readonly (string | readonly [string, string])[];

/** Entries, a document, or null: it responds with 503. */
type Sitemaps = Readonly<Record<string, Entries | string | null>>;

/** A site whose sitemaps can be changed. */
async function changingSite(first: Sitemaps) {
  const { site, origin } = await siteOf({});
  const set = (sitemaps: Sitemaps): void => {
    for (const path of Object.keys(site)) delete site[path];
    site['/robots.txt'] = { body: robots(...Object.keys(sitemaps).map((name) => `${origin}/${name}`)) };
    for (const [name, entries] of Object.entries(sitemaps)) {
      const body = typeof entries === 'string' ? entries : urlset(...(entries ?? []));
      site[`/${name}`] = entries === null ? { status: 503 } : { body };
    }
  };
  set(first);
  return { homepage: `${origin}/`, set, responses: site };
}

async function crawled(homepages: readonly string[], ...more: readonly string[]): Promise<string> {
  const path = crawlPath();
  const work = ['--retries', '0', '--no-known', '--processes', '1', '--allow-private'];
  const { code, stderr } = await crawlHere(['crawl', '-', '-o', path, ...work, ...more], {
    stdin: homepages.join('\n'),
  });
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return path;
}

function changesIn({ stdout }: Told): readonly string[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Change)
    .map(({ type, url }) => `${type} ${url}`)
    .sort();
}

const E = 'https://example.org';
/** Structs, lists and dates, which each format writes in its own way, and which must be the same in all. */
const RICH = Object.fromEntries(
  ['video/all-fields', 'news/all-fields', 'images/all-fields', 'alternates/codes-not-validated'].map(
    (name) => [`${name}.xml`, readFileSync(new URL(`../fixtures/${name}.xml`, import.meta.url), 'utf8')],
  ),
);
/** A page with alternates, whose order is not a change. */
const linked = (...codes: readonly string[]): string => {
  const links = codes.map((code) => `<xhtml:link rel="alternate" hreflang="${code}" href="${E}/${code}"/>`);
  const xhtml = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"';
  return `<urlset ${xhtml}><url><loc>${E}/linked</loc>${links.join('')}</url></urlset>`;
};
const BEFORE = {
  ...RICH,
  'l.xml': linked('en', 'de'),
  'a.xml': [`${E}/same`, [`${E}/dated`, '2024-05-01'], `${E}/gone`],
} as const;
const AFTER = {
  ...RICH,
  'l.xml': linked('de', 'en'),
  'a.xml': [`${E}/same`, [`${E}/dated`, '2024-06-01'], `${E}/new`],
} as const;
const CHANGES = [`added ${E}/new`, `changed ${E}/dated`, `removed ${E}/gone`];

const COLUMNS = [
  ...['type', 'site', 'sitemap', 'url', 'fields', 'lastModified', 'priority', 'changeFrequency'],
  ...['lastModifiedBefore', 'priorityBefore', 'changeFrequencyBefore'],
];

describe('§14.3 usp diff of two crawls', () => {
  // A crawl starts a process: in the fast tier the test of the options has Parquet on both sides.
  const formats = [
    ['parquet', 'parquet'],
    ['ndjson', 'csv'],
    ['csv', 'parquet'],
  ] as const;
  test.each(sized<readonly (typeof formats)[number][]>({ fast: formats.slice(1, 2), full: formats }))(
    'parts in %s and %s: added, removed and changed pages of all sites',
    async (one, other) => {
      const site = await changingSite(BEFORE);
      const gone = await changingSite({ 'a.xml': [`${E}/site-gone`] });
      const added = await changingSite({ 'a.xml': [`${E}/site-new`] });
      const before = await crawled([site.homepage, gone.homepage], '-f', one);
      site.set(AFTER);
      const after = await crawled([site.homepage, added.homepage], '-f', other);
      const told = await usp(['diff', before, after, '-f', 'ndjson', '--exit-code']);
      expect(told.stderr).toBe('2 pages added, 2 removed, 1 changed.\n');
      expect(changesIn(told)).toEqual([...CHANGES, `added ${E}/site-new`, `removed ${E}/site-gone`].sort());
      expect(told.code).toBe(5);
      const changed = told.lines.map((line) => JSON.parse(line)).find(({ type }) => type === 'changed');
      expect(changed).toMatchObject({
        site: site.homepage,
        fields: ['lastModified'],
        lastModified: '2024-06-01T00:00:00.000Z',
        lastModifiedBefore: '2024-05-01T00:00:00.000Z',
      });
      const same = await usp(['diff', after, after, '--exit-code']);
      expect([same.code, same.stdout, same.stderr]).toEqual([
        0,
        '',
        '0 pages added, 0 removed, 0 changed.\n',
      ]);
    },
  );

  testIf(canMount())('a full disk is an error in a sentence, and leaves no file', async () => {
    const crawl = await crawled([(await changingSite(BEFORE)).homepage]);
    const disk = join(crawl, '..', 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', disk]);
    onTestFinished(() => void execFileSync('umount', ['-l', disk]));
    writeFileSync(join(disk, 'full'), Buffer.alloc(4096));
    const file = join(disk, 'changes.parquet');
    const { code, stderr } = await usp(['diff', crawl, crawl, '-f', 'parquet', '-o', file]);
    expect([code, stderr]).toEqual([2, `usp: ${file} cannot be written: no space is left on the device.\n`]);
    vi.stubEnv('TMPDIR', disk);
    onTestFinished(() => void vi.unstubAllEnvs());
    // Which counts the same pages, so that rows are compared although all are equal.
    const sorted = await usp(['diff', crawl, crawl, '-f', 'json']);
    expect([sorted.code, sorted.stderr]).toEqual([
      2,
      `usp: Rows cannot be sorted in ${disk}: no space is left on the device. Set TMPDIR to another folder.\n`,
    ]);
    expect(readdirSync(disk)).toEqual(['full']);
  });

  test('--format, -o, --only, --include and --compare; what cannot be compared is an error that says what to do', async () => {
    const site = await changingSite(BEFORE);
    const before = await crawled([site.homepage]);
    site.set(AFTER);
    const after = await crawled([site.homepage]);
    const file = join(after, '..', 'changes.parquet');
    expect((await usp(['diff', before, after, '-f', 'parquet', '-o', file])).code).toBe(0);
    const rows = tableOf(file).toArray();
    expect(rows.map((row) => `${row.type} ${row.url}`).sort()).toEqual(CHANGES);
    expect([...(await usp(['diff', before, after])).lines].sort()).toEqual([
      `+ ${E}/new`,
      `- ${E}/gone`,
      `~ ${E}/dated  lastmod 2024-05-01 → 2024-06-01`,
    ]);
    expect((await usp(['diff', before, after, '-f', 'csv', '--only', 'added'])).lines).toEqual([
      COLUMNS.join(),
      expect.stringMatching(/^added,.*\/new,(?:[^,]*,){6}[^,]*$/),
    ]);
    expect(Object.keys(rows[0] ?? {})).toEqual([...COLUMNS, 'allowed', 'rule', 'ruleLine']);
    const { changes, counts } = JSON.parse((await usp(['diff', before, after, '-f', 'json'])).stdout);
    const shown = changes.map(({ type, url }: Change) => `${type} ${url}`);
    expect(shown.sort()).toEqual(CHANGES);
    expect(counts).toMatchObject({ added: 1, removed: 1, changed: 1, unknown: 0 });
    expect((await usp(['diff', after, after, '-f', 'json'])).stdout).toBe(
      `{"changes":[],"counts":${JSON.stringify({ added: 0, removed: 0, changed: 0, same: counts.same + 2, unknown: 0 })}}\n`,
    );
    const chosen = ['--include', '*/dated', '--compare', 'images', '-f', 'ndjson'];
    expect(changesIn(await usp(['diff', before, after, ...chosen]))).toEqual([]);
    for (const [argv, message] of [
      [[before, after, '-f', 'parquet'], '-f parquet needs -o FILE.'],
      [[before, file], 'A crawl is compared with another crawl: two folders.'],
    ] as const) {
      const told = await usp(['diff', ...argv]);
      expect([told.code, told.stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    rmSync(join(after, 'pages'), { recursive: true });
    const missing = await usp(['diff', before, after]);
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('--verify to crawl its sites again'),
    ]);
    const description = JSON.parse(readFileSync(join(before, 'crawl.json'), 'utf8')) as object;
    writeFileSync(join(before, 'crawl.json'), JSON.stringify({ ...description, state: 'running' }));
    const unfinished = await usp(['diff', before, after]);
    expect([unfinished.code, unfinished.stderr]).toEqual([2, expect.stringContaining('is not finished')]);
  });

  test('a site that is not complete in both has no removals, and is named; with archives what was read counts', async () => {
    const first = { 'a.xml': [`${E}/a1`, `${E}/a2`], 'b.xml': [`${E}/b1`, `${E}/b2`] };
    const site = await changingSite(first);
    const other = await changingSite({ 'a.xml': [`${E}/o1`], 'b.xml': [`${E}/o2`] });
    const homepages = [site.homepage, other.homepage];
    const archived = await crawled(homepages, '--archives');
    site.set({ 'a.xml': [`${E}/a1`, `${E}/a3`], 'b.xml': null });
    other.set({ 'a.xml': [`${E}/o1`, `${E}/o3`], 'b.xml': null });
    const after = await crawled(homepages);
    // One of them has no archives.
    const told = await usp(['diff', archived, after, '-f', 'ndjson']);
    expect(changesIn(told)).toEqual([`added ${E}/a3`, `added ${E}/o3`]);
    expect(told.stderr).toContain('2 pages added, 0 removed, 0 changed, 4 unknown.\n');
    expect(told.stderr).toContain(
      `since a crawl was incomplete and there are no archives: ${homepages.join(', ')}.`,
    );
    const afterArchived = await crawled(homepages, '--archives');
    const both = await usp(['diff', archived, afterArchived, '-f', 'ndjson']);
    expect(changesIn(both)).toEqual([`added ${E}/a3`, `added ${E}/o3`, `removed ${E}/a2`]);
    expect(both.stderr).toBe(`2 pages added, 1 removed, 0 changed, 3 unknown.\n3 pages are ${UNKNOWN}`);
    if (IS_LINUX) expect([archived, afterArchived].flatMap((path) => openFiles(path))).toEqual([]);
  });

  test('sites whose rows are equal are not compared, and what is found is what a comparison of all finds', async () => {
    const first = { 'a.xml': [`${E}/p1`, `${E}/p2`], 'b.xml': [[`${E}/p1`, '2024-05-01']] } as const;
    const sites = await Promise.all(Array.from({ length: 8 }, () => changingSite(first)));
    const homepages = sites.map(({ homepage }) => homepage);
    const dated = (lastModified: string) => ({ 'a.xml': [[`${E}/p1`, lastModified]] }) as const;
    const byTheSecond = await changingSite(dated('2014-01-01T00:00:00.000Z'));
    const before = await crawled([...homepages.slice(0, 7), byTheSecond.homepage]);
    sites[0]!.set({ ...first, 'a.xml': [`${E}/p1`, [`${E}/p2`, '2024-05-02']] });
    sites[1]!.set({ ...first, 'a.xml': [`${E}/p1`] });
    sites[2]!.set({ ...first, 'c.xml': [`${E}/p3`] });
    // The same rows in another order: another one is the first of the page.
    sites[3]!.set({ 'b.xml': first['b.xml'], 'a.xml': first['a.xml'] });
    sites[4]!.set({ 'a.xml': [] });
    byTheSecond.set(dated('2014-01-01T00:00:00.500Z'));
    const after = await crawled([byTheSecond.homepage, ...homepages.slice(1), homepages[0]!]);
    const told = await usp(['diff', before, after, '-f', 'ndjson']);
    expect(told.stderr).toBe('3 pages added, 3 removed, 3 changed.\n');
    const { changes } = JSON.parse((await usp(['diff', before, after, '-f', 'json'])).stdout);
    const text = (rows: readonly unknown[]): readonly string[] =>
      rows.map((row) => JSON.stringify(row)).sort();
    expect([...told.lines].sort()).toEqual(text(changes));
  });

  test('a site without a row in both crawls is not named; one that had rows is', async () => {
    const site = await changingSite({});
    const failing = await changingSite({ 'a.xml': null });
    const had = await changingSite({ 'a.xml': [`${E}/a1`] });
    const before = await crawled([site.homepage, failing.homepage, had.homepage]);
    had.set({});
    const after = await crawled([site.homepage, failing.homepage, had.homepage]);
    expect((await usp(['diff', after, after])).stderr).toBe('0 pages added, 0 removed, 0 changed.\n');
    expect((await usp(['diff', before, after])).stderr).toBe(
      `0 pages added, 0 removed, 0 changed, 1 unknown.\n1 page is ${UNKNOWN}` +
        `For 1 site removals are not known, since a crawl was incomplete and there are no archives: ${had.homepage}.\n`,
    );
  });

  // Each leaves out some pages of the site, and all crawls of it are `complete`.
  const leavingOut = [
    [],
    ['--include', '/p'],
    ['--include', '/q'],
    ['--exclude', '/p1'],
    ['--since', '2024-01-01'],
    ['--since', '2024-01-01', '--undated', 'keep'],
    ['--agent', 'GPTBot', '--only-allowed'],
    ['--agent', 'OtherBot', '--only-allowed'],
    ['--sitemap-include', 'a.xml'],
    ['--sitemap-exclude', 'a.xml'],
    ['--no-robots', '--known', 'always'],
    ['--known-path', '/unlisted.xml', '--known', 'always'],
    ['--max-pages', '1'],
    ['--max-pages', '3'],
    ['--until', '2024-01-01'],
    ['--until', '2024-01-01', '--undated', 'keep'],
  ];
  const some = leavingOut.filter((_, at) => [0, 1, 9, 13].includes(at));
  const byRows = sized({ fast: some, full: leavingOut });
  const kinds = sized<[string, string[][], ...string[]][]>({
    fast: [['rows alone', byRows]],
    full: [
      ['archives', some, '--archives'],
      ['rows alone', byRows],
    ],
  });
  test.each(kinds)(
    'a site that has not changed has no removed and no added pages, whatever the crawls leave out: by %s',
    async (_by, choices, ...more) => {
      const site = await changingSite({
        'a.xml': [`${E}/p1`, [`${E}/p2`, '2024-05-01'], `${E}/q1`],
        'b.xml': [`${E}/p3`, [`${E}/q2`, '2023-05-01']],
      });
      Object.assign(site.responses, {
        '/unlisted.xml': { body: urlset(`${E}/p4`) },
        '/sitemap.xml': { body: urlset(`${E}/p5`) },
        '/robots.txt': {
          body:
            robots(`${site.homepage}a.xml`, `${site.homepage}b.xml`) +
            '\nUser-agent: GPTBot\nDisallow: /p1\n\nUser-agent: *\nDisallow: /q1\n',
        },
      });
      const crawls = new Map<string, string>();
      for (const flags of choices)
        crawls.set(flags.join(' '), await crawled([site.homepage], ...flags, ...more));
      const all = [...crawls];
      for (const [at, [one, before]] of all.entries()) {
        // Itself, the next one, one of another kind, and in both directions the one that leaves out nothing.
        const chosen = [0, at, at + 1, (at + 5) % all.length];
        const others = at === 0 ? all : all.filter((_, other) => chosen.includes(other));
        for (const [other, after] of others) {
          const { stdout, stderr } = await usp(['diff', before, after]);
          expect([one, other, stdout]).toEqual([one, other, '']);
          if (one === other && !one.startsWith('--max-pages'))
            expect(stderr).toBe('0 pages added, 0 removed, 0 changed.\n');
        }
      }
    },
  );

  test('what rows cut by --max-pages cannot show is unknown, and the site is named', async () => {
    const pages = (...names: readonly string[]): Sitemaps => ({
      'a.xml': names.map((name) => `${E}/${name}`),
    });
    const site = await changingSite(pages('1', '2', '3'));
    const small = await changingSite(pages('small'));
    // Its rows are cut, and sitemaps are missing.
    const partial = await changingSite({ ...pages('p1', 'p2', 'p3', 'p4'), 'b.xml': null });
    const all = [site.homepage, small.homepage, partial.homepage];
    const first = await crawled(all, '--max-pages', '3');
    site.set(pages('0', '1', '2', '3'));
    small.set(pages('other'));
    partial.set(pages('p2', 'p3'));
    const ofPartial = `For 1 site removals are not known, since a crawl was incomplete and there are no archives: ${partial.homepage}.\n`;
    const cut = await usp(['diff', first, await crawled(all, '--max-pages', '3'), '-f', 'ndjson']);
    expect(changesIn(cut)).toEqual([`added ${E}/other`, `removed ${E}/small`]);
    expect(cut.stderr).toBe(
      `1 page added, 1 removed, 0 changed, 3 unknown.\n3 pages are ${UNKNOWN}${ofPartial}` +
        `For 1 site not all changes are known, since --max-pages stopped a crawl: ${site.homepage}.\n`,
    );
    // Without a cut after it, what is gone is known; what is new is not.
    const whole = await usp(['diff', first, await crawled(all), '-f', 'ndjson']);
    expect(changesIn(whole)).toEqual([`added ${E}/other`, `removed ${E}/small`]);
    site.set(pages('2', '3', '4'));
    const gone = await usp(['diff', first, await crawled(all, '--max-pages', '9'), '-f', 'ndjson']);
    expect(changesIn(gone)).toEqual([`added ${E}/other`, `removed ${E}/1`, `removed ${E}/small`]);
    expect(gone.stderr).toContain(`2 removed, 0 changed, 2 unknown.\n`);
    expect(gone.stderr).toContain(ofPartial);
  });

  test('where one crawl leaves out pages, what the other one shows by itself is known', async () => {
    const site = await changingSite({ 'a.xml': [`${E}/a/1`, `${E}/b/1`] });
    const gone = await changingSite({ 'a.xml': [`${E}/site-gone`] });
    const all = await crawled([site.homepage, gone.homepage]);
    const some = await crawled([site.homepage, gone.homepage], '--include', '/a/', '--include', '/site');
    site.set({ 'a.xml': [`${E}/a/2`, `${E}/b/2`] });
    const later = await crawled([site.homepage], '--include', '/a/');
    const narrower = await usp(['diff', all, later, '-f', 'ndjson']);
    expect(changesIn(narrower)).toEqual([`added ${E}/a/2`, `removed ${E}/site-gone`]);
    expect(narrower.stderr).toBe(
      `1 page added, 1 removed, 0 changed, 2 unknown.\n2 pages are ${UNKNOWN}` +
        '--include is not the same in both crawls: what only one of them leaves out is unknown.\n',
    );
    const wider = await usp(['diff', some, await crawled([site.homepage]), '-f', 'ndjson']);
    expect(changesIn(wider)).toEqual([`removed ${E}/a/1`, `removed ${E}/site-gone`]);
    expect(wider.stderr).toContain('2 removed, 0 changed, 2 unknown.\n');
    const same = await crawled([site.homepage], '--include', '/a/');
    expect((await usp(['diff', later, same])).stderr).toBe('0 pages added, 0 removed, 0 changed.\n');
  });

  // 48 MiB are enough. With a third of the rows at once, 60 are not.
  testIf(isFull)('240,000 rows are compared in a heap of 60 MiB', async () => {
    const site = await changingSite(BEFORE);
    const small = await crawled([site.homepage], '-f', 'ndjson');
    const [before, after] = [largeCrawl(small, 'before'), largeCrawl(small, 'after')];
    const env = { NODE_OPTIONS: '--max-old-space-size=60' };
    const { code, stdout, stderr } = await runBinary(['diff', before, after], { env });
    expect([code, stderr]).toEqual([0, '1,200 pages added, 1,200 removed, 0 changed.\n']);
    expect(new Set(stdout.split('\n')).size).toBe(2_401);
  });
});

const SITES = 12;
const ROWS = 10_000;

/** The folder of a crawl of twelve sites with 10,000 pages each, of which every hundredth has another name. */
function largeCrawl(like: string, name: string): string {
  const path = join(like, '..', name);
  const description = JSON.parse(readFileSync(join(like, 'crawl.json'), 'utf8')) as { finished: object };
  const [line = ''] = readFileSync(join(like, 'sites.ndjson'), 'utf8').split('\n');
  mkdirSync(join(path, 'pages'), { recursive: true });
  const lines = Array.from({ length: SITES }, (_, number) => {
    const site = `https://site-${number}.example/`;
    const part = `pages/part-${String(number + 1).padStart(8, '0')}.0123abcd.ndjson.gz`;
    const rows = Array.from({ length: ROWS }, (_row, at) => {
      const url = `${site}${at % 100 === 0 ? name : 'page'}-${at}`;
      return `{"site":"${site}","sitemap":"${site}sitemap.xml","url":"${url}"}\n`;
    });
    const packed = gzipSync(rows.join(''), { level: 1 });
    writeFileSync(join(path, part), packed);
    const facts = { site, pages: ROWS, parts: [part], partBytes: packed.length, batch: number + 1 };
    return `${JSON.stringify({ ...JSON.parse(line), ...facts })}\n`;
  });
  writeFileSync(join(path, 'sites.ndjson'), lines.join(''));
  const finished = { ...description.finished, complete: SITES, pages: SITES * ROWS };
  writeFileSync(join(path, 'crawl.json'), JSON.stringify({ ...description, sites: SITES, finished }));
  return path;
}
