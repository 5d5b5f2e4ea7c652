import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asRequested,
  bareHost,
  basicAuthorization,
  credentialsOf,
  documentKey,
  hostOf,
  ipv6Words,
  isListedSitemap,
  isPrivateHost,
  isPublicAddress,
  isSameSite,
  looksLikeSitemap,
  parsedUrl,
  portOf,
  shownUrl,
  unescaped,
  urlArgumentText,
  urlKey,
  webUrl,
  withoutUserinfo,
  withScheme,
  withShownUrls,
} from '../src/url.ts';
import { ROOT } from './support/cli-binary.ts';
import { sized } from './support/tier.ts';

/** The URL as `new URL` has it: what Node's fast call of `URL.canParse` says may be wrong. */
function hrefOf(text: string, base?: string): string | undefined {
  try {
    return new URL(text, base).href;
  } catch {
    return undefined;
  }
}

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

test.each([
  ['https://example.org:9999/', 'https://example.org:9999/'],
  ['https://example.org:65535/', 'https://example.org:65535/'],
  ['https://example.org:65536/', undefined],
  ['https://example.org:99999/', undefined],
  // Newer versions of Node take them.
  ['https://xn--a.example/', hrefOf('https://xn--a.example/')],
  ['https://a.xn--a.example/', hrefOf('https://a.xn--a.example/')],
  ['https://1.2.3.256/', undefined],
  ['https://example.256/', undefined],
  ['http://example.org:80/a', 'http://example.org/a'],
  ['https://example.org', 'https://example.org/'],
])('%s is the URL %s', (text, href) => {
  expect(parsedUrl(text)?.href).toBe(href);
});

test.each([
  ['https://a.example/b', 'https://a.example/b'],
  ['HTTP://A.example/b', 'http://a.example/b'],
  ['ftp://a.example/b', undefined],
  ['xhttps://a.example/b', undefined],
  ['//a.example/b', undefined],
  ['mailto:https://a.example/', undefined],
  ['https://a b/', undefined],
])('%s is a URL of the web: %s', (text, href) => {
  expect(webUrl(text)?.href).toBe(href);
});

