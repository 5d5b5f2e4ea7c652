/** §12: a finding about an entry names the page of the entry, or the sitemap that an index lists. */
import { describe, expect, test } from 'vitest';
import { EntryPages } from '../../src/check/entry-pages.ts';
import { checkSitemap, checkSitemaps, type Finding } from '../../src/check/index.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const NOW = Date.UTC(2024, 4, 6);

function check(text: string, size: number): readonly Finding[] {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return [...checkSitemap(chunks, { url: 'https://example.org/a.xml', now: NOW })];
}

function urlset(...entries: readonly string[]): string {
  return `<urlset ${NS}>${entries.map((entry) => `<url>${entry}</url>`).join('\n')}</urlset>`;
}
const loc = (name: string): string => `<loc>https://example.org/${name}</loc>`;
const sitemap = (rest: string): string => urlset(loc('before'), `${loc('page')}${rest}`, loc('after'));

const CASES: readonly (readonly [rule: string, text: string, page?: string])[] = [
  ['lastmod-future', sitemap('<lastmod>2099-01-01</lastmod>')],
  ['lastmod-not-w3c', sitemap('<lastmod>2024/05/06</lastmod>')],
  ['lastmod-epoch', sitemap('<lastmod>1970-01-01</lastmod>')],
  ['bad-date', sitemap('<lastmod>soon</lastmod>')],
  ['bad-priority', sitemap('<priority>high</priority>')],
  ['empty-value', sitemap('<lastmod/>')],
  ['value-repeated', sitemap('<lastmod>2024-05-05</lastmod><lastmod>2024-05-05</lastmod>')],
  ['not-well-formed', sitemap('<x a=1/>')],
  ['bare-ampersand', urlset(loc('before'), loc('?a=1&b=2'), loc('after')), 'https://example.org/?a=1&b=2'],
  ['bad-date', urlset(loc('before'), `<lastmod>soon</lastmod>${loc('page')}`)],
  ['not-well-formed', `<urlset ${NS}><url>${loc('before')}</url><url a=1>${loc('page')}</url></urlset>`],
  ['bad-date', `<urlset ${NS}><url>${loc('before')}</url>${loc('page')}<lastmod>soon</lastmod></urlset>`],
  ['bad-date', `<sitemapindex ${NS}><sitemap>${loc('page')}<lastmod>soon</lastmod></sitemap></sitemapindex>`],
  [
    'bare-ampersand',
    '<rss version="2.0"><channel><item><title>A & B</title><link>https://example.org/page</link></item></channel></rss>',
  ],
  [
    'bare-ampersand',
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>A & B</title><link href="https://example.org/page"/></entry></feed>',
  ],
];

test.each(CASES.map(([rule, text, page = 'https://example.org/page']) => [rule, text, page] as const))(
  '%s names its page, in whatever chunks: %j',
  (rule, text, page) => {
    for (const size of [1, 7, 64, text.length]) {
      const pages = check(text, size).filter((finding) => finding.rule === rule);
      expect(pages).toMatchObject([{ page }]);
    }
  },
);

test('what is between entries, and what is about the whole document, names no page', () => {
  const between = urlset(loc('a'), loc('b')).replace('\n', '&');
  expect(check(between, between.length).find(({ rule }) => rule === 'bare-ampersand')).not.toHaveProperty(
    'page',
  );
  const dated = Array.from({ length: 30 }, (_, at) => `${loc(`${at}`)}<lastmod>2024-05-05</lastmod>`);
  const equal = check(urlset(...dated), 64).find(({ rule }) => rule === 'lastmod-all-equal');
  expect(equal).toMatchObject({ offset: expect.any(Number) });
  expect(equal).not.toHaveProperty('page');
});

test('the findings of an entry keep the order in which rules report them', () => {
  const text = urlset(
    `${loc('a#x')}<lastmod>soon</lastmod><priority>high</priority>`,
    `${loc('b#x')}<priority>high</priority>`,
  );
  const found = check(text, text.length).filter(({ severity }) => severity !== 'info');
  expect(found.map(({ rule, page }) => `${rule} ${page?.slice(20)}`)).toEqual([
    'bad-date a#x',
    'bad-priority a#x',
    'url-fragment a#x',
    'bad-priority b#x',
    'url-fragment b#x',
  ]);
});

