/**
 * §16: whatever `usp fix --partial` reads, what it writes has no error in `usp check` and no warning about form, other
 * parsers of XML accept it, and reading it gives the pages of the original, but for what the report names.
 *
 * Many documents go through one command, each into a file of its own. One failing run is repeated alone with
 * `FIX_SEED=<its seed> FIX_RUNS=1`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  checkSitemap,
  parseSitemap,
  type SitemapItem,
  type SitemapPage,
  sitemapFromBytes,
} from '../../src/index.ts';
import type { Repair } from '../../src/write/repair.ts';
import { usp } from '../support/cli-world.ts';
import { describeIf } from '../support/collected.ts';
import { seededRandom } from '../support/every-cut.ts';
import { documentFrom } from '../support/generated-document.ts';
import { mutated } from '../support/mutations.ts';
import { CHANGING_SEED, seedsOf } from '../support/random.ts';
import { sized } from '../support/tier.ts';

/** One of these documents finds a planted fault that no fixture finds. */
const CHOSEN = [300, 60] as const;
/** So many documents go through one command. */
const AT_ONCE = 250;
const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const CORPUS = fileURLToPath(new URL('../../../shared/corpus/', import.meta.url));
const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

/** Rules about what pages say, which no writer can know better: not about the form in which they say it. */
const ABOUT_CONTENT: ReadonlySet<string> = new Set([
  ...['hreflang-no-return', 'hreflang-no-self', 'hreflang-unsupported'],
  ...['lastmod-all-equal', 'lastmod-epoch', 'lastmod-future', 'news-too-old', 'url-double-slash'],
  ...['url-fragment', 'url-not-a-page', 'url-other-host', 'url-other-scheme', 'url-repeated'],
  ...[
    'sitemap-listed-as-page',
    'template',
    'url-session-id',
    'url-tracking-parameter',
    'url-variants',
    'video-same-as-page',
  ],
]);

interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** One that yields pages. */
interface SampleOfPages extends Sample {
  readonly pages: readonly SitemapPage[];
}

interface Report {
  readonly repairs: readonly Repair[];
  readonly files: readonly { readonly name: string; readonly from?: string; readonly pages: number }[];
}

