/** Names of tags and attributes, each made into a string once: a sitemap uses a dozen names, a million times. */
import { isName, textOf } from './characters.ts';

export interface XmlName {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Whether XML allows it as a name. */
  readonly isValid: boolean;
  /** The part before the first colon; undefined without one. */
  readonly prefix: string | undefined;
  /** Whether it is two names with one colon between them. */
  readonly isQualified: boolean;
}

const SLOTS = 256;

export class Names {
  readonly #slots: (XmlName | undefined)[] = new Array<XmlName | undefined>(SLOTS).fill(undefined);

  /** The name that is written there. */
  at(bytes: Uint8Array, from: number, to: number): XmlName {
    const length = to - from;
    const key =
      (length * 37 + bytes[from]! * 11 + bytes[to - 1]! * 3 + bytes[from + (length >> 1)]!) & (SLOTS - 1);
    const known = this.#slots[key];
    if (known !== undefined && isSame(known.bytes, bytes, from, to)) return known;
    const text = textOf(bytes, from, to);
    const colon = text.indexOf(':');
    const name: XmlName = {
      text,
      // Not slice(): that of a Buffer is a view of memory that is the caller's.
      bytes: new Uint8Array(bytes.subarray(from, to)),
      isValid: isName(bytes, from, to),
      prefix: colon === -1 ? undefined : text.slice(0, colon),
      isQualified: colon > 0 && /^[^:\-.\d][^:]*$/u.test(text.slice(colon + 1)),
    };
    // A name that took another's slot costs a string again; it is never wrong.
    this.#slots[key] = name;
    return name;
  }
}

/** Whether a range of bytes is the given one. */
export function isSame(name: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let at = from, own = 0; at < to; ) if (name[own++] !== bytes[at++]) return false;
  return true;
}
