/** Bytes that mean something in markup and lines, by their names. They are the same in ASCII and in UTF-8. */

export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
/** `!` */
export const BANG = 0x21;
export const DOUBLE_QUOTE = 0x22;
/** `#` */
export const HASH = 0x23;
export const SINGLE_QUOTE = 0x27;
export const DASH = 0x2d;
export const SLASH = 0x2f;
export const COLON = 0x3a;
/** `<` */
export const LT = 0x3c;
export const EQUALS = 0x3d;
/** `>` */
export const GT = 0x3e;
export const QUESTION = 0x3f;
export const BRACKET_OPEN = 0x5b;
export const BRACKET_CLOSE = 0x5d;
