/** The XML declaration: `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`. */

const SPACE = '[ \\t\\r\\n]';
/** A value in double or single quotes, with what is before it. */
const VALUE = `${SPACE}*=${SPACE}*(?:"([^"]*)"|'([^']*)')`;
/** The parts in their order. */
const SHAPE = new RegExp(
  `^${SPACE}+version${VALUE}(?:(${SPACE}+)encoding${VALUE})?(?:(${SPACE}+)standalone${VALUE})?${SPACE}*$`,
);

/** What is wrong with the text between `<?xml` and `?>`; undefined if nothing is. */
export function faultInDeclaration(text: string): string | undefined {
  const match = SHAPE.exec(text);
  if (match === null) {
    if (!/\bversion\b/.test(text)) return 'The XML declaration needs version="1.0".';
    return 'The XML declaration must be <?xml version="1.0" encoding="UTF-8"?>, in this order, each value in quotes.';
  }
  const version = match[1] ?? match[2]!;
  if (!/^1\.[0-9]+$/.test(version)) return `The XML version must be 1.0, not "${version.slice(0, 40)}".`;
  const encoding = match[4] ?? match[5];
  if (encoding !== undefined && !/^[A-Za-z][A-Za-z0-9._-]*$/.test(encoding)) {
    return `The encoding "${encoding.slice(0, 40)}" in the XML declaration is not a name.`;
  }
  if (encoding !== undefined && !isKnownEncoding(encoding)) {
    return `The encoding "${encoding.slice(0, 40)}" in the XML declaration does not exist: write UTF-8.`;
  }
  const standalone = match[7] ?? match[8];
  if (standalone !== undefined && standalone !== 'yes' && standalone !== 'no') {
    return `standalone in the XML declaration must be yes or no, not "${standalone.slice(0, 40)}".`;
  }
  return undefined;
}

/** What no standard of the web has, XML parsers do not have either; but for UCS-2 and UCS-4, which XML names. */
function isKnownEncoding(name: string): boolean {
  if (/^iso-10646-ucs-[24]$/i.test(name)) return true;
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return false;
  }
}

/** Whether it says that no declaration outside the document matters. */
export function isStandalone(text: string): boolean {
  return /standalone[ \t\r\n]*=[ \t\r\n]*["']yes["']/.test(text);
}
