/** References in text and in attribute values: `&amp;`, `&#233;`, `&name;`. */
import { namedCharacters } from '../../parse/values/entities.ts';
import { isCharacter, isName } from './characters.ts';
import { quoted, type ReportFault } from './fault.ts';

/** Names of entities are limited: an `&` far from the next `;` was not escaped. */
const REFERENCE = /&(#?)([\w:.\-\x80-\xff]{0,1000})(;?)/y;
const PREDEFINED: ReadonlySet<string> = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

/** The declarations of a DOCTYPE that matter for the text after it. */
export interface Entities {
  readonly names: ReadonlySet<string>;
  /** Whether some declarations are elsewhere: an external subset, or a parameter entity. */
  readonly isIncomplete: boolean;
  /** Whether namespaces may be declared by default values of attributes. */
  readonly mayDeclarePrefixes: boolean;
}

export function entitiesOf(doctype: string): Entities {
  return {
    names: new Set(Array.from(doctype.matchAll(/<!ENTITY\s+([^\s%"']+)/g), ([, name]) => name!)),
    isIncomplete: /^<!DOCTYPE\s+[^\s[>]+\s+(?:SYSTEM|PUBLIC)|<!ENTITY\s+%|%[\w:.-]+;/.test(doctype),
    mayDeclarePrefixes: /<!ATTLIST[^<>]*\sxmlns/.test(doctype),
  };
}

/** Checks the reference whose `&` is at `at`. */
export function checkReference(
  text: string,
  at: number,
  entities: Entities | undefined,
  fault: ReportFault,
): void {
  REFERENCE.lastIndex = at;
  const [whole, hash, name = '', semicolon] = REFERENCE.exec(text)!;
  const isClosed = semicolon === ';';
  if (hash === '#') checkNumber(name, isClosed, whole, at, fault);
  else if (isClosed && PREDEFINED.has(name)) return;
  else if (isClosed && isName(name)) {
    // An external DTD, which is not read, may define any entity.
    const isKnown = entities !== undefined && (entities.isIncomplete || entities.names.has(name));
    if (!isKnown) fault('unknown-entity', () => unknown(name), at);
  } else if (PREDEFINED.has(name)) {
    fault('bare-ampersand', `"&${name}" has no ";" behind it: write "&${name};".`, at);
  } else fault('bare-ampersand', 'This "&" must be written as "&amp;".', at);
}

/** Checks the number of a character reference: decimal, or hexadecimal after an `x`. */
function checkNumber(number: string, isClosed: boolean, whole: string, at: number, fault: ReportFault): void {
  const quotedReference = (): string => quoted(whole);
  if (!isClosed || number === '')
    fault(
      'bad-reference',
      () => `${quotedReference()} is not a character reference: it needs digits and ";".`,
      at,
    );
  else if (!/^(?:\d+|x[\da-fA-F]+)$/.test(number)) {
    const message = () => `${quotedReference()} is not a character reference: write "&#233;" or "&#xE9;".`;
    fault('bad-reference', message, at);
  } else if (!isCharacter(Number(`0${number}`)))
    fault('bad-reference', () => `${quotedReference()} names a character that XML forbids: remove it.`, at);
}

function unknown(name: string): string {
  const character = namedCharacters().get(name);
  if (character === undefined) {
    return `The entity ${quoted(`&${name};`)} is not defined. XML has only &amp; &lt; &gt; &quot; and &apos;.`;
  }
  // An invisible character is better written as a number.
  const itself = /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `"${character}" or ` : '';
  return `The entity "&${name};" is HTML and not defined in XML: write ${itself}"&#${character.codePointAt(0)};".`;
}
