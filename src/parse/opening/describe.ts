/** Says what a document is instead of a sitemap, in words that a person understands. */

/** What a document is that is not a sitemap. */
export interface Description {
  /** A stable word. */
  readonly what:
    | 'empty'
    | 'html'
    | 'bot-wall'
    | 'login'
    | 'other-xml'
    | 'gzip'
    | 'git-lfs'
    | 'json'
    | 'binary'
    | 'text';
  /** The rest of a sentence that begins with "It is …". */
  readonly words: string;
}

const SIGNATURES: readonly (readonly [string, string])[] = [
  ['%PDF-', 'a PDF file'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x89PNG', 'a PNG image'],
  ['GIF8', 'a GIF image'],
  ['\xff\xd8\xff', 'a JPEG image'],
];

const BOT_WALL: readonly RegExp[] = [
  /captcha|cf-chl|challenge-platform|just a moment|attention required|access denied|request unsuccessful/i,
  /verify (?:that )?you are (?:a )?human|are you a robot|enable javascript and cookies|ddos protection/i,
];
const LOGIN = /type\s*=\s*["']?password|<title>[^<]*(?:log ?in|sign ?in)/i;
const META_REFRESH = /http-equiv\s*=\s*["']?refresh["']?[^>]*url\s*=\s*["']?([^"'>\s]+)/i;

/** Describes a document by its first bytes and the name of its first element. */
export function describe(head: Uint8Array, firstElement: string | undefined): Description {
  // Latin-1 keeps every byte; nothing beyond ASCII is looked for.
  const text = latin1(head.subarray(0, 16 * 1024));
  const start = text.replace(/^(?:\xef\xbb\xbf|\s)+/, '');
  if (start === '') return { what: 'empty', words: 'empty' };
  if (text.startsWith('\x1f\x8b')) {
    return { what: 'gzip', words: 'compressed with gzip; decompress it first (DecompressionStream does it)' };
  }
  if (start.startsWith('version https://git-lfs')) {
    return { what: 'git-lfs', words: 'a Git LFS pointer; the file itself was not deployed' };
  }
  for (const [signature, words] of SIGNATURES) {
    if (text.startsWith(signature)) return { what: 'binary', words };
  }
  if (text.includes('\0')) return { what: 'binary', words: 'binary data' };
  if (
    /^<(?:!doctype\s+html|html|head|body)\b/i.test(withoutComments(start)) ||
    firstElement?.toLowerCase() === 'html'
  ) {
    return describeHtml(text);
  }
  if (start.startsWith('<')) {
    if (firstElement === undefined) return { what: 'other-xml', words: 'XML without any element' };
    const name = firstElement.slice(0, 50);
    return { what: 'other-xml', words: `XML of another kind: its root is <${name}>` };
  }
  if (/^[[{]/.test(start)) return { what: 'json', words: 'JSON' };
  return { what: 'text', words: 'text without a single URL on a line of its own' };
}

function describeHtml(text: string): Description {
  if (BOT_WALL.some((words) => words.test(text)))
    return { what: 'bot-wall', words: 'an HTML page that looks like a bot wall' };
  if (LOGIN.test(text)) return { what: 'login', words: 'an HTML page that looks like a login form' };
  const target = META_REFRESH.exec(text)?.[1];
  if (target !== undefined) {
    return { what: 'html', words: `an HTML page that sends browsers on to ${target.slice(0, 200)}` };
  }
  return { what: 'html', words: 'an HTML page' };
}

function withoutComments(text: string): string {
  return text.replace(/^(?:\s*(?:<!--[\s\S]*?-->|<\?[^>]*>))+\s*/, '');
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}
