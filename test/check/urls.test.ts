/** §12: what is said of the URL of a page, for each rule about single URLs, both sides of its border. */
import { expect, test } from 'vitest';
import { checkSitemap, checkSitemaps, type Finding, type RuleName } from '../../src/check/index.ts';
import { withoutTracking } from '../../src/check/rules/urls.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const SITE = 'https://example.org/';
const SITEMAP = `${SITE}sitemap.xml`;
const escaped = (url: string): string => url.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const urlset = (...urls: readonly string[]): string =>
  `<urlset ${NS}>\n${urls.map((url) => `<url><loc>${escaped(url)}</loc></url>\n`).join('')}</urlset>`;

/** The findings of a rule in a sitemap of these pages; a page with a slash in front is on example.org. */
function findingsOf(rule: RuleName, pages: readonly string[], url: string | null = SITEMAP): Finding[] {
  const urls = pages.map((page) => (page.startsWith('/') ? `https://example.org${page}` : page));
  return [...checkSitemap(urlset(...urls), { url: url ?? undefined })].filter(
    (finding) => finding.rule === rule,
  );
}

test('every tracking parameter is one, first and later, in any case, and not as a part of another word', () => {
  const names =
    'utm_source utm_medium utm_campaign utm_id utm_x gclid gclsrc dclid gbraid wbraid srsltid _ga _gl fbclid igshid ' +
    'msclkid yclid ttclid twclid li_fat_id mc_cid mc_eid mkt_tok';
  for (const [at, name] of names.split(' ').entries()) {
    // Ordinary addresses take a path of their own.
    const start = `https://example.org${['', ':8443', '/é'][at % 3]}/a`;
    const upper = name.toUpperCase();
    const words = [`?${name}=1`, `?a=b&${name}=`].map(
      (query) => `The URL has the tracking parameter "${name}": ${start}${query}`,
    );
    const found = [`?${name}=1`, `?a=b&${name}=`, `?a=b;${upper}=1`].flatMap((query) =>
      findingsOf('url-tracking-parameter', [start + query]).map(({ message }) => message),
    );
    expect(found).toEqual([
      ...words,
      `The URL has the tracking parameter "${upper}": ${start}?a=b;${upper}=1`,
    ]);
    const others = [`?x${name}=1`, `?${name}x.y=1`, `?${name}`, `?a=${name}`, `/${name}=1`];
    expect(
      findingsOf(
        'url-tracking-parameter',
        others.map((query) => start + query),
      ),
    ).toEqual([]);
  }
});

test('tracking parameters are one finding for each, whatever their case', () => {
  const found = findingsOf('url-tracking-parameter', [
    '/?gclid=1',
    '/a?GCLID=2',
    '/b?utm_id=1',
    '/c?gclid=1&utm_id=2',
  ]);
  expect(found.map(({ line, count, message }) => [line, count, message])).toEqual([
    [2, 3, `3 URLs have the tracking parameter "gclid"; the first is ${SITE}?gclid=1`],
    [4, 1, `The URL has the tracking parameter "utm_id": ${SITE}b?utm_id=1`],
  ]);
});

test.each([
  ['/a?gclid=1', '/a'],
  ['/a?gclid=1#b', '/a#b'],
  ['/a?x=1&gclid=1', '/a?x=1'],
  ['/a?gclid=1&x=1', '/a?x=1'],
  ['/a?gclid=1&fbclid=2&x=1', '/a?x=1'],
  ['/a?gclid=1;x=1', '/a?x=1'],
  ['/a?x=1&gclid=1&y=2&UTM_source=3&z=4', '/a?x=1&y=2&z=4'],
  ['/a?x=1&gclid=', '/a?x=1'],
  ['/a?x=gclid&b=1', '/a?x=gclid&b=1'],
  ['/a?', '/a?'],
  ['/a?xgclid=1', '/a?xgclid=1'],
])('%s without tracking is %s', (url, expected) => {
  expect(withoutTracking(SITE.slice(0, -1) + url)).toBe(SITE.slice(0, -1) + expected);
});

