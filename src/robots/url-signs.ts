/** The signs in a URL as bits of one number: what a URL and a rule have in common is then a single comparison. */

const DELETE = 0x7f;

/** A bit for each sign of ASCII that is neither a letter nor a digit; there are 32 of them. */
export const SIGN_BITS: Int32Array = signBits();

export function signsOf(text: string): number {
  let signs = 0;
  for (let at = 0; at < text.length; at++) signs |= SIGN_BITS[text.charCodeAt(at)] ?? 0;
  return signs;
}

function signBits(): Int32Array {
  const bits = new Int32Array(256);
  let count = 0;
  for (let code = 0x21; code < 0x7f; code++) {
    if (!/[0-9A-Za-z]/.test(String.fromCharCode(code))) bits[code] = 1 << count++;
  }
  // All bits are taken. No more than a "<" is it in an ordinary URL.
  bits[DELETE] = bits[0x3c]!;
  return bits;
}
