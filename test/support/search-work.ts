/**
 * Looks for documents that are much work for their size, as an attacker would: shapes are made of tokens (repeated,
 * nested, never closed, blank, long), those that cost most for each byte are kept and mutated. The same seed gives
 * the same search.
 *
 * The counting changes the process: see counted-work.ts.
 */
import { startCounting, type Work, workOf } from './counted-work.ts';
import { Chance } from './random.ts';

type Token = string | ((index: number) => string);

const TOKENS: readonly Token[] = [
  ...['<url>', '</url>', '<loc>', '</loc>', '<lastmod>', '</lastmod>', '<urlset>', '</urlset>', '<sitemap>'],
  ...[
    '<url><loc>https://example.org/a</loc></url>',
    'https://example.org/',
    '2024-05-06',
    '<loc/>',
    '<url/>',
  ],
  ...['<image:image>', '</image:image>', '<image:loc>', '</image:loc>', '<video:video>', '<video:tag>'],
  ...[
    '<video:price currency="EUR">',
    '<news:keywords>',
    '<xhtml:link rel="alternate" hreflang="de" href="x"/>',
  ],
  ...[
    '<a>',
    '</a>',
    '<a/>',
    '<a ',
    '<',
    '>',
    '/',
    '=',
    '"',
    "'",
    ' ',
    '\n',
    '\r',
    '\t',
    'x',
    'é',
    '\u{1f600}',
    ',',
  ],
  ...['&', '&amp;', '&#x', '&#1', '&eacute', ';', '\u0001', '%', '://', ':'],
  ...[
    '<!--',
    '-->',
    '-',
    '<![CDATA[',
    ']]>',
    ']',
    '<?x ',
    '<?xml ',
    '?>',
    '<!DOCTYPE x [',
    '<!',
    '[',
    '<!ENTITY a "b">',
  ],
  ...['<html>', '<script>', '</script>', '<title>', 'http-equiv=refresh ', 'Sitemap: ', 'Sitemap', '#'],
  ...[' xmlns="urn:x"', ' x="y"', ' href='],
  (index) => ` xmlns:p${index}="urn:${index}"`,
  (index) => `<a xmlns:p="urn:${index}">`,
  (index) => `<p${index}:a/>`,
  (index) => ` p${index}:a="b"`,
  (index) => `</t${index}>`,
  (index) => `<!ENTITY e${index} "v">`,
  (index) => `&e${index};`,
  (index) => `<t${index}>`,
  (index) => `<t${index}/>`,
  (index) => `<a${100 + (index % 256)}b${100 + (index % 256)}c/>`,
  (index) => `<loc>https://example.org/${index}</loc>`,
];
const TIMES = [1, 1, 1, 2, 3, 30, 200, 2000];
const PATHS = ['/sitemap.xml', '/sitemap.xml', '/sitemap.xml', '/robots.txt'];
const ROOT = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';

interface Part {
  readonly token: number;
  readonly times: number;
}

interface Shape {
  readonly hasRoot: boolean;
  readonly path: string;
  readonly start: readonly Part[];
  readonly repeat: readonly Part[];
}

/** A shape and what it costs. */
interface Costly {
  readonly perByte: number;
  /** How it begins, to be read and to be made a row of hostile-shapes.ts. */
  readonly document: string;
}

interface SearchOptions {
  readonly work: Work;
  readonly seed: number;
  /** How many shapes are measured. */
  readonly shapes: number;
  /** @default 24000 */
  readonly bytes?: number;
}

const KEPT = 12;

/** The costliest shapes that were found, the worst first. To be called once in a process. */
export async function searchForWork({
  work,
  seed,
  shapes,
  bytes = 24_000,
}: SearchOptions): Promise<readonly Costly[]> {
  await startCounting();
  const chance = new Chance(seed);
  let best: { readonly shape: Shape; readonly perByte: number }[] = [];
  for (let count = 0; count < shapes; count++) {
    const parent = best.length === 0 || chance.happens(0.3) ? undefined : chance.pick(best);
    const shape = parent === undefined ? anyShape(chance) : mutated(parent.shape, chance);
    const document = written(shape, bytes);
    const chunk = chance.happens(0.3) ? 16 : 0;
    const perByte = (await workOf(document, chunk, shape.path, work)) / document.length;
    best = [...best, { shape, perByte }].sort((left, right) => right.perByte - left.perByte).slice(0, KEPT);
  }
  return best.map(({ shape, perByte }) => ({
    perByte,
    document: written(shape, bytes).toString().slice(0, 300),
  }));
}

function written({ hasRoot, start, repeat }: Shape, bytes: number): Buffer {
  const parts = [hasRoot ? ROOT : '', ...start.map((part) => textOf(part, 0))];
  let length = parts.reduce((sum, part) => sum + part.length, 0);
  for (let index = 0; length < bytes; index++) {
    const text = repeat.map((part) => textOf(part, index)).join('') || ' ';
    parts.push(text);
    length += text.length;
  }
  return Buffer.from(parts.join('')).subarray(0, bytes);
}

function textOf({ token, times }: Part, index: number): string {
  const text = TOKENS[token] ?? '';
  if (typeof text === 'string') return text.repeat(times);
  return Array.from({ length: times }, (_, step) => text(index * times + step)).join('');
}

function anyShape(chance: Chance): Shape {
  const path = chance.pick(PATHS);
  // Without a root only the first 64 KiB are looked at: the work for each byte says little there.
  return { hasRoot: path !== '/robots.txt', path, start: someParts(3, chance), repeat: someParts(4, chance) };
}

function someParts(most: number, chance: Chance): Part[] {
  return Array.from({ length: chance.between(1, most) }, () => anyPart(chance));
}

function anyPart(chance: Chance): Part {
  return { token: chance.between(0, TOKENS.length - 1), times: chance.pick(TIMES) };
}

function mutated(shape: Shape, chance: Chance): Shape {
  return chance.happens(0.5)
    ? { ...shape, start: changed(shape.start, chance) }
    : { ...shape, repeat: changed(shape.repeat, chance) };
}

/** A part more, a part less, another one, or the same more often. */
function changed(parts: readonly Part[], chance: Chance): readonly Part[] {
  const at = chance.between(0, parts.length);
  const kind = chance.next();
  if (kind < 0.4) return [...parts.slice(0, at), anyPart(chance), ...parts.slice(at)];
  if (kind < 0.6) return parts.toSpliced(at, 1);
  if (kind < 0.8) return parts.toSpliced(at, 1, anyPart(chance));
  const times = chance.pick(TIMES);
  return parts.map((part, index) => (index === at ? { ...part, times } : part));
}
