/** §9 `mapHosts`: which texts are addresses on a host, what becomes of them, and which maps are refused. */
import { domainToASCII } from 'node:url';
import { expect, test } from 'vitest';
import { streamPages } from '../../src/index.ts';
import { HostMap, hostMapOf } from '../../src/options/host-map.ts';

const MAP = {
  'staging.example.org': 'www.example.org',
  'http://127.0.0.1:8080': 'https://münchen.example:444',
};

test.each([
  ['<loc>https://staging.example.org/a</loc>', '<loc>https://www.example.org/a</loc>'],
  ['http://STAGING.example.org?a', 'http://www.example.org?a'],
  ['Sitemap:HTTPS://staging.example.org/s.xml', 'Sitemap:HTTPS://www.example.org/s.xml'],
  ["<a href='//staging.example.org/x'>", "<a href='//www.example.org/x'>"],
  [
    'https://127.0.0.1:8080/a http://127.0.0.1:8080',
    'https://xn--mnchen-3ya.example:444/a https://xn--mnchen-3ya.example:444',
  ],
  ['https://staging.example.org', 'https://www.example.org'],
  [
    'https://staging.example.org/a,https://staging.example.org/b',
    'https://www.example.org/a,https://www.example.org/b',
  ],
  ['http://127.0.0.1:8080https://staging.example.org', undefined],
  ['"https://staging.example.org"', '"https://www.example.org"'],
  ['https:////staging.example.org/a', undefined],
  ['//127.0.0.1:8080/a', '//xn--mnchen-3ya.example:444/a'],
  ['xhttps://staging.example.org/', undefined],
  ['https://user@staging.example.org/', undefined],
  ['https://staging.example.org./', undefined],
  ['https://staging.example.org-b.example/ https://staging.example.org%2e/', undefined],
  ['https://stagingxexample.org/', undefined],
  ['a=https://staging.example.org/ a&https://staging.example.org/ #https://staging.example.org/', undefined],
  // Another host, another port, or only a part of another URL.
  ['https://staging.example.organic/', undefined],
  ['https://a.staging.example.org/', undefined],
  ['https://staging.example.org:8080/', undefined],
  ['https://staging.example.org.evil.example/', undefined],
  ['https://staging.example.org@evil.example/', undefined],
  ['http://127.0.0.1/ http://127.0.0.1:80800/', undefined],
  ['https://a.example/?from=https://staging.example.org/', undefined],
  ['https://a.example/https://staging.example.org/', undefined],
  ['ftp://staging.example.org/', undefined],
  ['staging.example.org', undefined],
])('§9 %s becomes %s', (text, expected = text) => {
  const map = new HostMap(MAP);
  expect(map.text(text)).toBe(expected);
  const bytes = Buffer.from(`é${text}é`);
  // However it is divided into chunks.
  for (let size = 1; size <= bytes.length; size++) {
    const replacer = map.replacer();
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) parts.push(replacer.write(bytes.subarray(at, at + size)));
    parts.push(replacer.end());
    expect(Buffer.concat(parts).toString()).toBe(`é${expected}é`);
  }
});

test('§9 a host that is not ASCII is found as it is written, and in Punycode', () => {
  const map = new HostMap({ 'a.example': 'b.example', 'prüfung.example': 'www.example.org' });
  const text = Buffer.from(
    `https://prüfung.example/ä https://${domainToASCII('prüfung.example')}/`,
  ).toString();
  expect(Buffer.from(map.bytes(Buffer.from(text))).toString()).toBe(
    'https://www.example.org/ä https://www.example.org/',
  );
});

test('§9 a host that is longer in UTF-8 than in Punycode is found, however the document is divided', () => {
  const name = 'あいうえおかきくけこさしすせそ.example';
  expect(Buffer.byteLength(name)).toBeGreaterThan(domainToASCII(name).length);
  const map = new HostMap({ [name]: 'www.example.org' });
  const bytes = Buffer.from(`<loc>https://${name}/a</loc><loc>https://${name}/b</loc>`);
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    expect(Buffer.concat([...map.chunks(chunks)]).toString()).toBe(
      '<loc>https://www.example.org/a</loc><loc>https://www.example.org/b</loc>',
    );
  }
});

