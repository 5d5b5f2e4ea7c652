/** §16: what a repair changes only where it is asked for: the flags of `usp fix`. */
import { describe, expect, test } from 'vitest';
import { sitemapFromString } from '../../src/index.ts';
import { SitemapPage } from '../../src/parse/index.ts';
import { blockedBy, hostsOf, judged, type Opinions, requestedPages } from '../../src/write/opinions.ts';
import { siteOf, treeOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';

const SITE = 'https://example.org';

/** What becomes of a page, and what is said about it. */
function judgedPage(fields: ConstructorParameters<typeof SitemapPage>[0], opinions: Opinions) {
  const said: string[] = [];
  const page = judged(new SitemapPage(fields), opinions, ({ action, rule, message }) => {
    said.push(`${action} ${rule}: ${message}`);
  });
  return { page, said };
}

describe('the URL of a page', () => {
  const [TRACKING, HTTPS] = [
    'changed url-tracking-parameter: The tracking parameters are removed: ',
    'changed url-other-scheme: http is written as https: ',
  ];
  const both = { dropTracking: true, https: true };

  test.each<[string, Opinions, string, ...said: string[]]>([
    [`${SITE}/?utm_source=a`, {}, `${SITE}/?utm_source=a`],
    [`${SITE}/?utm_source=a`, { dropTracking: false }, `${SITE}/?utm_source=a`],
    [`${SITE}/?utm_source=a&b=1`, { dropTracking: true }, `${SITE}/?b=1`, `${TRACKING}${SITE}/?b=1`],
    [`${SITE}/?b=1`, { dropTracking: true }, `${SITE}/?b=1`],
    ['http://example.org/', { https: false }, 'http://example.org/'],
    ['http://example.org/', { https: true }, `${SITE}/`, `${HTTPS}${SITE}/`],
    ['HTTP://example.org/', { https: true }, `${SITE}/`, `${HTTPS}${SITE}/`],
    [`${SITE}/`, { https: true }, `${SITE}/`],
    ['http://example.org:80/a', { https: true }, `${SITE}/a`, `${HTTPS}${SITE}/a`],
    ['http://example.org:80', { https: true }, SITE, `${HTTPS}${SITE}`],
    ['http://example.org:80?a', { https: true }, `${SITE}?a`, `${HTTPS}${SITE}?a`],
    ['http://example.org:80#a', { https: true }, `${SITE}#a`, `${HTTPS}${SITE}#a`],
    ['http://example.org:8080/', { https: true }, `${SITE}:8080/`, `${HTTPS}${SITE}:8080/`],
    ['http://example.org/:80/', { https: true }, `${SITE}/:80/`, `${HTTPS}${SITE}/:80/`],
    ['http://[2600::80]/', { https: true }, 'https://[2600::80]/', `${HTTPS}https://[2600::80]/`],
    [`${SITE}:80/`, { https: true }, `${SITE}:80/`],
    [
      'http://example.org/?utm_source=a',
      both,
      `${SITE}/`,
      `${TRACKING}http://example.org/`,
      `${HTTPS}${SITE}/`,
    ],
  ])('%s with %j is %s', (url, opinions, expected, ...said) => {
    const found = judgedPage({ url }, opinions);
    expect([found.page?.url, ...found.said]).toEqual([expected, ...said]);
  });

  test('that changes is changed in its alternates too, without a word about these', () => {
    const alternates = [
      { hreflang: 'en', href: 'http://example.org/' },
      { hreflang: 'de', href: 'http://example.org/de?utm_source=a' },
      { hreflang: 'fr', href: 'https://example.org/fr' },
    ];
    const fields = {
      url: 'http://example.org/',
      alternates,
      priority: 0.3,
      lastModified: new Date('2013-05-06'),
    };
    const { page, said } = judgedPage(fields, both);
    expect(page).toMatchObject({ priority: 0.3, lastModified: new Date('2013-05-06') });
    expect(page?.alternates).toEqual([
      { hreflang: 'en', href: `${SITE}/` },
      { hreflang: 'de', href: `${SITE}/de` },
      { hreflang: 'fr', href: `${SITE}/fr` },
    ]);
    expect(said).toHaveLength(1);
  });

  test('that stays leaves the page as it is', () => {
    const page = new SitemapPage({
      url: `${SITE}/`,
      alternates: [{ hreflang: 'en', href: 'http://a.example/' }],
    });
    expect(judged(page, both, () => expect.unreachable())).toBe(page);
  });
});

describe('a page is dropped', () => {
  const hosts = hostsOf([], `${SITE}/`);
  const blocked = (url: string) => (url.includes('/no') ? 'Disallow: /no' : undefined);
  const dead = new Map([[`${SITE}/gone`, { rule: 'page-missing', message: 'It is gone.' }]]);
  const BLOCKED = 'dropped page-blocked: robots.txt forbids fetching it: Disallow: /no.';

  test.each<[string, string, Opinions, string | undefined]>([
    ['on another host', 'https://b.example:8443/', { hosts }, 'The page is on another host: b.example:8443.'],
    ['on the host', `${SITE}/a`, { hosts }, undefined],
    ['on the host by http', 'http://example.org/a', { hosts }, undefined],
    ['on any host where that is not asked', 'https://b.example/', {}, undefined],
  ])('%s', (_what, url, opinions, message) => {
    const { page, said } = judgedPage({ url }, opinions);
    expect(page?.url).toBe(message === undefined ? url : undefined);
    expect(said).toEqual(message === undefined ? [] : [`dropped url-other-host: ${message}`]);
  });

  test.each<[string, Opinions, readonly string[]]>([
    ['/no', { blocked, dropBlocked: true }, [BLOCKED]],
    ['/yes', { blocked, dropBlocked: true }, []],
    ['/no', { blocked }, []],
    ['/no', { blocked, dropBlocked: false }, []],
    ['/no', { dropBlocked: true }, []],
    ['/gone', { dead }, ['dropped page-missing: It is gone.']],
    ['/gone', { dead: new Map() }, []],
    ['/there', { dead }, []],
    // The reasons in their order: host, robots.txt, what the page answered.
    [
      '/no',
      { blocked, dropBlocked: true, dead: new Map([[`${SITE}/no`, { rule: 'x', message: 'x' }]]) },
      [BLOCKED],
    ],
  ])('%s with %j', (path, opinions, said) => {
    const found = judgedPage({ url: SITE + path }, opinions);
    expect([found.page === undefined, found.said]).toEqual([said.length > 0, said]);
  });
});

test('a page is known by its URL in any spelling: dead, or with a date of its header', () => {
  const url = 'HTTPS://EXAMPLE.org:443/a';
  const dead = new Map([[`${SITE}/a`, { rule: 'page-missing', message: 'It is gone.' }]]);
  expect(judgedPage({ url }, { dead }).said).toEqual(['dropped page-missing: It is gone.']);
  const { page } = judgedPage({ url }, { lastModified: new Map([[`${SITE}/a`, 1e12]]) });
  expect([page?.url, page?.lastModified?.getTime()]).toEqual([url, 1e12]);
});

describe('the date of its own header', () => {
  const time = Date.UTC(2013, 4, 6, 7, 8, 9);
  const lastModified = new Map([[`${SITE}/a`, time]]);
  const CHANGED =
    "changed lastmod-from-head: The date is that of the page's Last-Modified header: 2013-05-06T07:08:09.000Z.";

  test.each<[string, string | undefined, readonly string[]]>([
    ['replaces another date', '2012-01-01', [CHANGED]],
    ['replaces the day of it', '2013-05-06', [CHANGED]],
    ['is set where there is none', undefined, [CHANGED]],
    ['is the same', '2013-05-06T07:08:09Z', []],
  ])('%s', (_what, date, said) => {
    const fields = { url: `${SITE}/a`, lastModified: date === undefined ? undefined : new Date(date) };
    const found = judgedPage({ ...fields, lastModifiedText: date }, { lastModified });
    expect(found.page?.lastModified).toEqual(new Date(time));
    expect(new Date(found.page?.lastModifiedText ?? time)).toEqual(new Date(time));
    expect(found.said).toEqual(said);
  });

  test('is that of the page by its old URL, and of no other page', () => {
    const opinions = { lastModified: new Map([['http://example.org/a', time]]), https: true };
    expect(judgedPage({ url: 'http://example.org/a' }, opinions).page?.lastModified).toEqual(new Date(time));
    expect(judgedPage({ url: `${SITE}/b` }, { lastModified }).page?.lastModified).toBeUndefined();
    const epoch = { lastModified: new Map([[`${SITE}/a`, 0]]) };
    expect(judgedPage({ url: `${SITE}/a` }, epoch).page?.lastModified).toEqual(new Date(0));
  });
});

test('the hosts of trees are those of their sitemaps, and of the place that is named', async () => {
  const tree = await sitemapFromString(urlset('https://c.example/'), { url: 'https://b.example/s.xml' });
  const hosts = hostsOf([tree], `${SITE}/`);
  const urls = [`${SITE}/a`, 'https://b.example/a', 'https://c.example/a'];
  expect(urls.map((url) => hosts.has(url, 'same'))).toEqual([true, true, false]);
  expect(hostsOf([tree], undefined).has(`${SITE}/a`, 'same')).toBe(false);
});

test('robots.txt blocks pages for the agent that is named, and says by which line', async () => {
  const server = await siteOf({
    '/robots.txt':
      'User-agent: *\nDisallow: /all\nUser-agent: bot\nDisallow: /bot\nDisallow: /other\nSitemap: /s.xml',
    '/s.xml': urlset(SITE),
  });
  const trees = [await treeOf(server)];
  const paths = ['/all/1', '/bot/1', '/free'].map((path) => server.origin + path);
  const ofBot = await blockedBy(trees, { baseUrl: undefined, agent: 'bot' });
  expect(paths.map(ofBot)).toEqual([undefined, 'Disallow: /bot', undefined]);
  const ofAny = await blockedBy(trees, { baseUrl: undefined, agent: 'another' });
  expect(paths.map(ofAny)).toEqual(['Disallow: /all', undefined, undefined]);
  expect(ofAny('https://elsewhere.example/all')).toBeUndefined();
});

test('pages that are requested: which are dead, and the dates of the others', async () => {
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/s.xml'],
    '/s.xml': urlset(...['ok', 'undated', 'gone', 'moved', 'hidden'].map((name) => `${origin}/${name}`)),
    '/ok': {
      headers: { 'last-modified': 'Mon, 06 May 2013 07:08:09 GMT', 'content-type': 'text/html' },
      body: 'x',
    },
    '/undated': { headers: { 'last-modified': 'soon', 'content-type': 'text/html' }, body: 'x' },
    '/gone': { status: 404, headers: { 'last-modified': 'Mon, 06 May 2013 07:08:09 GMT' } },
    '/moved': { redirect: '/ok' },
    '/hidden': {
      headers: { 'x-robots-tag': 'noindex', 'last-modified': 'Mon, 06 May 2013 07:08:09 GMT' },
      body: 'x',
    },
  }));
  const found = await requestedPages([await treeOf(server)], { requestPages: 10 });
  const path = (url: string): string => url.replace(server.origin, '');
  expect(Array.from(found.dead ?? [], ([url, { rule }]) => `${path(url)} ${rule}`).sort()).toEqual([
    '/gone page-missing',
    '/hidden page-noindex',
    '/moved page-redirected',
  ]);
  expect(Array.from(found.lastModified ?? [], ([url, time]) => [path(url), time])).toEqual([
    ['/ok', Date.UTC(2013, 4, 6, 7, 8, 9)],
  ]);
  expect(found.stopped).toBeUndefined();
});
