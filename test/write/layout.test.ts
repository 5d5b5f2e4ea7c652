/** §16: the files of a set have names that every file system takes and tells apart, and the addresses of the input. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseSitemap, type SitemapPage } from '../../src/parse/index.ts';
import { addressesOfFiles } from '../../src/write/file-addresses.ts';
import { groupNameOf, Layout, numbered, unnumbered, wordInName } from '../../src/write/layout.ts';
import { NewStrategy } from '../../src/write/new-strategy.ts';
import { RepairedFiles } from '../../src/write/repaired-files.ts';
import { SitemapSet } from '../../src/write/sitemap-set.ts';
import { urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';

const SITE = 'https://example.org';

/** Three folders of one name. */
const threeOf = (name: string): string => Array(3).fill(name).join('/');

describe('the name of the file of a document', () => {
  test.each<[string, string, string]>([
    ['stays as it is', `${SITE}/blog/sitemap.xml`, 'blog/sitemap.xml'],
    ['has its query', `${SITE}/sitemap.php?page=2&lang=en`, 'sitemap-page-2-lang-en.xml'],
    ['has the ending of a urlset', `${SITE}/urls.txt`, 'urls.xml'],
    ['keeps that it is compressed', `${SITE}/pages.gz`, 'pages.xml.gz'],
    ['is that of a sitemap where the path has none', `${SITE}/`, 'sitemap.xml'],
    ['is not hidden', `${SITE}/.well-known/a.xml`, '_well-known/a.xml'],
    ['is not a device of Windows', `${SITE}/con.xml`, '_con.xml'],
    ['is not a device with a raised digit', `${SITE}/COM%C2%B9.xml`, '_COM¹.xml'],
    ['is not the input of a console', `${SITE}/CONIN$.xml`, '_CONIN$.xml'],
    ['may begin like one', `${SITE}/console.xml`, 'console.xml'],
    ['does not end in a dot', `${SITE}/a./b.xml`, 'a/b.xml'],
    ['has no character that a file system refuses', `${SITE}/a%3Ab%7Cc.xml`, 'a-b-c.xml'],
    ['does not lead out of the folder', `${SITE}/a/%2e%2e%2fb.xml`, 'a/_-b.xml'],
    ['of a file is its last part', '/some/where/my map.xml', 'my map.xml'],
  ])('%s', (_what, address, name) => {
    expect(new Layout({ byHost: false }).namesOf([address])).toEqual([name]);
  });

  test('has at most 200 bytes, of whole characters', () => {
    const [name = ''] = new Layout({ byHost: false }).namesOf([
      `${SITE}/${encodeURIComponent('é'.repeat(150))}.xml`,
    ]);
    expect(name).toBe(`${'é'.repeat(100)}.xml`);
  });

  test('is only the last part where the path has more than 600 bytes', () => {
    const long = Array(4).fill('a'.repeat(180)).join('/');
    expect(new Layout({ byHost: false }).namesOf([`${SITE}/${long}/b.xml`])).toEqual(['b.xml']);
  });

  test.each([
    ['600 bytes', `${threeOf('a'.repeat(180))}/${'a'.repeat(51)}/b.xml`, true],
    ['601 bytes', `${threeOf('a'.repeat(180))}/${'a'.repeat(52)}/b.xml`, false],
    ['more bytes than characters', `${threeOf('é'.repeat(90))}/${'é'.repeat(30)}/b.xml`, false],
  ])('of %s: whether it has all folders', (_what, path, hasFolders) => {
    const [name] = new Layout({ byHost: false }).namesOf([`${SITE}/${path}`]);
    expect(name).toBe(hasFolders ? path : 'b.xml');
  });

  test.each<[string, string[], string[]]>([
    ['capitals', ['/a.xml', '/A.xml'], ['a.xml', 'A-2.xml']],
    ['the encoding of accents', ['/é.xml', '/e\u0301.xml'], ['é.xml', 'e\u0301-2.xml']],
    ['nothing but their folder', ['/a.xml', '/a.xml/b.xml'], ['a.xml', 'a.xml-b.xml']],
    ['a change, which the other one does not need', ['/a.php', '/a.xml'], ['a-2.xml', 'a.xml']],
    ['nothing, three times', ['/a.txt', '/a.php', '/a.html'], ['a.xml', 'a-2.xml', 'a-3.xml']],
  ])('is another one where names differ in %s', (_what, paths, names) => {
    const layout = new Layout({ byHost: false });
    expect(layout.namesOf(paths.map((path) => SITE + path))).toEqual(names);
  });

  test('is in the folder of its host where each has one, and is not renamed by that', () => {
    const layout = new Layout({ byHost: true });
    const names = layout.namesOf([`${SITE}/a.xml`, 'https://example.com:8080/a.php']);
    expect(names).toEqual(['example.org/a.xml', 'example.com-8080/a.xml']);
    expect(names.map((name) => layout.isRenamed(name))).toEqual([false, true]);
  });

  test('gets .gz once, as its address does, and that is not a new name', () => {
    const layout = new Layout({ byHost: false, gzip: true });
    const names = layout.namesOf([`${SITE}/a.xml`, `${SITE}/b.xml.gz`]);
    expect(names).toEqual(['a.xml.gz', 'b.xml.gz']);
    expect(names.map((name) => layout.isRenamed(name))).toEqual([false, false]);
    expect(names.map((name) => layout.addressOf(name, undefined))).toEqual([
      `${SITE}/a.xml.gz`,
      `${SITE}/b.xml.gz`,
    ]);
  });
});

