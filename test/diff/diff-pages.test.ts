/** §11.3: what diffPages reports about two trees. */
import { describe, expect, test } from 'vitest';
import {
  type ComparedField,
  type DiffOptions,
  diffPages,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
  type Sitemap,
  SitemapException,
  type SitemapPage,
  sitemapFromString,
} from '../../src/index.ts';
import type { SitemapFields } from '../../src/sitemap/node-fields.ts';
import type { DocumentPages, PageSource } from '../../src/sitemap/page-source.ts';
import { internalsOf } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { codeOf } from '../support/sitemaps.ts';
import { SITE, source } from '../support/trees.ts';

const NAMESPACES = ['image', 'video', 'news']
  .map(
    (name) =>
      `xmlns:${name}="http://www.google.com/schemas/sitemap-${name}/${name === 'news' ? '0.9' : '1.1'}"`,
  )
  .join(' ');

type Entry = string | readonly [path: string, rest: string];

/** A urlset of entries: a path, and what else is in its `<url>`. */
function urlset(...entries: readonly Entry[]): string {
  const urls = entries.map((entry) => {
    const [path, rest] = typeof entry === 'string' ? [entry, ''] : entry;
    return `<url><loc>${SITE}${path}</loc>${rest}</url>`;
  });
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" ${NAMESPACES}>${urls.join('')}</urlset>`;
}

const IMAGE = `<image:image><image:loc>${SITE}i</image:loc></image:image>`;

const spool = new Spool({ memoryBytes: 10_000_000 });

function pages(name: string, text: string, fields: Partial<SitemapFields> = {}): Sitemap {
  const url = `${SITE}${name}`;
  return new PagesXMLSitemap({ url, pages: source(spool, text, url), ...fields });
}

function failed(name: string, fields: { code?: string; status?: number } = {}): Sitemap {
  return new InvalidSitemap({
    url: `${SITE}${name}`,
    code: 'timeout',
    reason: 'It took too long.',
    ...fields,
  });
}

/** A site whose index at a known path lists these. */
function site(...children: readonly Sitemap[]): Sitemap {
  const index = new IndexXMLSitemap({ url: `${SITE}sitemap.xml`, subSitemaps: children });
  return new IndexWebsiteSitemap({ url: SITE, subSitemaps: [index], complete: true });
}

/** The changes as lines, and the counts as one. */
async function diffOf(before: Sitemap, after: Sitemap, options?: DiffOptions): Promise<string[]> {
  const diff = diffPages(before, after, options);
  const lines: string[] = [];
  for await (const { type, page, sitemap, fields } of diff) {
    const path = page.url.slice(SITE.length);
    lines.push([type, path, 'in', sitemap.url.slice(SITE.length), ...(fields ?? [])].join(' '));
  }
  const { added, removed, changed, same, unknown } = diff.counts;
  return [...lines, `+${added} -${removed} ~${changed} =${same} ?${unknown}`];
}

const dated = (path: string, day: number) => [path, `<lastmod>2024-05-0${day}</lastmod>`] as const;

