/** §12: what an XML parser refuses has a fault, with the place and a sentence; what is well-formed has none. */
import { isUtf8 } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { checkSitemap } from '../../src/check/index.ts';
import { WellFormedReader } from '../../src/check/well-formed.ts';
import type { FaultCode } from '../../src/check/xml/fault.ts';
import { describeIf, testIf } from '../support/collected.ts';
import { cutAt, seededRandom } from '../support/every-cut.ts';
import { folderUntil } from '../support/folder.ts';
import { documentFrom } from '../support/generated-document.ts';
import { mutated } from '../support/mutations.ts';
import { CHANGING_SEED } from '../support/random.ts';
import { sized } from '../support/tier.ts';
import { type KeptFault, keptIn, wellFormedFaults } from '../support/well-formed-faults.ts';

const CORPUS = new URL('../../../shared/corpus/', import.meta.url);
const HAS_XMLLINT = spawnSync('xmllint', ['--version']).status === 0;
const RUNS = sized({ fast: 100, full: 400, strong: 2000 });
/** Of the files of the corpus, the fast tier reads every fourth. */
const EVERY = sized({ fast: 4, full: 1 });

/** Document, the code of its first fault, and where that is; no code for what is well-formed. */
const CASES: readonly (readonly [text: string, code?: FaultCode, offset?: number])[] = [
  ['<a/>'],
  ['<a></a>'],
  ['\ufeff<?xml version="1.0"?><a/>'],
  ["<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n<!-- c --><?p i?><a>x</a>\n<!-- d -->"],
  ['<a>&amp;&lt;&gt;&quot;&apos;&#233;&#xE9;&#x10FFFF;</a>'],
  ['<a b=\'x"y\' c="x\'y>" d = "]]>"\n/>'],
  ['<a><![CDATA[<b> & ]] ]]]]></a>'],
  ['<a>]] ] ]]</a>'],
  ['<日本 é="ü">語 🎉</日本>'],
  ['<a xmlns:b="u"><b:c xmlns:d="v"><d:e xml:lang="en"/></b:c></a>'],
  ['<a><!----></a>'],
  ['<?xml-stylesheet href="x"?><a/>'],
  ['<a>\t\r\n\u007f\u0080\ufffd\ue000\ud7ff</a>'],
  ['<a>&#9;&#10;&#13;&#32;&#xD7FF;&#xE000;&#xFFFD;&#x10000;</a>'],
  ['<a xmlns="" b="1"\n\tc=\'2\'></a\n>'],
  ['<a xmlns:b="u"><c xmlns:b="v"/><b:d b:e="" f:e="" xmlns:f="v"/></a>'],
  ['<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:lang="en"/>'],
  ['<?xml version="1.1" encoding="utf-8" standalone="no" ?>\n<a/>'],
  ['<?xml version = "1.0"?><a/>'],
  [`${'<a>'.repeat(256)}${'</a>'.repeat(256)}`],
  // Elements
  ['', 'no-root', 0],
  [' \n', 'no-root', 0],
  ['<!-- x -->', 'no-root', 0],
  ['<a>', 'truncated', 3],
  ['<a><b></a>', 'unclosed-tag', 6],
  ['<a></b></a>', 'mis-nested-tag', 3],
  ['</a>', 'mis-nested-tag', 0],
  ['<a/><b/>', 'second-root', 4],
  ['<a/>x', 'junk-after-root', 4],
  ['x<a/>', 'text-before-root', 0],
  ['&amp;<a/>', 'text-before-root', 0],
  ['<a/><![CDATA[x]]>', 'cdata-outside-root', 4],
  ['<a><1/></a>', 'literal-less-than', 3],
  ['<a>1 < 2</a>', 'literal-less-than', 5],
  ['<a>x<', 'literal-less-than', 4],
  ['<a×/>', 'bad-name', 0],
  ['<·a/>', 'bad-name', 0],
  ['<a>x</a', 'truncated', 4],
  ['<a><b c="d', 'truncated', 3],
  ['<a><b <c/></a>', 'tag-cut-short', 3],
  ['<a></a x>', 'attribute-syntax', 7],
  ['<a></>', 'bad-name', 3],
  ['<a></a', 'truncated', 3],
  ['<a></a <b/>', 'tag-cut-short', 3],
  ['<a><b></c></b></a>', 'mis-nested-tag', 6],
  ['<a><b><c></a>', 'unclosed-tag', 9],
  ['<a></a></a>', 'mis-nested-tag', 7],
  ['<a></A>', 'mis-nested-tag', 3],
  ['<a/> \n<!-- x --><?p?> x', 'junk-after-root', 22],
  ['<a/>\n<b></b>', 'second-root', 5],
  ['<a-><.b/></a->', 'literal-less-than', 4],
  [`${'<a>'.repeat(300)}${'</a>'.repeat(300)}`, 'nesting-too-deep', 768],
  // Entries with extensions: several levels are passed at once where nothing is wrong with any of them
  ['<a xmlns:b="u"><u><l>1 &amp; 2</l><b:c><b:d e="f"><b:g>x</b:g></b:d></b:c></u></a>'],
  ['<a xmlns:b="u"><u><b:c>x</b:c><q:d>x</q:d></u></a>', 'undeclared-prefix', 31],
  ['<a xmlns:b="u"><u><b:c><b:d e="1" e="2"/></b:c></u></a>', 'attribute-repeated', 34],
  ['<a xmlns:b="u"><u><b:c>1 & 2</b:c></u></a>', 'bare-ampersand', 25],
  ['<a xmlns:b="u"><u><b:c>&ampx;</b:c></u></a>', 'unknown-entity', 23],
  ['<a xmlns:b="u"><u><b:c>]]></b:c></u></a>', 'cdata-end-in-text', 23],
  ['<a xmlns:b="u"><u><b:c>x</c></u></a>', 'mis-nested-tag', 24],
  [`${'<a>'.repeat(253)}<b><c><d></d></c></b>${'</a>'.repeat(253)}`],
  [`${'<a>'.repeat(254)}<b><c><d><e></e></d></c></b>${'</a>'.repeat(254)}`, 'nesting-too-deep', 768],
  // Attributes
  ['<a b=c/>', 'attribute-syntax', 5],
  ['<a b/>', 'attribute-syntax', 3],
  ['<a "b"/>', 'attribute-syntax', 3],
  ['<a b="1"c="2"/>', 'attribute-syntax', 8],
  ['<a b="1" b="2"/>', 'attribute-repeated', 9],
  ['<a a1="" a2="" a3="" a4="" a5="" a6="" a7="" a8="" a9="" a1=""/>', 'attribute-repeated', 57],
  ['<a xmlns:b="u" xmlns:c="u" b:x="1" c:x="2"/>', 'attribute-repeated', 35],
  ['<a b="x<y"/>', 'less-than-in-attribute', 7],
  ['<a b="&"/>', 'bare-ampersand', 6],
  ['<a b="&eacute;"/>', 'unknown-entity', 6],
  ['<a b="\u0002"/>', 'control-character', 6],
  ["<a b='x<y'/>", 'less-than-in-attribute', 7],
  ['<a b="x', 'truncated', 0],
  ['<a b=/>', 'attribute-syntax', 3],
  ['<a b =c/>', 'attribute-syntax', 6],
  ['<a b="1" b1="2" B="3" c="4" b="5"/>', 'attribute-repeated', 28],
  ['<a b="&amp;&x;"/>', 'unknown-entity', 11],
  // Namespaces
  ['<a xmlns:xml="u"/>', 'bad-namespace', 3],
  ['<a xmlns:b="http://www.w3.org/XML/1998/namespace"/>', 'bad-namespace', 3],
  ['<a xmlns:xmlns="u"/>', 'bad-namespace', 3],
  ['<a xmlns:b="http://www.w3.org/2000/xmlns/"/>', 'bad-namespace', 3],
  ['<a xmlns="http://www.w3.org/2000/xmlns/"/>', 'bad-namespace', 3],
  ['<a xmlns="http://www.w3.org/XML/1998/namespace"/>', 'bad-namespace', 3],
  ['<a><b xmlns:c="u"><c:d/></b><c:d/></a>', 'undeclared-prefix', 29],
  ['<a xmlns:b="u" b:=""/>', 'bad-name', 15],
  ['<a xmlns:b="u"><b:1/></a>', 'bad-name', 16],
  ['<b:a/>', 'undeclared-prefix', 1],
  ['<a b:x="1"/>', 'undeclared-prefix', 3],
  ['<a><b xmlns:c="u"/><c:d/></a>', 'undeclared-prefix', 20],
  ['<a xmlns:b="u"><u xmlns:b="v"><b:c>x</b:c></u><u><b:c><b:d><![CDATA[x]]></b:d></b:c></u></a>'],
  ['<a:b:c xmlns:a="u"/>', 'bad-name', 1],
  ['<a xmlns:b=""/>', 'bad-namespace', 3],
  // Text
  ['<a>&</a>', 'bare-ampersand', 3],
  ['<a>&amp b</a>', 'bare-ampersand', 3],
  ['<a>?x=1&y=2</a>', 'bare-ampersand', 7],
  ['<a>&nbsp;</a>', 'unknown-entity', 3],
  ['<a>&#0;</a>', 'bad-reference', 3],
  ['<a>&#xFFFE;</a>', 'bad-reference', 3],
  ['<a>&#X41;</a>', 'bad-reference', 3],
  ['<a>&#8;</a>', 'bad-reference', 3],
  ['<a>&#x1F;</a>', 'bad-reference', 3],
  ['<a>&#xD800;</a>', 'bad-reference', 3],
  ['<a>&#xDFFF;</a>', 'bad-reference', 3],
  ['<a>&#xFFFF;</a>', 'bad-reference', 3],
  ['<a>&#x110000;</a>', 'bad-reference', 3],
  ['<a>&#;</a>', 'bad-reference', 3],
  ['<a>&#x;</a>', 'bad-reference', 3],
  ['<a>&#1a;</a>', 'bad-reference', 3],
  ['<a>&;</a>', 'bare-ampersand', 3],
  ['<a>&lt b</a>', 'bare-ampersand', 3],
  ['<a>&AMP;</a>', 'unknown-entity', 3],
  ['<a>x ]]></a>', 'cdata-end-in-text', 5],
  ['<a>\u001f</a>', 'control-character', 3],
  ['<a>\u000b</a>', 'control-character', 3],
  ['<a>&#12</a>', 'bad-reference', 3],
  ['<a>x]]>y</a>', 'cdata-end-in-text', 4],
  ['<a>\u0000</a>', 'control-character', 3],
  ['<a>\uFFFE</a>', 'forbidden-character', 3],
  ['<a b="\uFFFF"/>', 'forbidden-character', 6],
  ['<a><!-- \uFFFF --></a>', 'forbidden-character', 8],
  ['\ufeff\ufeff<a/>', 'text-before-root', 0],
  ['<a><?b:c?></a>', 'bad-instruction', 3],
  ['<a><![CDATA[\u0008]]></a>', 'control-character', 12],
  // Comments, instructions, declarations
  ['<a><!-- x -- y --></a>', 'bad-comment', 10],
  ['<a><!-- x ---></a>', 'bad-comment', 10],
  ['<a><!-- x', 'truncated', 9],
  ['<a><![CDATA[x]]', 'truncated', 15],
  ['<a><! -- x --></a>', 'literal-less-than', 3],
  ['<a><??></a>', 'bad-instruction', 3],
  ['<a><?x?y?></a>', 'bad-instruction', 3],
  ['<a><?x/?></a>', 'bad-instruction', 3],
  [' <?xml version="1.0"?><a/>', 'xml-declaration-late', 1],
  ['<a><?xml version="1.0"?></a>', 'xml-declaration-late', 3],
  ['<?XML version="1.0"?><a/>', 'xml-declaration-late', 0],
  ['<?xml encoding="UTF-8"?><a/>', 'bad-declaration', 0],
  ['<?xml version="1.0" standalone="maybe"?><a/>', 'bad-declaration', 0],
  ['<?xml version="1.0"encoding="UTF-8"?><a/>', 'bad-declaration', 0],
  ['<?xml version="1.0" encoding="UTF-8"><a/>', 'bad-declaration', 0],
  ['<?xml version="1.0" encoding="bogus"?><a/>', 'unknown-charset', 0],
  ['<?xml version="1.0" <a xmlns:b="c"><b:d/></a>', 'bad-declaration', 0],
  ['<?xml version="1.0" encoding="US-ASCII"?><a>é</a>', 'forbidden-character', 44],
  ["<?xml version='1.0' encoding='ascii'?><a>é</a>", 'forbidden-character', 41],
  ['<?xml version="2.0"?><a/>', 'bad-declaration', 0],
  ['<?xml version="1.0" encoding="-x"?><a/>', 'bad-declaration', 0],
  ['<?xml version="1.0" encoding=""?><a/>', 'bad-declaration', 0],
  ['<?xml version="1.0" standalone="yes" encoding="UTF-8"?><a/>', 'bad-declaration', 0],
  ['<?xml version="1.0" standalone="YES"?><a/>', 'bad-declaration', 0],
  ['<?xml version=1.0?><a/>', 'bad-declaration', 0],
  ['<a/><?xml version="1.0"?>', 'xml-declaration-late', 4],
  ['<a><?Xml?></a>', 'xml-declaration-late', 3],
  ['<a><?xmlx?></a>'],
  ['<a><?p', 'truncated', 6],
  // DOCTYPE
  ['<!DOCTYPE a><a>&foo;</a>', 'unknown-entity', 15],
  ['<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "y">]><a>&b;&c;&d;</a>', 'unknown-entity', 54],
  ['<!DOCTYPE a [<!ATTLIST a xmlns:b CDATA #FIXED "u">]><a><b:c/></a>'],
  ['<!DOCTYPE a "x><a/>', 'bad-doctype', 0],
  ['<a/><!DOCTYPE a>', 'bad-doctype', 4],
  ['<a><!DOCTYPE a></a>', 'bad-doctype', 3],
  ['<!DOCTYPE a [<!ENTITY b "]>"><!ENTITY c \'>\'>]><a/>'],
  ['<!DOCTYPE a><a/>'],
  ['<!DOCTYPE a PUBLIC "-//x" "y"><a/>'],
  ['<!DOCTYPE a SYSTEM "x.dtd"><a>&foo;</a>'],
  ['<!DOCTYPE a [<!ENTITY foo "bar"><!-- > ] --><?x > ] ?>]><a b="&foo;">&foo;</a>'],
  ['<!DOCTYPE a [<!ENTITY foo "<b/>">]><a>&foo;</a>'],
  ['<!DOCTYPE a [<!ELEMENT a (b,(c|d)*,e?)+><!ELEMENT b (#PCDATA|c)*><!ELEMENT c EMPTY>]><a/>'],
  ['<!DOCTYPE a [<!ATTLIST a b CDATA "x" c (x|y) #REQUIRED d ID #IMPLIED e CDATA #FIXED "&lt;">]><a/>'],
  ['<!DOCTYPE a [<!NOTATION n PUBLIC "x"><!ENTITY e SYSTEM "u" NDATA n>]><a/>'],
  ['<!DOCTYPE a [<!ENTITY % p "<!ENTITY x \'y\'>"> %p;]><a/>'],
  ['<!DOCTYPE a SYSTEM "x"><b:c/>', 'undeclared-prefix', 24],
  ['<!DOCTYPE a PUBLIC "-//x"><a/>', 'bad-doctype', 0],
  ['<!DOCTYPE a><!DOCTYPE a><a/>', 'bad-doctype', 12],
  ['<!doctype a><a/>', 'literal-less-than', 0],
];

