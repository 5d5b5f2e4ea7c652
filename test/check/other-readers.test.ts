/**
 * §12: what libxml2 (`xmllint`) and Expat (`xmlwf`) refuse has an error here, and what they read has none about XML.
 *
 * Our own fixtures are changed in thousands of ways, and each is judged by all three. Where they disagree, the table
 * below has the class, with who is right; a disagreement that is not in the table fails.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkSitemap, type Finding, RULES } from '../../src/check/index.ts';
import { parseSitemap } from '../../src/parse/index.ts';
import { describeUnless } from '../support/collected.ts';
import { docPage } from '../support/docs-pages.ts';
import { seededRandom } from '../support/every-cut.ts';
import { mutated, type Random } from '../support/mutations.ts';
import { CHANGING_SEED } from '../support/random.ts';
import { sized } from '../support/tier.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const DOCUMENTS = sized({ fast: 120, full: 800, strong: 9_050 });
/** In the full tier other documents each time. */
const SEED = Number(process.env['FUZZ_SEED'] ?? sized({ fast: 20261116, full: CHANGING_SEED }));
const BATCH = 300;
const LARGEST = 20_000;

/** What each of the three says of one document: why it is refused, or undefined. */
interface Verdicts {
  readonly ours: string | undefined;
  readonly libxml2: string | undefined;
  readonly expat: string | undefined;
}

type Judge = keyof Verdicts;

interface Disagreement {
  /** As the table of `docs/check.md` has it. */
  readonly what: string;
  readonly right: readonly Judge[];
  readonly because: string;
  readonly is: (verdicts: Verdicts, text: string) => boolean;
  readonly example: string;
}

const URLSET =
  '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/</loc></url></urlset>';