describe('§11.3: diffPages', () => {
  test('reports what was added and changed in the order of after, then what was removed in that of before', async () => {
    const before = site(pages('a.xml', urlset('1', dated('2', 1), '3')), pages('b.xml', urlset('4', '5')));
    const after = site(pages('b.xml', urlset('new', '5')), pages('a.xml', urlset(dated('2', 2), '6', '3')));
    expect(await diffOf(before, after)).toEqual([
      'added new in b.xml',
      'changed 2 in a.xml lastModified',
      'added 6 in a.xml',
      'removed 1 in a.xml',
      'removed 4 in b.xml',
      '+2 -2 ~1 =2 ?0',
    ]);
  });

  test('a page that moves from one document to another is the same page', async () => {
    const before = site(pages('a.xml', urlset('1', '2')), pages('b.xml', urlset('3')));
    const after = site(pages('a.xml', urlset('1')), pages('b.xml', urlset('3', '2')));
    expect(await diffOf(before, after)).toEqual(['+0 -0 ~0 =3 ?0']);
  });

  test('pages that leave one document and stay in another are the same, however many', async () => {
    const many = urlset(...Array.from({ length: 300 }, (_, number) => String(number)));
    const before = site(pages('a.xml', many), pages('b.xml', many));
    const after = site(pages('a.xml', urlset('0')), pages('b.xml', many));
    expect(await diffOf(before, after)).toEqual(['+0 -0 ~0 =300 ?0']);
  });

  const a1 = () => pages('a.xml', urlset(dated('1', 1)));
  const a2 = () => pages('a.xml', urlset(dated('1', 2)));
  const b1 = () => pages('b.xml', urlset('x', dated('1', 1)));
  const b2 = () => pages('b.xml', urlset('x', dated('1', 2)));
  const repeated: readonly [string, Sitemap, Sitemap, readonly string[]][] = [
    ['a later declaration changes nothing', site(a1(), b1()), site(a1(), b2()), ['+0 -0 ~0 =2 ?0']],
    [
      'an earlier one does',
      site(a1(), b1()),
      site(a2(), b1()),
      ['changed 1 in a.xml lastModified', '+0 -0 ~1 =1 ?0'],
    ],
    [
      'another order may',
      site(a1(), b2()),
      site(b2(), a1()),
      ['changed 1 in b.xml lastModified', '+0 -0 ~1 =1 ?0'],
    ],
    [
      'where the first is gone, the second counts',
      site(a1(), b2()),
      site(b2()),
      ['changed 1 in b.xml lastModified', '+0 -0 ~1 =1 ?0'],
    ],
    [
      'a first one that is new counts',
      site(b2()),
      site(a1(), b2()),
      ['changed 1 in a.xml lastModified', '+0 -0 ~1 =1 ?0'],
    ],
    ['a first one that is new and says the same', site(b2()), site(a2(), b2()), ['+0 -0 ~0 =2 ?0']],
    [
      'one that moves behind a document that is the same counts as that',
      site(pages('d.xml', urlset('x', dated('1', 1))), pages('e.xml', urlset(dated('1', 2)))),
      site(
        pages('d.xml', urlset('x')),
        pages('e.xml', urlset(dated('1', 2))),
        pages('g.xml', urlset(dated('1', 1))),
      ),
      ['changed 1 in e.xml lastModified', '+0 -0 ~1 =1 ?0'],
    ],
    [
      'the values of the first one replace those of a later one',
      site(pages('e.xml', urlset('1')), pages('d.xml', urlset(['1', IMAGE]))),
      site(pages('g.xml', urlset('1')), pages('e.xml', urlset('1'))),
      ['+0 -0 ~0 =1 ?0'],
    ],
  ];
  test.each(repeated)('where a page is listed twice: %s', async (_name, before, after, expected) => {
    expect(await diffOf(before, after)).toEqual(expected);
    const quick = await diffOf(before, after, { countSame: false });
    expect(quick.slice(0, -1)).toEqual(expected.slice(0, -1));
  });

  const image = (name: string) => `<image:image><image:loc>${SITE}${name}</image:loc></image:image>`;
  const video = (title: string) =>
    `<video:video><video:title>${title}</video:title><video:thumbnail_loc>${SITE}t</video:thumbnail_loc></video:video>`;
  const news = (title: string) =>
    `<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:title>${title}</news:title></news:news>`;
  const alternate = (language: string, path = language) =>
    `<xhtml:link rel="alternate" hreflang="${language}" href="${SITE}${path}"/>`;
  const fields: readonly [ComparedField, string, string][] = [
    ['lastModified', '<lastmod>2024-05-01</lastmod>', '<lastmod>2024-05-01T00:00:01Z</lastmod>'],
    [
      'lastModified',
      '<lastmod>2024-05-01T00:00:00.100Z</lastmod>',
      '<lastmod>2024-05-01T00:00:00.900Z</lastmod>',
    ],
    ['lastModified', '', '<lastmod>2024-05-01</lastmod>'],
    ['lastModified', '<lastmod>1970-01-01</lastmod>', ''],
    ['priority', '<priority>0.1</priority>', '<priority>0.2</priority>'],
    ['priority', '', '<priority>0.123456789</priority>'],
    ['changeFrequency', '<changefreq>daily</changefreq>', '<changefreq>never</changefreq>'],
    ['changeFrequency', '<changefreq>daily</changefreq>', ''],
    ['newsStory', news('one'), news('two')],
    ['images', image('1'), image('1') + image('2')],
    ['images', '', image('1')],
    ['videos', video('one'), video('two')],
    ['alternates', alternate('de'), alternate('fr')],
    ['alternates', alternate('de'), alternate('de-AT', 'de')],
    ['alternates', alternate('de'), alternate('de', 'at')],
    ['alternates', alternate('de'), ''],
  ];
  test.each(fields)('%s: "%s" becomes "%s"', async (field, was, is) => {
    const before = site(pages('a.xml', urlset(['1', was], '2')));
    const after = site(pages('a.xml', urlset(['1', is], '2')));
    expect(await diffOf(before, after)).toEqual([`changed 1 in a.xml ${field}`, '+0 -0 ~1 =1 ?0']);
    expect(await diffOf(before, after, { compare: [field] })).toEqual([
      `changed 1 in a.xml ${field}`,
      '+0 -0 ~1 =1 ?0',
    ]);
    const other = field === 'priority' ? 'images' : 'priority';
    expect(await diffOf(before, after, { compare: [other] })).toEqual(['+0 -0 ~0 =2 ?0']);
    expect(await diffOf(before, before)).toEqual(['+0 -0 ~0 =2 ?0']);
  });

  const VIDEO = `<video:title>V</video:title><video:thumbnail_loc>${SITE}t</video:thumbnail_loc>`;
  test.each<[string, (date: string) => string]>([
    ['a page', (date) => `<lastmod>${date}</lastmod>`],
    [
      'a news story',
      (date) => `<news:news><news:publication_date>${date}</news:publication_date></news:news>`,
    ],
    [
      'a video',
      (date) => `<video:video>${VIDEO}<video:publication_date>${date}</video:publication_date></video:video>`,
    ],
    [
      'the end of a video',
      (date) => `<video:video>${VIDEO}<video:expiration_date>${date}</video:expiration_date></video:video>`,
    ],
  ])('the same moment, written in two ways, is not a change: %s', async (_of, written) => {
    const [before, after, later] = [
      '2024-05-01T00:00:00Z',
      '2024-05-01T02:00:00+02:00',
      '2024-05-01T02:00:01+02:00',
    ].map((date) => site(pages('a.xml', urlset(['1', written(date)]))));
    expect(await diffOf(before!, after!)).toEqual(['+0 -0 ~0 =1 ?0']);
    expect((await diffOf(before!, later!)).at(-1)).toBe('+0 -0 ~1 =0 ?0');
  });

  const fieldsOf = (name: string, ...tags: readonly string[]): readonly string[] =>
    tags.map((tag) => `<${name}:${tag}>${SITE}${tag}</${name}:${tag}>`);
  test.each<[string, readonly string[]]>([
    ['image:image', fieldsOf('image', 'loc', 'caption', 'geo_location', 'title', 'license')],
    ['image:image', ['<image:loc/>', ...fieldsOf('image', 'title', 'loc', 'caption')]],
    [
      'video:video',
      fieldsOf('video', 'thumbnail_loc', 'title', 'description', 'content_loc', 'player_loc', 'uploader'),
    ],
    ['news:news', fieldsOf('news', 'title', 'keywords', 'genres', 'publication_date')],
  ])('the order in which the fields of a %s are written is not a change: %j', async (element, values) => {
    const written = (parts: readonly string[]): string => `<${element}>${parts.join('')}</${element}>`;
    const before = site(pages('a.xml', urlset(['1', written(values)])));
    const after = site(pages('a.xml', urlset(['1', written(values.toReversed())])));
    expect(await diffOf(before, after)).toEqual(['+0 -0 ~0 =1 ?0']);
  });

  test('the order of alternates is not a change; another address or language is', async () => {
    const links = (...codes: readonly string[]): string =>
      codes.map((code) => `<xhtml:link rel="alternate" hreflang="${code}" href="${SITE}${code}"/>`).join('');
    const before = site(pages('a.xml', urlset(['1', links('en', 'de', 'fr')])));
    const changeTo = (...codes: readonly string[]): Promise<readonly string[]> =>
      diffOf(before, site(pages('a.xml', urlset(['1', links(...codes)]))));
    expect(await changeTo('fr', 'en', 'de')).toEqual(['+0 -0 ~0 =1 ?0']);
    expect((await changeTo('fr', 'en', 'it')).at(-1)).toBe('+0 -0 ~1 =0 ?0');
    expect((await changeTo('fr', 'en')).at(-1)).toBe('+0 -0 ~1 =0 ?0');
  });

  test('a changed page has the earlier values of its scalar fields', async () => {
    const was =
      '<lastmod>2024-05-01</lastmod><changefreq>daily</changefreq><priority>0.3333333333</priority>';
    const before = site(pages('a.xml', urlset(['1', was], '2')));
    const after = site(pages('a.xml', urlset('1', ['2', image('1')])));
    const found: unknown[] = [];
    for await (const { type, fields: names, before: earlier, page } of diffPages(before, after)) {
      found.push([type, names, earlier, page.url]);
    }
    expect(found).toEqual([
      [
        'changed',
        ['lastModified', 'priority', 'changeFrequency'],
        { lastModified: new Date('2024-05-01'), priority: 0.3333333333, changeFrequency: 'daily' },
        `${SITE}1`,
      ],
      [
        'changed',
        ['images'],
        { lastModified: undefined, priority: 0.5, changeFrequency: undefined },
        `${SITE}2`,
      ],
    ]);
  });

  test('include and exclude choose the pages that are compared and counted', async () => {
    const before = site(pages('a.xml', urlset('blog/1', 'shop/1')), pages('b.xml', urlset('blog/2')));
    const after = site(pages('a.xml', urlset('blog/3', 'shop/2')), pages('b.xml', urlset('blog/2')));
    expect(await diffOf(before, after, { include: '/blog/' })).toEqual([
      'added blog/3 in a.xml',
      'removed blog/1 in a.xml',
      '+1 -1 ~0 =1 ?0',
    ]);
    expect(await diffOf(before, after, { exclude: ['*/1', '/blog/'] })).toEqual([
      'added shop/2 in a.xml',
      '+1 -0 ~0 =0 ?0',
    ]);
  });

  describe('of documents with hundreds of pages', () => {
    // Every seventh is not written as most are: those are read in another way.
    const entry = (number: number): Entry =>
      number % 7 === 0 ? [`${number}?a&amp;b`, IMAGE] : dated(`${number}`, 1 + (number % 9));
    const path = (number: number) => (number % 7 === 0 ? `${number}?a&b` : `${number}`);
    const document = (numbers: readonly number[]) => urlset(...numbers.map(entry));
    const from = (first: number, end: number) =>
      Array.from({ length: end - first }, (_, index) => first + index);
    const lines = (type: string, numbers: readonly number[], name: string) =>
      numbers.map((number) => `${type} ${path(number)} in ${name}`);
    const [early, middle, late] = [from(0, 700), from(700, 1500), from(1500, 2100)];
    const odd = early.filter((number) => number % 2 === 1);

    test.each([
      ['no page in common', [middle], [late, early]],
      ['half of a document', [early, middle], [odd, middle]],
      ['all of a document but what another one has', [early, middle], [middle, odd]],
      ['all of a document', [early, middle], [middle]],
    ] as const)('%s', async (_name, before, after) => {
      const trees = [before, after].map((documents) =>
        site(...documents.map((numbers, index) => pages(`${index}.xml`, document(numbers)))),
      );
      const [earlier, later] = [new Set(before.flat()), new Set(after.flat())];
      const added = after.map((numbers) => numbers.filter((number) => !earlier.has(number)));
      const removed = before.map((numbers) => numbers.filter((number) => !later.has(number)));
      const same = [...later].filter((number) => earlier.has(number)).length;
      expect(await diffOf(trees[0]!, trees[1]!)).toEqual([
        ...added.flatMap((numbers, index) => lines('added', numbers, `${index}.xml`)),
        ...removed.flatMap((numbers, index) => lines('removed', numbers, `${index}.xml`)),
        `+${added.flat().length} -${removed.flat().length} ~0 =${same} ?0`,
      ]);
    });

    test('pages are as they are when they are read, and counted', async () => {
      const before = pages('a.xml', document(early));
      const after = pages('a.xml', document(odd));
      const removed: unknown[] = [];
      for await (const { page } of diffPages(before, after)) removed.push(page.toJSON());
      expect(removed).toEqual(
        [...before.pages].filter((_, number) => number % 2 === 0).map((page) => page.toJSON()),
      );
      expect(before.pageCount).toBe(700);
    });
  });

  test('two single sitemaps are compared whatever their URLs are', async () => {
    const before = await sitemapFromString(urlset('1', '2'), { url: `${SITE}old.xml` });
    const after = await sitemapFromString(urlset('2', '3'), { url: `${SITE}new.xml` });
    expect(await diffOf(before, after)).toEqual([
      'added 3 in new.xml',
      'removed 1 in old.xml',
      '+1 -1 ~0 =1 ?0',
    ]);
  });
});