const rows = CASES.map(([text, code, offset]) => {
  const shown = JSON.stringify(text.length > 70 ? `${text.slice(0, 70)}…` : text);
  return { title: `${shown}: ${code ?? 'well-formed'}`, bytes: Buffer.from(text), code, offset };
});

test.each(rows)('$title', ({ bytes, code, offset }) => {
  const faults = wellFormedFaults([bytes]);
  if (code === undefined) expect(faults).toEqual([]);
  else {
    expect(faults[0]).toMatchObject(offset === undefined ? { code } : { code, offset });
    expect(faults[0]!.message).toMatch(/[.)]$/);
  }
  expect(inBytes(bytes)).toEqual(faults);
});

test('an entity of HTML is named with what to write instead', () => {
  const [fault] = wellFormedFaults([Buffer.from('<loc>caf&eacute;</loc>')]);
  expect(fault!.message).toBe('The entity "&eacute;" is HTML and not defined in XML: write "é" or "&#233;".');
});

test('a closing tag in the wrong place also names the start tag that is open', () => {
  const [fault] = wellFormedFaults([Buffer.from('<urlset>\n<url><loc>x</url></urlset>')]);
  expect(fault).toEqual({
    code: 'unclosed-tag',
    message: '</url> comes before the closing tag of <loc>.',
    offset: 20,
    related: 14,
  });
});