test('a further file has a number that no document has', () => {
  const layout = new Layout({ byHost: false });
  const [name = ''] = layout.namesOf([`${SITE}/a.xml`, `${SITE}/a-2.xml`]);
  expect(layout.next(name, 2)).toBe('a-2-2.xml');
  expect(layout.originOf('a-2-2.xml')).toBe(SITE);
  expect([numbered('a.xml.gz', 3), unnumbered('a-3.xml.gz'), unnumbered('a.xml')]).toEqual([
    'a-3.xml.gz',
    'a.xml.gz',
    'a.xml',
  ]);
});

describe('the address of a file', () => {
  test.each<[string, string | undefined, string]>([
    ['is that of its document, encoded as there', undefined, `${SITE}/it%27s/%C3%A9.xml`],
    ['is below the base', 'https://cdn.example/maps', 'https://cdn.example/maps/it%27s/%C3%A9.xml'],
  ])('%s', (_what, baseUrl, address) => {
    const layout = new Layout({ byHost: false, baseUrl });
    const [name = ''] = layout.namesOf([`${SITE}/it%27s/%C3%A9.xml`]);
    expect(name).toBe("it's/é.xml");
    expect(layout.addressOf(name, undefined)).toBe(address);
  });

  test('of a file without one is on the host of its pages', () => {
    const layout = new Layout({ byHost: false });
    const [name = ''] = layout.namesOf(['some map#1.xml']);
    expect(layout.addressOf(name, SITE)).toBe(`${SITE}/some%20map%231.xml`);
    expect(layout.addressOf(name, undefined)).toBeUndefined();
  });
});

