import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  basicAuthorization,
  documentKey,
  isListedSitemap,
  isPrivateHost,
  isSameSite,
  parsedUrl,
  portOf,
  shownUrl,
  withScheme,
} from '../src/url.ts';
import { ROOT } from './support/cli-binary.ts';
import { sized } from './support/tier.ts';

/** More calls than V8 needs to compile the function anew, with Node's fast call of C++ in it. */
const MANY = 20_000;

test.each([
  ['https://münchen.example/', undefined, 'https://xn--mnchen-3ya.example/'],
  ['//königs.example/ü', 'https://example.org/', 'https://xn--knigs-jua.example/%C3%BC'],
  ['/ü', 'https://münchen.example/', 'https://xn--mnchen-3ya.example/%C3%BC'],
  ['https://例え.example/', undefined, 'https://xn--r8jz45g.example/'],
  ['https://example.org/a', undefined, 'https://example.org/a'],
  ['https://exa mple.org/', undefined, undefined],
  ['https://mün chen.example/', undefined, undefined],
  ['about', undefined, undefined],
])('%s on %s is %s, however often it is asked', (text, base, expected) => {
  const found = new Set<string | undefined>();
  for (let times = 0; times < MANY; times++) found.add(parsedUrl(text, base)?.href);
  expect([...found]).toEqual([expected]);
});

test('any text is a URL or none, as `new URL` has it', () => {
  const parts = [
    'https:',
    'mailto:',
    'x:',
    '//',
    '/',
    '[',
    ']',
    ':',
    '80',
    '@',
    '%',
    '%C3',
    '?',
    '#',
    '.',
    ' ',
    '\u0001',
    'a',
  ];
  const letters = [
    'ü',
    'ß',
    '\u00A0',
    '\u00AD',
    '例',
    '\uFEFF',
    '\uFF0F',
    '\u3002',
    '\uD800',
    '\u{1F600}',
    '\u0080',
    '\uFFFF',
  ];
  const part = fc.constantFrom(...parts, ...letters);
  const start = fc.constantFrom('', 'https://', 'http://', 'file://', 'x://');
  const text = fc
    .tuple(start, fc.array(part, { maxLength: 8 }))
    .map(([first, rest]) => first + rest.join(''));
  const byError = (given: string, base: string | undefined): string | undefined => {
    try {
      return new URL(given, base).href;
    } catch {
      return undefined;
    }
  };
  fc.assert(
    fc.property(text, fc.option(text, { nil: undefined }), (given, base) => {
      expect(parsedUrl(given, base)?.href).toBe(byError(given, base));
    }),
    { numRuns: sized({ fast: 2_000, full: 6_000, strong: 50_000 }) },
  );
});

test('keys and shown texts of URLs with other letters stay what they are', () => {
  const found = new Set<string>();
  for (let times = 0; times < MANY; times++) {
    found.add(documentKey('https://münchen.example/a#b'));
    found.add(shownUrl('https://user:secret@münchen.example/'));
  }
  expect([...found]).toEqual(['https://xn--mnchen-3ya.example/a', 'https://münchen.example/']);
});

// The key of the last URL is cached: no row has the key of the row before.
test.each([
  ['https://a.example/b?c#', 'https://a.example/b?c'],
  ['https://A.example:443/b#c', 'https://a.example/b'],
  ['https://user:secret@a.example/', 'https://a.example/'],
  ['https://a.example/b', 'https://a.example/b'],
  ['not a URL', 'not a URL'],
])('what is requested for %s is %s', (url, key) => {
  expect(documentKey(url)).toBe(key);
});

test.each([
  ['https://u:p@a.example/b', 'https://a.example/b'],
  ['https://u:p@q@a.example/b', 'https://a.example/b'],
  ['https:\\\\u:p@a.example\\b', 'https://a.example/b'],
  ['https://u:p/q@a.example/b', 'https://…@a.example/b'],
  ['https://u:p#q@a.example/b', 'https://…@a.example/b'],
  ['ftp://u:p@a.example/b', 'ftp://…@a.example/b'],
  ['u:p@a.example/b', '…@a.example/b'],
  ['https://a.example:80/@b', 'https://a.example:80/@b'],
  ['https://a.example/b@c', 'https://a.example/b@c'],
  ['https://a.example/?b=c@d', 'https://a.example/?b=c@d'],
])('%s is shown as %s', (text, shown) => {
  expect(shownUrl(text)).toBe(shown);
});

test.each([
  ['https://a.example/sitemap.xml', true],
  ['https://a.example/b/My-SITEMAP-2.XML.GZ', true],
  ['https://a.example/sitemap.xml.br', false],
  ['https://a.example/sitemap/b.xml', false],
  ['https://a.example/b?c=sitemap.xml', false],
  ['https://a.example/sitemap.xml?b.xml', false],
  ['https://a.example/sitemap#b.xml', false],
  ['https://a.example:8443/sitemap.xml', false],
  ['https://b.example/sitemap.xml', false],
  ['ftp://a.example/sitemap.xml', false],
])('%s is a sitemap that a.example lists: %s', (url, isListed) => {
  expect(isListedSitemap(url, 'a.example')).toBe(isListed);
});

