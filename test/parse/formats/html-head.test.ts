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

test.each([
  ['</a.xml>; rel="sitemap"', ['/a.xml']],
  ['</a.xml> ; rel = "sitemap"', ['/a.xml']],
  ['</a.xml>;rel\t=\tsitemap, </b.xml>; title="a, <c>"; rel=sitemap', ['/a.xml', '/b.xml']],
])('the header Link: %s', (header, expected) => {
  const found = linksOfHeader(header).filter(({ rel }) => rel.includes('sitemap'));
  expect(found.map(({ href }) => href)).toEqual(expected);
});
