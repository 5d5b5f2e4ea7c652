/**
 * Rules about well-formed XML, and about the namespaces of extensions.
 *
 * The strict reader and the parser notice many of the same faults. If the strict reader finds a fault, problems of the
 * parser about structure follow from it: they are only reported for documents that are well-formed.
 */

import type { TagAttribute } from '../../parse/listener.ts';
import { readNamespace, usualMeaning, type Vocabulary } from '../../parse/xml/tag-names.ts';
import { clip } from '../../text/wording.ts';
import { EXTENSION_NAMESPACES } from '../protocol-limits.ts';
import {
  ALL_KINDS,
  type DocumentRule,
  PROTOCOL,
  type Report,
  type RuleName,
  type RuleNames,
  type RuleRows,
  ruleRows,
  XML_KINDS,
} from '../rule.ts';
import { WellFormedReader } from '../well-formed.ts';
import { type Fault, type FaultCode, messageOf, PARSER_FAULTS, type ReportFault } from '../xml/fault.ts';

const BREAKING = {
  severity: 'error',
  about: 'xml',
  documents: XML_KINDS,
  source: 'https://www.w3.org/TR/xml/',
} as const;

const STRUCTURE = { severity: 'warning', source: PROTOCOL } as const;

export const XML_RULES: RuleRows<RuleNames['xml']> = ruleRows(BREAKING, {
  'not-well-formed': {
    what:
      'An XML parser would refuse the document here: an unknown entity such as `&eacute;`, `--` in a ' +
      'comment, an attribute without quotes or given twice, `]]>` in text, a forbidden character.',
    why: 'Search engines use strict XML parsers: they lose everything that follows.',
    fix: 'Write the sitemap with an XML library instead of joining strings, or correct this place.',
    bad: '<news:title>Caf&eacute;</news:title>',
    good: '<news:title>Café</news:title>',
    source: 'https://www.w3.org/TR/xml/#sec-well-formed',
  },
  'xml-declaration-late': {
    what: 'The XML declaration is not at the very start: white space, a blank line or something else is before it.',
    why: 'XML parsers refuse the whole document.',
    fix: 'Remove everything before `<?xml`; it is often a blank line at the start of a script or template.',
    bad: '\n<?xml version="1.0" encoding="UTF-8"?>',
    good: '<?xml version="1.0" encoding="UTF-8"?>',
    source: 'https://www.w3.org/TR/xml/#sec-prolog-dtd',
  },
  'bare-ampersand': {
    what: 'An `&` is not the start of an entity.',
    why: 'XML parsers stop here, so other programs lose everything that follows.',
    fix: 'Write `&amp;` instead of `&`; most programs that build XML do it for you.',
    bad: '<loc>https://example.org/?a=1&b=2</loc>',
    good: '<loc>https://example.org/?a=1&amp;b=2</loc>',
  },
  'literal-less-than': {
    what: 'A `<` in text is not the start of a tag.',
    why: 'XML parsers stop here, so other programs lose everything that follows.',
    fix: 'Write `&lt;` instead of `<`; most programs that build XML do it for you.',
    bad: '<news:title>1 < 2</news:title>',
    good: '<news:title>1 &lt; 2</news:title>',
  },
  'control-character': {
    what: 'A value has control characters that XML forbids.',
    why: 'XML parsers stop here, so other programs lose everything that follows.',
    fix: 'Remove these characters from the text, usually where it comes from a database.',
    bad: '<image:caption>one\u0008two</image:caption>',
    good: '<image:caption>one two</image:caption>',
  },
  'unclosed-tag': {
    what: 'A tag is never closed, or is inside itself.',
    why: 'XML parsers stop here, so other programs lose everything that follows.',
    fix: 'Close the tag, or remove the extra one.',
    bad: '<url><loc>https://example.org/</url>',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'mis-nested-tag': {
    what: 'A closing tag closes nothing that is open.',
    why: 'XML parsers stop here, so other programs lose everything that follows.',
    fix: 'Remove the closing tag, or correct its spelling.',
    bad: '<loc>https://example.org/</lco>',
    good: '<loc>https://example.org/</loc>',
  },
  'tag-cut-short': {
    what: 'A tag ends without its `>`.',
    why: 'XML parsers stop here, so other programs lose everything that follows.',
    fix: 'Add the `>` that is missing at the end of the tag.',
    bad: '<loc>https://example.org/</loc <lastmod>2024-05-06</lastmod>',
    good: '<loc>https://example.org/</loc><lastmod>2024-05-06</lastmod>',
  },
  'text-before-root': {
    what: 'There is text before the root.',
    why:
      'XML parsers stop here, so other programs lose the whole sitemap. The text is often a warning of a ' +
      'programming language.',
    fix: 'Find out which program prints the text, and stop it.',
    bad: 'Warning: undefined variable\n<urlset>…</urlset>',
    good: '<urlset>…</urlset>',
  },
  'junk-after-root': {
    what: 'Something follows the end of the root.',
    why: 'XML parsers refuse such a document, though some use the part before it.',
    fix: 'Remove everything after the root.',
    bad: '<urlset>…</urlset>\n<!DOCTYPE html>',
    good: '<urlset>…</urlset>',
  },
  'second-root': {
    what: 'A second root follows the first.',
    why: 'XML parsers stop at the second root: other programs lose its entries.',
    fix: 'Put all entries into one root, or write two files.',
    bad: '<urlset>…</urlset><urlset>…</urlset>',
    good: '<urlset>… …</urlset>',
  },
  'entry-without-root': {
    what: 'Entries are outside of the root, or there is no root.',
    why: 'XML parsers refuse the document: other programs lose all its entries.',
    fix: 'Put all entries into one `<urlset>` or `<sitemapindex>`.',
    bad: '<url><loc>https://example.org/</loc></url>',
    good: '<urlset>\n  <url><loc>https://example.org/</loc></url>\n</urlset>',
  },
  truncated: {
    documents: ALL_KINDS,
    what: 'The document ends before it is complete.',
    why: 'The rest is missing. XML parsers refuse the whole document.',
    fix: 'Find out what ended it: a time limit of the program that writes it, a full disk, a proxy.',
    bad: '<urlset><url><loc>https://exam',
    good: '<urlset><url><loc>https://example.org/</loc></url></urlset>',
  },
  'inside-html': {
    what: 'The sitemap is inside an HTML page.',
    why: 'Search engines see an HTML page and refuse it.',
    fix: 'Send the XML alone. Often a browser’s view was saved, or a page template is around it.',
    bad: '<html><body><urlset>…</urlset></body></html>',
    good: '<urlset>…</urlset>',
  },
  'undeclared-prefix': {
    what: 'A prefix is used that is declared nowhere.',
    why: 'XML parsers that know namespaces refuse the document.',
    fix: 'Declare the prefix on the root.',
    bad: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n  <url><image:image>…',
    good:
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"\n' +
      '  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">',
  },
  doctype: {
    ...STRUCTURE,
    what: 'The document has a DOCTYPE.',
    why: 'Sitemaps have none. Parsers ignore it for safety, and its entities with it.',
    fix: 'Remove the DOCTYPE.',
    bad: '<!DOCTYPE urlset>\n<urlset>',
    good: '<urlset>',
  },
  'missing-namespace': {
    ...STRUCTURE,
    what: 'The root has no namespace.',
    why: 'Search engines report “incorrect namespace” and may refuse the sitemap.',
    fix: 'Add `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"` to the root.',
    bad: '<urlset>',
    good: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
  },
  'wrong-namespace': {
    ...STRUCTURE,
    what: 'A namespace is not exactly as specified.',
    why: 'For other programs these tags have another meaning, and they ignore them.',
    fix: 'Copy the namespace from the specification, letter by letter.',
    bad: '<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9/">',
    good: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
  },
  'nested-root': {
    ...STRUCTURE,
    what: 'A root is inside the root.',
    why: 'Other programs ignore the entries of the inner root.',
    fix: 'Put all entries into one root.',
    bad: '<urlset><urlset>…</urlset></urlset>',
    good: '<urlset>…</urlset>',
  },
  'nesting-too-deep': {
    what: 'Tags are nested more than 256 deep.',
    why: 'Parsers stop at such a depth.',
    fix: 'Find the tags that are never closed, and close them.',
    bad: '<a><a><a>… 257 times',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'other-entry-kind': {
    ...STRUCTURE,
    what: 'There are page entries in an index, or sitemap entries in a urlset.',
    why: 'Search engines ignore them.',
    fix: 'Put pages into a `<urlset>` and sitemaps into a `<sitemapindex>`.',
    bad: '<sitemapindex><url>…</url></sitemapindex>',
    good: '<urlset><url>…</url></urlset>',
  },
  'upper-case-tag': {
    ...STRUCTURE,
    what: 'Tags have upper-case letters where the format has lower-case ones, or the reverse.',
    why: 'XML tells upper and lower case apart: other programs find no entries.',
    fix: 'Write the tags in lower case.',
    bad: '<URL><LOC>https://example.org/</LOC></URL>',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'unknown-charset': {
    ...STRUCTURE,
    documents: ALL_KINDS,
    what: 'The HTTP header or the XML declaration names a charset that programs do not know.',
    why: 'Other programs refuse the document, or guess.',
    fix: 'Save the document in UTF-8, and name `UTF-8`.',
    bad: '<?xml version="1.0" encoding="utf8mb4"?>',
    good: '<?xml version="1.0" encoding="UTF-8"?>',
  },
  'wrong-charset': {
    ...STRUCTURE,
    documents: ALL_KINDS,
    what: 'The charset that the document names contradicts its bytes.',
    why: 'Other programs may believe the name, and read nothing.',
    fix: 'Name the charset that the document is in, which should be UTF-8.',
    bad: '<?xml version="1.0" encoding="UTF-16"?> in UTF-8',
    good: '<?xml version="1.0" encoding="UTF-8"?>',
  },
  'check-failed': {
    documents: ALL_KINDS,
    what: 'The check of this document ended early because of an internal error. Other documents are checked.',
    why: 'The rest of the document is not checked.',
    fix: 'Please report it with the document: it is a bug in this program.',
    bad: 'A document that no one has tried before.',
    good: 'Any other document.',
    source: 'https://www.npmjs.com/package/ultimate-sitemap-parser',
  },
});

type ParserFault = (typeof PARSER_FAULTS)[number];

const PARSER_FAULT_CODES: ReadonlySet<string> = new Set(PARSER_FAULTS);
const AFTER_ROOT: ReadonlySet<string> = new Set(['junk-after-root', 'second-root', 'cdata-outside-root']);
/** How many faults and problems are kept until it is known what to do with them. */
const MOST_KEPT = 1000;

export const xml: DocumentRule = (document) => {
  let reader: WellFormedReader | undefined;
  /** Faults before it is known whether the sitemap is inside an HTML page. */
  let early: Fault[] | undefined = [];
  let isInsideHtml = false;
  let hasFaults = false;
  /** Where the root of the sitemap begins. */
  let rootOffset = 0;
  // Faults that were reported, and that have other faults as a consequence.
  let textBefore: number | undefined;
  let hasUnknownEncoding = false;
  let isTruncated = false;
  let isCut = false;
  /** The start tag that a wrong closing tag did not close. */
  let leftOpen: number | undefined;
  /** The first entry without a root, and the first fault after the root: the end decides which is reported. */
  let entryOutside = Number.POSITIVE_INFINITY;
  let outside: Report | undefined;
  const structure: Report[] = [];

  /** The warning of a program before the root may be text, tags, or both. It gives one finding. */
  const reportBefore = (offset: number, message: string): void => {
    hasFaults = true;
    if (textBefore === undefined) document.report({ rule: 'text-before-root', message, offset });
    textBefore = Math.min(textBefore ?? offset, offset);
  };
  /** Whether a fault follows from one that was reported: one fact gives one finding. */
  const isConsequence = ({ code, offset, related }: Fault): boolean => {
    if (textBefore !== undefined && offset >= textBefore && offset <= rootOffset) return true;
    if (code === 'truncated') {
      if (isTruncated) return true;
      isTruncated = true;
    }
    // `<loc>…</lco></url>`: the wrong closing tag, and the one that is missing.
    if (code === 'mis-nested-tag') leftOpen = related;
    else if (code === 'unclosed-tag' && related !== undefined && related === leftOpen) return true;
    return false;
  };
  const report = (fault: Fault): void => {
    const { code, message: wordedMessage, offset, related } = fault;
    hasFaults = true;
    // The faults of an HTML page around the sitemap follow from it.
    if (isInsideHtml) return;
    if (isBefore(fault, rootOffset)) {
      reportBefore(related ?? offset, 'There is a tag before the root element: remove it.');
      return;
    }
    if (code === 'text-before-root') {
      reportBefore(offset, messageOf(wordedMessage));
      return;
    }
    if (isConsequence(fault)) return;
    const isBehind = isOutside(fault);
    if (isBehind && outside !== undefined) return;
    const rule: RuleName = isRule(code) ? code : 'not-well-formed';
    // Any byte of a document can be a fault, and most faults are only counted.
    if (!isBehind && document.isOnlyCounted(rule)) return;
    const message = messageOf(wordedMessage);
    const severity = code === 'unknown-charset' ? 'error' : undefined;
    const place =
      related === undefined
        ? undefined
        : [{ document: document.name, offset: related, ...document.place(related) }];
    const report: Report = {
      rule,
      message,
      offset,
      position: document.place(offset),
      severity,
      related: place,
    };
    if (isBehind) outside = report;
    else document.report(report);
  };
  /** Called at the root: from here on the kind of the document is known. */
  const decide = (offset = 0): void => {
    if (early === undefined) return;
    const faults = early;
    early = undefined;
    rootOffset = offset;
    for (const fault of faults) report(fault);
  };
  const onFault: ReportFault = (code, message, offset, related) => {
    if (code === 'unknown-charset') hasUnknownEncoding = true;
    // There is no root, or it is far away.
    if (early?.length === MOST_KEPT) decide();
    if (early === undefined) report({ code, message, offset, related });
    else early.push({ code, message: messageOf(message), offset, related });
  };

  return {
    text() {
      const { kind } = document;
      if (kind === undefined || kind === 'robots-txt' || kind === 'pages-text' || kind === 'invalid') return;
      reader ??= new WellFormedReader(onFault);
    },
    /** Reads after the parser, which knows the kind of the document. */
    parsed: (chunk) => reader?.write(chunk),
    readTo: () => reader?.readTo ?? Number.POSITIVE_INFINITY,
    root: (_name, offset) => decide(offset),
    problem({ code, message, offset }) {
      if (code === 'inside-html') isInsideHtml = true;
      if (code === 'entry-without-root') entryOutside = Math.min(entryOutside, offset ?? 0);
      if (code === 'value-too-long') isCut = true;
      if (reader === undefined) return false;
      if (code === 'text-before-root') {
        reportBefore(offset ?? 0, 'Text before the root must be removed.');
        return true;
      }
      // The strict reader reports the charset of the declaration.
      if (code === 'unknown-charset') return hasUnknownEncoding;
      if (code === 'wrong-charset') {
        // A strict parser believes the mark or the label, and cannot read the rest.
        document.report({ rule: code, message, offset, severity: 'error' });
        return true;
      }
      if (!isParserFault(code)) return false;
      // If a tag was cut off, the parser may not know how it ended.
      if (!hasFaults && !isCut && structure.length < MOST_KEPT)
        document.withPage({ rule: code, message, offset }, (each) => structure.push(each));
      return true;
    },
    textEnd() {
      if (document.kind !== 'invalid') reader?.end();
    },
    end({ kind }) {
      if (kind === 'invalid' || kind === undefined) return;
      decide();
      if (outside !== undefined && (outside.offset ?? 0) < entryOutside) document.report(outside);
      if (hasFaults && !isInsideHtml) return;
      // A warning, since XML parsers accept it: only the structure is not that of a sitemap.
      const severity = isInsideHtml ? undefined : 'warning';
      for (const each of structure) document.report({ ...each, severity });
    },
  };
};

/** Whether a fault is about something after a root element. */
function isOutside({ code, related }: Fault): boolean {
  return AFTER_ROOT.has(code) || (code === 'mis-nested-tag' && related === undefined);
}

/** Whether a fault comes from a tag before the root of the sitemap, which a strict reader takes for the root. */
function isBefore(fault: Fault, rootOffset: number): boolean {
  const { code, offset, related = rootOffset } = fault;
  return (isOutside(fault) && offset <= rootOffset) || (code === 'truncated' && related < rootOffset);
}

function isParserFault(code: string): code is ParserFault {
  return PARSER_FAULT_CODES.has(code);
}

function isRule(code: FaultCode): code is FaultCode & RuleName {
  return code === 'xml-declaration-late' || code === 'unknown-charset' || isParserFault(code);
}

const EXTENSIONS = {
  severity: 'warning',
  about: 'extensions',
  documents: ['pages-xml', 'pages-rss', 'pages-atom'],
  source: 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/combine-sitemap-extensions',
} as const;

export const EXTENSIONS_RULES: RuleRows<RuleNames['extensions']> = ruleRows(EXTENSIONS, {
  'extension-namespace': {
    what:
      'A prefix of news, images, videos or alternates is used with a namespace that is not exactly as ' +
      'specified.',
    why: 'A namespace is compared letter by letter: other programs ignore the tags with this prefix.',
    fix: 'Copy the namespace exactly, with `http:` where it has `http:`, and without a slash at its end.',
    bad: 'xmlns:image="https://www.google.com/schemas/sitemap-image/1.1/"',
    good: 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  },
});

/** The namespace before the protocol. Sitemaps of 2005 still have it, and the parser accepts it. */
const GOOGLE_0_84 = 'http://www.google.com/schemas/sitemap/0.84';

/** A root further down in a document is not found. */
const LONGEST_START = 256 * 1024;

const RIGHT: Partial<Record<Vocabulary, string>> = EXTENSION_NAMESPACES;

/** A prefix with the usual name of an extension and another namespace. */
interface Suspect {
  readonly prefix: string;
  readonly vocabulary: Vocabulary;
  readonly attribute: Declaration;
}

/** Has its position, since a namespace may be used far behind its declaration. */
interface Declaration extends TagAttribute {
  readonly position: Report['position'];
}

export const extensions: DocumentRule = (document) => {
  let declared: readonly Declaration[] = [];
  let rootNamespace: string | undefined;
  /** The suspicious declarations of the root whose prefix has not been used so far. */
  let suspects: Suspect[] = [];
  /** The text from the start of the document until the event of the root, which comes some bytes after it. */
  let startText: string | undefined = '';
  let tail = '';

  const report = (
    uri: string,
    vocabulary: Vocabulary,
    { offset, position }: Pick<Report, 'offset' | 'position'>,
  ): void => {
    const right = RIGHT[vocabulary];
    const hint = right === undefined ? '' : `; it must be ${right}`;
    const message = `The namespace "${clip(uri, 200)}" of the ${vocabulary} extension is not right${hint}.`;
    document.report({ rule: 'extension-namespace', message, offset, position });
  };
  /** Reports suspects whose prefix a tag in the text has. There is hardly ever a suspect. */
  const search = (chunk: string): void => {
    const text = tail + chunk;
    tail = text.slice(-20);
    suspects = suspects.filter(({ prefix, vocabulary, attribute }) => {
      if (!text.includes(`<${prefix}:`)) return true;
      report(attribute.value, vocabulary, attribute);
      return false;
    });
  };

  return {
    text(chunk) {
      if (startText === undefined && suspects.length === 0) return;
      const text = new TextDecoder('latin1').decode(chunk);
      if (startText === undefined) search(text);
      else if (startText.length < LONGEST_START) startText += text;
    },
    root(name, offset, attributes) {
      declared = attributes
        .filter((attribute) => attribute.name.startsWith('xmlns'))
        .map((attribute) => ({ ...attribute, position: document.place(attribute.offset) }));
      const colon = name.indexOf(':');
      const declaration = colon === -1 ? 'xmlns' : `xmlns:${name.slice(0, colon)}`;
      rootNamespace = declared.find((attribute) => attribute.name === declaration)?.value;
      if (rootNamespace === GOOGLE_0_84) {
        const message = `The namespace "${GOOGLE_0_84}" is that of Google's schema of 2005.`;
        document.report({ rule: 'wrong-namespace', message, offset });
      }
      for (const attribute of declared) {
        const prefix = attribute.name.slice('xmlns:'.length);
        const vocabulary = usualMeaning(prefix);
        if (vocabulary === undefined || RIGHT[vocabulary] === undefined) continue;
        // The parser reports a namespace that is misspelled or unknown, once it is used.
        const attributeVocabulary = readNamespace(attribute.value)?.vocabulary;
        if (attributeVocabulary === undefined || attributeVocabulary === vocabulary) continue;
        suspects.push({ prefix, vocabulary, attribute });
      }
      if (suspects.length > 0) search(startText ?? '');
      startText = undefined;
    },
    problem({ code, subject: uri, offset }) {
      if (code !== 'wrong-namespace' || uri === undefined || uri === rootNamespace) return false;
      const declaration = declared.find(({ value }) => value === uri);
      const prefix = declaration?.name.slice('xmlns:'.length) ?? '';
      const vocabulary = readNamespace(uri)?.vocabulary ?? usualMeaning(prefix);
      if (vocabulary === undefined) return false;
      report(uri, vocabulary, declaration ?? { offset });
      return true;
    },
  };
};