test('faults do not hide each other', () => {
  const faults = wellFormedFaults([Buffer.from('<a b=1 b="2">&x; & <![CDATA[]]> -- <!-- -- --></a><c/>')]);
  expect(faults.map(({ code }) => code)).toEqual([
    'attribute-syntax',
    'attribute-repeated',
    'unknown-entity',
    'bare-ampersand',
    'bad-comment',
    'second-root',
  ]);
});

test.each([
  ['<a><b:c/><b:d b:e=""/><f:g/></a>', ['undeclared-prefix 4', 'undeclared-prefix 23']],
  ['x<a/>y<b/>z', ['text-before-root 0', 'junk-after-root 5', 'second-root 6']],
  [
    '<a>&x;&x; & &',
    ['unknown-entity 3', 'unknown-entity 6', 'bare-ampersand 10', 'bare-ampersand 12', 'truncated 13'],
  ],
  ['<a><!-- -- -- ---></a>', ['bad-comment 8', 'bad-comment 11', 'bad-comment 14']],
  ['<a>\u0001\u0002</a>', ['control-character 3', 'control-character 4']],
  ['<a><b b="1" b="2" b="3"/></a>', ['attribute-repeated 12', 'attribute-repeated 18']],
  ['<a><b><c></a><d></e></d>', ['unclosed-tag 9', 'second-root 13', 'mis-nested-tag 16']],
])('%s has the faults %j', (text, expected) => {
  for (const faults of [wellFormedFaults([Buffer.from(text)]), inBytes(Buffer.from(text))])
    expect(faults.map(({ code, offset }) => `${code} ${offset}`)).toEqual(expected);
});