test('a page is named without its user and password', () => {
  const text = urlset('<loc>https://user:secret@example.org/page</loc><lastmod>soon</lastmod>');
  const found = check(text, text.length).filter(
    ({ rule }) => rule === 'bad-date' || rule === 'url-not-public',
  );
  expect(found.map(({ page }) => page)).toEqual(['https://example.org/page', 'https://example.org/page']);
});

test('no finding of any rule shows a user and a password, in its page or in its message', () => {
  const paths = [
    '/a',
    '/a',
    '/b#x',
    '//c',
    '/d?utm_source=x',
    '/e?sid=0123456789abcdef',
    '/f.css',
    '/ü',
    '/g h',
    '/A',
  ];
  const urls = paths.map((path) => `https://user:secret@example.org${path}`);
  const others = [
    'http://user:secret@example.org/a',
    'https://user:secret@other.example/',
    '//user:secret@example.org/r',
  ];
  const listed = [...urls, ...others, 'https://user:secret@exa mple.org/'].map((url) => `<loc>${url}</loc>`);
  const index = `<sitemapindex ${NS}>${['a', 'a', 'b'].map((name) => `<sitemap><loc>https://user:secret@example.org/${name}.xml</loc></sitemap>`).join('')}</sitemapindex>`;
  const documents = [
    { url: 'https://example.org/index.xml', content: index },
    { url: 'https://example.org/a.xml', content: urlset(...listed) },
    { url: 'https://example.org/b.xml', content: urlset(...listed) },
  ];
  const found = [...checkSitemaps(documents, { now: NOW })];
  expect(new Set(found.map(({ rule }) => rule)).size).toBeGreaterThan(15);
  expect(found.filter((finding) => JSON.stringify(finding).includes('secret'))).toEqual([]);
});

test('an entry with more findings than are held passes them on', () => {
  const links = '<x a=1/>'.repeat(1500);
  const text = urlset(`${loc('page')}${links}`);
  const found = check(text, text.length).filter(({ rule }) => rule === 'not-well-formed');
  expect(found).toHaveLength(101);
  expect(found.at(-1)?.count).toBe(1400);
});

test('index-lastmod-old names the sitemap that the index lists', () => {
  const url = 'https://example.org/index.xml';
  const child = 'https://example.org/page';
  const index = `<sitemapindex ${NS}><sitemap>${loc('page')}<lastmod>2014-01-01</lastmod></sitemap></sitemapindex>`;
  const pages = urlset(`${loc('a')}<lastmod>2014-05-05</lastmod>`);
  const found = checkSitemaps([
    { url, content: index },
    { url: child, content: pages },
  ]);
  expect([...found].filter(({ rule }) => rule === 'index-lastmod-old')).toMatchObject([
    { document: url, page: child },
  ]);
});