const DISAGREEMENTS: readonly Disagreement[] = [
  {
    what: 'a namespace that is not a URI',
    right: ['ours', 'expat'],
    because: 'Namespaces in XML 1.0, section 2.2: an error that a reader need not report; libxml2 reads on',
    is: ({ libxml2 }) => /^namespace error : xmlns.* is not a valid URI/.test(libxml2 ?? ''),
    example: URLSET.replace('<url>', '<url xmlns:a="a b">'),
  },
  {
    what: 'a version that does not begin with 1.',
    right: ['ours', 'libxml2'],
    because: 'XML 1.0 (fifth edition), production 26; Expat reads every version as 1.0',
    is: ({ ours, expat }) => expat === undefined && /^not-well-formed: The XML version/.test(ours ?? ''),
    example: `<?xml version="2.0"?>${URLSET}`,
  },
  {
    what: 'what is declared inside a DOCTYPE',
    right: ['libxml2', 'expat'],
    because: 'it is not judged here: `doctype` asks to remove all of it',
    is: ({ ours }, text) => ours === undefined && /<!DOCTYPE[^[<>]*\[/.test(text),
    example: `<!DOCTYPE urlset [<!ELEMENT a (b,c|d)>]>${URLSET}`,
  },
  {
    what: 'an entity that an external DTD may declare',
    right: ['ours', 'expat'],
    because:
      'XML 1.0, section 4.1: nothing to say for a reader that does not read that DTD; libxml2 reads on',
    is: ({ ours, libxml2, expat }) =>
      ours === undefined && expat === undefined && /Entity '.*' not defined/.test(libxml2 ?? ''),
    example: `<!DOCTYPE urlset SYSTEM "x">${URLSET.replace('</loc>', '&eacute;</loc>')}`,
  },
  {
    what: 'bytes of UTF-8 that claim another charset',
    right: ['ours'],
    because: 'all bytes are characters of ISO-8859-1: who believes the claim reads other letters',
    is: ({ ours, libxml2, expat }) =>
      libxml2 === undefined && expat === undefined && /^wrong-charset: /.test(ours ?? ''),
    example: `<?xml version="1.0" encoding="ISO-8859-1"?>${URLSET.replace('</loc>', 'ü/</loc>')}`,
  },
];

/** Errors about what the document is, not about its XML. */
const ABOUT_STRUCTURE: ReadonlySet<string> = new Set(['inside-html', 'entry-without-root']);

const missing = [
  ['xmllint', '--version', 'libxml2-utils'],
  ['xmlwf', '-v', 'expat'],
].flatMap(([program, flag, packet]) => (spawnSync(program!, [flag!]).status === 0 ? [] : [packet!]));

describeUnless(
  missing.length === 0 ? undefined : `needs xmllint and xmlwf: apt install ${missing.join(' ')}`,
  'beside libxml2 and Expat',
  () => {
    test(`${DOCUMENTS} changed fixtures from seed ${SEED} are judged alike, or the difference is explained`, () => {
      const documents = changedFixtures(DOCUMENTS);
      const verdicts = judged(documents);
      const unexplained: object[] = [];
      let refused = 0;
      let accepted = 0;
      documents.forEach((bytes, index) => {
        const each = verdicts[index]!;
        const text = Buffer.from(bytes).toString('latin1');
        if (isAgreed(each)) each.ours === undefined ? accepted++ : refused++;
        else if (!DISAGREEMENTS.some(({ is }) => is(each, text))) unexplained.push({ ...each, text });
      });
      expect(unexplained.slice(0, 3)).toEqual([]);
      // The changes are neither all harmless nor all fatal.
      expect(Math.min(refused, accepted)).toBeGreaterThan(DOCUMENTS / 5);
    });

    test('each explained difference is one, and is in docs/check.md with who is right', () => {
      const verdicts = judged(DISAGREEMENTS.map(({ example }) => Buffer.from(example)));
      const page = docPage('check.md');
      DISAGREEMENTS.forEach(({ what, right, is, example }, index) => {
        const each = verdicts[index]!;
        expect({ what, ...each, isOne: !isAgreed(each) && is(each, example) }).toEqual({
          what,
          ...each,
          isOne: true,
        });
        const names = right.map(
          (judge) => ({ ours: '`usp check`', libxml2: 'libxml2', expat: 'Expat' })[judge],
        );
        expect(page).toContain(`| ${what} | ${names.join(', ')} |`);
      });
    });
  },
);

function isAgreed({ ours, libxml2, expat }: Verdicts): boolean {
  const isRefused = ours !== undefined;
  return isRefused === (libxml2 !== undefined) && isRefused === (expat !== undefined);
}

function judged(documents: readonly Uint8Array[]): readonly Verdicts[] {
  const folder = mkdtempSync(join(tmpdir(), 'usp-readers-'));
  try {
    const verdicts: Verdicts[] = [];
    for (let from = 0; from < documents.length; from += BATCH) {
      const batch = documents.slice(from, from + BATCH);
      const names = batch.map((bytes, index) => {
        writeFileSync(join(folder, `${index}.xml`), bytes);
        return `${index}.xml`;
      });
      const run = (program: string, ...flags: readonly string[]): string => {
        const options = { cwd: folder, encoding: 'latin1', maxBuffer: 1e9 } as const;
        const { stdout, stderr } = spawnSync(program, [...flags, ...names], options);
        return stdout + stderr;
      };
      const libxml2 = reasons(run('xmllint', '--noout', '--nonet'), /^(\d+)\.xml:\d+: (.*\berror : .*)/gm);
      const expat = reasons(run('xmlwf', '-n', '-k'), /^(\d+)\.xml:\d+:\d+: (.*)/gm);
      batch.forEach((bytes, index) => {
        verdicts.push({ ours: ourReason(bytes), libxml2: libxml2.get(index), expat: expat.get(index) });
      });
    }
    return verdicts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first reason of each document. One that only the specification of namespaces knows gives way to a graver one. */
function reasons(output: string, pattern: RegExp): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [, index, reason] of output.matchAll(pattern)) {
    const known = found.get(Number(index));
    if (known === undefined || (known.startsWith('namespace') && !reason!.startsWith('namespace'))) {
      found.set(Number(index), reason!);
    }
  }
  return found;
}

function ourReason(bytes: Uint8Array): string | undefined {
  const errors = [...checkSitemap(bytes, { url: 'https://example.org/sitemap.xml' })].filter(isAboutXml);
  return errors.length === 0 ? undefined : errors.map(({ rule, message }) => `${rule}: ${message}`).join(' ');
}

function isAboutXml({ rule, severity }: Finding): boolean {
  return severity === 'error' && (RULES[rule].about === 'xml' || rule === 'not-utf-8');
}

/** XML that is neither a sitemap nor a feed is not read strictly: changes keep what a document is. */
function isSitemap(bytes: Uint8Array): boolean {
  const parse = parseSitemap(bytes, { url: 'https://example.org/sitemap.xml' });
  for (const _item of parse);
  return (
    /^(?:pages-xml|index-xml|pages-rss|pages-atom)$/.test(parse.kind ?? '') &&
    !parse.problems.some(({ code }) => ABOUT_STRUCTURE.has(code))
  );
}

const IN_TEXT = [
  ...[
    '<!-- x -->',
    '<!-- -- -->',
    '<!--->',
    '<?a b?>',
    '<?a:b c?>',
    '<?XML?>',
    '<?a?b?>',
    '<![CDATA[<&]]>',
    '<![CDATA[]]]]>',
  ],
  ...[
    '&amp;',
    '&lt',
    '&#233;',
    '&#xE9;',
    '&#x110000;',
    '&#xFFFE;',
    '&#0;',
    '&nbsp;',
    '&e;',
    '&',
    ']]>',
    ']]',
    '>',
    '"',
  ],
  ...[
    '\ufffe',
    '\uffff',
    '\ufffd',
    '\u0085',
    '\u2028',
    '\u{1f600}',
    '\u{1fffe}',
    '\t',
    '\r',
    '\u000b',
    '\u007f',
    '\ufeff',
  ],
  ...[
    '<a/>',
    '<a b="c" d=\'e\'/>',
    '<a b="c"d="e"/>',
    '<a b="c" b="d"/>',
    '<a b=c/>',
    '<a b/>',
    '<a b="<"/>',
    '<a b="&lt;>"/>',
  ],
  ...[
    '<a:b xmlns:a="urn:a" a:c=""/>',
    '<a:b/>',
    '<a:b:c xmlns:a="urn:a"/>',
    '<:a/>',
    '<a: xmlns:a="urn:a"/>',
    '<a b:c=""/>',
  ],
  ...[
    '<x xmlns:a="urn:a" xmlns:b="urn:a" a:c="" b:c=""/>',
    '<x xmlns:a=""/>',
    '<x xmlns:xml="urn:a"/>',
    '<x xmlns:xmlns="urn:a"/>',
  ],
  ...[
    '<x xmlns=""/>',
    '<x xml:lang="en"/>',
    '<x xmlns:a="http://www.w3.org/XML/1998/namespace"/>',
    '<xml/>',
    '<é ü="ö"/>',
    '<1/>',
  ],
  ...[
    '<a></a >',
    '<a ></a>',
    '<a></ a>',
    '< a/>',
    '<a / >',
    '<a\n/>',
    '<a></b>',
    '<!a>',
    '<a><b></a></b>',
    '<-a/>',
    '<a-.1/>',
  ],
];
const AT_START = [
  ...[
    '\ufeff',
    '\ufeff\ufeff',
    ' ',
    '\n',
    '<!-- x -->',
    '<?a?>',
    'x',
    '<?xml version="1.0"?>',
    '<?xml version="1.1"?>',
  ],
  ...[
    '<?xml version="2.0"?>',
    '<?xml encoding="UTF-8"?>',
    "<?xml version='1.0' standalone='yes'?>",
    '<?xml version="1.0" ?>',
  ],
  ...['<?xml version="1.0" encoding="utf-8" standalone="no" ?>', '<?xml version="1.0" encoding="US-ASCII"?>'],
  ...[
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<?xml version="1.0" encoding="x"?>',
  ],
  ...[
    '<!DOCTYPE x>',
    '<!DOCTYPE x SYSTEM "y">',
    '<!DOCTYPE x PUBLIC "y" "z">',
    '<!DOCTYPE x PUBLIC "y">',
    '<!DOCTYPE x []>',
    '<!DOCTYPE>',
  ],
  ...[
    '<!DOCTYPE x [<!ENTITY e "v">]>',
    '<!DOCTYPE x [<!ENTITY e "<a>">]>',
    '<!DOCTYPE x [<!ENTITY e "%a;">]>',
    '<!DOCTYPE x [<!ENTITY e "&e;">]>',
  ],
  ...[
    '<!DOCTYPE x [<!ELEMENT a (b,c)>]>',
    '<!DOCTYPE x [<!ELEMENT a (b|c,d)>]>',
    '<!DOCTYPE x [<!ELEMENT a (#PCDATA|b)*>]>',
    '<!DOCTYPE x [<!ELEMENT a (b]>',
  ],
  ...[
    '<!DOCTYPE x [<!ATTLIST a b CDATA "c">]>',
    '<!DOCTYPE x [<!ATTLIST a b (c|d) #FIXED>]>',
    '<!DOCTYPE x [<!NOTATION n PUBLIC "p">]>',
  ],
  ...[
    '<!DOCTYPE x [<!ENTITY % p "<!ENTITY e \'v\'>">%p;]>',
    '<!DOCTYPE x [%p;]>',
    '<!DOCTYPE x [<!-- -- -->]>',
    '<!DOCTYPE x [<?a?>]>',
    '<!DOCTYPE x [y]>',
  ],
];

/** Fixtures with one change of XML each, or with the damage of `mutations.ts`. */
function changedFixtures(count: number): readonly Uint8Array[] {
  const random = seededRandom(SEED);
  const sources = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.xml'))
    .sort()
    .map((path) => new Uint8Array(readFileSync(join(FIXTURES, path))))
    .filter((bytes) => bytes.length < LARGEST && isSitemap(bytes));
  const documents: Uint8Array[] = [];
  for (let index = 0; documents.length < count; index++) {
    const source = sources[index % sources.length]!;
    const changed = index % 5 === 0 ? mutated(source, 0, random).bytes : edited(source, random);
    if (isSitemap(changed)) documents.push(changed);
  }
  return documents;
}

/** One piece of XML put at the start, into a text or into a tag. */
function edited(source: Uint8Array, random: Random): Uint8Array {
  const text = Buffer.from(source).toString('latin1');
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const put = (at: number, taken: number, piece: string): Uint8Array =>
    Buffer.concat([source.subarray(0, at), Buffer.from(piece), source.subarray(at + taken)]);
  if (random() < 0.25) {
    const declaration = /^(?:\xef\xbb\xbf)?<\?xml[^>]*\?>/.exec(text)?.[0] ?? '';
    const piece = pick(AT_START);
    const replaces = piece.startsWith('<?xml') || random() < 0.3;
    return piece.startsWith('<!')
      ? put(declaration.length, 0, piece)
      : put(0, replaces ? declaration.length : 0, piece);
  }
  const ends = [...text.matchAll(/>/g)].map(({ index }) => index + 1);
  return put(pick(ends), 0, pick(IN_TEXT));
}