test.each([
  ['<a>\u0001</a>', 'The control character U+0001 is forbidden in XML: remove it.'],
  ['<a>\u001f</a>', 'The control character U+001F is forbidden in XML: remove it.'],
  ['<!DOCTYPE a SYSTEM "\u0000"><a/>', 'The control character U+0000 is forbidden in XML: remove it.'],
  ['<a>\ufffe</a>', 'The character U+FFFE is forbidden in XML: remove it.'],
  ['<a>\uffff</a>', 'The character U+FFFF is forbidden in XML: remove it.'],
  ['<a><b></a>', '</a> comes before the closing tag of <b>.'],
  ['<a><b></c></b></a>', '</c> closes nothing: <b> is open here.'],
  ['</a>', '</a> closes nothing.'],
  ['<a>&amp b</a>', '"&amp" has no ";" behind it: write "&amp;".'],
  ['<a>&b c</a>', 'This "&" must be written as "&amp;".'],
  ['<a>&b;</a>', 'The entity "&b;" is not defined. XML has only &amp; &lt; &gt; &quot; and &apos;.'],
  ['<a>&nbsp;</a>', 'The entity "&nbsp;" is HTML and not defined in XML: write "&#160;".'],
  ['<a b="1" b="2"/>', 'The attribute "b" is already in this tag: keep one.'],
  ['<a b:c=""/>', 'The prefix "b" of "b:c" is not declared: add xmlns:b="…" to the root element.'],
  ['<a b=c d="e"/>', 'The value of "b" must be in quotes: b="c".'],
  [
    ' <?xml version="1.0"?><a/>',
    'The XML declaration must be the very first thing in the document, but something comes before it (a space or an empty line is enough).',
  ],
  [
    '<?xml version="1.0" encoding="x-no"?><a/>',
    'The encoding "x-no" is not one that XML parsers have to know: write UTF-8.',
  ],
  ['<a><b></b>', 'The document ends before </a>.'],
  ['<a><größe></a>', '</a> comes before the closing tag of <größe>.'],
  ['<a><日本>', 'The document ends before </日本>.'],
])('the fault of %s is told in words: %s', (text, message) => {
  expect(wellFormedFaults([Buffer.from(text)])[0]?.message).toBe(message);
});