describe('§11.3: what cannot be known is not reported', () => {
  const a = () => pages('a.xml', urlset('1', dated('2', 1)));
  const b = () => pages('b.xml', urlset('3'));
  const half = () => pages('a.xml', urlset('1'), { truncated: true });
  const stale = () => pages('a.xml', urlset('1', dated('2', 1)), { freshness: 'stale' });
  const gone = () => failed('a.xml', { code: 'http-status', status: 410 });
  const shorter = () => pages('a.xml', urlset('1'));
  const recursive = () =>
    new InvalidSitemap({
      url: `${SITE}sitemap.xml`,
      declaredUrl: `${SITE}a.xml`,
      code: 'recursion',
      reason: 'It leads back to its index.',
    });
  /** A document that was known at this time to say this. */
  const versionOf = (checkedAt: number) =>
    pages('a.xml', urlset('all', `only-${checkedAt}`), { facts: { checkedAt } });
  const staleSince = (checkedAt: number) =>
    pages('a.xml', urlset('all'), { facts: { checkedAt }, freshness: 'stale' });
  const filtered = () => {
    const index = new IndexXMLSitemap({
      url: `${SITE}sitemap.xml`,
      subSitemaps: [b()],
      filteredUrls: [`${SITE}a.xml`],
    });
    return new IndexWebsiteSitemap({ url: SITE, subSitemaps: [index], complete: true });
  };
  const full = () => {
    const problems = [{ code: 'too-many-sitemaps', message: 'full' } as const];
    const index = new IndexXMLSitemap({ url: `${SITE}sitemap.xml`, subSitemaps: [b()], problems });
    const stopped = { limit: 'maxSitemaps', message: 'full' };
    return new IndexWebsiteSitemap({ url: SITE, subSitemaps: [index], complete: false, stopped });
  };
  const untried = () => {
    const index = new IndexXMLSitemap({ url: `${SITE}sitemap.xml`, subSitemaps: [b()] });
    const stopped = { limit: 'maxSitemaps', message: 'full' };
    const triedPaths = [{ url: `${SITE}a.xml` }];
    return new IndexWebsiteSitemap({ url: SITE, subSitemaps: [index], complete: false, stopped, triedPaths });
  };
  const root = (status: number | undefined, code = 'http-status') =>
    new IndexWebsiteSitemap({
      url: SITE,
      subSitemaps: [],
      complete: false,
      triedPaths: status === undefined ? [] : [{ url: `${SITE}sitemap.xml`, code, status }],
    });
  const cases: readonly [string, Sitemap, Sitemap, readonly string[]][] = [
    ['a document that fails removes nothing', site(a(), b()), site(failed('a.xml'), b()), ['+0 -0 ~0 =1 ?2']],
    ['its recovery adds nothing', site(failed('a.xml'), b()), site(a(), b()), ['+0 -0 ~0 =1 ?2']],
    [
      'a 410 removes its pages',
      site(a(), b()),
      site(gone(), b()),
      ['removed 1 in a.xml', 'removed 2 in a.xml', '+0 -2 ~0 =1 ?0'],
    ],
    [
      'a document that replaces a 410 adds its pages',
      site(gone(), b()),
      site(a(), b()),
      ['added 1 in a.xml', 'added 2 in a.xml', '+2 -0 ~0 =1 ?0'],
    ],
    [
      'a document that is not declared any more removes its pages',
      site(a(), b()),
      site(b()),
      ['removed 1 in a.xml', 'removed 2 in a.xml', '+0 -2 ~0 =1 ?0'],
    ],
    [
      'a new document adds its pages',
      site(b()),
      site(a(), b()),
      ['added 1 in a.xml', 'added 2 in a.xml', '+2 -0 ~0 =1 ?0'],
    ],
    [
      'one that is not declared any more and is a known path, which a limit left open, removes nothing',
      site(a(), b()),
      untried(),
      ['+0 -0 ~0 =1 ?2'],
    ],
    ['a truncated document removes nothing', site(a(), b()), site(half(), b()), ['+0 -0 ~0 =1 ?2']],
    ['and the rest of it adds nothing', site(half(), b()), site(a(), b()), ['+0 -0 ~0 =1 ?2']],
    ['a stale document is unknown in after', site(a(), b()), site(stale(), b()), ['+0 -0 ~0 =1 ?2']],
    [
      'what was read at one place removes pages although a limit refused it at another',
      site(a(), b()),
      site(shorter(), b(), failed('a.xml', { code: 'limit' })),
      ['removed 2 in a.xml', '+0 -1 ~0 =2 ?0'],
    ],
    [
      'and although it was refused first',
      site(a(), b()),
      site(failed('a.xml', { code: 'limit' }), shorter(), b()),
      ['removed 2 in a.xml', '+0 -1 ~0 =2 ?0'],
    ],
    [
      'a URL that leads back to its index removes the pages that it had',
      site(a(), b()),
      site(recursive(), b()),
      ['removed 1 in a.xml', 'removed 2 in a.xml', '+0 -2 ~0 =1 ?0'],
    ],
    [
      'a stale document is unknown where one of two versions in before is newer',
      site(versionOf(3), versionOf(1), b()),
      site(staleSince(2), b()),
      ['+0 -0 ~0 =1 ?3'],
    ],
    [
      'it is compared where both versions are older',
      site(versionOf(1), versionOf(2), b()),
      site(staleSince(2), b()),
      ['removed only-1 in a.xml', 'removed only-2 in a.xml', '+0 -2 ~0 =2 ?0'],
    ],
    [
      'a stale document is compared in before',
      site(stale(), b()),
      site(pages('a.xml', urlset('new', dated('2', 2))), b()),
      ['added new in a.xml', 'changed 2 in a.xml lastModified', 'removed 1 in a.xml', '+1 -1 ~1 =1 ?0'],
    ],
    ['what a filter left out is not removed', site(a(), b()), filtered(), ['+0 -0 ~0 =1 ?2']],
    ['what a filter had left out is not added', filtered(), site(a(), b()), ['+0 -0 ~0 =1 ?2']],
    ['what a limit left out is not removed', site(a(), b()), full(), ['+0 -0 ~0 =1 ?2']],
    ['what a limit had left out is not added', full(), site(a(), b()), ['+0 -0 ~0 =1 ?2']],
    ['a known path that fails removes nothing', site(a()), root(503), ['+0 -0 ~0 =0 ?2']],
    [
      'a known path that times out removes nothing',
      site(a()),
      root(undefined, 'timeout'),
      ['+0 -0 ~0 =0 ?2'],
    ],
    ['a known path that was not tried removes nothing', site(a()), root(undefined), ['+0 -0 ~0 =0 ?2']],
    [
      'a known path that responds with 404 removes everything below it',
      site(a()),
      root(404),
      ['removed 1 in a.xml', 'removed 2 in a.xml', '+0 -2 ~0 =0 ?0'],
    ],
    [
      'a known path that had responded with 404 adds everything below it',
      root(404),
      site(a()),
      ['added 1 in a.xml', 'added 2 in a.xml', '+2 -0 ~0 =0 ?0'],
    ],
    [
      'a page that a failed document listed first is unknown',
      site(a(), pages('b.xml', urlset(dated('2', 3)))),
      site(failed('a.xml'), pages('b.xml', urlset(dated('2', 3)))),
      ['+0 -0 ~0 =0 ?2'],
    ],
    [
      'a page that a document lists too which had failed is not added',
      site(pages('b.xml', urlset('x')), failed('a.xml')),
      site(pages('b.xml', urlset('x', '1')), a()),
      ['+0 -0 ~0 =1 ?2'],
    ],
    [
      'a page that a failed document listed too is not removed',
      site(pages('b.xml', urlset('1')), a()),
      site(pages('b.xml', urlset('x')), failed('a.xml')),
      ['added x in b.xml', '+1 -0 ~0 =0 ?2'],
    ],
  ];
  test.each(cases)('%s', async (_name, before, after, expected) => {
    expect(await diffOf(before, after)).toEqual(expected);
  });

  test('a document with the same bytes is not the same where relative URLs lead elsewhere', async () => {
    const text = '<urlset><url><loc>page</loc></url></urlset>';
    const moved = (folder: string) =>
      new PagesXMLSitemap({
        url: `${SITE}${folder}/a.xml`,
        declaredUrl: `${SITE}a.xml`,
        pages: source(spool, text, `${SITE}${folder}/a.xml`),
      });
    expect(await diffOf(site(moved('x')), site(moved('y')))).toEqual([
      'added y/page in y/a.xml',
      'removed x/page in x/a.xml',
      '+1 -1 ~0 =0 ?0',
    ]);
  });

  test('a redirect to another URL is the same document, and one that fails there removes nothing', async () => {
    const moved = (to: string) =>
      new PagesXMLSitemap({
        url: `${SITE}${to}`,
        declaredUrl: `${SITE}a.xml`,
        pages: source(spool, urlset('1'), `${SITE}${to}`),
      });
    expect(await diffOf(site(moved('x?signature=1')), site(moved('x?signature=2')))).toEqual([
      '+0 -0 ~0 =1 ?0',
    ]);
    expect(await diffOf(site(moved('c.xml')), site(failed('c.xml')))).toEqual(['+0 -0 ~0 =0 ?1']);
    expect(await diffOf(site(moved('c.xml')), site(failed('a.xml')))).toEqual(['+0 -0 ~0 =0 ?1']);
  });
});

