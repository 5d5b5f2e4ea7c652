/** §1 and §12: of the head of a page, the tags that a browser finds, however the page is cut into chunks. */
import { expect, test } from 'vitest';
import { linksOfHeader, readHead } from '../../../src/parse/formats/html-head.ts';

const LINK = '<link rel=sitemap href=/a.xml>';
const HIDDEN = '<link rel=sitemap href=/hidden.xml>';

async function* chunksOf(html: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(html);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

test.each<readonly [string, string, readonly string[]]>([
  ['links', `${LINK}<LINK REL="Sitemap" HREF='/b.xml'/>`, ['/a.xml', '/b.xml']],
  ['a comment', `<!-- ${HIDDEN} > -->${LINK}`, ['/a.xml']],
  ['a comment that does not end', `${LINK}<!-- ${HIDDEN}`, ['/a.xml']],
  ['a script', `<script>"${HIDDEN}"</script>${LINK}`, ['/a.xml']],
  ['a script that does not end', `${LINK}<script>"${HIDDEN}"`, ['/a.xml']],
  [
    'a script in a comment in a script',
    `<script><!-- <script></script>${HIDDEN}--></script>${LINK}`,
    ['/a.xml'],
  ],
  [
    'a script in a comment that does not end, in a script',
    `<script><!-- <script></script>${HIDDEN}</script>${LINK}`,
    ['/a.xml'],
  ],
  [
    'a script behind one whose comment does not end',
    `<script><!-- </script><script>"<script>"</script>${LINK}`,
    ['/a.xml'],
  ],
  [
    'a script behind one whose comment has a script, and does not end',
    `<script><!-- <script></script></script><script>"<script>"</script>${LINK}`,
    ['/a.xml'],
  ],
  ['a title and a style', `<title>${HIDDEN}</title><style>${HIDDEN}</styles></style >${LINK}`, ['/a.xml']],
  ['a template', `<template><template></template>${HIDDEN}</template>${LINK}`, ['/a.xml']],
  ['a > in quotes', `<meta content="a > ${HIDDEN}">${LINK}`, ['/a.xml']],
  ['a body', `${LINK}<body>${HIDDEN}`, ['/a.xml']],
  ['the end of the head', `${LINK}</head>${HIDDEN}`, ['/a.xml']],
  ['the end of a head in a template', `<template></head></template>${LINK}`, ['/a.xml']],
  [
    'three templates in one another',
    `<template><template></template><template></template>${HIDDEN}</template>${LINK}`,
    ['/a.xml'],
  ],
  ['the end of a template that was never begun', `</template>${LINK}<template>${HIDDEN}`, ['/a.xml']],
  ['a comment that ends with --!>', `<!-- ${HIDDEN} --!>${LINK}<!---->`, ['/a.xml']],
  ['comments that end at once', `<!-->${LINK}<!--->${LINK}`, ['/a.xml', '/a.xml']],
  ['a comment with dashes', `<!---- ${HIDDEN} --- ${HIDDEN} --->${LINK}`, ['/a.xml']],
  ['declarations and instructions', `<!doctype html><?php ${LINK}?><![CDATA[ ${LINK}]]></ ${LINK}`, []],
  ['an empty declaration, and signs that begin nothing', `<!><?></><1 < <= ${LINK}`, ['/a.xml']],
  ...['noscript', 'textarea', 'iframe', 'noembed', 'noframes', 'xmp', 'STYLE', 'Script'].map(
    (name) =>
      [
        `a ${name}`,
        `<${name} a="b>">${HIDDEN}</${name.toLowerCase()}x></ ${name}></${name.toUpperCase()}\n>${LINK}`,
        ['/a.xml'],
      ] as const,
  ),
  [
    'elements whose names begin as those do',
    `<script-x>${LINK}</script-x><stylex>${LINK}<h1>${LINK}`,
    ['/a.xml', '/a.xml', '/a.xml'],
  ],
  [
    'a script in capitals in a comment in a script',
    `<script><!-- <SCRIPT></SCRIPT>${HIDDEN}--></script>${LINK}`,
    ['/a.xml'],
  ],
  [
    'a comment that ends in a script, and a script behind it',
    `<script><!-- --><script></script>${LINK}`,
    ['/a.xml'],
  ],
  [
    'a comment in a script that ends inside of another script',
    `<script><!-- <script> --></script>${LINK}`,
    ['/a.xml'],
  ],
  [
    'a comment in a script that ends, and begins again',
    `<script><!-- <script> --><!-- </script>${LINK}`,
    ['/a.xml'],
  ],
  ['a comment of a script that ends at once', `<script><!--><script></script>${LINK}`, ['/a.xml']],
  [
    'values without quotes, one before the end',
    '<link rel=sitemap href=/a.xml?b=c/><link href=/b.xml rel=sitemap/>',
    ['/a.xml?b=c/', '/b.xml'],
  ],
  ['values with white space', '<link\nrel = \'sitemap\' href\t=\n" /a.xml ">', ['/a.xml']],
  ['a quote in a value without quotes', `<link href=/a"b>${LINK}`, ['/a"b', '/a.xml']],
  ['an attribute that is empty', `<link disabled href="">${LINK}`, ['', '/a.xml']],
  ['the first of two attributes', '<link href="/a.xml" href="/b.xml">', ['/a.xml']],
  ['references', '<link href="/a?b&amp;c&#x26;d">', ['/a?b&c&d']],
  ['a link without an address', `<link rel=sitemap>${LINK}`, ['/a.xml']],
  ['a tag that does not end', `${LINK}<link href="/b.xml"`, ['/a.xml']],
  ['a name of letters beyond ASCII', `<lin\u00e9 href=/b>${LINK}`, ['/a.xml']],
])('%s', async (_what, html, expected) => {
  for (const size of [html.length, 1, 7, 64]) {
    const { links, isComplete } = await readHead(chunksOf(html, size), 'https://example.org/');
    expect([size, links.map(({ href }) => href), isComplete]).toEqual([size, expected, true]);
  }
});

test.each([64, 1000, 1e6])(
  'what ends at the last byte of the 512 KiB that are read is found, in chunks of %i',
  async (size) => {
    const html = `${LINK.padStart(512 * 1024)}${HIDDEN}`;
    const { links } = await readHead(chunksOf(html, size), 'https://example.org/');
    expect(links.map(({ href }) => href)).toEqual(['/a.xml']);
  },
);

const PAGE = 'https://example.org/dir/page';
const headOf = (html: string) => readHead(chunksOf(html, 7), PAGE);

test.each([
  ['none', '<head>', PAGE],
  ['a relative one', '<base href="/x/">', 'https://example.org/x/'],
  ['the first of two', '<base href="a/"><base href="/b/">', 'https://example.org/dir/a/'],
  ['the first that has an address', '<base target="_top"><base href="/b/">', 'https://example.org/b/'],
  ['one that is not http', '<base href="data:text/plain,x">', PAGE],
  ['one that is not a URL', '<base href="https://">', PAGE],
  ['one of another host', '<base href="http://b.example">', 'http://b.example/'],
])('links are relative to the base: %s', async (_what, html, baseUrl) => {
  expect((await headOf(html)).baseUrl).toBe(baseUrl);
});

test('of a meta tag, the name in small letters, and the content as it is', async () => {
  const html =
    '<meta NAME="Robots" content=" NoIndex "><meta charset=utf-8><meta name=a><title><meta name=b></title><meta name=c content=d>';
  expect((await headOf(html)).metas).toEqual([
    { name: 'robots', content: 'NoIndex' },
    { name: '', content: '' },
    { name: 'a', content: '' },
    { name: 'c', content: 'd' },
  ]);
});

test('of a link, its relations, its type, and whether it is of a version', async () => {
  const attributes = ['', 'hreflang=de', 'lang=de', 'media=print', 'media=""', 'type="Text/HTML"', 'title=x'];
  const html = attributes.map((each) => `<link rel=" Canonical\tX " href=/ ${each}>`).join('');
  const { links } = await headOf(html);
  for (const { rel } of links) expect(rel).toEqual(['canonical', 'x']);
  expect(links.map(({ isOfVersion }) => isOfVersion)).toEqual([false, true, true, true, true, true, false]);
  expect(links.map(({ type }) => type)).toEqual(['', '', '', '', '', 'Text/HTML', '']);
});

test('a head of more than 512 KiB is not complete, and one that ends there is, also with its page', async () => {
  const read = async (html: string, size: number) => {
    const { links, isComplete } = await readHead(chunksOf(html, size), PAGE);
    return [links.length, isComplete];
  };
  const full = LINK.padEnd(512 * 1024 - '</head>'.length);
  for (const size of [100_000, 1e6]) {
    expect(await read(`${full}</head>${HIDDEN}`, size)).toEqual([1, true]);
    expect(await read(`${full} </head>${HIDDEN}`, size)).toEqual([1, false]);
    expect(await read(`${full}  ${HIDDEN.padStart(600_000)}`, size)).toEqual([1, false]);
    expect(await read(full, size)).toEqual([1, true]);
    expect(await read(LINK.padEnd(512 * 1024), size)).toEqual([1, true]);
    expect(await read(LINK.padEnd(512 * 1024 + 1), size)).toEqual([1, false]);
  }
});

test('of a head, no more is asked for', async () => {
  let chunks = 0;
  async function* endless() {
    for (; chunks < 100; chunks++) yield new TextEncoder().encode(chunks === 1 ? `${LINK}</head>` : '<p>');
  }
  expect((await readHead(endless(), PAGE)).links).toHaveLength(1);
  expect(chunks).toBe(1);
});

test.each([
  ['</a>; rel=x; type="text/xml"', { href: '/a', rel: ['x'], type: 'text/xml', isOfVersion: true }],
  ['<>; rel=x', { href: '', rel: ['x'], type: '', isOfVersion: false }],
  ['</a>', { href: '/a', rel: [''], type: '', isOfVersion: false }],
  ['</a>; REL=X; HrefLang=de', { href: '/a', rel: ['x'], type: '', isOfVersion: true }],
  ['</a>; rel="X  Y"; title="a \\"; type=b"', { href: '/a', rel: ['x', 'y'], type: '', isOfVersion: false }],
  ['</a>; rel= x ; media=print', { href: '/a', rel: ['x'], type: '', isOfVersion: true }],
  ['</a>; rel="\\x\\y"', { href: '/a', rel: ['xy'], type: '', isOfVersion: false }],
  ['</a>; rel=x; rel=y', { href: '/a', rel: ['x'], type: '', isOfVersion: false }],
  ['</a>; xrel=x; rel*=y; rel=z; lang=""', { href: '/a', rel: ['z'], type: '', isOfVersion: false }],
])('of the header Link: %s', (header, link) => {
  expect(linksOfHeader(header)).toEqual([link]);
  expect(linksOfHeader(`</first>; rel=first; type=a; media=b, ${header}, </last>; rel=last`)).toEqual([
    { href: '/first', rel: ['first'], type: 'a', isOfVersion: true },
    link,
    { href: '/last', rel: ['last'], type: '', isOfVersion: false },
  ]);
});

test('of the header Link, the first 16 KiB are read', () => {
  const link = '</a>; rel=x, ';
  const found = linksOfHeader(link.repeat(2000));
  expect(found).toHaveLength(Math.ceil(16_384 / link.length));
});

test.each([
  ['</a.xml>; rel="sitemap"', ['/a.xml']],
  ['</a.xml> ; rel = "sitemap"', ['/a.xml']],
  ['</a.xml>;rel\t=\tsitemap, </b.xml>; title="a, <c>"; rel=sitemap', ['/a.xml', '/b.xml']],
])('the header Link: %s', (header, expected) => {
  const found = linksOfHeader(header).filter(({ rel }) => rel.includes('sitemap'));
  expect(found.map(({ href }) => href)).toEqual(expected);
});
