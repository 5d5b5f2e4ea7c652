/**
 * Real files: sitemaps, feeds, text lists and robots.txt files as they were found, in a folder beside the project
 * (many carry no licence, so they are not copied into it). corpus.json says what each must yield, and what the tests of its
 * own project say about it. The numbers were judged by looking at the files: where one is below what another parser or a
 * plain text search finds, its row says why, and a test refuses both a missing reason and a needless one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, createInflateRaw } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  type DocumentKind,
  type ParseProblemCode,
  parseSitemap,
  type SitemapItem,
} from '../../src/parse/index.ts';
import { describeIf } from '../support/collected.ts';
import { cutAt, read, readEveryWay } from '../support/every-cut.ts';
import { sized } from '../support/tier.ts';

/** One file: its kind, how many pages or children it yields, which codes its problems have, and what else is to be said. */
type CorpusRow = readonly [
  path: string,
  kind: DocumentKind,
  count: number,
  problems: readonly ParseProblemCode[],
  note?: { readonly truncated?: boolean; readonly reason?: string; readonly why?: string },
];

type ItemJson = Readonly<Record<string, unknown>>;

interface CorpusFact {
  readonly path: string;
  readonly says: string;
  /** All addresses, in order. */
  readonly urls?: readonly string[];
  /** Everything, in order. */
  readonly items?: readonly ItemJson[];
  /** Some of the items, by their place. */
  readonly some?: Readonly<Record<number, ItemJson>>;
}

const { files: CORPUS, facts: FACTS } = JSON.parse(
  readFileSync(new URL('corpus.json', import.meta.url), 'utf8'),
) as { readonly files: readonly CorpusRow[]; readonly facts: readonly CorpusFact[] };

const FOLDER = new URL('../../../shared/corpus/', import.meta.url);
const isThere = existsSync(new URL('INDEX.tsv', FOLDER));

/** Up to this size a file is read in every way: byte by byte, at random cuts, sync and async. */
const SMALL = 8_000;
/** Above this, its items are not compared one by one: a million pages as JSON are no small thing. */
const LARGE = 1_000_000;

/** Each file is read in the full tier, every sixth in the fast one. */
const READ = CORPUS.filter((_, at) => at % sized({ fast: 6, full: 1 }) === 0);

const NOT_THERE =
  'No folder ../shared/corpus beside the project: the real files were not tested, everything else was.';
// The note of a skipped test is only shown when its file runs alone.
if (!isThere) process.stderr.write(`${NOT_THERE}\n`);

test('the corpus is there', ({ skip }) => {
  skip(!isThere, NOT_THERE);
  const root = fileURLToPath(FOLDER);
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    // What is in the folder itself describes the files.
    .filter((path) => path.includes('/'));
  expect(CORPUS.map(([path]) => path).sort()).toEqual(files.sort());
});

describeIf(isThere, 'what each file yields', () => {
  const index = isThere ? readIndex() : new Map<string, IndexRow>();
  const rows = READ.map((row): [string, CorpusRow] => [`${row[0]}: ${row[1]}, ${row[2]}`, row]);

  test.each(rows)('%s', async (_, [path, kind, count, problems, note = {}]) => {
    const { bestPeer, inFile } = index.get(path) ?? { bestPeer: 0, inFile: 0 };
    // A reason must be written where there is less, and may not outlive its cause.
    expect(note.why === undefined, `"${note.why}" against ${bestPeer} and ${inFile}`).toBe(
      count >= Math.max(bestPeer, inFile),
    );

    const bytes = await inflated(readFileSync(new URL(path, FOLDER)));
    const parse = parseSitemap(bytes, { url: urlOf(path) });
    let found = 0;
    for (const item of parse) {
      expectItemOf(kind, item);
      found++;
    }
    const codes = new Set(parse.problems.map(({ code }) => code));
    expect({ kind: parse.kind, count: found, problems: [...codes].sort() }).toEqual({
      kind,
      count,
      problems: [...problems].sort(),
    });
    expect(parse.truncated).toBe(note.truncated ?? false);
    expect(parse.problemCount).toBeGreaterThanOrEqual(parse.problems.length);
    if (kind === 'invalid') {
      expect(parse.reason).toContain(urlOf(path));
      expect(parse.reason).toContain(note.reason ?? 'a reason in the table');
    } else {
      expect(parse.reason).toBeUndefined();
    }
  });

  test.each(READ.map(([path]) => path))('%s, however it is cut', async (path) => {
    const bytes = await inflated(readFileSync(new URL(path, FOLDER)));
    const options = { url: urlOf(path) };
    if (bytes.length <= SMALL) await readEveryWay(bytes, options);
    else if (bytes.length <= LARGE)
      expect(read(cutAt(bytes, every(4093, bytes)), options)).toEqual(read([bytes], options));
  });
});

