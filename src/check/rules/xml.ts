/**
 * Whether a document is well-formed XML.
 *
 * The strict reader and the parser notice much of the same. Where the strict reader finds a fault, what the parser says
 * about structure is the same fact: it is only reported of documents that are well-formed.
 */
import type { Problem } from '../../problems/problem-list.ts';
import type { PlainPage } from '../plain-page.ts';
import type {
  CheckedDocument,
  CheckedKind,
  DocumentEnd,
  DocumentListener,
  DocumentRule,
  RuleRows,
} from '../rule.ts';
import { WellFormedReader } from '../well-formed.ts';
import { type Fault, PARSER_FAULTS } from '../xml/fault.ts';
import type { ProblemRule } from './problems.ts';

const XML_KINDS: readonly CheckedKind[] = ['pages-xml', 'index-xml', 'pages-rss', 'pages-atom'];

/** The rules of this file. */
export type XmlRule = 'not-well-formed' | 'xml-declaration-late';

export const XML_RULES: RuleRows<XmlRule> = {
  'not-well-formed': {
    severity: 'error',
    about: 'xml',
    documents: XML_KINDS,
    explanation: {
      what:
        'An XML parser would refuse the document here: an unknown entity such as `&eacute;`, `--` in a ' +
        'comment, an attribute without quotes or given twice, `]]>` in text, a forbidden character.',
      why: 'Search engines use strict XML parsers: everything behind this place is lost on them.',
      fix: 'Write the sitemap with an XML library instead of joining strings, or correct this place.',
    },
    bad: '<news:title>Caf&eacute;</news:title>',
    good: '<news:title>Café</news:title>',
    source: 'https://www.w3.org/TR/xml/#sec-well-formed',
  },
  'xml-declaration-late': {
    severity: 'error',
    about: 'xml',
    documents: XML_KINDS,
    explanation: {
      what: 'The XML declaration is not at the very start: white space, a blank line or something else is before it.',
      why: 'XML parsers refuse the whole document.',
      fix: 'Remove what is before `<?xml`; it is often a blank line at the start of a script or template.',
    },
    bad: '\n<?xml version="1.0" encoding="UTF-8"?>',
    good: '<?xml version="1.0" encoding="UTF-8"?>',
    source: 'https://www.w3.org/TR/xml/#sec-prolog-dtd',
  },
};

/** What has the name of a problem of the parser, and is a rule. */
const OF_PARSER: ReadonlySet<string> = new Set(PARSER_FAULTS);
const AFTER_ROOT: ReadonlySet<string> = new Set(['junk-after-root', 'second-root', 'cdata-outside-root']);
/** How many faults and problems are kept until it is known what to do with them. */
const MOST_KEPT = 1000;

/** Well-formedness of one document. */
export const xml: DocumentRule<XmlRule | ProblemRule> = (document): DocumentListener => {
  const check = new WellFormedness(document);
  return {
    text: (chunk) => check.text(chunk),
    plainPage: (page) => check.page(page),
    parsed: (chunk) => check.parsed(chunk),
    root: (_name, offset) => check.decide(offset),
    problem: (problem) => check.problem(problem),
    end: (end) => check.end(end),
  };
};

class WellFormedness {
  readonly #document: CheckedDocument<XmlRule | ProblemRule>;
  #reader: WellFormedReader | undefined;
  /** Where in the text the chunk begins that is being parsed, and where it ends. */
  #chunkStart = 0;
  #chunkEnd = 0;
  /** Faults before it is known whether the sitemap is inside an HTML page. */
  #early: Fault[] | undefined = [];
  #isInsideHtml = false;
  #hasFaults = false;
  /** Where the root of the sitemap begins. */
  #rootOffset = 0;
  /** What was reported and makes others a mere consequence. */
  #hasTextBefore = false;
  #hasNoRoot = false;
  #isOutside = false;
  #isTruncated = false;
  /** The start tag that a wrong closing tag did not close. */
  #leftOpen: number | undefined;
  /** What the parser says about the structure. */
  readonly #structure: Problem[] = [];

  constructor(document: CheckedDocument<XmlRule | ProblemRule>) {
    this.#document = document;
  }