/** A source that says how often it was read, and whether it was released. */
class WatchedSource implements PageSource {
  readonly #pages: DocumentPages;
  reads = 0;
  open = 0;

  constructor(text: string, url: string) {
    this.#pages = source(spool, text, url);
  }

  readonly summary = { pageCount: 0, problems: [], problemCount: 0, truncated: false };

  get document() {
    return this.#pages.document;
  }

  get reading() {
    return this.#pages.reading;
  }

  batches(): Iterable<readonly SitemapPage[]> {
    return this.#pages.batches();
  }

  async *batchesAsync(): AsyncGenerator<readonly SitemapPage[], void, undefined> {
    this.reads++;
    this.open++;
    try {
      yield* this.#pages.batchesAsync();
    } finally {
      this.open--;
    }
  }
}

function watched(name: string, ...entries: readonly Entry[]): { node: Sitemap; source: WatchedSource } {
  const url = `${SITE}${name}`;
  const watching = new WatchedSource(urlset(...entries), url);
  return { node: new PagesXMLSitemap({ url, pages: watching }), source: watching };
}

describe('§11.3: documents that are equal in both trees', () => {
  const names = ['a.xml', 'b.xml', 'c.xml'] as const;
  /** Three documents in each tree; the second one is changed. Which were read, as `before/after`. */
  async function readsOf(
    change: (name: string) => readonly Entry[],
    options: DiffOptions,
    order = [0, 1, 2],
  ): Promise<string> {
    const before = names.map((name) => watched(name, `${name}-1`, `${name}-2`));
    const after = names.map((name, index) =>
      watched(name, ...(index === 1 ? change(name) : [`${name}-1`, `${name}-2`])),
    );
    const later = order.map((index) => after[index]!.node);
    for await (const _ of diffPages(site(...before.map(({ node }) => node)), site(...later), options));
    return names.map((_, index) => `${before[index]!.source.reads}/${after[index]!.source.reads}`).join(' ');
  }
  const QUICK = { countSame: false };

  test('are not read where nothing else differs', async () => {
    expect(await readsOf((name) => [`${name}-1`, `${name}-2`], QUICK)).toBe('0/0 0/0 0/0');
  });

  test('are read once, in one tree, to be counted', async () => {
    expect(await readsOf((name) => [`${name}-1`, `${name}-2`], {})).toBe('0/1 0/1 0/1');
  });

  test('are read where a changed one has a URL that its counterpart lacks', async () => {
    // The changed one: to be noted, and to report.
    expect(await readsOf((name) => [`${name}-1`, 'new'], QUICK)).toBe('0/1 2/2 0/1');
  });

  test('are read where a changed one that comes behind them has another date', async () => {
    expect(await readsOf((name) => [`${name}-1`, dated(`${name}-2`, 1)], QUICK)).toBe('0/1 1/2 0/0');
  });

  const feed = (url: string): string =>
    `<rss version="2.0"><channel><item><link>${url}</link><title>A</title></item></channel></rss>`;
  const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9';
  test.each([
    ['as most programs write it', urlset('x', 'moved', 'y')],
    ['among unusual entries', urlset(['x', IMAGE], ['moved', IMAGE], ['y', IMAGE])],
    ['with entities', urlset('x', '&#109;oved')],
    ['in CDATA', `<urlset xmlns="${SITEMAPS}"><url><loc><![CDATA[${SITE}moved]]></loc></url></urlset>`],
    [
      'with a prefix',
      `<s:urlset xmlns:s="${SITEMAPS}"><s:url><s:loc>${SITE}moved</s:loc></s:url></s:urlset>`,
    ],
    ['relative to its document', `<urlset xmlns="${SITEMAPS}"><url><loc>/moved</loc></url></urlset>`],
    ['in a feed', feed(`${SITE}moved`)],
    ['in a text', `${SITE}x\n${SITE}moved\n`],
  ])('are searched for a page that was added or removed elsewhere: %s', async (_, equal) => {
    const has = site(pages('a.xml', equal), pages('b.xml', urlset('b', 'moved')));
    const hasNot = site(pages('a.xml', equal), pages('b.xml', urlset('b', 'other')));
    expect(await diffOf(hasNot, has, QUICK)).toEqual(['removed other in b.xml', '+0 -1 ~0 =2 ?0']);
    expect(await diffOf(has, hasNot, QUICK)).toEqual(['added other in b.xml', '+1 -0 ~0 =2 ?0']);
  });

  test('are searched for a page that a document before them listed, or lists now', async () => {
    const equal = urlset('x', 'moved');
    const has = site(pages('a.xml', urlset('a', 'moved')), pages('b.xml', equal));
    const hasNot = site(pages('a.xml', urlset('a')), pages('b.xml', equal));
    expect(await diffOf(has, hasNot, QUICK)).toEqual(['+0 -0 ~0 =2 ?0']);
    expect(await diffOf(hasNot, has, QUICK)).toEqual(['+0 -0 ~0 =2 ?0']);
  });

  test('have their say about a page with other values only where they come first', async () => {
    const [one, two] = [urlset(dated('1', 1)), urlset(dated('1', 2))];
    const equal = urlset('x', dated('1', 3));
    const first = (text: string) => site(pages('a.xml', equal), pages('b.xml', text));
    const last = (text: string) => site(pages('b.xml', text), pages('c.xml', equal));
    expect(await diffOf(first(one), first(two), QUICK)).toEqual(['+0 -0 ~0 =1 ?0']);
    expect(await diffOf(last(one), last(two), QUICK)).toEqual([
      'changed 1 in b.xml lastModified',
      '+0 -0 ~1 =0 ?0',
    ]);
  });

  test('are searched for what a filter leaves, and nothing else', async () => {
    const before = site(pages('a.xml', urlset('x', 'moved')), pages('b.xml', urlset('b', 'gone', 'past')));
    const after = site(pages('a.xml', urlset('x', 'moved')), pages('b.xml', urlset('b', 'moved', 'new')));
    const lines = await diffOf(before, after, { ...QUICK, exclude: ['*/past', '*/new'] });
    expect(lines.slice(0, -1)).toEqual(['removed gone in b.xml']);
  });

  test('are read where only the order of documents changed', async () => {
    const reads = await readsOf((name) => [`${name}-1`, `${name}-2`], QUICK, [2, 1, 0]);
    expect(reads).toBe('1/1 1/1 1/1');
  });

  test('are known by a digest where both have one', async () => {
    const [one, other] = [watched('a.xml', '1'), watched('a.xml', '2')];
    for (const { source: each } of [one, other])
      Object.defineProperty(each.document, 'digest', { value: 'sha1:ABC' });
    for await (const _ of diffPages(site(one.node), site(other.node), QUICK));
    expect([one.source.reads, other.source.reads]).toEqual([0, 0]);
  });
});