test('one level more than 256 is too deep', () => {
  const text = `${'<a>'.repeat(257)}${'</a>'.repeat(257)}`;
  expect(wellFormedFaults([Buffer.from(text)])).toMatchObject([{ code: 'nesting-too-deep', offset: 768 }]);
});

test('text that is not ASCII although the declaration says so is reported once', () => {
  const text = '<?xml version="1.0" encoding="US-ASCII"?><a><b>é</b><b>ü</b></a>';
  expect(wellFormedFaults([Buffer.from(text)]).map(({ code, offset }) => [code, offset])).toEqual([
    ['forbidden-character', 47],
  ]);
});

test('a caller may use the memory of a chunk again', () => {
  const text = Buffer.from('<urlset><url><loc>https://example.org/</loc><é ü="ö"/></url></urlset>');
  for (let size = 1; size < 20; size++) {
    const faults: KeptFault[] = [];
    const reader = new WellFormedReader(keptIn(faults));
    const chunk = Buffer.alloc(size);
    for (let at = 0; at < text.length; at += size) {
      const length = text.copy(chunk, 0, at, at + size);
      reader.write(chunk.subarray(0, length));
      chunk.fill('<');
    }
    reader.end();
    expect(faults).toEqual([]);
  }
});

test('a tag that never ends is held up to a limit, and in linear time', () => {
  const faults: KeptFault[] = [];
  const reader = new WellFormedReader(keptIn(faults));
  const chunk = Buffer.alloc(64 * 1024, 'x');
  reader.write(Buffer.from('<a b="'));
  for (let times = 0; times < 400; times++) reader.write(chunk);
  reader.end();
  expect(faults.map(({ code, offset }) => ({ code, offset }))).toEqual([{ code: 'too-long', offset: 0 }]);
});