test.each<[unknown, string]>([
  ['https://a.example', 'https://a.example'],
  [new URL('https://a.example'), 'https://a.example/'],
  [undefined, 'undefined'],
  [7, '7'],
  [Object.create(null), '[object Object]'],
])('a message about the URL %j has a text', (url, text) => {
  expect(urlArgumentText(url)).toBe(text);
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
  fc.assert(
    fc.property(text, fc.option(text, { nil: undefined }), (given, base) => {
      expect(parsedUrl(given, base)?.href).toBe(hrefOf(given, base));
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
  ['https://user@a.example/c#d', 'https://a.example/c'],
  ['https://:secret@a.example/e?f', 'https://a.example/e?f'],
  ['http://a.example:80', 'http://a.example/'],
  ['http://a.example:443/b#', 'http://a.example:443/b'],
  ['not a URL', 'not a URL'],
  ['not a URL#2', 'not a URL#2'],
])('what is requested for %s is %s', (url, key) => {
  expect(documentKey(url)).toBe(key);
});

test('a URL without what is not sent is the same object, and one with it stays as it is', () => {
  const plain = new URL('https://a.example/b?c');
  expect([asRequested(plain), withoutUserinfo(plain)]).toEqual([plain, plain]);
  expect(asRequested(plain)).toBe(plain);
  const full = new URL('https://u:p@a.example/b?c#d');
  expect(asRequested(full).href).toBe('https://a.example/b?c');
  expect(withoutUserinfo(full).href).toBe('https://a.example/b?c#d');
  expect(full.href).toBe('https://u:p@a.example/b?c#d');
  for (const userinfo of ['u', ':p'])
    expect(withoutUserinfo(new URL(`https://${userinfo}@a.example/#d`)).href).toBe('https://a.example/#d');
});

const LONG = 'p'.repeat(150);

test.each([
  ['https://u:p@a.example/b', 'https://a.example/b'],
  ['http://u@a.example/b', 'http://a.example/b'],
  ['https://:p@a.example/b', 'https://a.example/b'],
  ['HTTPS://u:p@A.example/b', 'HTTPS://A.example/b'],
  ['https://u:p@a.example/b@c', 'https://a.example/b@c'],
  ['https://u:p@a.example?b=c@d', 'https://a.example?b=c@d'],
  ['https://u:p@a.example#b@c', 'https://a.example#b@c'],
  ['https:u:p@a.example/b', 'https://a.example/b'],
  ['//u:p@a.example/b', '//…@a.example/b'],
  ['ftp://a.example:80/@b', 'ftp://a.example:80/@b'],
  ['ftp://a.example/@b', 'ftp://a.example/@b'],
  ['ftp://a.example:80?@b', 'ftp://a.example:80?@b'],
  ['FTP://u:p@a.example/b', 'FTP://…@a.example/b'],
  ['https://u:p?q@a.example/b', 'https://…@a.example/b'],
  ['https://u:8/q@a.example:x/b', 'https://u:8/q@a.example:x/b'],
  [`https://${LONG}:${LONG}/q@a.example/b`, 'https://…@a.example/b'],
  [`https://u:p/${LONG}@a.example/b`, 'https://…@a.example/b'],
  ['x+y-z.1://u:p/\nq@a.example/b', 'x+y-z.1://…@a.example/b'],
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
  [
    'It is at https://u:p@a.example/b, not at "//u:p@c.example".',
    'It is at https://a.example/b, not at "//…@c.example".',
  ],
  [
    'Both https://a.example/@b:c@d and mail to me@a.example stay.',
    'Both https://a.example/@b:c@d and mail to me@a.example stay.',
  ],
  ['nothing to hide', 'nothing to hide'],
])('the message %j is shown as %j', (message, shown) => {
  expect(withShownUrls(message)).toBe(shown);
});

test('a long message is shown in linear time', () => {
  for (const unit of ['//', '@//', 'https://a', '(//', '"'])
    expect(withShownUrls(`@${unit.repeat(200_000)}`).length).toBeGreaterThan(0);
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
  ['https://a.example/sitemap.xml#', false],
  ['HTTPS://A.EXAMPLE/sitemap.xml', true],
  ['https://a.example:443/b-sitemap-c.xml.gz', true],
  ['https://a.example/sitemap.xmlx', false],
  ['https://a.example/sitemapxml', false],
  ['https://a.example/sitemap.xml?b#c.xml', false],
  ['https://a.example/page.xml', false],
  ['https://a.example/sitemap.gz', false],
  ['/sitemap.xml', false],
])('%s is a sitemap that a.example lists: %s', (url, isListed) => {
  expect(isListedSitemap(url, 'a.example')).toBe(isListed);
});

test('a sitemap is listed on one port of a host, or on any host where that does not count', () => {
  const url = 'https://a.example:8443/sitemap.xml';
  expect([undefined, 'a.example:8443', 'a.example', ''].map((host) => isListedSitemap(url, host))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a path looks like that of a sitemap by its end, or by the beginning of its last part', () => {
  const alike =
    '/a.xml /a.xml.gz /a/b.RSS /a.atom /a.TXT /a.txt.gz /a.gz /sitemap /b/SiteMap-1.html /robots.txt';
  const unlike = '/ /a /xml /txt /a.xml/ /a.xml/b /a.xmlx /a.html /my-sitemap /sitemap/a.html /robots /gz';
  expect([...alike.split(' '), ...unlike.split(' ')].filter(looksLikeSitemap).join(' ')).toBe(alike);
  expect(['a.xml', 'sitemap', 'a.html'].map(looksLikeSitemap)).toEqual([true, true, false]);
});

// Most of them are ordinary, and are not parsed.
test.each([
  'https://a.example/b-c_d~e/f.html?g=h&i=j:k@l!m(n)*o,p;q+r$s',
  'http://a-1.b2.example/%C3%BC/%zz?a=%41',
  'https://a.example/a./b?c=.',
  'https://A.example/b',
  'HTTPS://a.example/b',
  'https://a.example',
  'https://a.example?b',
  'https://a.example:443/b',
  'http://a.example:443/b',
  'https://a.example:8443/b',
  'https://a.example./b',
  'https://u:p@a.example/b',
  'https://a.example/b/../c',
  'https://a.example/b/..',
  'https://a.example/./b',
  'https://a.example/b/.',
  'https://a.example/b/%2e%2E/c',
  'https://a.example/b/.%2e/c',
  'https://a.example//b',
  'https://a.example/b//c',
  'https://a.example/b?c/../d',
  'https://a.example/b c',
  'https://a.example/ü?ü',
  "https://a.example/'b'",
  "https://a.example/b?c='d'",
  'https://a.example/"b"?"c"',
  'https://a.example/b|c^d`e{f}?b|c^d`e{f}',
  'https://a.example/b\\c?d\\e',
  'https://münchen.example/',
  'https://xn--mnchen-3ya.example/',
  'https://127.1/b',
  'https://0x7f/b',
  'https://a.0x7f/b',
  'https://2130706433/b',
  'https://[::0001]/b',
  ' https://a.example/b',
  'https://a.example/b\nc',
  'ftp://a.example/b',
  'https://a b/',
  'not a URL',
])('%s is compared by what it is as a URL, without its fragment', (url) => {
  const href = hrefOf(url);
  expect([urlKey(url), urlKey(`${url}#e`)]).toEqual(href === undefined ? [url, `${url}#e`] : [href, href]);
});

// §12, `url-not-public`: what a URL may have as its host. Every range of addresses is below.
const HOSTS: readonly (readonly [string, isPrivate: string, isPublic: string])[] = [
  [
    'names',
    'localhost localhost. a.localhost a.b.localhost.',
    'localhost.example example.org notlocalhost 10.example.org',
  ],
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
  ['http://a.example:8080/', 'https://a.example:8080/', false],
  ['http://a.example/', 'http://b.example/', false],
  ['http://www.a.example/', 'http://www.www.a.example/', false],
  ['http://a.example/', 'http://b.www.a.example/', false],
  ['http://www.a.example.:8080/', 'http://a.example:8080/', true],
  ['http://a.example/', 'ftp://a.example/', false],
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
  ['LocalHost/a b', 'LocalHost/a b'],
  ['LOCALHOST', 'http://LOCALHOST'],
  ['localhost?a', 'http://localhost?a'],
  ['localhost:3000#a', 'http://localhost:3000#a'],
  ['localhost.example.org', 'https://localhost.example.org'],
  ['127.1.20.255:80', 'http://127.1.20.255:80'],
  ['127.0.0.1.example', 'https://127.0.0.1.example'],
  ['128.0.0.1', 'https://128.0.0.1'],
  ['a.example#b', 'https://a.example#b'],
  ['münchen.example/ü', 'https://münchen.example/ü'],
  ['user@a.example', 'user@a.example'],
  ['a.example:8080', 'https://a.example:8080'],
  ['a.example:x', 'a.example:x'],
  ['a.example.', 'https://a.example.'],
  ['a.example./b', 'https://a.example./b'],
  ['a.example.:8080/b', 'https://a.example.:8080/b'],
  ['.example', '.example'],
  ['a.example b', 'a.example b'],
  ['a.example/b c', 'a.example/b c'],
  ['http://a.example', 'http://a.example'],
  ['/a.example', '/a.example'],
])('a host alone: %s means %s', (text, url) => {
  expect(withScheme(text)).toBe(url);
});

test.each([
  ['https://u:p@a.example/', 443, 'u:p'],
  ['http://u@a.example/', 80, 'u:'],
  ['http://:p%C3%A9@a.example:8080/', 8080, ':pé'],
  ['https://100%@a.example/', 443, '100%:'],
  ['https://a.example/', 443, undefined],
  ['https://u%40v:p%3Aq@a.example:444/', 444, 'u@v:p:q'],
  ['https://u:100%@a.example/', 443, 'u:100%'],
  ['http://a.example:443/', 443, undefined],
  ['https://a.example:80/', 80, undefined],
])('%s: the port and the credentials of its requests', (text, port, credentials) => {
  const url = new URL(text);
  expect(portOf(url)).toBe(port);
  expect(basicAuthorization(url)).toBe(credentials && `Basic ${Buffer.from(credentials).toString('base64')}`);
});

test('the credentials of a URL are decoded, each by itself', () => {
  expect(credentialsOf(new URL('https://%C3%A9:%E9@a.example/'))).toEqual({ user: 'é', password: '%E9' });
  expect(credentialsOf(new URL('https://a.example/'))).toBeUndefined();
  expect(['a%20b+c', '%', '%C3%A9', 'é', ''].map(unescaped)).toEqual(['a b+c', '%', 'é', 'é', '']);
});

test.each([
  ['https://[::1]:8080/', '::1', '[::1]'],
  ['https://127.0.0.1/', '127.0.0.1', '127.0.0.1'],
  ['https://www.A.example./', 'www.a.example.', 'a.example'],
  ['https://a.www.example/', 'a.www.example', 'a.www.example'],
  ['https://www.www.example/', 'www.www.example', 'www.example'],
])('the host of %s is %s, and without www. %s', (url, host, bare) => {
  expect([hostOf(new URL(url)), bareHost(new URL(url))]).toEqual([host, bare]);
});

test.each([
  ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
  ['::1', [0, 0, 0, 0, 0, 0, 0, 1]],
  ['1::', [1, 0, 0, 0, 0, 0, 0, 0]],
  ['1:2::7:8', [1, 2, 0, 0, 0, 0, 7, 8]],
  ['1:2:3:4:5:6:7:ffff', [1, 2, 3, 4, 5, 6, 7, 0xffff]],
  ['::FFFF:1.2.3.4', [0, 0, 0, 0, 0, 0xffff, 0x102, 0x304]],
  ['1:2:3:4:5:6:7', undefined],
  ['1.2.3.4', undefined],
  ['', undefined],
])('the words of the IPv6 address %s', (address, words) => {
  expect(ipv6Words(address)).toEqual(words);
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

// The ranges of IANA's special-purpose registries for IPv4 and IPv6 (as of 2025), multicast and reserved space, each
// with its first and last address and with its neighbours.
describe('§9 public addresses, IPv4', () => {
  test.each<[range: string, first: string, last: string, before: string | null, after: string | null]>([
    ['0.0.0.0/8, this network', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
    ['10.0.0.0/8, private use', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['100.64.0.0/10, shared', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.0/8, loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['168.63.129.16, of Azure', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
    ['169.254.0.0/16, link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0/12, private use', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0/24, IETF', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0/24, documentation', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['192.88.99.0/24, 6to4 relay', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0/16, private use', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['198.18.0.0/15, benchmarks', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['198.51.100.0/24, documentation', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['203.0.113.0/24, documentation', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0/4, multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255', null],
    ['240.0.0.0/4, reserved', '240.0.0.0', '255.255.255.255', null, null],
  ])('%s', (_range, first, last, before, after) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    for (const neighbour of [before, after])
      if (neighbour !== null) expect(isPublicAddress(neighbour)).toBe(true);
  });

  test.each(['192.31.196.1', '192.52.193.1', '192.175.48.1'])(
    '%s is special, and globally reachable',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  test('every number of an address counts, from one digit to three', () => {
    const numbers = [1, 2, 9, 11, 19, 20, 99, 101, 109, 110, 119, 190, 199];
    for (const number of numbers)
      expect([number, isPublicAddress(`${number}.8.8.8`)]).toEqual([number, true]);
    for (const number of [...numbers, 0, 10, 100, 127, 200, 209, 249, 250, 254, 255])
      expect([number, isPublicAddress(`8.${number}.8.${number}`)]).toEqual([number, true]);
  });

  test.each([
    '256.8.8.8',
    '8.8.8.256',
    '8.8.8.08',
    '8.8.8',
    '8.8.8.8.8',
    '8.8.8.8.',
    '8.8.8.1000',
    ' 8.8.8.8',
  ])('%j is not an address', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('§9 public addresses, IPv6', () => {
  test.each<[range: string, first: string, last: string, before: string | null, after: string | null]>([
    ['::/128, unspecified', '::', '::', null, null],
    ['::1/128, loopback', '::1', '::1', null, null],
    ['::/8, reserved', '::2', 'ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['::/96, IPv4-compatible', '::2', '::8.8.8.8', null, null],
    ['::ffff:0:0:0/96, IPv4-translated', '::ffff:0:8.8.8.8', '::ffff:0:127.0.0.1', null, null],
    ['64:ff9b:0:1::/64, beside NAT64', '64:ff9b:0:1::808:808', '64:ff9b:0:ffff::808:808', null, null],
    ['64:ff9b:2::/47, beside local NAT64', '64:ff9b:2::808:808', '64:ff9b:3::808:808', null, null],
    ['100::/64, discard', '100::', '100::ffff:ffff:ffff:ffff', null, null],
    ['100:0:0:1::/64, dummy', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff', null, null],
    ['200::/7 to 1000::/4, reserved', '200::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2000::1'],
    ['2001::/23, IETF', '2001:1::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2001:200::'],
    ['2001:2::/48, benchmarks', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', null, null],
    ['2001:10::/28, ORCHID', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    [
      '2001:db8::/32, documentation',
      '2001:db8::',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db9::',
    ],
    ['3ffe::/16, the old 6bone', '3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffd::1', null],
    ['3fff::/20, documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', null, '3fff:1000::'],
    ['4000::/3, reserved', '4000::', '5fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['5f00::/16, segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['6000::/3 to f800::/6, reserved', '6000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['fc00::/7, unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['fd00:ec2::254, metadata of EC2', 'fd00:ec2::254', 'fd20:ce::254', null, null],
    ['fe00::/9, reserved', 'fe00::', 'fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['fe80::/10, link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['fec0::/10, site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['ff00::/8, multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ])('%s', (_range, first, last, before, after) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    for (const neighbour of [before, after])
      if (neighbour !== null) expect(isPublicAddress(neighbour)).toBe(true);
  });

  test.each(['fe80::1%eth0', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:ffff:7f00:0001', 'no address', ''])(
    '%j is not public, however it is written',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );

  test.each([
    '2606:4700::1%eth0',
    '2606:4700::1',
    '2a00:1450:4001::1',
    '2620:4f:8000::1',
    '2400::1',
    '3000::1',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('§9 an IPv4 address inside an IPv6 address', () => {
  const octet = (word: string, at: 0 | 1): string => word.padStart(4, '0').slice(2 * at, 2 * at + 2);
  /** Behind an octet that is not used. */
  const shifted = (high: string, low: string): string =>
    `${octet(high, 0)}:${octet(high, 1)}${octet(low, 0)}:${octet(low, 1)}00`;
  const inside: Record<string, (high: string, low: string) => string> = {
    'IPv4-mapped': (high, low) => `::ffff:${high}:${low}`,
    NAT64: (high, low) => `64:ff9b::${high}:${low}`,
    'NAT64 of a network, 96 bits': (high, low) => `64:ff9b:1::${high}:${low}`,
    'NAT64 of a network, 96 bits behind a number': (high, low) => `64:ff9b:1:fffe::${high}:${low}`,
    'NAT64 of a network, 64 bits': (high, low) => `64:ff9b:1:0:${shifted(high, low)}::`,
    'NAT64 of a network, 56 bits': (high, low) => `64:ff9b:1:${octet(high, 0)}:${octet(high, 1)}:${low}::`,
    'NAT64 of a network, 48 bits': (high, low) => `64:ff9b:1:${high}:${octet(low, 0)}:${octet(low, 1)}00::`,
    'NAT64 of a network, 48 bits and a suffix': (high, low) =>
      `64:ff9b:1:${high}:${octet(low, 0)}:${octet(low, 1)}00:808:808`,
    '6to4': (high, low) => `2002:${high}:${low}::1`,
    'ISATAP, private': (high, low) => `2a00:1450:4001:1:0:5efe:${high}:${low}`,
    'ISATAP, global': (high, low) => `2a00:1450:4001:1:200:5efe:${high}:${low}`,
    'ISATAP, group': (high, low) => `2a00:1450:4001:1:100:5efe:${high}:${low}`,
  };
  describe.each(Object.entries(inside))('%s', (_form, around) => {
    test.each([
      ['127.0.0.1', '7f00', '1'],
      ['10.0.0.1', 'a00', '1'],
      ['169.254.169.254', 'a9fe', 'a9fe'],
      ['168.63.129.16', 'a83f', '8110'],
      ['192.168.1.1', 'c0a8', '101'],
    ])('%s is not public', (_address, high, low) => expect(isPublicAddress(around(high, low))).toBe(false));

    test('8.8.8.8 is public', () => expect(isPublicAddress(around('808', '808'))).toBe(true));
  });

  test.each([
    ['beside ISATAP', '2a00:1450:4001:1:400:5efe:a00:1'],
    ['beside the id of ISATAP', '2a00:1450:4001:1:0:5eff:a00:1'],
    ['beside 6to4', '2003:a00:1::1'],
    ['beside Teredo', '2001:4860:4136:e378:8000:63bf:80ff:fffe'],
  ])('no IPv4 address is inside: %s', (_what, address) => expect(isPublicAddress(address)).toBe(true));

  test('NAT64 of a network without an address inside is not public', () => {
    for (const address of ['64:ff9b:1::', '64:ff9b:1::1', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'])
      expect(isPublicAddress(address)).toBe(false);
  });

  test('ISATAP under a prefix that is not public is not, whatever is inside', () => {
    for (const prefix of ['fe80:', 'fd00:1:2:3', 'fe80::']) {
      const address = prefix.endsWith('::') ? `${prefix}200:5efe:808:808` : `${prefix}:0:5efe:808:808`;
      expect(isPublicAddress(address)).toBe(false);
    }
  });

  test('Teredo hides its address by inverting it', () => {
    expect(isPublicAddress('2001:0:4136:e378:8000:63bf:80ff:fffe')).toBe(false); // 127.0.0.1
    expect(isPublicAddress('2001:0:4136:e378:8000:63bf:f7f7:f7f7')).toBe(true); // 8.8.8.8
  });
});