/** Repairs documents with one command, and holds the law to each of them. */
async function expectLaw(samples: readonly SampleOfPages[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'usp-fix-'));
  try {
    const inputs = samples.map(({ name, bytes }, at) => {
      const path = join(folder, `${at}${extname(name.replace(/\.gz$/, '')) === '.txt' ? '.txt' : '.xml'}`);
      writeFileSync(path, bytes);
      return path;
    });
    const out = join(folder, 'out');
    const argv = ['fix', ...inputs, '-o', out, '--partial', '--keep-duplicates', '-f', 'json'];
    const { code, stdout, stderr } = await usp(argv);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as Report;
    if (hasXmllint) {
      const files = report.files.map(({ name }) => join(out, name));
      const { stderr } = spawnSync('xmllint', ['--noout', '--huge', ...files], { encoding: 'utf8' });
      expect(stderr).toBe('');
    }
    const repairs = groupedBy(report.repairs, ({ document }) => document);
    const files = groupedBy(report.files, ({ from = '' }) => from);
    for (const [at, sample] of samples.entries()) {
      const own = repairs.get(inputs[at]!) ?? [];
      const written = (files.get(inputs[at]!) ?? []).map((file) => readFileSync(join(out, file.name)));
      expectRepaired(sample, written, own);
    }
    return report.files.length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

const NONE: readonly Repair[] = [];

function expectRepaired(
  { name, pages: before }: SampleOfPages,
  files: readonly Uint8Array[],
  repairs: readonly Repair[],
): void {
  for (const file of files) {
    const faults = [...checkSitemap(file)]
      .filter(({ severity, rule }) => severity !== 'info' && !ABOUT_CONTENT.has(rule))
      .map(({ rule, message }) => `${rule}: ${message}`);
    expect(faults, name).toEqual([]);
  }
  const after = files.flatMap(pagesIn);
  const ofPages = repairs.filter(({ page }) => page !== undefined);
  const unplaced = ofPages.filter(({ line = 0, column = 0 }) => line === 0 || column === 0);
  expect(unplaced, name).toEqual([]);
  const named = groupedBy(ofPages, ({ page = '' }) => page);
  const byUrl = new Map(after.map((page) => [page.url, page]));
  const expected = new Set<string>();
  for (const page of before) {
    const own = named.get(page.url) ?? NONE;
    if (own.some(({ action }) => action === 'dropped')) continue;
    const found =
      byUrl.get(page.url) ??
      [page.url, ...own.map((repair) => urlNamedBy(repair, page.url))]
        .map((url) => byUrl.get(url) ?? startingWith(url, after, expected))
        .find((each) => each !== undefined);
    if (found === undefined) expect.fail(`${name}: ${page.url} was lost, and the report does not say so`);
    expected.add(found.url);
    if (own.length > 0 || isDeepStrictEqual(writtenValues(found), writtenValues(page))) continue;
    expect(valuesOf(found), `${name}: ${page.url}`).toEqual(valuesOf(page));
  }
  for (const { url } of after) {
    if (!expected.has(url)) expect.fail(`${name}: ${url} is new, and the report does not say so`);
  }
}

/** The URL of a page after a repair: the message ends with it, or says what was left out. */
function urlNamedBy({ rule, message }: Repair, url: string): string {
  if (rule === 'url-not-public') return url.replace(/\/\/[^/?#]*@/, '//');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
  if (rule === 'control-character') return url.replace(/[\x00-\x1f\ufffe\uffff]|\p{Surrogate}/gu, '');
  return message.slice(message.lastIndexOf(' ') + 1).replace(/…$/, '');
}

/** A message has the beginning of a URL that is very long. */
function startingWith(
  url: string,
  pages: readonly SitemapPage[],
  known: ReadonlySet<string>,
): SitemapPage | undefined {
  return url.length < 200
    ? undefined
    : pages.find((page) => page.url.startsWith(url) && !known.has(page.url));
}

function pagesIn(file: Uint8Array): SitemapPage[] {
  const parse = parseSitemap(file);
  const pages = pagesOf(parse);
  expect(parse.problems.filter(({ code }) => !ABOUT_CONTENT.has(code))).toEqual([]);
  return pages;
}

function writtenValues(page: SitemapPage): object {
  const values = { ...page.toObject(), declaredPriority: page.declaredPriority };
  return Object.assign(values, { lastModifiedText: undefined, priority: undefined });
}

/** The same, where a value that is empty says as much as one that is not there. */
function valuesOf(page: SitemapPage): object {
  const values = writtenValues(page);
  return JSON.parse(JSON.stringify(values, (_name, value) => (value === '' ? undefined : value)));
}

function filesIn(folder: string, names: RegExp): Sample[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => {
      const name = relative(folder, path);
      const bytes = readFileSync(path);
      return { name, bytes: bytes[0] === 0x1f && bytes[1] === 0x8b ? inflated(bytes) : bytes };
    });
}

function inflated(bytes: Buffer): Uint8Array {
  try {
    return gunzipSync(bytes);
  } catch {
    return bytes;
  }
}

/** Those that yield a page. */
async function withPages(samples: readonly Sample[]): Promise<SampleOfPages[]> {
  const kept: SampleOfPages[] = [];
  for (const sample of samples) {
    const isGzipped = sample.bytes[0] === 0x1f;
    const pages = isGzipped ? await inflatedPages(sample.bytes) : pagesOf(parseSitemap(sample.bytes));
    if (pages.length > 0) kept.push({ ...sample, pages });
  }
  return kept;
}

async function inflatedPages(bytes: Uint8Array): Promise<SitemapPage[]> {
  using sitemap = await sitemapFromBytes(bytes);
  return [...sitemap.pages];
}

function pagesOf(items: Iterable<SitemapItem>): SitemapPage[] {
  return Array.from(items).flatMap((item) => (item.type === 'page' ? item.page : []));
}

const fixtures = filesIn(FIXTURES, /\.(?:xml|txt|html)$/);

describe('the law holds for', () => {
  test('fixtures that yield a page: every one in the full tier', async () => {
    const samples = await withPages(fixtures.filter((_, at) => at % sized({ fast: 3, full: 1 }) === 0));
    const least = sized({ fast: 40, full: 130 });
    expect(samples.length).toBeGreaterThan(least);
    expect(await expectLaw(samples)).toBeGreaterThan(least);
  });

  // The timeout is for machines that are busy with other things.
  test(`random broken documents, from seed ${CHOSEN[0]} and from ${CHANGING_SEED}`, {
    timeout: 900_000,
  }, async () => {
    const random = seededRandom(7);
    const generated = (['urlset', 'urlset', 'rss', 'atom'] as const).flatMap((format) =>
      Array.from({ length: 15 }, (_, at) => {
        const tape = Uint8Array.from({ length: 800 }, () => Math.floor(random() * 256));
        return { name: `${format} ${at}`, bytes: new TextEncoder().encode(documentFrom(tape, format)) };
      }),
    );
    const sources = [...fixtures, ...generated];
    // What is not a sitemap is refused, and not by this law.
    const expectAll = async (samples: readonly Sample[]): Promise<void> => {
      const own = await withPages(samples);
      if (own.length > 0) await expectLaw(own);
    };
    let samples: Sample[] = [];
    for (const seed of seedsOf({ variable: 'FIX', chosen: CHOSEN, seconds: 3 })) {
      const random = seededRandom(seed);
      const source = sources[Math.floor(random() * sources.length)]!;
      const { bytes } = mutated(source.bytes, 0, random);
      samples.push({ name: `FIX_SEED=${seed} (${source.name})`, bytes });
      if (samples.length < AT_ONCE) continue;
      await expectAll(samples);
      samples = [];
    }
    await expectAll(samples);
  });
});

describeIf(existsSync(join(CORPUS, 'INDEX.tsv')), 'the law holds for real files:', () => {
  test('every file that yields a page', { timeout: 900_000 }, async () => {
    // The first pages of a large file are like the others. With TEST_STRENGTH=2 every file is whole.
    const most = sized({ fast: 10_000, full: 30_000, strong: Number.POSITIVE_INFINITY });
    const files = filesIn(CORPUS, /./)
      .filter((_, at) => at % sized({ fast: 4, full: 1 }) === 0)
      .map(({ name, bytes }) => ({ name, bytes: bytes.subarray(0, most) }));
    const samples = await withPages(
      files.filter(({ name }) => !/(?:^|\/)(?:README|FACTS)\.md$|INDEX\.tsv$/.test(name)),
    );
    expect(samples.length).toBeGreaterThan(sized({ fast: 10, full: 120 }));
    expect(await expectLaw(samples)).toBeGreaterThan(sized({ fast: 10, full: 120 }));
  });
});
