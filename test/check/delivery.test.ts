/** §12: what is said of a response by its head and the problems of fetching it. */
import { expect, test } from 'vitest';
import { checkResponse } from '../../src/check/rules/delivery.ts';
import type { Problem } from '../../src/problems/problem-list.ts';

/** What is reported of a response, and whether that explains why the document is cut. */
function responseOf(head: string, path = '/a.xml', codes: readonly string[] = []) {
  const said: string[] = [];
  const url = `https://example.org${path}`;
  const problems = codes.map((code) => ({ code, message: `${code}.` })) as unknown as readonly Problem[];
  const isExplained = checkResponse({ name: 'a', url, problems, head }, (rule, name, message) => {
    said.push(`${name} ${rule}: ${message}`);
  });
  return { said, isExplained };
}
const headOf = (type: string): string =>
  `HTTP/1.1 200 OK\r\ndate: x\r\nContent-Type: ${type}\r\nserver: y\r\n\r\n`;

test.each([
  ['text/xml', '/a.xml', undefined],
  ['application/xml; charset=utf-8', '/a.xml', undefined],
  ['Application/XML;charset=utf-8', '/a.xml', undefined],
  ['  text/plain  ', '/a.txt', undefined],
  ['application/rss+xml', '/a', undefined],
  ['application/atom+xml;x=y', '/a', undefined],
  ['application/vnd.x-y.z+xml', '/a', undefined],
  ['application/gzip', '/a', undefined],
  ['application/x-gzip', '/a', undefined],
  ['', '/a.xml', undefined],
  ['application/octet-stream', '/a.xml.gz', undefined],
  ['application/octet-stream', '/a.xml.GZ?b=c', undefined],
  ['application/octet-stream', '/a.xml', 'application/octet-stream'],
  ['application/octet-stream', '/a.xml?b=c.gz', 'application/octet-stream'],
  ['application/octet-stream', '/a.gz/b.xml', 'application/octet-stream'],
  ['TEXT/HTML; charset=utf-8', '/a.xml', 'text/html'],
  ['application/json', '/a.xml.gz', 'application/json'],
  ['text/xmlx', '/a.xml', 'text/xmlx'],
  ['xtext/xml', '/a.xml', 'xtext/xml'],
])('the Content-Type %j of %s: %s', (type, path, unusual) => {
  const message = `a content-type: The Content-Type is ${unusual}, which is neither XML, plain text nor gzip.`;
  expect(responseOf(headOf(type), path)).toEqual({
    said: unusual === undefined ? [] : [message],
    isExplained: false,
  });
});

test('only the header of that name is the Content-Type', () => {
  expect(responseOf('HTTP/1.1 200 OK\r\nx-content-type: text/html\r\n\r\n').said).toEqual([]);
  expect(responseOf('HTTP/1.1 200 OK\r\n\r\n').said).toEqual([]);
  expect(responseOf('').said).toEqual([]);
});

test.each([
  [['connection-broke'], true],
  [['gzip-truncated'], true],
  [['partial-content'], true],
  [['too-large'], true],
  [['gzip-trailing-bytes', 'bad-checksum'], false],
  [['wrong-content-encoding', 'connection-broke'], true],
])('of the problems %j each is reported; the document is cut for that reason: %s', (codes, isExplained) => {
  const said = codes.map((code) => `a ${code}: ${code}.`);
  expect(responseOf(headOf('text/xml'), '/a.xml', codes)).toEqual({ said, isExplained });
});

test('problems of the document itself are not those of the response', () => {
  expect(responseOf('', '/a.xml', ['bare-ampersand', 'truncated'])).toEqual({ said: [], isExplained: false });
  expect(responseOf('', '/a.xml', ['cut-by-limit'])).toEqual({ said: [], isExplained: true });
});