test.each([
  ['localhost:80', 'http://localhost/a', 'http://www.example.org/a'],
  ['localhost:443', 'https://localhost/a', 'https://www.example.org/a'],
])('§9 %s, which has a default port, is the host of %s', (here, url, expected) => {
  const map = new HostMap({ [here]: 'www.example.org' });
  expect([map.public(new URL(url)).href, map.text(url)]).toEqual([expected, expected]);
});

test.each(['a(b.test', 'a)b.test', 'a+b.test', 'a$b.test', 'a{2}.test', '[::1]:8080'])(
  '§9 no sign of the host %s means something else in a pattern',
  (here) => {
    const map = new HostMap({ [here]: 'www.example.org' });
    expect(map.text(`https://${here}/a`)).toBe('https://www.example.org/a');
  },
);

test('§9 a request for the public host goes to the other one, with its port and scheme', () => {
  const map = new HostMap(MAP);
  const here = (url: string): string => map.here(new URL(url)).href;
  expect(here('https://user:pw@www.example.org/a?b')).toBe('https://user:pw@staging.example.org/a?b');
  expect(here('https://münchen.example:444/a')).toBe('http://127.0.0.1:8080/a');
  expect(here('https://münchen.example/a')).toBe('https://xn--mnchen-3ya.example/a');
  expect(map.public(new URL('http://127.0.0.1:8080/a')).href).toBe('https://xn--mnchen-3ya.example:444/a');
  expect(map.isHere(new URL('http://127.0.0.1:8080/'))).toBe(true);
  expect(map.isHere(new URL('https://www.example.org/'))).toBe(false);
});

test.each([
  ['http://localhost:443', 'https://www.example.org'],
  ['https://localhost:80', 'http://www.example.org'],
])('§9 %s keeps its port, which is the default port of %s', (here, other) => {
  const map = new HostMap({ [here]: other });
  expect(map.here(new URL(`${other}/a`)).href).toBe(`${here}/a`);
  expect(map.public(new URL(`${here}/a`)).href).toBe(`${other}/a`);
});

test('§9 a port that one side alone has does not stay in the address', () => {
  const map = new HostMap({ 'localhost:8080': 'www.example.org', 'a.example': 'b.example:81' });
  expect(map.public(new URL('http://localhost:8080/a')).href).toBe('http://www.example.org/a');
  expect(map.here(new URL('http://b.example:81/a')).href).toBe('http://a.example/a');
});

test('§9 a document in pieces of any kind becomes what the whole one does, each by itself', async () => {
  const map = new HostMap(MAP);
  const pieces = ['x https://stag', 'ing.example.org', '/a http', '', '://127.0.0.1:8080'].map((text) =>
    Buffer.from(text),
  );
  const expected = 'x https://www.example.org/a https://xn--mnchen-3ya.example:444';
  for (const _twice of [1, 2]) {
    expect(Buffer.concat([...map.chunks(pieces)]).toString()).toBe(expected);
    const chunks: Uint8Array[] = [];
    for await (const chunk of map.chunksAsync(ReadableStream.from(pieces))) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(expected);
    expect(Buffer.from(map.bytes(Buffer.concat(pieces))).toString()).toBe(expected);
  }
  expect([...map.chunks([])].join('')).toBe('');
  // A view of a part of a buffer is that part.
  expect(Buffer.from(map.bytes(Buffer.from('1https://a.example/2').subarray(1, -1))).toString()).toBe(
    'https://a.example/',
  );
});

test('§9 the same URL comes back where a host is not mapped, and another one stays as it was', () => {
  const map = new HostMap(MAP);
  const [other, staging] = [new URL('https://a.example/'), new URL('https://staging.example.org/a?b#c')];
  expect(map.public(other)).toBe(other);
  expect(map.here(other)).toBe(other);
  expect(map.public(staging).href).toBe('https://www.example.org/a?b#c');
  expect(staging.href).toBe('https://staging.example.org/a?b#c');
  const hosts = ['https://staging.example.org:444/', 'http://staging.example.org/', 'https://127.0.0.1/'];
  expect(hosts.map((url) => map.isHere(new URL(url)))).toEqual([false, true, false]);
});