describe('a new division', () => {
  const pageOf = (entry: string): SitemapPage => {
    const [item] = [...parseSitemap(urlset(`${SITE}/news/a`).replace(/<url>.*<\/url>/s, entry))];
    if (item?.type !== 'page') throw new Error('there is a page');
    return item.page;
  };
  const link =
    '<xhtml:link xmlns:xhtml="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="de-AT" href="';

  test.each<[Parameters<typeof groupNameOf>[1], string, string]>([
    ['host', `<url><loc>${SITE}:8080/a</loc></url>`, 'example.org:8080'],
    ['folder', `<url><loc>${SITE}/news/a</loc></url>`, 'news'],
    ['folder', `<url><loc>${SITE}/a</loc></url>`, 'root'],
    ['language', `<url><loc>${SITE}/a</loc>${link}${SITE}/a"/></url>`, 'de-AT'],
    ['language', `<url><loc>${SITE}/a</loc>${link}${SITE}/b"/></url>`, 'other'],
    ['lastmod-year', `<url><loc>${SITE}/a</loc><lastmod>2023-12-31T23:59:59Z</lastmod></url>`, '2023'],
    ['lastmod-year', `<url><loc>${SITE}/a</loc></url>`, 'undated'],
    [undefined, `<url><loc>${SITE}/a</loc></url>`, ''],
  ])('by %s: %s', (division, entry, part) => {
    expect(groupNameOf(pageOf(entry), division)).toBe(part);
  });

  test.each(['America/New_York', 'Asia/Kathmandu'])('a year is that of UTC in %s', (zone) => {
    vi.stubEnv('TZ', zone);
    onTestFinished(() => void vi.unstubAllEnvs());
    const yearOf = (date: string) =>
      groupNameOf(pageOf(`<url><loc>${SITE}/a</loc><lastmod>${date}</lastmod></url>`), 'lastmod-year');
    expect(['2024-01-01T00:00:00Z', '2023-12-31T23:59:59Z'].map(yearOf)).toEqual(['2024', '2023']);
  });

  test('a thousand groups have files of their own, and all others share one, with one more for their news', async () => {
    const set = await SitemapSet.open(folder());
    const strategy = new NewStrategy(set, {
      by: 'folder',
      origin: SITE,
      onProblem: (problem) => expect.unreachable(problem.message),
      onRepair: (repair) => expect.unreachable(repair.message),
    });
    const source = { address: `${SITE}/sitemap.xml` } as Parameters<typeof strategy.groupOf>[0];
    const groups = Array.from({ length: 1002 }, (_, at) =>
      strategy.groupOf(source, pageOf(`<url><loc>${SITE}/${at}/a</loc></url>`)),
    );
    expect(new Set(groups.slice(0, 1000)).size).toBe(1000);
    expect(groups.slice(0, 1000)).not.toContain(groups[1000]);
    expect(groups[1001]).toBe(groups[1000]);
    const newsOf = (at: number) =>
      strategy.groupOf(
        source,
        pageOf(
          `<url><loc>${SITE}/${at}/news</loc><n:news xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><n:title>A</n:title></n:news></url>`,
        ),
      );
    expect(groups).not.toContain(newsOf(1001));
    expect(newsOf(7)).toBe(newsOf(1001));
    expect(strategy.groupOf(source, pageOf(`<url><loc>${SITE}/7/b</loc></url>`))).toBe(groups[7]);
    await set.discard();
  });

  test('an index of more sitemaps than it may have is divided, with numbers from 2', async () => {
    const set = await SitemapSet.open(folder());
    const report = ({ message }: { readonly message: string }): void => expect.unreachable(message);
    const options = { origin: SITE, onProblem: report, onRepair: report };
    const files = new RepairedFiles(set, options, { byHost: false });
    const entries = Array.from({ length: 50_001 }, (_, at) => ({ url: `${SITE}/${at}.xml` }));
    await files.addIndex('sitemap.xml', entries);
    expect(files.all).toEqual([
      { name: 'sitemap.xml', url: `${SITE}/sitemap.xml`, pages: 0, from: undefined },
      { name: 'sitemap-2.xml', url: `${SITE}/sitemap-2.xml`, pages: 0, from: undefined },
    ]);
    await files.addIndex('whole.xml', entries.slice(1));
    expect(files.all.slice(2).map(({ name }) => name)).toEqual(['whole.xml']);
    await set.discard();
  });

  test('a part is a word in a name', () => {
    expect(wordInName('Über uns/Team')).toBe('über-uns-team');
  });
});