// §12, `url-not-public`: what a URL may have as its host. Every range of addresses is in public-address.test.ts.
const HOSTS: readonly (readonly [string, isPrivate: string, isPublic: string])[] = [
  ['names', 'localhost localhost. a.localhost', 'localhost.example example.org notlocalhost 10.example.org'],
  ['this host', '0.0.0.0 0.255.255.255', '1.0.0.0'],
  ['10.0.0.0/8', '10.0.0.0 10.255.255.255', '9.255.255.255 11.0.0.0'],
  ['shared', '100.64.0.0 100.127.255.255', '100.63.255.255 100.128.0.0'],
  ['loopback', '127.0.0.1 127.255.255.255', '126.255.255.255 128.0.0.0'],
  ['link-local', '169.254.0.0 169.254.255.255', '169.253.255.255 169.255.0.0'],
  ['172.16.0.0/12', '172.16.0.0 172.31.255.255', '172.15.255.255 172.32.0.0 173.16.0.0'],
  ['192.168.0.0/16', '192.168.0.0 192.168.255.255', '192.167.255.255 192.169.0.0'],
  ['benchmarking', '198.18.0.0 198.19.255.255', '198.17.255.255 198.20.0.0 199.18.0.0'],
  ['multicast and reserved', '224.0.0.0 255.255.255.255', '223.255.255.255'],
  ['for examples', '192.0.2.1 198.51.100.1 203.0.113.1 [2001:db8::1]', '192.0.3.1 203.0.114.1 [2001:db9::1]'],
  ['IPv6 loopback and reserved', '[::] [::1] [::2] [fc::1]', '[2600::1]'],
  ['IPv6 private', '[fc00::1] [fdff::1]', '[2001:db9::1]'],
  ['IPv6 link-local and site-local', '[fe80::1] [febf::1] [fec0::1]', '[2606::1]'],
  ['IPv6 multicast', '[ff00::1] [ff02::fb] [ffff::1]', '[2fff::1]'],
  ['IPv4 in IPv6', '[::ffff:10.0.0.1] [::ffff:192.168.1.1]', '[::ffff:192.169.1.1] [::ffff:8.8.8.8]'],
];

test.each(HOSTS)('hosts that the public cannot reach: %s', (_, isPrivate, isPublic) => {
  const hosts = [...isPrivate.split(' '), ...isPublic.split(' ')];
  const found = hosts.filter((host) => isPrivateHost(new URL(`https://${host}/`).hostname));
  expect(found.join(' ')).toBe(isPrivate);
});

test.each([
  ['http://a.example/', 'http://a.example/b', true],
  ['http://a.example/', 'http://www.a.example./b', true],
  ['http://www.a.example/', 'http://a.example/', true],
  ['http://a.example/', 'https://a.example/', true],
  ['https://a.example/', 'http://a.example/', false],
  ['http://a.example/', 'https://a.example:8443/', false],
  ['http://a.example:8080/', 'https://a.example/', false],
  ['http://a.example:8080/', 'http://a.example:8080/', true],
  ['http://a.example/', 'http://a.example:8080/', false],
  ['http://a.example/', 'http://b.a.example/', false],
])('what is meant for %s and %s: %s', (site, url, isSame) => {
  expect(isSameSite(new URL(site), new URL(url))).toBe(isSame);
});

test.each([
  ['example.org', 'https://example.org'],
  ['example.org.:8080/a?b', 'https://example.org.:8080/a?b'],
  ['//example.org/a', 'https://example.org/a'],
  ['localhost:3000', 'http://localhost:3000'],
  ['127.0.0.1/a', 'http://127.0.0.1/a'],
  ['[::1]:80', 'http://[::1]:80'],
  ['about', 'about'],
  ['mailto:a@example.org', 'mailto:a@example.org'],
])('a host alone: %s means %s', (text, url) => {
  expect(withScheme(text)).toBe(url);
});

test.each([
  ['https://u:p@a.example/', 443, 'u:p'],
  ['http://u@a.example/', 80, 'u:'],
  ['http://:p%C3%A9@a.example:8080/', 8080, ':pé'],
  ['https://100%@a.example/', 443, '100%:'],
  ['https://a.example/', 443, undefined],
])('%s: the port and the credentials of its requests', (text, port, credentials) => {
  const url = new URL(text);
  expect(portOf(url)).toBe(port);
  expect(basicAuthorization(url)).toBe(credentials && `Basic ${Buffer.from(credentials).toString('base64')}`);
});

test('no other file asks URL.canParse, which Node 20 gets wrong', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const asking = files.filter((name) =>
    readFileSync(join(ROOT, 'src', name), 'utf8').includes('URL.canParse('),
  );
  expect(asking).toEqual(['url.ts']);
});