test('every name of a session is one, in a query and behind a semicolon, in any case', () => {
  const names =
    'PHPSESSID jsessionid ASPSESSIONID ASPSESSIONIDABCDEFGH ASP.NET_SessionId CFID CFTOKEN osCsid zenid sessid ' +
    'sessionid session_id';
  for (const name of names.split(' ')) {
    for (const query of [`?${name}=1`, `?a=b&${name.toUpperCase()}=1`, `;${name.toLowerCase()}=1`])
      expect([query, findingsOf('url-session-id', [`/a${query}`]).length]).toEqual([query, 1]);
    const others = [`?x${name}=1`, `?${name}x.=1`, `?${name}`, `?a=${name}`, `/${name}=1`];
    expect(
      findingsOf(
        'url-session-id',
        others.map((query) => `/a${query}`),
      ),
    ).toEqual([]);
  }
});

test.each([
  ['?sid=0123456789abcde', 0],
  ['?sid=0123456789abcdef', 1],
  ['?sid=0123456789-_CDEF0', 1],
  ['?sid=0123456789.abcdef', 0],
  ['?sid=', 0],
  ['?asp-net_sessionid=1', 0],
])('a URL with %s has %i session', (query, count) => {
  expect(findingsOf('url-session-id', [`/a${query}`])).toHaveLength(count);
});

test('sessions are one finding for each name, whatever its case', () => {
  const found = findingsOf('url-session-id', ['/a?PHPSESSID=1', '/b?phpsessid=2', '/c?sessid=2']);
  expect(found.map(({ line, count, message }) => [line, count, message])).toEqual([
    [2, 2, `2 URLs have the session identifier "PHPSESSID"; the first is ${SITE}a?PHPSESSID=1`],
    [4, 1, `The URL has the session identifier "sessid": ${SITE}c?sessid=2`],
  ]);
});

test.each([
  ['/a b', 'a space'],
  ['/a%', 'a "%" without two hexadecimal digits'],
  ['/a%2', 'a "%" without two hexadecimal digits'],
  ['/a%2G', 'a "%" without two hexadecimal digits'],
  ['/a%%20', 'a "%" without two hexadecimal digits'],
  ['/a%20%zz', 'a "%" without two hexadecimal digits'],
  ...['"', '<', '>', '\\', '^', '`', '{', '|', '}'].map((character) => [`/a${character}b`, `"${character}"`]),
  ['/a\x7fb', 'the control character U+007F'],
])('%s contains %s', (page, what) => {
  expect(findingsOf('url-not-encoded', [page]).map(({ message }) => message)).toEqual([
    `The URL contains ${what}, which must be percent-encoded: https://example.org${page}`,
  ]);
});

test.each(['/%20%2f%AF', "/!$&'()*+,;=:@-._~", '/a?b[]=c#/?', '/é'])('%s is encoded', (page) => {
  expect(findingsOf('url-not-encoded', [page])).toEqual([]);
});

test.each([
  ['/~', 0],
  ['/\u0080', 1],
  ['/\u00e9', 1],
  ['/\u{1f600}', 1],
  ['https://ex\u00e4mple.org/', 1],
  ['https://xn--exmple-cua.org/', 0],
])('%s is beyond ASCII: %i', (page, count) => {
  expect(findingsOf('url-not-ascii', [page], null)).toHaveLength(count);
});

test.each([
  ['//', 1],
  ['/a//', 1],
  ['/a///b', 1],
  ['/a//?b', 1],
  ['/a//#b', 1],
  ['/?a//b', 0],
  ['/#a//b', 0],
  ['/http://a.example/', 0],
  ['/http://a.example//b', 1],
  ['/a://b', 0],
  ['https://example.org:8443//a', 1],
])('the path of %s has two slashes: %i', (page, count) => {
  expect(findingsOf('url-double-slash', [page])).toHaveLength(count);
});

test.each([
  ['/#', 1],
  ['/a#b', 1],
  ['/a?b#c', 1],
  ['/a%23b', 0],
])('%s has a fragment: %i', (page, count) => {
  expect(findingsOf('url-fragment', [page])).toHaveLength(count);
});

test.each([
  [2_047, []],
  [2_048, []],
  [2_049, ['The URL has 2,049 characters; 2,048 are allowed.']],
  [8_192, ['The URL has 8,192 characters; 2,048 are allowed.']],
  [8_193, ['A URL has more than 8,192 characters; 2,048 are allowed.']],
])('a URL of %i characters, ordinary and not, is too long or not', (length, expected) => {
  for (const start of [SITE, 'https://example.org:8443/', `${SITE}\u00e9`]) {
    const found = findingsOf('url-too-long', [start.padEnd(length, 'a')]);
    expect(found.map(({ message }) => message)).toEqual(expected);
  }
});

