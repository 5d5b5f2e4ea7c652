/** §13: `reportHtml`: its parts and their order, its size, and bad input. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type ReportOptions, reportHtml, type Sitemap, sitemapFromString } from '../../src/index.ts';
import { dataUrlOf } from '../../src/report/report-html.ts';
import { DocumentPages } from '../../src/sitemap/page-source.ts';
import {
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { sized } from '../support/tier.ts';
import { pagesNode, SITE, sampleTree, source } from '../support/trees.ts';

async function htmlOf(tree: Sitemap, options: ReportOptions = {}): Promise<string> {
  let html = '';
  for await (const piece of reportHtml(tree, { findings: [], ...options })) html += piece;
  return html;
}

/** The text of the report, from its verdict on. */
async function verdictOf(tree: Sitemap, options?: ReportOptions): Promise<string> {
  return (await htmlOf(tree, options))
    .replace(/^[\s\S]*?<section id="verdict"/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

test('the sections are in the order of their importance', async () => {
  const before = sampleTree();
  const html = await htmlOf(sampleTree(), { before });
  const sections = [...html.matchAll(/<section id="([\w-]+)"/g)].map(([, id]) => id);
  expect(sections).toEqual([
    'verdict',
    'fix-first',
    'changes',
    'findings',
    'sitemaps',
    'charts',
    'carried',
    'samples',
  ]);
});

test('it is one file: nothing in it is loaded from elsewhere', async () => {
  const html = await htmlOf(sampleTree());
  expect(html).not.toMatch(/<(?:link|img|iframe|object|embed)\b|\bsrc=|@import|url\((?!#)/);
});

describe('the verdict', () => {
  test('of a site that has everything in order', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const tree = new IndexWebsiteSitemap({
      url: SITE,
      complete: true,
      subSitemaps: [pagesNode(spool, 'a.xml', 'p')],
      documents: spool,
    });
    expect(await verdictOf(tree)).toContain(
      'The sitemaps of example.org are in good order. Complete: everything that is declared was read to its end.',
    );
  });

  test('of a site that is not complete, with the reason', async () => {
    expect(await verdictOf(sampleTree())).toContain(
      'Not complete: 1 sitemap could not be read (1 × HTTP 404).',
    );
  });

  test.each([
    ['four', [403, 404, 410, 500], '1 × HTTP 403, 1 × HTTP 404, 1 × HTTP 410, 1 × HTTP 500'],
    [
      'five',
      [403, 404, 410, 500, 503],
      '1 × HTTP 403, 1 × HTTP 404, 1 × HTTP 410, 1 × HTTP 500, other reasons',
    ],
  ])(
    'of a site whose sitemaps could not be read for %s reasons names four',
    async (_n, statuses, reasons) => {
      const failed = statuses.map((status) => {
        const url = `${SITE}${status}.xml`;
        return new InvalidSitemap({ url, code: 'http-status', reason: `${url} failed.`, status });
      });
      const { subSitemaps } = sampleTree();
      const readable = subSitemaps.slice(1);
      const tree = new IndexWebsiteSitemap({
        url: SITE,
        complete: false,
        subSitemaps: [...readable, ...failed],
      });
      expect(await verdictOf(tree)).toContain(
        `Not complete: ${statuses.length} sitemaps could not be read (${reasons}).`,
      );
    },
  );

  test('counts sitemaps that could not be read and those that were not requested as not read', async () => {
    const children = ['a.xml', 'b.xml', 'c.xml'].map((name) => `${SITE}${name}`);
    const locs = children.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('');
    const local = await sitemapFromString(`<sitemapindex>${locs}</sitemapindex>`, {
      url: `${SITE}index.xml`,
    });
    expect(await verdictOf(local)).toContain(' 1 sitemap 3 not read ');
    const [url = ''] = children;
    const failed = new InvalidSitemap({ url, code: 'http-status', reason: `${url} failed.`, status: 404 });
    const subSitemaps = [failed, ...local.subSitemaps.slice(1)];
    const index = new IndexXMLSitemap({ url: local.url, subSitemaps });
    expect(await verdictOf(index)).toContain(' 1 sitemap 3 not read ');
  });

  test('of a site with a sitemap that ends too early', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const url = `${SITE}a.xml`;
    const pages = source(spool, '<urlset><url><loc>/a</loc></url>', url);
    const cut = new PagesXMLSitemap({ url, pages, truncated: true });
    const fields = { url: SITE, complete: false, subSitemaps: [cut], documents: spool };
    expect(await verdictOf(new IndexWebsiteSitemap(fields))).toContain(
      'Not complete: 1 sitemap ends too early.',
    );
  });

  test('of a site that a limit stopped and that has a sitemap that could not be read', async () => {
    const stopped = { limit: 'maxSitemaps', message: 'The tree was full after 3 sitemaps.' } as const;
    const { subSitemaps } = sampleTree();
    const tree = new IndexWebsiteSitemap({ url: SITE, complete: false, stopped, subSitemaps });
    expect(await verdictOf(tree)).toContain(`Not complete: ${stopped.message} `);
  });

  test('of a site that has no readable sitemap', async () => {
    const tree = new IndexWebsiteSitemap({
      url: SITE,
      complete: false,
      subSitemaps: [],
      problems: [{ code: 'robots-txt-failed', message: 'robots.txt could not be read: refused.' }],
    });
    const verdict = await verdictOf(tree);
    expect(verdict).toContain('No sitemap of example.org could be read.');
    expect(verdict).toContain('robots.txt could not be read: refused.');
    expect(verdict).not.toMatch(/Complete:|Nothing:|Sample of pages|Pages and limits/);
  });

  test('of a site without a sitemap', async () => {
    const verdict = await verdictOf(new IndexWebsiteSitemap({ url: SITE, complete: true, subSitemaps: [] }));
    expect(verdict).toContain('No sitemap of example.org was found.');
    expect(verdict).not.toMatch(/Complete:|Nothing:|Sample of pages|Pages and limits/);
  });

  test('of findings, with what to do first', async () => {
    async function* findings() {
      yield {
        rule: 'empty-sitemap',
        severity: 'warning',
        message: 'It is empty.',
        document: `${SITE}a.xml`,
      } as const;
      yield {
        rule: 'over-50000-urls',
        severity: 'error',
        message: 'It has 60,000.',
        document: `${SITE}a.xml`,
        line: 2,
        column: 3,
      } as const;
    }
    const verdict = await verdictOf(sampleTree(), { findings: findings() });
    expect(verdict).toContain('1 error needs fixing in the sitemaps of example.org');
    expect(verdict).toMatch(/Fix first error It has 60,000\..*Divide it.*a\.xml :2:3.*warning It is empty\./);
  });

  test('counts findings as a check does: one may stand for the rest of its rule', async () => {
    const finding = { rule: 'url-fragment', severity: 'warning', document: `${SITE}a.xml` } as const;
    const verdict = await verdictOf(sampleTree(), {
      findings: [
        { ...finding, message: 'The URL has a fragment.' },
        { ...finding, message: 'There are 150 more findings of this rule.', count: 150 },
      ],
    });
    expect(verdict).toContain('151 warnings are worth a look.');
  });

  test('says how many entries findings stand for, in its verdict, for each rule and for each finding', async () => {
    const finding = { severity: 'error', document: `${SITE}a.xml` } as const;
    const fragments = Array.from({ length: 100 }, (_, at) => ({
      ...finding,
      rule: 'url-fragment' as const,
      message: 'The URL has a fragment.',
      page: `${SITE}f${at % 50}`,
    }));
    const html = await htmlOf(sampleTree(), {
      findings: [
        ...fragments,
        { ...fragments[0]!, message: '101 more findings.', page: `${SITE}g`, count: 101 },
        { ...finding, rule: 'page-blocked', message: 'Pages are disallowed.', page: `${SITE}b`, count: 1010 },
      ],
    });
    const text = html.replaceAll(/<[^>]*>/g, '');
    expect(text).toContain('202 errors (1,211 entries) need fixing');
    expect(html).toContain('<span class="note">1,211 entries</span>');
    expect(text).toContain('201 findings in 1 document');
    expect(text).toContain('and 191 more findings: usp check --all lists up to 100 in each document');
    expect(text).toContain('1 finding, 1,010 entries in 1 document');
    expect(text).toContain('Pages are disallowed. (1,010 entries)');
    // Each of the fifty pages has two of the first hundred findings.
    const [, affected = ''] = /id="affected-data">([^<]*)</.exec(html) ?? [];
    expect(JSON.parse(affected)).toMatchObject({
      'url-fragment': { more: 100 },
      'page-blocked': { urls: [`${SITE}b`], more: 1009 },
    });
  });
});

describe('the numbers of the verdict', () => {
  const finding = (severity: 'error' | 'warning' | 'info', at: number) =>
    ({
      rule: 'url-fragment',
      severity,
      message: 'x',
      document: `${SITE}a.xml`,
      page: `${SITE}p${at}`,
    }) as const;
  const findings = (errors: number, warnings: number, infos: number) => [
    ...Array.from({ length: errors }, (_, at) => ({
      ...finding('error', at),
      rule: 'url-not-public' as const,
    })),
    ...Array.from({ length: warnings }, (_, at) => finding('warning', at)),
    ...Array.from({ length: infos }, (_, at) => ({
      ...finding('info', at),
      rule: 'url-session-id' as const,
    })),
  ];

  test.each([
    [0, 0, 0, 'ok', 'The sitemaps of example.org are in good order. Not complete'],
    [0, 0, 1, 'ok', 'The sitemaps of example.org are in good order. There is 1 info finding. Not complete'],
    [0, 0, 2, 'ok', 'The sitemaps of example.org are in good order. There are 2 info findings. Not complete'],
    [0, 1, 2, 'warning', 'The sitemaps of example.org work. 1 warning is worth a look.'],
    [0, 2, 0, 'warning', 'The sitemaps of example.org work. 2 warnings are worth a look.'],
    [1, 2, 0, 'error', '1 error needs fixing in the sitemaps of example.org .'],
    [2, 0, 3, 'error', '2 errors need fixing in the sitemaps of example.org .'],
  ])('%i errors, %i warnings, %i infos', async (errors, warnings, infos, mark, sentence) => {
    const html = await htmlOf(sampleTree(), { findings: findings(errors, warnings, infos) });
    expect(html).toContain(`<section id="verdict" class="verdict ${mark}">`);
    const text = html
      .slice(html.indexOf('<section id="verdict"'))
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ');
    expect(text).toContain(sentence);
    const classes = Array.from(
      html.matchAll(/<li class="(\w+)"><span class="value">(\d)/g),
      ([, ...found]) => found,
    );
    expect(classes).toEqual(
      (
        [
          ['error', errors],
          ['warning', warnings],
          ['info', infos],
        ] as const
      ).map(([name, count]) => [count === 0 ? 'none' : name, `${count}`]),
    );
  });

  test('one sitemap, one page, and their size', async () => {
    const one = await sitemapFromString(`<urlset><url><loc>${SITE}a</loc></url></urlset>`, {
      url: `${SITE}a.xml`,
    });
    const verdict = await verdictOf(one);
    expect(verdict).toContain('Only this document was read. 1 sitemap 1 page 60 B total size 0 errors');
    expect(await verdictOf(sampleTree())).toContain(' 5 sitemaps 1 not read 6 pages 5 distinct ');
  });

  test('sitemaps that could not be read again, and those that end too early', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const of = (
      fields: Partial<ConstructorParameters<typeof PagesXMLSitemap>[0]>,
      ...names: readonly string[]
    ) =>
      names.map((name) => {
        const url = `${SITE}${name}`;
        return new PagesXMLSitemap({
          url,
          pages: source(spool, `<urlset><url><loc>${url}-1</loc></url></urlset>`, url),
          ...fields,
        });
      });
    const site = (...subSitemaps: readonly Sitemap[]) =>
      new IndexWebsiteSitemap({ url: SITE, complete: false, subSitemaps, documents: spool });
    const stale = { freshness: 'stale' } as const;
    expect(await verdictOf(site(...of(stale, 'a')))).toContain(
      'Not complete: something that is declared could not be read. 1 sitemap could not be read again; its earlier content is shown.',
    );
    expect(await verdictOf(site(...of(stale, 'a', 'b')))).toContain(
      '2 sitemaps could not be read again; their earlier content is shown.',
    );
    const failed = new InvalidSitemap({ url: `${SITE}x`, code: 'robots-blocked', reason: 'No.' });
    expect(await verdictOf(site(...of({ truncated: true }, 'a', 'b'), failed))).toContain(
      'Not complete: 1 sitemap could not be read (1 × robots blocked) and 2 sitemaps end too early.',
    );
  });
});

describe('the head', () => {
  test('names the host, or the title, cut in its middle where it is long', async () => {
    const titleOf = (html: string) => /<title>Sitemap report: (.*?)<\/title>/.exec(html)?.[1];
    expect(titleOf(await htmlOf(sampleTree()))).toBe('example.org');
    expect(titleOf(await htmlOf(sampleTree(), { title: '' }))).toBe('');
    expect(titleOf(await htmlOf(sampleTree(), { title: 'x'.repeat(120) }))).toBe('x'.repeat(120));
    const long = titleOf(await htmlOf(sampleTree(), { title: 'x'.repeat(121) }));
    expect([long?.length, long?.includes('…')]).toEqual([120, true]);
    const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.example:8080`;
    const tree = await sitemapFromString('<urlset></urlset>', { url: `https://${host}/s.xml` });
    const name = titleOf(await htmlOf(tree)) ?? '';
    expect([name.length, name.startsWith('aaa'), name.endsWith('.example:8080')]).toEqual([80, true, true]);
  });

  test('and the verdict name a sitemap without a host by its address', async () => {
    const url = 'file:///sitemaps/a.xml';
    const tree = await sitemapFromString('<urlset></urlset>', { url });
    expect(await htmlOf(tree)).toContain(`<title>Sitemap report: ${url}</title>`);
    expect(await verdictOf(tree)).toContain(`The sitemaps of ${url} are in good order.`);
  });

  test('has the time at which the site was read, in UTC, and links to the sections that are there', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const url = `${SITE}a.xml`;
    const writer = spool.writer();
    void writer.write(Buffer.from(`<urlset><url><loc>${SITE}p</loc></url></urlset>`));
    const requestedAt = Date.parse('2013-05-06T23:08:59.999Z');
    const document = writer.end({
      options: { url, charset: undefined },
      requestedAt,
      truncatedBy: undefined,
    });
    const html = await htmlOf(
      new PagesXMLSitemap({ url, pages: new DocumentPages(document), facts: { document } }),
    );
    expect(html).toContain('Read <time datetime="2013-05-06T23:08:59.999Z">2013-05-06 23:08 UTC</time>');
    const links = /<nav aria-label="Sections">(.*?)<\/nav>/
      .exec(html)?.[1]
      ?.matchAll(/href="#([\w-]+)">([^<]*)/g);
    expect(Array.from(links ?? [], ([, id, name]) => `${id}: ${name}`)).toEqual([
      'fix-first: Fix first',
      'findings: Findings',
      'sitemaps: Sitemaps',
      'charts: Pages and limits',
      'samples: Sample of pages',
    ]);
    expect(await htmlOf(sampleTree())).not.toContain('class="read-at"');
  });

  test('allows the script and the style that are in it, and nothing else', async () => {
    const html = await htmlOf(sampleTree());
    const hashOf = (text = ''): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
    const [, script] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? [];
    expect(/Security-Policy" content="([^"]*)"/.exec(html)?.[1]).toBe(
      `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`,
    );
  });
});

test('several trees are one site, and an earlier tree needs a single one', async () => {
  const one = await sitemapFromString(`<urlset><url><loc>${SITE}a</loc></url></urlset>`, {
    url: `${SITE}a.xml`,
  });
  const two = await sitemapFromString(`<urlset><url><loc>${SITE}b</loc></url></urlset>`, {
    url: `${SITE}b.xml`,
  });
  let html = '';
  for await (const piece of reportHtml([one, two], { findings: [] })) html += piece;
  expect(html).toContain('<title>Sitemap report: 2 files</title>');
  expect(html.replaceAll(/<[^>]*>/g, '')).toContain('2 sitemaps');
  expect(() => reportHtml([one, two], { before: one })).toThrow(
    expect.objectContaining({ option: 'before' }),
  );
  expect(() => reportHtml([])).toThrow(expect.objectContaining({ code: 'bad-input' }));
  expect(() => reportHtml([one, 'x' as unknown as Sitemap])).toThrow(
    expect.objectContaining({ code: 'bad-input' }),
  );
});

test('the share of news stories is that of the pages, which count again in another sitemap', async () => {
  const spool = new Spool({ memoryBytes: 1_000_000 });
  const story = '<n:news><n:title>x</n:title></n:news>';
  const entries = ['a', 'b'].map((path) => `<url><loc>${SITE}${path}</loc>${story}</url>`).join('');
  const namespace = 'xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"';
  const newsUrl = `${SITE}news.xml`;
  const news = new PagesXMLSitemap({
    url: newsUrl,
    pages: source(spool, `<urlset ${namespace}>${entries}</urlset>`, newsUrl),
  });
  const subSitemaps = [news, pagesNode(spool, 'all.xml', 'a', 'b')];
  const tree = new IndexWebsiteSitemap({ url: SITE, complete: true, subSitemaps, documents: spool });
  const verdict = await verdictOf(tree);
  expect(verdict).toContain(' 4 pages 2 distinct ');
  expect(verdict).toContain(' 2 news stories, on 50 % of the pages ');
});

describe('§13 the share of pages of a cause', () => {
  const loc = (path: string, more = ''): string => `<url><loc>${SITE}${path}</loc>${more}</url>`;
  const link = (code: string, path: string): string =>
    `<xhtml:link rel="alternate" hreflang="${code}" href="${SITE}${path}"/>`;
  const ten = Array.from({ length: 10 }, (_, number) => loc(`${number}`));
  const own = link('en', 'page');
  const image = '<image:image><image:caption>x</image:caption></image:image>';

  test.each([
    [
      'links of one page that are wrong',
      [loc('page', own + link('xx', '0') + link('yy', '1')), ...ten],
      '2 findings in 1 document: 9 % of the pages',
    ],
    [
      'links of one page that are not returned',
      [loc('page', own + link('de', '0') + link('fr', '1')), ...ten],
      '1 finding, 2 entries in 1 document ·',
    ],
    [
      'images of one page that are wrong',
      [loc('page', image + image), ...ten],
      '2 findings in 1 document: 9 % of the pages',
    ],
    [
      'pages with a wrong address',
      [loc('a b'), loc('c d'), ...ten.slice(2)],
      '2 findings in 1 document: 20 % of the pages',
    ],
    [
      'pages with a date that is none',
      [...ten.slice(2), loc('a', '<lastmod>1970-01-01</lastmod>'), loc('b', '<lastmod>1970-01-01</lastmod>')],
      '1 finding, 2 entries in 1 document: 20 % of the pages',
    ],
    [
      'a sitemap whose dates are all equal',
      Array.from({ length: 20 }, (_, number) => loc(`${number}`, '<lastmod>2013-05-06</lastmod>')),
      '1 finding in 1 document ·',
    ],
  ])('%s', async (_what, entries, expected) => {
    const extensions =
      'xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';
    const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ${extensions}>${entries.join('')}</urlset>`;
    const tree = await sitemapFromString(xml, { url: `${SITE}a.xml` });
    expect(await verdictOf(tree, { findings: undefined })).toContain(expected);
  });

  test('is not said of sitemaps that an index lists', async () => {
    const finding = { rule: 'url-not-public', severity: 'error', message: 'It is private.' } as const;
    const findings = [{ ...finding, document: `${SITE}index.xml`, page: `${SITE}a.xml` }];
    expect(await verdictOf(sampleTree(), { findings })).toContain('1 finding in 1 document · at');
  });

  test('is not said of an index whose sitemaps are not in the tree', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const index = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps: [] });
    const subSitemaps = [index, pagesNode(spool, 'a.xml', 'p')];
    const tree = new IndexWebsiteSitemap({ url: SITE, complete: true, subSitemaps, documents: spool });
    const finding = { rule: 'lastmod-not-w3c', severity: 'warning', message: 'It is not a date.' } as const;
    const findings = [{ ...finding, document: index.url }];
    expect(await verdictOf(tree, { findings })).toContain('1 finding in 1 document · at');
  });

  test('is not said of an index that is the root of the tree', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const subSitemaps = [pagesNode(spool, 'a.xml', 'p')];
    const index = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps });
    const finding = { rule: 'lastmod-not-w3c', severity: 'warning', message: 'It is not a date.' } as const;
    const findings = [{ ...finding, document: index.url }];
    expect(await verdictOf(index, { findings })).toContain('1 finding in 1 document · at');
  });
});

test('files are shown by their names, and not by where they are on a disk', async () => {
  const names = new Map<Sitemap, string>();
  const trees: Sitemap[] = [];
  for (const name of ['a.xml', 'b.xml', 'c.xml']) {
    const text = `<urlset><url><loc>${SITE}${name}</loc></url></urlset>`;
    const tree = await sitemapFromString(text, { url: `file:///home/me/${name}` });
    trees.push(tree);
    names.set(tree, name);
  }
  let html = '';
  for await (const piece of reportHtml(trees, { names })) html += piece;
  expect(html).not.toContain('home/me');
  for (const name of names.values()) expect(html).toContain(`<bdi>${name}</bdi>`);
});

test('every link within the report leads to something in it', async () => {
  const finding = {
    rule: 'url-fragment',
    severity: 'warning',
    message: 'x',
    document: `${SITE}a.xml`,
  } as const;
  const html = await htmlOf(sampleTree(), { findings: [finding], before: sampleTree() });
  const targets = new Set(Array.from(html.matchAll(/ href="#([^"]+)"/g), ([, id]) => id));
  const ids = new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
  expect([...targets]).toContain('rule-url-fragment');
  expect([...targets].filter((id) => !ids.has(id))).toEqual([]);
});

test('addresses of the site are shown without its origin, and lead to the whole address', async () => {
  const html = await htmlOf(sampleTree());
  const section = (id: string): string =>
    new RegExp(`<section id="${id}"[\\s\\S]*?</section>`).exec(html)?.[0] ?? '';
  const texts = (id: string): string[] =>
    Array.from(section(id).matchAll(/<bdi>([^<]*)/g), ([, text = '']) => text);
  expect(texts('sitemaps')).toEqual(
    expect.arrayContaining([
      SITE,
      '/robots.txt',
      '/index.xml',
      '/a.xml',
      '/missing.xml answered 404 Not Found.',
    ]),
  );
  expect(texts('samples')).toEqual(expect.arrayContaining(['/a.xml', '/a1', '/feed', '/news']));
  expect(section('samples')).toContain(`<a href="${SITE}a1" rel="noreferrer"><bdi>/a1</bdi></a>`);
});

test('a site of very many sitemaps, pages, folders and dates stays below a megabyte', async () => {
  const spool = new Spool({ memoryBytes: 200_000_000 });
  const word = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  // Beyond 2,000 sitemaps and 20,000 folders, which are the most that a summary has, a report must not grow.
  const many = sized({ fast: 1_200, full: 3_000, strong: 50_000 });
  const children = Array.from({ length: many }, (_, n) => {
    const name = `${SITE}sitemaps/of/a/long/folder/${word(n)}-${'name'.repeat(20)}.xml`;
    const pages = Array.from(
      { length: 10 },
      (_, at) =>
        `<url><loc>${SITE}${word(n)}/${word(at)}/${'long'.repeat(30)}/${n}</loc><lastmod>${1970 + (n % 90)}-0${1 + (at % 9)}-${10 + (n % 19)}</lastmod></url>`,
    );
    return new PagesXMLSitemap({
      url: name,
      pages: source(
        spool,
        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages.join('')}</urlset>`,
      ),
    });
  });
  const index = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps: children });
  const tree = new IndexWebsiteSitemap({ url: SITE, complete: true, subSitemaps: [index], documents: spool });
  const html = await htmlOf(tree);
  expect(Buffer.byteLength(html)).toBeLessThan(1_000_000);
  expect(html).toMatch(/did not fit into the report/);
  expect(html).toContain(`${(many * 10).toLocaleString('en')}</span> <span class="name">pages`);
});

describe('bad input', () => {
  test('what is not a tree', () => {
    expect(() => reportHtml('x' as unknown as Sitemap)).toThrow(
      expect.objectContaining({ code: 'bad-input' }),
    );
  });

  test.each([{ befor: 1 }, { before: 'yesterday.warc.gz' }])('an option: %j', (options) => {
    expect(() => reportHtml(sampleTree(), options as object)).toThrow(
      expect.objectContaining({ code: 'bad-option' }),
    );
  });

  test('a signal that has fired', async () => {
    const reason = new Error('enough');
    await expect(htmlOf(sampleTree(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('a signal that fires while the earlier tree is read', async () => {
    const reason = new Error('enough');
    const ending = new AbortController();
    class Ending extends DocumentPages {
      override batchesAsync(...parameters: Parameters<DocumentPages['batchesAsync']>) {
        ending.abort(reason);
        return super.batchesAsync(...parameters);
      }
    }
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const url = `${SITE}a.xml`;
    const pages = new Ending(source(spool, `<urlset><url><loc>${SITE}a</loc></url></urlset>`, url).document);
    const before = new PagesXMLSitemap({ url, pages });
    const after = pagesNode(spool, 'a.xml', 'b');
    await expect(htmlOf(after, { before, signal: ending.signal })).rejects.toBe(reason);
  });

  test('a document that is not a sitemap', async () => {
    expect(await htmlOf(await sitemapFromString('<html></html>'))).toContain('could be read.');
  });
});

describe('charts', () => {
  const urlset = (...entries: readonly (readonly [path: string, lastmod?: string])[]): string =>
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries
      .map(
        ([path, date]) =>
          `<url><loc>${SITE}${path}</loc>${date === undefined ? '' : `<lastmod>${date}</lastmod>`}</url>`,
      )
      .join('')}</urlset>`;
  const titlesIn = (html: string, figure: string): string[] =>
    Array.from(
      (new RegExp(`<figure id="${figure}"[\\s\\S]*?</figure>`).exec(html)?.[0] ?? '').matchAll(
        /<title>([^<]*)/g,
      ),
      ([, title = '']) => title,
    );

  test('dates within three years are shown by month, others by year', async () => {
    const within = await htmlOf(await sitemapFromString(urlset(['a', '2010-12-01'], ['b', '2011-02-01'])));
    expect(titlesIn(within, 'chart-dates')).toEqual([
      'December 2010: 1 page',
      'January 2011: 0 pages',
      'February 2011: 1 page',
    ]);
    const beyond = await htmlOf(await sitemapFromString(urlset(['a', '2008-12-01'], ['b', '2011-02-01'])));
    expect(titlesIn(beyond, 'chart-dates')).toEqual([
      '2008: 1 page',
      '2009: 0 pages',
      '2010: 0 pages',
      '2011: 1 page',
    ]);
  });

  test('what would be one bar is a sentence', async () => {
    const html = await htmlOf(await sitemapFromString(urlset(['a', '2011-02-01'], ['b', '2011-02-02'])));
    expect(titlesIn(html, 'chart-dates')).toEqual([]);
    expect(html).toContain('All dates are in February 2011.');
    expect(html).toContain('The sitemap uses up to 10 % of the limit of 50,000 entries for each sitemap.');
  });

  test('sitemaps that differ in size are drawn by how much of the limits they use', async () => {
    const spool = new Spool({ memoryBytes: 10_000_000 });
    const large = Array.from({ length: 5_001 }, (_, n) => [`l${n}`] as const);
    const nodes = [urlset(['a']), urlset(...large)].map((text, at) => {
      const url = `${SITE}${at}.xml`;
      return new PagesXMLSitemap({ url, pages: source(spool, text, url) });
    });
    const html = await htmlOf(new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps: nodes }));
    expect(titlesIn(html, 'chart-entries').slice(0, 3)).toEqual([
      'up to 10 %: 2 sitemaps',
      'up to 20 %: 1 sitemap',
      'up to 30 %: 0 sitemaps',
    ]);
  });
});

describe('findings', () => {
  const finding = (at: number, document: string) =>
    ({
      rule: 'url-repeated',
      severity: 'warning',
      message: `${at} pages are listed twice.`,
      document,
      page: `${SITE}p${at}`,
    }) as const;

  test('a rule with several findings says what they have in common, and how many there are', async () => {
    const findings = [finding(1, `${SITE}a.xml`), finding(2, `${SITE}b.xml`)];
    const html = await htmlOf(sampleTree(), { findings });
    const [, headline = ''] =
      /id="rule-url-repeated"[\s\S]*?<span class="first">([\s\S]*?)<\/span>/.exec(html) ?? [];
    expect(headline).not.toMatch(/\d pages/);
    expect(html).toContain('2 findings in 2 documents');
    const one = await htmlOf(sampleTree(), { findings: findings.slice(0, 1) });
    expect(one).toContain('1 pages are listed twice.');
  });

  test.each([
    ['index-lastmod-old', 'The date that an index gives a sitemap is older than its newest page.'],
    ['news-too-old', 'An article was published more than two days before the sitemap was fetched.'],
    ['lastmod-future', 'A date is more than a day in the future, seen from when the document was fetched.'],
  ] as const)('several findings of %s are told in one plain sentence', async (rule, sentence) => {
    const findings = ['a.xml', 'b.xml'].map((name) => ({ ...finding(1, `${SITE}${name}`), rule }));
    const html = await htmlOf(sampleTree(), { findings });
    expect(html).toContain(`<span class="first">${sentence}</span>`);
  });

  test('the addresses that a rule is about are in the file, as many bytes as fit, and the rest is counted', async () => {
    const affected = (html: string) =>
      JSON.parse(/id="affected-data">([^<]*)</.exec(html)?.[1] ?? '{}') as Record<
        string,
        { urls: string[]; more: number }
      >;
    const few = affected(
      await htmlOf(sampleTree(), { findings: [finding(1, `${SITE}a.xml`), finding(2, `${SITE}a.xml`)] }),
    );
    expect(few['url-repeated']).toEqual({ urls: [`${SITE}p1`, `${SITE}p2`], more: 0 });
    const many = Array.from({ length: 5_000 }, (_, at) => finding(at, `${SITE}${'x'.repeat(90)}.xml`));
    const { urls, more } = affected(await htmlOf(sampleTree(), { findings: many }))['url-repeated']!;
    expect(urls.length).toBeGreaterThan(500);
    expect(urls.length + more).toBe(5_000);
    const tags = finding(1, `${SITE}a.xml`);
    const hostile = { ...tags, page: `${SITE}</script><script>alert(1)</script>` };
    expect(affected(await htmlOf(sampleTree(), { findings: [hostile] }))['url-repeated']).toEqual({
      urls: [hostile.page],
      more: 0,
    });
    // Of the first 2,000 addresses, which could be in the file, only some fit.
    const fitting = async (path: string): Promise<number> => {
      const findings = many.map((each, at) => ({ ...each, page: `${SITE}${path}${at}` }));
      const { urls, more } = affected(await htmlOf(sampleTree(), { findings }))['url-repeated']!;
      expect(urls.length + more).toBe(5_000);
      return urls.length;
    };
    expect(await fitting('ü'.repeat(100))).toBe(await fitting('u'.repeat(200)));
  });
});

describe('a title and a logo of one’s own', () => {
  const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  test('they are in the head, escaped, and the policy allows no other image', async () => {
    const html = await htmlOf(sampleTree(), { title: 'Shop <b>2013</b>', logo: PNG });
    expect(html).toContain('<title>Sitemap report: Shop &lt;b&gt;2013&lt;/b&gt;</title>');
    expect(html).toContain(`src="data:image/png;base64,${PNG.toString('base64')}"`);
    expect(html).toContain('; img-src data:;');
    expect(await htmlOf(sampleTree())).not.toContain('img-src');
  });

  const start = (text: string): Buffer => Buffer.from(text, 'latin1');
  test.each<[string, string, Buffer]>([
    ['a PNG of 256 KiB', 'png', Buffer.concat([PNG, Buffer.alloc(256 * 1024 - PNG.length)])],
    ['a JPEG', 'jpeg', start('\xff\xd8\xff\xe0')],
    ['a GIF', 'gif', start('GIF89a')],
    ['a WebP', 'webp', start('RIFF\x10\n\0\0WEBPVP8 ')],
    ['an SVG', 'svg+xml', start('<svg/>')],
    [
      'an SVG with a byte order mark and a prolog',
      'svg+xml',
      start('\xef\xbb\xbf\n<?xml version="1.0"?><svg/>'),
    ],
    ['an SVG with a doctype', 'svg+xml', start('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" ""><svg/>')],
    ['an SVG with a comment', 'svg+xml', start('\n<!-- Made by hand --><svg/>')],
  ])('%s is a logo', (_name, type, logo) => {
    expect(dataUrlOf(logo)).toBe(`data:image/${type};base64,${logo.toString('base64')}`);
  });

  test.each<[string, ReportOptions, string]>([
    ['a title that is a number', { title: 7 as unknown as string }, 'title'],
    ['a logo that is a path', { logo: 'logo.png' as unknown as Uint8Array }, 'logo'],
    ['a logo that is not an image', { logo: Buffer.from('<html>') }, 'logo'],
    ['a logo that is a page', { logo: Buffer.from('<!DOCTYPE html><svg/>') }, 'logo'],
    ['a logo that is a text about an image', { logo: Buffer.from('See <svg/>, GIF89a') }, 'logo'],
    ['a logo that is a sound', { logo: Buffer.from('RIFF\x10\n\0\0WAVEfmt ') }, 'logo'],
    [
      'a logo that is too large',
      { logo: Buffer.concat([PNG, Buffer.alloc(256 * 1024 + 1 - PNG.length)]) },
      'logo',
    ],
  ])('%s is refused', async (_name, options, option) => {
    await expect((async () => htmlOf(sampleTree(), options))()).rejects.toMatchObject({
      code: 'bad-option',
      option,
    });
  });
});