describe('reports get the pages of their entries', () => {
  /** What is delivered, as `offset page`, after each step of a parser and of a strict reader. */
  function delivered(
    steps: (pages: EntryPages, report: (...offsets: (number | undefined)[]) => void) => void,
  ): {
    readonly before: readonly string[];
    readonly all: readonly string[];
  } {
    const found: string[] = [];
    const pages = new EntryPages();
    steps(pages, (...offsets) => {
      for (const offset of offsets)
        pages.add(
          { rule: 'bad-date', message: '', offset },
          ({ page }) => void found.push(`${offset} ${page}`),
        );
    });
    const before = [...found];
    pages.close();
    return { before, all: found };
  }
  const entry = (pages: EntryPages, start: number, page: string | undefined, end: number): void => {
    pages.start(start);
    if (page !== undefined) pages.locate(page, start + 1);
    pages.end(end);
  };

  test('from the start tag of an entry to its end tag, both included', () => {
    const { before } = delivered((pages, report) => {
      entry(pages, 10, 'a', 20);
      entry(pages, 30, 'b', 40);
      report(9, 10, 11, 20);
      report(21, 29, 30, 40);
    });
    expect(before).toEqual([
      '9 undefined',
      '10 a',
      '11 a',
      '20 a',
      '21 undefined',
      '29 undefined',
      '30 b',
      '40 b',
    ]);
  });

  test('those of an open entry wait for its end, and so do all behind them', () => {
    const { before, all } = delivered((pages, report) => {
      entry(pages, 10, 'a', 20);
      pages.start(30);
      report(25, 15, 30, 15, 35);
      pages.locate('b', 31);
      report(32);
    });
    expect(before).toEqual(['25 undefined', '15 a']);
    expect(all).toEqual([...before, '30 b', '15 a', '35 b', '32 b']);
  });

  test('the first address of an entry counts, and an entry without one has none', () => {
    const { before } = delivered((pages, report) => {
      pages.start(10);
      pages.locate('a', 11);
      pages.locate('b', 12);
      report(13);
      pages.end(20);
      entry(pages, 30, undefined, 40);
      report(35);
      entry(pages, 50, 'c', 60);
      report(55);
    });
    expect(before).toEqual(['13 a', '35 undefined', '55 c']);
  });

  test('a report ahead of the parser waits for its entry, and is passed on at the next start if it is between two', () => {
    const { before } = delivered((pages, report) => {
      entry(pages, 10, 'a', 20);
      report(21, 35);
      pages.start(30);
      pages.locate('b', 31);
      report(20);
      pages.end(40);
    });
    expect(before).toEqual(['21 undefined', '35 b', '20 a']);
    const between = delivered((pages, report) => {
      entry(pages, 10, 'a', 20);
      report(25, 28);
      pages.start(30);
    });
    expect(between.before).toEqual(['25 undefined', '28 undefined']);
  });

  test('a report at the end of the last entry does not wait, and one behind it does', () => {
    const { before } = delivered((pages, report) => {
      entry(pages, 10, 'a', 20);
      report(20, 21);
    });
    expect(before).toEqual(['20 a']);
  });

  test('a report about the whole document, or one that has its page, does not wait for an entry', () => {
    const found: (string | undefined)[] = [];
    const pages = new EntryPages();
    pages.start(10);
    pages.locate('a', 11);
    const add = (offset: number | undefined, page?: string): void =>
      pages.add({ rule: 'bad-date', message: '', offset, page }, (report) => void found.push(report.page));
    add(undefined);
    add(12, 'other');
    expect(found).toEqual([undefined, 'other']);
    pages.end(20);
    add(12, 'other');
    add(12);
    expect(found).toEqual([undefined, 'other', 'other', 'a']);
  });

  test('a location without an entry around it is that of the reports that wait', () => {
    const { before } = delivered((pages, report) => {
      entry(pages, 10, 'a', 20);
      pages.locate('no report', 22);
      report(25, 40);
      pages.locate('b', 30);
      report(26, 30, 35, 41);
      pages.start(50);
    });
    expect(before).toEqual(['25 undefined', '40 b', '26 undefined', '30 b', '35 b', '41 undefined']);
  });

  test('entries that end before an offset are forgotten, the last one not, and reports that wait keep their pages', () => {
    const { before, all } = delivered((pages, report) => {
      entry(pages, 10, 'a', 20);
      entry(pages, 30, 'b', 40);
      pages.forget(20);
      report(15);
      pages.forget(40);
      report(15, 35);
      pages.start(50);
      report(55, 36);
      pages.forget(41);
      report(37);
      pages.locate('c', 56);
    });
    expect(before).toEqual(['15 a', '15 undefined', '35 b']);
    expect(all).toEqual([...before, '55 c', '36 b', '37 undefined']);
  });

  test('256 reports wait for an entry; with one more, they are passed on without its page', () => {
    const offsets = Array.from({ length: 256 }, (_, at) => 11 + at);
    const waiting = delivered((pages, report) => {
      pages.start(10);
      report(...offsets);
    });
    expect(waiting.before).toEqual([]);
    const { before, all } = delivered((pages, report) => {
      pages.start(10);
      report(...offsets, 500, 501);
      pages.locate('a', 600);
      pages.end(700);
    });
    expect(before).toEqual([...offsets.map((offset) => `${offset} undefined`), '500 a', '501 a']);
    expect(all).toEqual(before);
  });

  test('at the end of the document an open entry ends, and later reports do not wait', () => {
    const found: string[] = [];
    const pages = new EntryPages();
    const add = (offset: number): void =>
      pages.add(
        { rule: 'bad-date', message: '', offset },
        ({ page }) => void found.push(`${offset} ${page}`),
      );
    pages.start(10);
    pages.locate('a', 11);
    add(1_000);
    pages.close();
    add(12);
    add(2_000);
    expect(found).toEqual(['1000 a', '12 undefined', '2000 undefined']);
  });
});