describeIf(isThere, 'what the tests of their own projects say', () => {
  const facts = FACTS.map((fact): [string, CorpusFact] => [`${fact.path}: ${fact.says}`, fact]);

  test.each(facts)('%s', async (_, { path, urls, items, some }) => {
    const bytes = await inflated(readFileSync(new URL(path, FOLDER)));
    const found = [...parseSitemap(bytes, { url: urlOf(path) })].map(jsonOf);
    if (urls !== undefined) expect(found.map(({ url }) => url)).toEqual(urls);
    if (items !== undefined) expect(found).toEqual(items);
    for (const [place, item] of Object.entries(some ?? {})) expect(found[Number(place)]).toEqual(item);
  });

  test('each fact is about a file of the table', () => {
    const paths = new Set(CORPUS.map(([path]) => path));
    expect(FACTS.map(({ path }) => path).filter((path) => !paths.has(path))).toEqual([]);
  });
});

/** The numbers of INDEX.tsv that a row is held to. */
interface IndexRow {
  /** The most that any other parser finds. */
  readonly bestPeer: number;
  /** The most that a plain text search finds. */
  readonly inFile: number;
}

function readIndex(): Map<string, IndexRow> {
  const [head = '', ...lines] = readFileSync(new URL('INDEX.tsv', FOLDER), 'utf8').trim().split('\n');
  const names = head.split('\t');
  return new Map(
    lines.map((line) => {
      const cells = line.split('\t');
      const cell = (name: string) => cells[names.indexOf(name)] ?? '';
      return [cell('path'), { bestPeer: Number(cell('best_peer')), inFile: Number(cell('in_file')) }];
    }),
  );
}

// A robots.txt is known by its address; the files of this kind have other names here.
function urlOf(path: string): string {
  return path.includes('robots') && path.endsWith('.txt')
    ? 'http://example.com/robots.txt'
    : `http://example.com/${path}`;
}

function expectItemOf(kind: string, item: SitemapItem): void {
  const isIndex = kind === 'index-xml' || kind === 'robots-txt';
  // One comparison a page, since there are a million of them in one file.
  if ((item.type === 'sitemap') !== isIndex)
    expect(item.type, `an item of ${kind}`).toBe(isIndex ? 'sitemap' : 'page');
}

function jsonOf(item: SitemapItem): Record<string, unknown> {
  return JSON.parse(JSON.stringify(item.type === 'page' ? item.page : item.sitemap));
}

function* every(size: number, bytes: Uint8Array): Generator<number> {
  for (let cut = size; cut < bytes.length; cut += size) yield cut;
}

/**
 * Inflates what is gzip, as fetching does (the core does not: it runs where there is no zlib). What can be
 * inflated of a broken file is kept; one that gives nothing stays as it is.
 */
async function inflated(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  // The header: ten bytes, then a name if the flags say so. None of these files has any of the other fields.
  const hasName = ((bytes[3] ?? 0) & 8) !== 0;
  const start = hasName ? bytes.indexOf(0, 10) + 1 : 10;
  const inflate = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH });
  const chunks: Uint8Array[] = [];
  inflate.end(bytes.subarray(start));
  try {
    for await (const chunk of inflate) chunks.push(chunk);
  } catch {
    // Whatever came out before the break is kept.
  }
  return chunks.length === 0 ? bytes : Buffer.concat(chunks);
}
