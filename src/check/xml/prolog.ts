/** Checks the XML declaration, the end of a DOCTYPE, and the names of instructions. */
import { isName } from './characters.ts';
import { excerpt, quoted, type ReportFault } from './fault.ts';

/** Checks the XML declaration, from its `<` to its end. @returns whether it names ASCII */
export function checkDeclaration(text: string, fault: ReportFault): boolean {
  if (!/^<\?xml.*\?>$/s.test(text)) {
    fault('bad-declaration', 'The XML declaration must end with "?>".', 0);
    return false;
  }
  const encoding = readDeclaration(text.slice(5, -2), (code, message) => fault(code, message, 0));
  return /^(?:us-)?ascii$/i.test(encoding ?? '');
}

/** Checks the name of any other instruction, from `at + 2` to `to`. */
export function checkInstruction(
  text: string,
  at: number,
  to: number,
  hasRoot: boolean,
  fault: ReportFault,
): void {
  const name = text.slice(at + 2, to);
  // The name is reserved in upper and lower case.
  if (/^xml$/i.test(name)) fault('xml-declaration-late', lateMessage(name, hasRoot), at);
  else if (!isName(name)) fault('bad-instruction', 'A "<?" must be followed by a name.', at);
  // Namespaces in XML, section 7.
  else if (name.includes(':'))
    fault('bad-instruction', `The name of the instruction <?${excerpt(name)} has a colon.`, at);
  else if (to < text.length && !/[ \t\r\n]/.test(text[to]!) && !text.startsWith('?>', to)) {
    const message = `The instruction <?${excerpt(name)} needs a space behind its name.`;
    fault('bad-instruction', message, at);
  }
}

function lateMessage(name: string, isBehindRoot: boolean): string {
  if (name !== 'xml')
    return `<?${name} is reserved: the XML declaration is written in small letters, at the very start.`;
  const what = isBehindRoot ? 'the start of the root element' : 'something';
  return (
    `The XML declaration must be the very first thing in the document, but ${what} comes before it ` +
    '(a space or an empty line is enough).'
  );
}

/** The XML declaration: `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`. */

const GAP = '[ \\t\\r\\n]';
const VALUE = `${GAP}*=${GAP}*(?:"([^"]*)"|'([^']*)')`;
const SHAPE = new RegExp(
  `^${GAP}+version${VALUE}(?:(${GAP}+)encoding${VALUE})?(?:(${GAP}+)standalone${VALUE})?${GAP}*$`,
);

function readDeclaration(
  text: string,
  report: (code: 'bad-declaration' | 'unknown-charset', message: string) => void,
): string | undefined {
  const [matched, ...groups] = SHAPE.exec(text) ?? [];
  const [version = '', encoding, standalone] = [0, 3, 6].map((at) => groups[at] ?? groups[at + 1]);
  if (matched === undefined) {
    const parts = 'in this order, each value in quotes';
    const message = /\bversion\b/.test(text)
      ? `The XML declaration must be <?xml version="1.0" encoding="UTF-8"?>, ${parts}.`
      : 'The XML declaration needs version="1.0".';
    report('bad-declaration', message);
  } else if (!/^1\.[0-9]+$/.test(version)) {
    report('bad-declaration', `The XML version must be 1.0, not ${quoted(version)}.`);
  } else if (encoding !== undefined && !/^[A-Za-z][A-Za-z0-9._-]*$/.test(encoding)) {
    report('bad-declaration', `The encoding ${quoted(encoding)} in the XML declaration is not a name.`);
  } else if (standalone !== undefined && standalone !== 'yes' && standalone !== 'no') {
    report(
      'bad-declaration',
      `standalone in the XML declaration must be yes or no, not ${quoted(standalone)}.`,
    );
  } else if (encoding !== undefined && !isKnownEncoding(encoding)) {
    const message = `The encoding ${quoted(encoding)} is not one that XML parsers have to know: write UTF-8.`;
    report('unknown-charset', message);
  }
  return encoding;
}

/** Few XML parsers know an encoding that browsers do not know. They must support only UTF-8 and UTF-16. */
function isKnownEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return false;
  }
}

/**
 * The index after the DOCTYPE at `start`; -1 if the text ends before. Its declarations are not checked: sitemaps have
 * none, and their parsers skip them.
 */
export function doctypeEnd(text: string, start: number): number {
  let inSubset = false;
  for (let at = start + '<!DOCTYPE'.length; at < text.length; at++) {
    const section = SECTIONS.find(([opening]) => text.startsWith(opening, at));
    if (section !== undefined) {
      const [opening, ending] = section;
      const endAt = text.indexOf(ending, at + opening.length);
      if (endAt === -1) return -1;
      at = endAt + ending.length - 1;
    } else if (text[at] === '[') inSubset = true;
    else if (text[at] === ']') inSubset = false;
    else if (text[at] === '>' && !inSubset) return at + 1;
  }
  return -1;
}

const SECTIONS = [
  ['"', '"'],
  ["'", "'"],
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;