  text(chunk: Uint8Array): void {
    this.#chunkStart = this.#chunkEnd;
    this.#chunkEnd += chunk.length;
    const { kind } = this.#document;
    if (kind === undefined || kind === 'robots-txt' || kind === 'pages-text' || kind === 'invalid') return;
    this.#reader ??= new WellFormedReader((fault) => this.#fault(fault));
  }

  /** The parser has looked at every byte of the entry: there is nothing in it for the strict reader. */
  page({ isOrdinary, entry }: PlainPage): void {
    // Of one that began in the chunk before, the reader has seen the beginning.
    if (!isOrdinary || entry.offset < this.#chunkStart) return;
    this.#reader?.skip(entry.spaceOffset, entry.offset, entry.endOffset);
  }

  /** Read once the parser has said what need not be. */
  parsed(chunk: Uint8Array): void {
    this.#reader?.write(chunk);
  }

  problem(problem: Problem): boolean {
    const { code, message, offset } = problem;
    if (code === 'inside-html') this.#isInsideHtml = true;
    if (code === 'entry-without-root') this.#hasNoRoot = true;
    if (this.#reader !== undefined && code === 'text-before-root') {
      this.#hasTextBefore = true;
      this.#hasFaults = true;
      this.#document.report({ rule: code, message: `${message.split(' was ')[0]} must be removed.`, offset });
      return true;
    }
    if (this.#reader === undefined || !OF_PARSER.has(problem.code)) return false;
    if (!this.#hasFaults && this.#structure.length < MOST_KEPT) this.#structure.push(problem);
    return true;
  }

  /** The root was found: from here on it is known what the document is. */
  decide(rootOffset = 0): void {
    const early = this.#early;
    if (early === undefined) return;
    this.#early = undefined;
    this.#rootOffset = rootOffset;
    for (const fault of early) this.#report(fault);
  }

  end({ kind }: DocumentEnd): void {
    if (kind === 'invalid' || kind === undefined) return;
    this.#reader?.end();
    this.decide();
    if (this.#hasFaults && !this.#isInsideHtml) return;
    for (const { code, message, offset } of this.#structure) {
      // An XML parser would not mind: the structure is not that of a sitemap.
      const severity = this.#isInsideHtml ? undefined : 'warning';
      this.#document.report({ rule: code as ProblemRule, message, offset, severity });
    }
  }

  #fault(fault: Fault): void {
    if (this.#early === undefined) this.#report(fault);
    else if (this.#early.length < MOST_KEPT) this.#early.push(fault);
    // There is no root, or it is far away.
    else this.decide();
  }

  #report(fault: Fault): void {
    const { code, message, offset, related } = fault;
    this.#hasFaults = true;
    // Of an HTML page around the sitemap the faults are no news; not valid bytes have a rule of their own.
    if (this.#isInsideHtml || code === 'invalid-bytes' || this.#isConsequence(fault)) return;
    const rule = isRule(code) ? code : 'not-well-formed';
    this.#document.report({ rule, message, offset, related: this.#relatedPlace(related) });
  }

  /** Whether a fault follows from one that was reported: one fact gives one finding. */
  #isConsequence({ code, offset, related }: Fault): boolean {
    if (this.#hasTextBefore && offset <= this.#rootOffset) return true;
    if (this.#hasNoRoot && code === 'second-root') return true;
    if (code === 'truncated') {
      if (this.#isTruncated) return true;
      this.#isTruncated = true;
    }
    // `<loc>…</lco></url>`: the wrong closing tag, and the one that is missing.
    if (code === 'mis-nested-tag') this.#leftOpen = related;
    else if (code === 'unclosed-tag' && related !== undefined && related === this.#leftOpen) return true;
    // Whatever comes behind the root.
    const isOutside = AFTER_ROOT.has(code) || (code === 'mis-nested-tag' && related === undefined);
    if (!isOutside) return false;
    const wasOutside = this.#isOutside;
    this.#isOutside = true;
    return wasOutside;
  }

  #relatedPlace(offset: number | undefined): [{ document: string; offset: number }] | undefined {
    if (offset === undefined) return undefined;
    const position = this.#document.place(offset);
    return [{ document: this.#document.name, offset, ...position }];
  }
}

/** Whether a fault has a rule of its own name. */
function isRule(code: Fault['code']): code is Fault['code'] & (XmlRule | ProblemRule) {
  return code === 'xml-declaration-late' || (OF_PARSER.has(code) && code !== 'entity-dropped');
}