test.each([
  ['http://localhost/', 'localhost'],
  ['http://LOCALHOST:3000/a', 'localhost'],
  ['http://a.localhost/', 'a.localhost'],
  ['http://10.0.0.1/', '10.0.0.1'],
  ['http://127.1/', '127.0.0.1'],
  ['http://[::1]:8080/', '[::1]'],
])('%s is on %s, which the public cannot reach, and nothing is said of its host', (page, host) => {
  const found = findingsOf('url-not-public', [page]);
  expect(found).toMatchObject([
    { message: `The URL is on ${host}, which the public cannot reach: ${page}`, line: 2, page },
  ]);
  expect(findingsOf('url-other-host', [page])).toEqual([]);
});

test.each([
  ['https://me@example.org/', ' a user name; it is on example.org.'],
  ['https://:secret@example.org/', ' a user name and a password; it is on example.org.'],
  ['https://me:secret@example.org:8443/a', ' a user name and a password; it is on example.org:8443.'],
])('the user of %s is reported without the secret', (page, words) => {
  const [finding, ...others] = findingsOf('url-not-public', [page]);
  expect(finding?.message).toBe(`The URL contains${words}`);
  expect(JSON.stringify(finding)).not.toContain('secret');
  expect(others).toEqual([]);
});

test('a private host is no fault of a sitemap on the same host and port', () => {
  expect(findingsOf('url-not-public', ['http://10.0.0.1:80/'], 'http://10.0.0.1/a.xml')).toEqual([]);
  expect(findingsOf('url-not-public', ['http://10.0.0.1:81/'], 'http://10.0.0.1/a.xml')).toHaveLength(1);
  expect(findingsOf('url-not-public', ['http://10.0.0.1/'], null)).toHaveLength(1);
});

test('pages on other hosts are one finding for each, with the port', () => {
  const pages = [
    'https://b.example/1',
    '/',
    'https://example.org:8443/',
    'https://b.example/2',
    'http://c.example/',
  ];
  const found = findingsOf('url-other-host', pages);
  expect(found.map(({ line, count, message, page }) => [line, count, message, page])).toEqual([
    [
      2,
      2,
      '2 URLs are on b.example, but the sitemap is on example.org; the first is https://b.example/1',
      'https://b.example/1',
    ],
    [
      4,
      1,
      'The URL is on example.org:8443, but the sitemap is on example.org: https://example.org:8443/',
      'https://example.org:8443/',
    ],
    [
      6,
      1,
      'The URL is on c.example, but the sitemap is on example.org: http://c.example/',
      'http://c.example/',
    ],
  ]);
  expect(findingsOf('url-other-host', pages, null)).toEqual([]);
});

test('hosts that take turns are told apart', () => {
  const pages = [
    'https://b.example/1',
    'https://c.example/1',
    'https://b.example/2',
    '/',
    'https://c.example/2',
  ];
  const found = findingsOf('url-other-host', pages);
  expect(found.map(({ line, count }) => [line, count])).toEqual([
    [2, 2],
    [3, 2],
  ]);
});

test.each([
  [SITEMAP, 'http://example.org/a', 'http, but the sitemap is https'],
  ['http://example.org/sitemap.xml', `${SITE}a`, 'https, but the sitemap is http'],
])('of the sitemap %s, the page %s is %s', (sitemap, page, words) => {
  const found = findingsOf('url-other-scheme', [page, page.replace('/a', '/b#c')], sitemap);
  expect(found).toMatchObject([
    { message: `2 URLs are ${words}; the first is ${page}`, count: 2, line: 2, page },
  ]);
  expect(findingsOf('url-other-host', [page], sitemap)).toEqual([]);
});

test.each([
  ['/maps/sitemap.xml', '/maps/a', true],
  ['/maps/sitemap.xml', '/maps/', true],
  ['/maps/sitemap.xml', '/maps/a/b?c', true],
  ['/maps/sitemap.xml', '/maps', false],
  ['/maps/sitemap.xml', '/maps2/a', false],
  ['/maps/sitemap.xml', '/Maps/a', false],
  ['/maps/sitemap.xml', '/other/maps/a', false],
  ['/maps/sitemap.xml', '/maps/\u00e9', true],
  ['/maps/sitemap.xml', '/other/\u00e9', false],
  ['/maps/sitemap.xml?a=/b/', '/maps/a', true],
  ['/maps/', '/maps/a', true],
  ['/sitemap.xml', '/a', true],
])('of the sitemap %s, the page %s is inside: %s', (path, page, isInside) => {
  const found = findingsOf('url-outside-directory', [page], `https://example.org${path}`);
  const message = `The URL is not below /maps/, where the sitemap is: https://example.org${page}`;
  expect(found.map((finding) => finding.message)).toEqual(isInside ? [] : [message]);
});