describe('the address by which an index lists a file', () => {
  const file = (name: string, ...listed: string[]) => ({
    name,
    sitemap: { subSitemaps: listed.map((url) => ({ url })) },
  });
  const found = (files: ReturnType<typeof file>[], ...listed: string[]): (string | undefined)[] => {
    const addresses = addressesOfFiles(
      files,
      listed.map((url) => ({ url })),
    );
    return files.map((each) => addresses.get(each));
  };

  test('most parts of the path come first', () => {
    const files = [file('maps/a/sitemap.xml'), file('maps/b/sitemap.xml')];
    expect(found(files, `${SITE}/a/sitemap.xml`, `${SITE}/b/sitemap.xml`)).toEqual([
      `${SITE}/a/sitemap.xml`,
      `${SITE}/b/sitemap.xml`,
    ]);
  });

  test('a name may have the query of the address', () => {
    const pages = [2, 3].map((number) => `${SITE}/sitemap.xml?page=${number}`);
    expect(found([file('maps/sitemap.xml?page=3')], ...pages)).toEqual([pages[1]]);
    expect(found([file('sitemap.xml')], ...pages)).toEqual([undefined]);
    expect(found([file('sitemap.xml')], pages[0]!)).toEqual([pages[0]]);
  });

  test('what is not clear stays open', () => {
    expect(found([file('x/a.xml'), file('y/a.xml')], `${SITE}/a.xml`)).toEqual([undefined, undefined]);
    expect(found([file('a.xml')], `${SITE}/x/a.xml`, `${SITE}/y/a.xml`)).toEqual([undefined]);
    // A file that fits less well is not the sitemap because two others fit better.
    const files = ['x/blog/a.xml', 'y/blog/a.xml', 'z/a.xml'].map((name) => file(name));
    expect(found(files, `${SITE}/blog/a.xml`)).toEqual([undefined, undefined, undefined]);
  });

  test('an index is its own sitemap only at the root of the host of all that it lists', () => {
    const own = `${SITE}/sitemap.xml`;
    const other = `${SITE}/b.xml`;
    expect(found([file('sitemap.xml', own, other)], own, other)).toEqual([own]);
    const deep = `${SITE}/blog/sitemap.xml`;
    expect(found([file('sitemap.xml', deep, other)], deep, other)).toEqual([undefined]);
    const foreign = 'https://example.com/b.xml';
    expect(found([file('sitemap.xml', own, foreign)], own, foreign)).toEqual([undefined]);
  });

  test.each<[string, ReturnType<typeof file>, readonly string[], string | undefined]>([
    ['a path of Windows', file('maps\\a\\s.xml'), [`${SITE}/b/s.xml`, `${SITE}/a/s.xml`], `${SITE}/a/s.xml`],
    [
      'a path that is encoded',
      file('ü/my map.xml'),
      [`${SITE}/%C3%BC/my%20map.xml`],
      `${SITE}/%C3%BC/my%20map.xml`,
    ],
    [
      'a folder that is called as the host',
      file('example.com/s.xml'),
      [`${SITE}/s.xml`, 'https://example.com/s.xml'],
      'https://example.com/s.xml',
    ],
    [
      'an address that is listed twice',
      file('s.xml'),
      [`${SITE}/s.xml`, `${SITE}/s.xml#a`],
      `${SITE}/s.xml#a`,
    ],
    ['an address of a folder', file('maps/'), [`${SITE}/maps/`], undefined],
    ['another name', file('a.xml'), [`${SITE}/b.xml`], undefined],
    ['what is not a web address', file('a.xml'), ['a.xml'], undefined],
    ['nothing', file('a.xml'), [], undefined],
    [
      'an index that lists nothing but its name',
      file('s.xml', `${SITE}/s.xml`),
      [`${SITE}/s.xml`],
      undefined,
    ],
    [
      'an index that lists its name with a fragment, in a folder',
      file('s.xml', `${SITE}/blog/s.xml#a`, `${SITE}/b.xml`),
      [`${SITE}/blog/s.xml`, `${SITE}/b.xml`],
      undefined,
    ],
    [
      'an index that lists its name, and a sitemap of another port',
      file('s.xml', `${SITE}/s.xml`, `${SITE}:8443/b.xml`),
      [`${SITE}/s.xml`, `${SITE}:8443/b.xml`],
      undefined,
    ],
    [
      'an index that lists its name, and a sitemap of another scheme',
      file('s.xml', `${SITE}/s.xml`, 'http://example.org/b.xml'),
      [`${SITE}/s.xml`, 'http://example.org/b.xml'],
      undefined,
    ],
  ])('%s', (_what, name, listed, expected) => {
    expect(found([name], ...listed)).toEqual([expected]);
  });

  test('two files of one address are open, and a third one for another address is not', () => {
    const files = ['x/a.xml', 'y/a.xml', 'b.xml'].map((name) => file(name));
    expect(found(files, `${SITE}/a.xml`, `${SITE}/b.xml`)).toEqual([undefined, undefined, `${SITE}/b.xml`]);
    const both = [file('a.xml'), file('x/a.xml')];
    expect(found(both, `${SITE}/x/a.xml`, `${SITE}/y/a.xml`)).toEqual([`${SITE}/y/a.xml`, `${SITE}/x/a.xml`]);
  });
});