describeIf(HAS_XMLLINT, 'against xmllint', () => {
  const folder = folderUntil(afterAll);

  test('every case of the table is judged as xmllint judges it, namespaces aside', () => {
    const refused = refusedBy(
      folder,
      rows.map(({ bytes }) => bytes),
    );
    const others = rows.filter(({ bytes }, index) => faultsOfXml(bytes).length > 0 !== refused.has(index));
    expect(others.map(({ title }) => title)).toEqual([]);
  });

  const SEED = Number(process.env['FUZZ_SEED'] ?? sized({ fast: 20260613, full: CHANGING_SEED }));
  test(`generated and mutated documents are judged as xmllint judges them, from seed ${SEED}`, () => {
    const random = seededRandom(SEED);
    const documents: Uint8Array[] = [];
    for (let run = 0; run < RUNS; run++) {
      const tape = Uint8Array.from({ length: 60 }, () => Math.floor(random() * 256));
      const format = (['urlset', 'sitemapindex', 'rss', 'atom'] as const)[run % 4]!;
      const whole = Buffer.from(documentFrom(tape, format));
      documents.push(run % 3 === 0 ? whole : mutated(whole, 0, random).bytes);
    }
    const refused = refusedBy(folder, documents);
    expect(refused.size).toBeGreaterThan(RUNS / 4);
    documents.forEach((bytes, index) => {
      // What is not UTF-8 is another rule.
      if (isOtherCharset(bytes) || !isUtf8(bytes)) return;
      const faults = faultsOfXml(bytes);
      const expected = refused.has(index);
      expect({
        index,
        text: textIf(faults.length > 0 !== expected, bytes),
        refused: faults.length > 0,
      }).toEqual({
        index,
        text: '',
        refused: expected,
      });
      expect(
        wellFormedFaults(
          cutAt(
            bytes,
            [random() * bytes.length, random() * bytes.length].sort((a, b) => a - b),
          ),
        ),
      ).toEqual(wellFormedFaults([bytes]));
    });
  });

  testIf(existsSync(CORPUS))('the files of the corpus are judged as xmllint judges them', () => {
    const root = fileURLToPath(CORPUS);
    const documents = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:xml|rss|atom|gz)$/.test(path))
      .filter((_, at) => at % EVERY === 0)
      .flatMap((path) => {
        const bytes = readFileSync(join(root, path));
        if (bytes[0] !== 0x1f) return [{ path, bytes: new Uint8Array(bytes) }];
        try {
          return [{ path, bytes: new Uint8Array(gunzipSync(bytes)) }];
        } catch {
          return [];
        }
      })
      .filter(({ bytes }) => !isOtherCharset(bytes) && isUtf8(bytes));
    expect(documents.length).toBeGreaterThan(100 / EVERY);
    const refused = refusedBy(
      folder,
      documents.map(({ bytes }) => bytes),
    );
    documents.forEach(({ path, bytes }, index) => {
      // What is inside a DOCTYPE is not judged: it is to be removed.
      const hasSubset = /<!DOCTYPE[^>[]*\[/.test(Buffer.from(bytes).toString('latin1'));
      if (hasSubset) {
        const rules = Array.from(checkSitemap(bytes), ({ rule }) => rule);
        expect([path, rules]).toEqual([path, expect.arrayContaining(['doctype'])]);
      } else expect([path, faultsOfXml(bytes).length > 0]).toEqual([path, refused.has(index)]);
    });
  });
});