describe('§11.3: an iteration over differences', () => {
  const many = (prefix: string) => urlset(...Array.from({ length: 3000 }, (_, index) => `${prefix}${index}`));

  test('can be repeated, and has its counts at its end', async () => {
    const diff = diffPages(site(pages('a.xml', urlset('1'))), site(pages('a.xml', urlset('2'))));
    expect(diff.counts).toEqual({ added: 0, removed: 0, changed: 0, same: 0, unknown: 0 });
    for (const _ of [1, 2]) {
      const found: string[] = [];
      for await (const { type } of diff) found.push(type);
      expect(found).toEqual(['added', 'removed']);
      expect(diff.counts).toEqual({ added: 1, removed: 1, changed: 0, same: 0, unknown: 0 });
    }
  });

  test('has the counts of its own pages while it runs, and when it is left', async () => {
    const diff = diffPages(site(pages('a.xml', urlset('1'))), site(pages('a.xml', urlset('2', '3'))));
    for await (const _ of diff);
    expect(diff.counts).toMatchObject({ added: 2, removed: 1 });
    for await (const _ of diff) {
      expect(diff.counts).toMatchObject({ added: 2, removed: 0 });
      break;
    }
    expect(diff.counts).toMatchObject({ added: 2, removed: 0 });
  });

  test('that ends early releases the documents that it reads', async () => {
    const url = `${SITE}a.xml`;
    for (const enough of [1, 3500]) {
      const [before, after] = [new WatchedSource(many('b'), url), new WatchedSource(many('a'), url)];
      const [was, is] = [before, after].map((each) => site(new PagesXMLSitemap({ url, pages: each })));
      let seen = 0;
      for await (const _ of diffPages(was!, is!)) if (++seen === enough) break;
      expect([before.open, after.open]).toEqual([0, 0]);
      expect(before.reads).toBeGreaterThan(0);
    }
  });

  test('over a tree that is closed meanwhile throws tree-closed', async () => {
    const closing = await sitemapFromString(many('a'), { url: `${SITE}a.xml` });
    const before = await sitemapFromString(many('b'), { url: `${SITE}a.xml` });
    const code = await codeOf(async () => {
      for await (const _ of diffPages(before, closing)) before.close();
    });
    expect(code).toBe('tree-closed');
    closing.close();
  });

  test('ends with the reason of its signal', async () => {
    const ending = new AbortController();
    const reason = new Error('enough');
    const run = async () => {
      const diff = diffPages(site(pages('a.xml', many('b'))), site(pages('a.xml', many('a'))), {
        signal: ending.signal,
      });
      for await (const _ of diff) ending.abort(reason);
    };
    await expect(run()).rejects.toBe(reason);
  });

  test('waits for the verdicts of all pages, however many there are', async () => {
    const lines = Array.from({ length: 66_000 }, (_, number) => `${SITE}${number}\n`);
    const before = site(pages('a.txt', lines.join('')));
    const after = site(pages('a.txt', lines.slice(0, -1).join('')));
    expect(await diffOf(before, after)).toEqual(['removed 65999 in a.txt', '+0 -1 ~0 =65999 ?0']);
  });

  test('lets others have their turns', async () => {
    const large = (prefix: string) =>
      urlset(...Array.from({ length: 40_000 }, (_, index) => `${prefix}${index}`));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    for await (const _ of diffPages(site(pages('a.xml', large('a'))), site(pages('a.xml', large('b')))));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('§11.3: a plain comparison', () => {
  const a = () => pages('a.xml', urlset('1', dated('2', 1)));
  const b = () => pages('b.xml', urlset('3'));

  test.each<[string, Sitemap, Sitemap, readonly string[]]>([
    [
      'a document that fails removes its pages',
      site(a(), b()),
      site(failed('a.xml'), b()),
      ['removed 1 in a.xml', 'removed 2 in a.xml', '+0 -2 ~0 =1 ?0'],
    ],
    [
      'its recovery adds them',
      site(failed('a.xml'), b()),
      site(a(), b()),
      ['added 1 in a.xml', 'added 2 in a.xml', '+2 -0 ~0 =1 ?0'],
    ],
    [
      'a stale document is compared',
      site(a(), b()),
      site(pages('a.xml', urlset(dated('2', 3)), { freshness: 'stale' }), b()),
      ['changed 2 in a.xml lastModified', 'removed 1 in a.xml', '+0 -1 ~1 =1 ?0'],
    ],
    [
      'a document that is cut removes what is behind its end',
      site(a(), b()),
      site(pages('a.xml', urlset('1'), { truncated: true }), b()),
      ['removed 2 in a.xml', '+0 -1 ~0 =2 ?0'],
    ],
  ])('knows all pages: %s', async (_what, before, after, expected) => {
    expect(await diffOf(before, after, { plain: true })).toEqual(expected);
    expect((await diffOf(before, after, { plain: false })).at(-1)).not.toBe(expected.at(-1));
  });
});

describe('§11.3: a document of an archive that is damaged', () => {
  /** A document that can be read by nothing. */
  function damagedPages(name: string, ...entries: readonly Entry[]): Sitemap {
    const url = `${SITE}${name}`;
    const broken = source(spool, urlset(...entries), url);
    const fail = async (): Promise<never> => {
      throw new SitemapException('It is damaged.', { code: 'archive-damaged' });
    };
    Object.defineProperty(broken.document, 'check', { value: fail, configurable: true });
    Object.defineProperty(broken, 'batchesAsync', {
      value: async function* () {
        yield await fail();
      },
    });
    return new PagesXMLSitemap({ url, pages: broken, facts: { document: broken.document } });
  }
  const a = () => pages('a.xml', urlset('1', '2'));
  const b = () => pages('b.xml', urlset('3'));
  const broken = () => damagedPages('a.xml', '1', '2', 'old');

  test('ends the comparison, unless its pages are to be unknown', async () => {
    for (const trees of [
      [site(broken(), b()), site(a(), b())],
      [site(a(), b()), site(broken(), b())],
    ] as const) {
      expect(await codeOf(() => diffOf(...trees))).toBe('archive-damaged');
      expect(await codeOf(() => diffOf(...trees, { damaged: 'throw' }))).toBe('archive-damaged');
      expect(await diffOf(...trees, { damaged: 'unknown' })).toEqual(['+0 -0 ~0 =1 ?2']);
    }
  });

  test('counts as empty in a plain comparison', async () => {
    const options = { damaged: 'unknown', plain: true } as const;
    expect(await diffOf(site(broken(), b()), site(a(), b()), options)).toEqual([
      'added 1 in a.xml',
      'added 2 in a.xml',
      '+2 -0 ~0 =1 ?0',
    ]);
    expect(await diffOf(site(a(), b()), site(broken(), b()), options)).toEqual([
      'removed 1 in a.xml',
      'removed 2 in a.xml',
      '+0 -2 ~0 =1 ?0',
    ]);
  });

  test('leaves open what a site lists that is compared with a single sitemap', async () => {
    const one = () => pages('one.xml', urlset('1', '4'));
    const added = ['added 2 in a.xml', 'added 3 in b.xml'];
    const options = { damaged: 'unknown' } as const;
    expect(await diffOf(one(), site(a(), b()), options)).toEqual([
      ...added,
      'removed 4 in one.xml',
      '+2 -1 ~0 =1 ?0',
    ]);
    expect(await diffOf(one(), site(broken(), b()), options)).toEqual(['added 3 in b.xml', '+1 -0 ~0 =0 ?2']);
    const subSitemaps = [a(), b()];
    const incomplete = new IndexWebsiteSitemap({ url: SITE, subSitemaps, complete: false });
    expect(await diffOf(one(), incomplete, options)).toEqual([...added, '+2 -0 ~0 =0 ?2']);
  });

  test('is no reason to hide another error', async () => {
    const other = damagedPages('a.xml', '1');
    const { facts } = internalsOf(other);
    Object.defineProperty(facts?.document, 'check', {
      value: async () => {
        throw new Error('the disk is gone');
      },
    });
    const diff = diffOf(site(other), site(a()), { damaged: 'unknown' });
    await expect(diff).rejects.toThrow('the disk is gone');
  });
});

describe('§11.3: the values of the earlier page', () => {
  const withPriority = (path: string, priority: string): Entry => [path, `<priority>${priority}</priority>`];
  const PRIORITIES = ['0', '1', '0.5', '0.0001', '0.9999', '0.00005', '0.12345', '0.123456', '0.99999'];

  test.each(PRIORITIES)('a priority of %s is the same, and every other one is not', async (priority) => {
    // Others are around it: each keeps its own.
    const others = ['0.333333', '0.777777'];
    const of = (value: string) =>
      site(
        pages(
          'a.xml',
          urlset(withPriority('x', others[0]!), withPriority('1', value), withPriority('y', others[1]!)),
        ),
      );
    expect(await diffOf(of(priority), of(priority))).toEqual(['+0 -0 ~0 =3 ?0']);
    // A document that is not the same, so that it is read.
    const same = site(
      pages(
        'a.xml',
        `${urlset(withPriority('x', others[0]!), withPriority('1', priority), withPriority('y', others[1]!))}\n`,
      ),
    );
    expect(await diffOf(of(priority), same)).toEqual(['+0 -0 ~0 =3 ?0']);
    for (const other of PRIORITIES.filter((each) => each !== priority)) {
      const found: unknown[] = [];
      for await (const { before, page, fields } of diffPages(of(priority), of(other)))
        found.push([page.url.slice(SITE.length), fields, before?.priority, page.priority]);
      expect(found).toEqual([['1', ['priority'], Number(priority), Number(other)]]);
    }
  });

  test('a frequency is that of the earlier page, whichever it is', async () => {
    const words = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'];
    const of = (shift: number) =>
      site(
        pages(
          'a.xml',
          urlset(
            ...words.map(
              (_, at): Entry => [
                `${at}`,
                `<changefreq>${words[(at + shift) % 7]}</changefreq><priority>1</priority>`,
              ],
            ),
          ),
        ),
      );
    const found: unknown[] = [];
    for await (const { before, page } of diffPages(of(0), of(1)))
      found.push([before?.changeFrequency, page.changeFrequency, before?.priority]);
    expect(found).toEqual(words.map((word, at) => [word, words[(at + 1) % 7], 1]));
  });

  test('all fields that differ are named, in their order, and those that are not compared are not', async () => {
    const video = `<video:video><video:title>V</video:title><video:thumbnail_loc>${SITE}t</video:thumbnail_loc></video:video>`;
    const news = '<news:news><news:title>N</news:title></news:news>';
    const link = `<xhtml:link rel="alternate" hreflang="de" href="${SITE}de"/>`;
    const all = `<lastmod>2024-05-01</lastmod><changefreq>daily</changefreq><priority>0.1</priority>${link}${video}${IMAGE}${news}`;
    const [before, after] = [
      site(pages('a.xml', urlset('0', ['1', all]))),
      site(pages('a.xml', urlset('0', '1'))),
    ];
    const names = [
      'lastModified',
      'priority',
      'changeFrequency',
      'newsStory',
      'images',
      'videos',
      'alternates',
    ];
    const line = (fields: readonly string[]) => [`changed 1 in a.xml ${fields.join(' ')}`, '+0 -0 ~1 =1 ?0'];
    expect(await diffOf(before, after)).toEqual(line(names));
    expect(await diffOf(after, before)).toEqual(line(names));
    expect(await diffOf(before, after, { compare: ['alternates', 'newsStory', 'priority'] })).toEqual(
      line(['priority', 'newsStory', 'alternates']),
    );
    for (const name of names)
      expect(await diffOf(before, after, { compare: [name as ComparedField] })).toEqual(line([name]));
  });

  test('of several pages with images, each has its own', async () => {
    const image = (name: string) => `<image:image><image:loc>${SITE}${name}</image:loc></image:image>`;
    const of = (...names: readonly string[]) =>
      site(
        pages(
          'a.xml',
          urlset(...names.map((name, at): Entry => (name === '' ? `${at}` : [`${at}`, image(name)]))),
        ),
      );
    expect(await diffOf(of('a', '', 'b', 'c'), of('a', 'x', 'b', 'd'))).toEqual([
      'changed 1 in a.xml images',
      'changed 3 in a.xml images',
      '+0 -0 ~2 =2 ?0',
    ]);
  });
});

describe('§11.3: pages of documents that are equal', () => {
  test('count once, wherever they are listed', async () => {
    const trees = () => site(pages('a.xml', urlset('1', '1', '2')), pages('b.xml', urlset('2', '3')));
    expect(await diffOf(trees(), trees())).toEqual(['+0 -0 ~0 =3 ?0']);
    const more = site(
      pages('a.xml', urlset('1', '1', '2')),
      pages('b.xml', urlset('2', '3')),
      pages('c.xml', urlset('3', '4')),
    );
    expect(await diffOf(trees(), more)).toEqual(['added 4 in c.xml', '+1 -0 ~0 =3 ?0']);
    expect(await diffOf(more, trees())).toEqual(['removed 4 in c.xml', '+0 -1 ~0 =3 ?0']);
  });

  test('are those of documents with equal bytes, not of equal length', async () => {
    const [before, after] = [site(pages('a.xml', urlset('1', '3'))), site(pages('a.xml', urlset('2', '3')))];
    expect(await diffOf(before, after)).toEqual(['added 2 in a.xml', 'removed 1 in a.xml', '+1 -1 ~0 =1 ?0']);
  });

  test('with a digest in one tree alone are compared by their bytes', async () => {
    const [one, other] = [watched('a.xml', '1'), watched('a.xml', '2')];
    Object.defineProperty(one.source.document, 'digest', { value: 'sha1:ABC' });
    expect(await diffOf(site(one.node), site(other.node))).toEqual([
      'added 2 in a.xml',
      'removed 1 in a.xml',
      '+1 -1 ~0 =0 ?0',
    ]);
    const [first, second] = [watched('a.xml', '1'), watched('a.xml', '1')];
    Object.defineProperty(first.source.document, 'digest', { value: 'sha1:ABC' });
    Object.defineProperty(second.source.document, 'digest', { value: 'sha1:DEF' });
    expect(await diffOf(site(first.node), site(second.node))).toEqual(['+0 -0 ~0 =1 ?0']);
    expect([first.source.reads, second.source.reads]).toEqual([1, 1]);
  });
});

describe('§11.3: wrong arguments of diffPages', () => {
  const tree = site();
  const cases: readonly [string, () => unknown, string][] = [
    ['a tree that is not one', () => diffPages(tree, JSON.parse('{}')), 'bad-input'],
    ['no tree', () => diffPages(JSON.parse('null'), tree), 'bad-input'],
    ['an unknown option', () => diffPages(tree, tree, JSON.parse('{"comapre":[]}')), 'bad-option'],
    ['an unknown field', () => diffPages(tree, tree, JSON.parse('{"compare":["title"]}')), 'bad-option'],
    ['no field', () => diffPages(tree, tree, { compare: [] }), 'bad-option'],
    [
      'a field that is not in a list',
      () => diffPages(tree, tree, JSON.parse('{"compare":"images"}')),
      'bad-option',
    ],
    [
      'a count that is not a boolean',
      () => diffPages(tree, tree, JSON.parse('{"countSame":1}')),
      'bad-option',
    ],
    ['a pattern that is not one', () => diffPages(tree, tree, { include: 're:(' }), 'bad-option'],
    [
      'one field that is unknown',
      () => diffPages(tree, tree, JSON.parse('{"compare":["images","a"]}')),
      'bad-option',
    ],
    ['plain that is not a boolean', () => diffPages(tree, tree, JSON.parse('{"plain":1}')), 'bad-option'],
    ['another word for damaged', () => diffPages(tree, tree, JSON.parse('{"damaged":"skip"}')), 'bad-option'],
    ['a signal that is not one', () => diffPages(tree, tree, JSON.parse('{"signal":{}}')), 'bad-option'],
    ['an option of an update', () => diffPages(tree, tree, JSON.parse('{"hosts":"same"}')), 'bad-option'],
  ];
  test.each(cases)('%s: an exception at once', async (_name, call, code) => {
    expect(call).toThrow(SitemapException);
    expect(await codeOf(call)).toBe(code);
  });
});