test('the directory of a sitemap is nothing for a page on another host, nor where robots.txt declares it', () => {
  const url = `${SITE}maps/a.xml`;
  const content = urlset(`${SITE}b`, 'https://b.example/b');
  const robots = { url: `${SITE}robots.txt`, content: `Sitemap: ${url}\n` };
  const rulesOf = (documents: Parameters<typeof checkSitemaps>[0]): readonly string[] =>
    Array.from(checkSitemaps(documents), ({ rule, count }) => `${rule} ${count}`).filter((each) =>
      /^url-o/.test(each),
    );
  expect(rulesOf([{ url, content }])).toEqual(['url-outside-directory 1', 'url-other-host 1']);
  expect(rulesOf([robots, { url, content }])).toEqual(['url-other-host 1']);
});

test.each([
  ['https://example.org/robots.txt', ['url-other-host https://www.example.org/1']],
  ['https://www.example.org/robots.txt', ['url-other-origin https://example.org/1']],
  [
    'http://example.org/robots.txt',
    ['url-other-origin https://example.org/1', 'url-other-host https://www.example.org/1'],
  ],
])('a sitemap of two hosts that %s declares', (robots, expected) => {
  const pages = ['1', '2?a', '3#b'].flatMap((path) => [SITE + path, `https://www.example.org/${path}`]);
  const found = checkSitemaps([
    { url: robots, content: `Sitemap: ${SITEMAP}\n` },
    { url: SITEMAP, content: urlset(...pages) },
  ]);
  const other = [...found].filter(({ rule }) => rule.startsWith('url-other'));
  expect(other.map(({ rule, page }) => `${rule} ${page}`).toSorted()).toEqual(expected.toSorted());
  expect(other.map(({ count }) => count)).toEqual(expected.map(() => 3));
  const origin = other.find(({ rule }) => rule === 'url-other-origin')?.message;
  if (origin !== undefined) {
    expect(origin).toBe(
      `3 URLs are on https://example.org, but the robots.txt that declares the sitemap is on ${new URL(robots).origin}; ` +
        `the first is ${SITE}1`,
    );
  }
});

test('an http page is of another scheme unless the robots.txt of http declares the sitemap', () => {
  const rulesOf = (robots: string): readonly string[] =>
    Array.from(
      checkSitemaps([
        { url: robots, content: `Sitemap: ${SITEMAP}\n` },
        { url: SITEMAP, content: urlset('http://example.org/1') },
      ]),
      ({ rule }) => rule,
    ).filter((rule) => rule.startsWith('url-other'));
  expect(rulesOf(`${SITE}robots.txt`)).toEqual(['url-other-scheme']);
  expect(rulesOf('http://example.org/robots.txt')).toEqual([]);
});

test.each([
  ['/a.css', 'css'],
  ['/a.JS?v=1', 'js'],
  ['/a.tar.gz', 'gz'],
  ['/a.woff2#b', 'woff2'],
  ['/a.b/c.7z', '7z'],
  ['/.jpg', 'jpg'],
  ['https://b.example/a.js', 'js'],
  ['/a.js/', undefined],
  ['/a.js/b', undefined],
  ['/a.jsp', undefined],
  ['/ajs', undefined],
  ['/?a.js', undefined],
  ['/#a.js', undefined],
  ['/a.html', undefined],
  ['/a.pdf', undefined],
  ['https://a.zip/', undefined],
])('%s is a file: %s', (page, extension) => {
  const found = findingsOf('url-not-a-page', [page]);
  const url = page.startsWith('/') ? `https://example.org${page}` : page;
  const message = `The URL is that of a .${extension} file, not of a page: ${url}`;
  expect(found.map((finding) => finding.message)).toEqual(extension === undefined ? [] : [message]);
});

test('files are one finding for each extension', () => {
  const found = findingsOf('url-not-a-page', ['/a.js', '/a.css', '/b.JS', '/c.js?d']);
  expect(found.map(({ line, count, message }) => [line, count, message])).toEqual([
    [2, 3, `3 URLs are those of .js files, not of pages; the first is ${SITE}a.js`],
    [3, 1, `The URL is that of a .css file, not of a page: ${SITE}a.css`],
  ]);
});