/** The indexes of the documents that xmllint refuses. */
function refusedBy(folder: string, documents: readonly Uint8Array[]): ReadonlySet<number> {
  const refused = new Set<number>();
  const size = 200;
  for (let from = 0; from < documents.length; from += size) {
    const names = documents.slice(from, from + size).map((bytes, index) => {
      const name = `${from + index}.xml`;
      writeFileSync(join(folder, name), bytes);
      return name;
    });
    const { stderr } = spawnSync('xmllint', ['--noout', '--nonet', ...names], {
      cwd: folder,
      encoding: 'latin1',
      maxBuffer: 1e9,
    });
    for (const [, index, reason] of stderr.matchAll(/^(\d+)\.xml:\d+: parser error : (.*)/gm)) {
      // With an external DTD it prints this, and accepts the document.
      const isExternal = Buffer.from(documents[Number(index)]!).includes('DOCTYPE a SYSTEM');
      if (!(isExternal && /Entity '.*' not defined/.test(reason!))) refused.add(Number(index));
    }
  }
  return refused;
}

/** Without what only the specification of namespaces forbids: xmllint warns of it, and reads on. */
function faultsOfXml(bytes: Uint8Array): readonly KeptFault[] {
  return wellFormedFaults([bytes]).filter(
    ({ code, message }) =>
      code !== 'undeclared-prefix' && code !== 'bad-namespace' && !/prefix|colon/.test(message),
  );
}

/** Whether the bytes are not read as UTF-8: the reader gets them decoded. */
function isOtherCharset(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  return (
    /^(?:\xff\xfe|\xfe\xff)/.test(head) ||
    head.slice(0, 4).includes('\0') ||
    /^[^>]*encoding\s*=\s*["'](?!utf-8["']|bogus["'])/i.test(head)
  );
}

function textIf(isWrong: boolean, bytes: Uint8Array): string {
  return isWrong ? Buffer.from(bytes).toString('latin1') : '';
}

function inBytes(bytes: Uint8Array): readonly KeptFault[] {
  return wellFormedFaults(Array.from(bytes, (byte) => Uint8Array.of(byte)));
}
