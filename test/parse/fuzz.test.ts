/**
 * Fuzz: the fixtures and some generated documents, mutated. Nothing may throw or hang, cuts may not matter, and
 * every entry that lies wholly before the first mutated byte must still be there.
 *
 * One failing run is repeated alone with `FUZZ_SEED=<its seed> FUZZ_RUNS=1`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { cutAt, type Reading, read, readWhole, seededRandom } from '../support/every-cut.ts';
import { documentFrom } from '../support/generated-document.ts';
import { mutated } from '../support/mutations.ts';
import { CHANGING_SEED, seedsOf } from '../support/random.ts';
import { sized } from '../support/tier.ts';

const CHOSEN = [20_240_506, sized({ fast: 400, full: 1_000 })] as const;
/** Of these, how many mutate only behind the root's start tag, where the promise about earlier entries holds. */
const KEPT_SHARE = 0.7;
/** Of these, how many are read byte by byte besides whole; the others at a few random cuts. */
const BYTEWISE_SHARE = 0.02;
/** How many generated documents of each format join the fixtures: these have more entries, and all of XML's ways. */
const GENERATED = 15;
/** Closing tags of entries; `q9:` is the generator's prefix for what only looks like one. */
const ENTRY_END = /<\/(?!q9:)([^<>:]+:)?(url|sitemap|item|entry)\s*>/gi;
const UNPARSED = /<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>/gs;
const LINE_END = /^.*https?:.*\n/gm;
const FOLDER = join(import.meta.dirname, '../fixtures');

interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly url: string;
  readonly read: Reading;
  /** Where each item's entry ends; absent where entries and items are not one to one. */
  readonly ends: readonly number[] | undefined;
  /** From here on a mutation cannot change what kind of document it is. */
  readonly decided: number;
}

const samples = [...fixtures(), ...generated()];
const keepers = samples.filter(({ ends }) => ends !== undefined);

// The timeout is for machines that are busy with other things.
test(`mutated fixtures, from seed ${CHOSEN[0]} and from ${CHANGING_SEED}`, { timeout: 900_000 }, () => {
  expect(keepers.length).toBeGreaterThan(80);
  for (const seed of seedsOf({ variable: 'FUZZ', chosen: CHOSEN, seconds: 2 })) {
    try {
      runOnce(seed);
    } catch (error) {
      throw new Error(`Repeat with FUZZ_SEED=${seed} FUZZ_RUNS=1`, { cause: error });
    }
  }
});

function runOnce(seed: number): void {
  const random = seededRandom(seed);
  const keeping = random() < KEPT_SHARE;
  const among = keeping ? keepers : samples;
  const sample = among[Math.floor(random() * among.length)];
  if (sample === undefined) throw new Error('there are no fixtures');

  const { bytes, first } = mutated(sample.bytes, keeping ? sample.decided : 0, random);
  const options = { url: sample.url };
  const whole = readWhole(bytes, options);
  const cuts =
    random() < BYTEWISE_SHARE
      ? [...bytes.keys()]
      : Array.from({ length: 1 + Math.floor(random() * 6) }, () => Math.floor(random() * bytes.length));
  const inPieces = read(
    cutAt(
      bytes,
      cuts.sort((left, right) => left - right),
    ),
    options,
  );

  const about = () => `${sample.name}, mutated at ${first}: ${preview(bytes)}`;
  if (!isDeepStrictEqual(inPieces, whole)) {
    expect(inPieces, `cut at ${cuts.slice(0, 10).join(', ')}, ${about()}`).toEqual(whole);
  }
  expectSound(whole, about);
  if (!keeping) return;
  const complete = sample.ends?.filter((end) => end <= first).length ?? 0;
  const wanted = sample.read.items.slice(0, complete);
  const found = whole.items.slice(0, complete);
  if (!isDeepStrictEqual(found, wanted)) expect(found, about()).toEqual(wanted);
}

/** What is true of any document's answer. */
function expectSound({ kind, reason, items, problems, problemCount }: Reading, about: () => string): void {
  const sound =
    kind !== undefined &&
    (kind === 'invalid') === (reason !== undefined) &&
    (kind !== 'invalid' || items.length === 0) &&
    problemCount >= problems.length &&
    problems.length <= 100;
  if (!sound) expect({ kind, reason, items, problems, problemCount }, about()).toBe('a sound answer');
}

function* fixtures(): Generator<Sample> {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  for (const [index, name] of names
    .filter((file) => /\.(xml|txt|html)$/.test(file))
    .sort()
    .entries()) {
    const stated: unknown = JSON.parse(readFileSync(join(FOLDER, name.replace(/\.\w+$/, '.json')), 'utf8'));
    const hasUrl = typeof stated === 'object' && stated !== null && 'url' in stated;
    const url = hasUrl && typeof stated.url === 'string' ? stated.url : 'https://example.org/sitemap.xml';
    const bytes = new Uint8Array(readFileSync(join(FOLDER, name)));
    yield sampleOf(name, bytes, url);
    // The way through a charset is a way of its own.
    if (index % 5 === 0)
      yield sampleOf(`${name} in UTF-16`, Buffer.from(Buffer.from(bytes).toString(), 'utf16le'), url);
  }
}

function* generated(): Generator<Sample> {
  const random = seededRandom(GENERATED);
  for (const format of ['urlset', 'sitemapindex', 'rss', 'atom'] as const) {
    for (let index = 0; index < GENERATED; index++) {
      const tape = Uint8Array.from({ length: 800 }, () => Math.floor(random() * 256));
      const bytes = new TextEncoder().encode(documentFrom(tape, format));
      yield sampleOf(`generated ${format} ${index}`, bytes, 'https://example.org/sitemap.xml');
    }
  }
}

function sampleOf(name: string, bytes: Uint8Array, url: string): Sample {
  const result = readWhole(bytes, { url });
  // Latin-1, so that places in the text are places in the bytes.
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(UNPARSED, (match) => ' '.repeat(match.length));
  const isLines = result.kind === 'robots-txt' || result.kind === 'pages-text';
  const ends = [...text.matchAll(isLines ? LINE_END : ENTRY_END)].map(
    (match) => match.index + match[0].length,
  );
  // Where an address is behind the last end of an entry, the ends say nothing about which entries are complete.
  const isInOrder = !/<loc>/i.test(text.slice(ends.at(-1)));
  const fits = ends.length > 0 && ends.length === result.items.length && isInOrder;
  return {
    name,
    bytes,
    url,
    read: result,
    ends: fits ? ends : undefined,
    decided: decidedAt(text, ends[0] ?? 0),
  };
}

/** The root's start tag is read, or, where there is none, the first entry. */
function decidedAt(text: string, firstEntry: number): number {
  const root = /<([^<>:]+:)?(urlset|sitemapindex|rss|feed|RDF)\b("[^"]*"|'[^']*'|[^<>"'])*>/i.exec(text);
  return root === null ? firstEntry : root.index + root[0].length;
}

function preview(bytes: Uint8Array): string {
  const text = JSON.stringify(Buffer.from(bytes).toString('latin1'));
  return text.length > 3000 ? `${text.slice(0, 3000)}…` : text;
}
