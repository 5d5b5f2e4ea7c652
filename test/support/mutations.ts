/** What goes wrong with documents on their way: flipped, cut and doubled bytes, swapped tags, and worse. */

/** A number from 0 up to, not including, 1. */
export type Random = () => number;

interface Edit {
  readonly at: number;
  /** How many bytes are taken out. */
  readonly taken: number;
  /** What is there instead. */
  readonly put: Uint8Array;
}
type Mutation = (bytes: Uint8Array, at: number, random: Random) => Edit;

const TOKENS = [
  ...[
    '<',
    '>',
    '&',
    '"',
    "'",
    '</',
    '/>',
    '<!',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '?>',
    '&#x',
    '&amp;',
    ';',
  ],
  ...[
    '<url>',
    '</url>',
    '<loc>',
    '</loc>',
    '<sitemap>',
    '<item>',
    '<entry>',
    '</urlset>',
    '</sitemapindex>',
    '</feed>',
  ],
  ...[
    '<urlset>',
    '<rss>',
    '<html>',
    '<script>',
    '</script>',
    '<!DOCTYPE x [',
    '<!ENTITY a "',
    ' xmlns="urn:x"',
    '\n',
    '\r',
  ],
  ...[
    'https://example.org/inserted',
    '\nhttps://example.org/line\n',
    '\0',
    '\u{fffe}',
    '\u{2028}',
    '<image:loc>',
    '<x:y ',
  ],
].map((token) => new TextEncoder().encode(token));
const BAD_BYTES = [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0x00, 0x00]].map(
  (bytes) => Uint8Array.from(bytes),
);
const NOTHING = new Uint8Array(0);

const MUTATIONS: readonly Mutation[] = [
  // Flip bits of a byte.
  (bytes, at, random) => ({ at, taken: 1, put: Uint8Array.of((bytes[at] ?? 0) ^ (1 << below(8, random))) }),
  // Put any byte in place of another.
  (_, at, random) => ({ at, taken: 1, put: Uint8Array.of(below(256, random)) }),
  // Take a piece out.
  (_, at, random) => ({ at, taken: 1 + below(40, random), put: NOTHING }),
  // Cut the rest off.
  (bytes, at) => ({ at, taken: bytes.length - at, put: NOTHING }),
  // Double a piece.
  (bytes, at, random) => ({ at, taken: 0, put: bytes.slice(at, at + 1 + below(200, random)) }),
  // Insert what means something.
  (_, at, random) => ({ at, taken: 0, put: among(TOKENS, random) }),
  (_, at, random) => ({ at, taken: 0, put: among(BAD_BYTES, random) }),
  // Swap a tag for another one of the document.
  (bytes, at, random) => swappedTag(bytes, at, random),
  // Nest deeper than any sitemap does.
  (_, at, random) => ({
    at,
    taken: 0,
    put: filled(among(['<x>', '<url>', '<loc>', '</x>', '<a:b c="d">'], random), below(400, random)),
  }),
  // A huge attribute, mostly small for the sake of time, sometimes past 64 KiB; every other one is never closed.
  (_, at, random) => {
    const value = 'z'.repeat(random() < 0.02 ? 70_000 : below(500, random));
    return { at, taken: 0, put: new TextEncoder().encode(`<x y="${value}${random() < 0.5 ? '"/>' : ''}`) };
  },
];

/** A mutated copy, nothing before `from` touched, and the place of its first mutated byte. */
export function mutated(
  original: Uint8Array,
  from: number,
  random: Random,
): { bytes: Uint8Array; first: number } {
  let bytes = original;
  let first = original.length;
  for (let times = 1 + below(3, random); times > 0; times--) {
    const mutation = among(MUTATIONS, random);
    // Late places are more likely: the later the damage, the more there is before it to be kept.
    const at = from + Math.floor(Math.sqrt(random()) * Math.max(1, bytes.length - from));
    const edit = mutation(bytes, at, random);
    first = Math.min(first, edit.at);
    bytes = applied(bytes, edit);
  }
  return { bytes, first };
}

function applied(bytes: Uint8Array, { at, taken, put }: Edit): Uint8Array {
  return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + taken)]);
}

function swappedTag(bytes: Uint8Array, at: number, random: Random): Edit {
  const text = Buffer.from(bytes.subarray(at)).toString('latin1');
  const tags = [...text.matchAll(/<[^<>]*>/g)];
  if (tags.length === 0) return { at, taken: 1, put: NOTHING };
  const victim = among(tags, random);
  const other = among(tags, random);
  return { at: at + victim.index, taken: victim[0].length, put: Buffer.from(other[0], 'latin1') };
}

function filled(token: string, times: number): Uint8Array {
  return new TextEncoder().encode(token.repeat(times));
}

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}

function among<Value>(values: readonly Value[], random: Random): Value {
  const value = values[below(values.length, random)];
  if (value === undefined) throw new Error('nothing to choose from');
  return value;
}