test('§9 schemes and hosts in capitals, and IPv6 addresses, are mapped', () => {
  const map = new HostMap({ 'HTTP://LocalHost:3000': 'HTTPS://WWW.Example.org', '[::1]': '[2606::1]:81' });
  expect(map.text('http://localhost:3000/A https://LOCALHOST:3000/')).toBe(
    'https://www.example.org/A https://www.example.org/',
  );
  expect(map.here(new URL('https://www.example.org/')).href).toBe('http://localhost:3000/');
  expect(map.text('http://[::1]/ https://[::1]:80/')).toBe('http://[2606::1]:81/ https://[::1]:80/');
  expect(map.here(new URL('http://[2606::1]:81/')).href).toBe('http://[::1]/');
});

test('§9 a map without hosts changes nothing', () => {
  expect(hostMapOf({})).toBeUndefined();
  expect(hostMapOf({ mapHosts: {} })).toBeUndefined();
  expect(hostMapOf({ mapHosts: { 'a.example': 'b.example' } })).toBeInstanceOf(HostMap);
});

test('§9 of a long document only what may be the beginning of an address waits for the next piece', () => {
  const replacer = new HostMap(MAP).replacer();
  const [piece, replaced] = ['https://staging.example.org/ ', 'https://www.example.org/ '];
  let written = 0;
  for (let at = 1; at <= 100; at++) {
    written += replacer.write(Buffer.from(piece)).length;
    expect(at * replaced.length - written).toBeLessThan(100);
  }
  expect(written + replacer.end().length).toBe(100 * replaced.length);
});

test.each<readonly [object, string]>([
  [{ 'a.example': 'a.example' }, 'has a.example on both sides, which is a cycle'],
  [{ 'a.example': 'b.example', 'b.example': 'a.example' }, 'on both sides, which is a cycle'],
  [{ 'a.example': 'b.example', 'b.example': 'c.example' }, 'has b.example on both sides'],
  [{ 'a.example': 'c.example', 'b.example': 'C.example' }, 'has two hosts for one public host'],
  [{ 'a.example': 'b.example', 'A.example': 'c.example' }, 'has one host twice on the left side'],
  [{ 'a.example/x': 'b.example' }, 'no path: not "a.example/x"'],
  [{ 'a.example': 'https://b.example/' }, 'no path: not "https://b.example/"'],
  [{ 'a.example': 'https://b.example' }, 'write it on both sides, or on none'],
  [{ 'a.example': '' }, 'takes hosts, such as staging.example.org'],
  [{ '': 'a.example' }, 'no path: not ""'],
  [{ 'https://': 'https://a.example' }, 'no path: not "https://"'],
  [{ 'https://a.example': 'b.example' }, 'has a scheme on one side of https://a.example=b.example'],
  [{ 'ftp://a.example': 'b.example' }, 'no path: not "ftp://a.example"'],
  [{ 'a.example?x': 'b.example' }, 'no path'],
  [{ 'a.example#x': 'b.example' }, 'no path'],
  [{ 'user@a.example': 'b.example' }, 'no path'],
  [{ '*.a.example': 'b.example' }, 'no path'],
  [{ 'a.example': 'b\\c.example' }, 'no path'],
  [{ 'a b.example': 'b.example' }, 'no path'],
  [{ 'a.example': 'b.example:99999' }, 'no path'],
  [
    { 'a.example': 'c.example', 'b.example': 'd.example', 'd.example': 'e.example' },
    'has d.example on both sides',
  ],
  [{ 'a.example:443': 'b.example', 'a.example': 'c.example' }, 'has one host twice on the left side'],
  [{ 'a.example': 7 }, 'takes hosts, such as staging.example.org'],
  [['a.example=b.example'], 'The option "mapHosts" must be an object of hosts'],
])('§8 the map %j is refused', (mapHosts, why) => {
  expect(() => streamPages('https://example.org/', { mapHosts } as object)).toThrow(why);
});
