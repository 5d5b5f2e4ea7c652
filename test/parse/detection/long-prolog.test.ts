/** §7: the 64 KiB in which a root is found count from behind the prolog, which may have 1 MiB, however it is cut. */
import { describe, expect, test } from 'vitest';
import { parseSitemap } from '../../../src/parse/index.ts';

const KIB = 1024;
const URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
const BODY = `${URLSET}<url><loc>https://example.org/a</loc></url></urlset>`;
const HTML = '<html><head><title>Log in</title></head><body>x</body></html>';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

const comment = (kib: number): string => `<!-- ${'<urlset> '.repeat((kib * KIB) / 9)} -->`;
const comments = (kib: number): string => '<!-- a -->\n'.repeat((kib * KIB) / 11);
const blanks = (kib: number): string => ' \n\t\r'.repeat((kib * KIB) / 4);
const instructions = (kib: number): string => `<?editor ${'x'.repeat(1000)}?>`.repeat(kib);
const doctype = (kib: number): string =>
  `<!DOCTYPE urlset [${'<!ENTITY a "urlset b">\n'.repeat((kib * KIB) / 23)}]>`;
const warning = (kib: number): string =>
  '<br />\n<b>Warning</b>: x in a.php on line 1'.repeat((kib * KIB) / 41);

function read(text: string, size: number) {
  const bytes = new TextEncoder().encode(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  const parse = parseSitemap(chunks);
  const urls = [...parse].map((item) => (item.type === 'page' ? item.page.url : item.type));
  const reason = parse.reason?.replace(/^.*: it is /, '');
  return { urls, kind: parse.kind, reason, problems: parse.problems.map(({ code }) => code) };
}

const READ = { urls: ['https://example.org/a'], kind: 'pages-xml', reason: undefined, problems: [] };
const refused = (reason: string) => ({ urls: [], kind: 'invalid', reason, problems: [] });

describe('a long prolog', () => {
  test.each([
    ['a comment', DECLARATION + comment(100) + BODY, READ],
    ['many comments', DECLARATION + comments(300) + BODY, READ],
    ['white space', blanks(100) + BODY, READ],
    ['a byte order mark and white space', `\uFEFF${blanks(100)}${DECLARATION}${BODY}`, READ],
    ['white space behind a declaration', DECLARATION + blanks(100) + BODY, READ],
    ['processing instructions', DECLARATION + instructions(100) + BODY, READ],
    ['a DOCTYPE, and comments', doctype(60) + comments(60) + BODY, { ...READ, problems: ['doctype'] }],
    [
      'a DOCTYPE of more than 64 KiB, which is ended there',
      doctype(100) + BODY,
      { ...READ, problems: ['doctype', 'value-too-long', 'text-before-root'] },
    ],
    [
      'a warning of PHP in the 64 KiB behind it',
      comment(100) + warning(60) + BODY,
      { ...READ, problems: ['text-before-root'] },
    ],
    [
      'a URL on a line of its own',
      `${blanks(100)}\nhttps://example.org/a\n`,
      { ...READ, kind: 'pages-text' },
    ],
    ['an HTML page', comment(100) + HTML, refused('an HTML page that looks like a login form.')],
    ['HTML behind white space', blanks(100) + HTML, refused('an HTML page that looks like a login form.')],
    ['JSON', `${blanks(100)}{"a": 1}`, refused('JSON.')],
    ['nothing', blanks(100), refused('empty.')],
    ['no element', comments(100), refused('XML without any element.')],
    ['a warning of more than 64 KiB', warning(70) + BODY, refused('XML of another kind: its root is <br>.')],
    [
      'a root that ends behind the 64 KiB',
      `<br/>${'x'.repeat(64 * KIB - 20)}${BODY}`,
      refused('XML of another kind: its root is <br>.'),
    ],
    [
      'a root that ends within the 64 KiB',
      `<br/>${'x'.repeat(64 * KIB - 100)}${BODY}`,
      { ...READ, problems: ['text-before-root'] },
    ],
    [
      'a long text before a root',
      `${'x'.repeat(70 * KIB)}${BODY}`,
      refused('text without a single URL on a line of its own.'),
    ],
    [
      'a root in a literal of a DOCTYPE',
      `<!DOCTYPE a [<!ENTITY b '${URLSET}'>]>${BODY}`,
      { ...READ, problems: ['doctype'] },
    ],
    ['more than 1 MiB', comments(1100) + BODY, refused('XML without any element.')],
  ])('%s', (_, text, expected) => {
    // A byte at a time takes a second for a MiB.
    for (const size of [text.length * 2, 70_001, 65_536, 997, text.length < 400 * KIB ? 1 : 101]) {
      expect(read(text, size), `${size} bytes at a time`).toEqual(expected);
    }
  });
});