test.each([
  ['image', 'a.jpg a.svg', 'a.mp4 a.js'],
  ['video', 'a.mp4 a.mp3', 'a.jpg a.js'],
])('a sitemap that shows a %s may list %s, and not %s', (extension, allowed, refused) => {
  const shows = `<url><loc>${SITE}</loc><${extension}:${extension}/></url>`;
  const pages = [allowed, refused]
    .join(' ')
    .split(' ')
    .map((path) => SITE + path);
  const namespace = `xmlns:${extension}="http://www.google.com/schemas/sitemap-${extension}/1.1"`;
  const text = urlset(...pages).replace('>\n', ` ${namespace}>\n${shows}`);
  const found = [...checkSitemap(text, { url: SITEMAP })].filter(({ rule }) => rule === 'url-not-a-page');
  expect(found.map(({ page }) => page)).toEqual(refused.split(' ').map((path) => SITE + path));
});

test.each([
  [SITEMAP, '/sitemap1.xml', true],
  [SITEMAP, '/a/Sitemap.XML.GZ', true],
  [SITEMAP, 'http://example.org/sitemap1.xml', true],
  [SITEMAP, 'https://b.example/sitemap1.xml', false],
  [undefined, 'https://b.example/sitemap1.xml', true],
  [SITEMAP, '/sitemaps/a.xml', false],
])('in the sitemap %s, %s is listed as a page: %s', (sitemap, page, isSitemap) => {
  const found = [
    ...checkSitemap(
      urlset(...[page].map((each) => (each.startsWith('/') ? `https://example.org${each}` : each))),
      { url: sitemap },
    ),
  ];
  expect(found.some(({ rule }) => rule === 'sitemap-listed-as-page')).toBe(isSitemap);
});

test('sitemaps that are listed as pages are one finding, and no files', () => {
  const found = findingsOf('sitemap-listed-as-page', ['/sitemap1.xml.gz', '/', '/sitemap2.xml.gz']);
  expect(found).toMatchObject([
    {
      count: 2,
      line: 2,
      message: `2 URLs are those of sitemaps, not of pages; the first is ${SITE}sitemap1.xml.gz`,
    },
  ]);
  expect(findingsOf('url-not-a-page', ['/sitemap1.xml.gz'])).toEqual([]);
});

/** The same URL as a page, in a list, in an index, in a robots.txt and in feeds, and the rules about it. */
test.each([
  ['a page', urlset('URL'), SITEMAP],
  ['a line', 'https://example.org/\nURL\n', `${SITE}sitemap.txt`],
  [
    'a sitemap',
    `<sitemapindex ${NS}><sitemap><loc>URL</loc></sitemap></sitemapindex>`,
    `${SITE}maps/index.xml`,
  ],
  ['a Sitemap line', 'Sitemap: URL\n', `${SITE}robots.txt`],
  [
    'an item',
    '<rss version="2.0"><channel><item><link>URL</link></item></channel></rss>',
    `${SITE}maps/rss.xml`,
  ],
])('the rules about a URL that is %s', (what, text, url) => {
  const of = (address: string): readonly string[] =>
    Array.from(checkSitemap(text.replace('URL', escaped(address)), { url }), ({ rule }) => rule).filter(
      (rule) => /^url-(?!in|rep|var)/.test(rule),
    );
  const lists = what === 'a page' || what === 'a line';
  const isDeclared = what === 'a sitemap' || what === 'a Sitemap line';
  expect(of('https://b.example/a.xml')).toEqual(lists ? ['url-other-host'] : []);
  expect(of('http://example.org/a.xml')).toEqual(lists ? ['url-other-scheme'] : []);
  expect(of(`${SITE}a.xml?utm_id=1&sessionid=2`)).toEqual(
    isDeclared ? [] : ['url-session-id', 'url-tracking-parameter'],
  );
  expect(of(`${SITE}a//b.xml`)).toEqual(isDeclared ? [] : ['url-double-slash']);
  expect(of(`${SITE}a.zip`)).toEqual(lists ? ['url-not-a-page'] : []);
  expect(of(`${SITE}a.xml#b`)).toEqual(isDeclared ? [] : ['url-fragment']);
  expect(of(`${SITE}caf\u00e9.xml`)).toEqual(['url-not-ascii']);
  expect(of(`${SITE}a|b.xml`)).toEqual(['url-not-encoded']);
  expect(of('http://localhost/a.xml')).toEqual(['url-not-public']);
  expect(of(`${SITE}${'a'.repeat(2_100)}`)).toEqual(['url-too-long']);
});
