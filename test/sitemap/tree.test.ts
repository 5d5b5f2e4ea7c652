/** Specification §5, the tree: what every node has, and how a tree is walked; §4, what is dropped across it. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ProblemCode } from '../../src/problems/catalogue.ts';
import { NO_PAGES } from '../../src/sitemap/page-source.ts';
import {
  AbstractSitemap,
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  makeTop,
  PagesAtomSitemap,
  PagesRSSSitemap,
  PagesTextSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { testIf } from '../support/collected.ts';
import { folder } from '../support/folder.ts';
import { codeOf, openSpools, SHOWS_OPEN_FILES, untilCollected } from '../support/sitemaps.ts';
import { sized } from '../support/tier.ts';
import { pagesNode, SITE, sampleTree, source, urlset } from '../support/trees.ts';

const paths = (pages: Iterable<{ readonly url: string }>) =>
  [...pages].map(({ url }) => url.slice(SITE.length));
const problem = (code: ProblemCode) => ({ code, message: `This is ${code}.` });

const KINDS: readonly Sitemap[] = [
  new IndexWebsiteSitemap({ url: SITE, subSitemaps: [], complete: true }),
  new IndexRobotsTxtSitemap({ url: SITE, subSitemaps: [] }),
  new IndexXMLSitemap({ url: SITE, subSitemaps: [] }),
  new PagesXMLSitemap({ url: SITE, pages: NO_PAGES }),
  new PagesTextSitemap({ url: SITE, pages: NO_PAGES }),
  new PagesRSSSitemap({ url: SITE, pages: NO_PAGES }),
  new PagesAtomSitemap({ url: SITE, pages: NO_PAGES }),
  new InvalidSitemap({ url: SITE, code: 'timeout', reason: 'No answer.' }),
];

describe('§5 every node', () => {
  test.each(KINDS.map((node) => [node.kind, node] as const))(
    '%s: what does not apply is empty',
    async (_, node) => {
      expect(node).toBeInstanceOf(AbstractSitemap);
      expect(node.subSitemaps).toEqual([]);
      expect([...node.pages]).toEqual([]);
      for await (const page of node.pages) expect(page).toBeUndefined();
      expect(node.pageCount).toBe(0);
      expect([...node.allSitemaps()]).toEqual([]);
      expect([...node.allPages()]).toEqual([]);
      expect([node.problems, node.problemCount]).toEqual([[], 0]);
      expect([node.declaredUrl, node.lastModified]).toEqual([undefined, undefined]);
      node.close();
    },
  );

  test('the kinds are the eight, and switching on them narrows to the class', () => {
    expect(KINDS.map(({ kind }) => kind)).toEqual([
      'website',
      'robots-txt',
      'index-xml',
      'pages-xml',
      'pages-text',
      'pages-rss',
      'pages-atom',
      'invalid',
    ]);
    const narrowed = (node: Sitemap) => {
      if (node.kind === 'invalid') expectTypeOf(node).toEqualTypeOf<InvalidSitemap>();
      if (node.kind === 'website') expectTypeOf(node).toEqualTypeOf<IndexWebsiteSitemap>();
    };
    KINDS.forEach(narrowed);
  });

  test('pages become an array, and what they do not have says what does', () => {
    const node = pagesNode(new Spool({ memoryBytes: 1e6 }), 'a.xml', 'one', 'two');
    expect(node.pages.toArray()).toEqual([...node.pages]);
    expect(node.allPages({ include: 'two' }).toArray()).toHaveLength(1);
    expect(() => Reflect.get(node.pages, 'length')).toThrow(
      /no "length": use pageCount of the sitemap, or toArray/,
    );
    expect(() => Reflect.get(node.allPages(), 'find')).toThrow(/no "find": use toArray\(\)\.find/);
    // They look like any other object.
    expect(Object.keys(node.pages)).toEqual([]);
    expect({ ...node.pages }).toEqual({});
  });

  test('toObject refuses an option that it does not have', () => {
    const node = pagesNode(new Spool({ memoryBytes: 1e6 }), 'a.xml', 'one');
    // @ts-expect-error There is no such option.
    expect(() => node.toObject({ page: false })).toThrow(/Unknown option "page"\. Did you mean "pages"\?/);
    // @ts-expect-error It is true or false.
    expect(() => node.toObject({ pages: 'no' })).toThrow(/"pages" must be true or false/);
    // @ts-expect-error There is no such option.
    expect(() => node.allPages({ uniqe: true })).toThrow(/Did you mean "unique"/);
  });

  test('lists that are handed out cannot be changed', () => {
    const children = [new InvalidSitemap({ url: SITE, code: 'timeout', reason: 'No answer.' })];
    const node = new IndexXMLSitemap({ url: SITE, subSitemaps: children });
    children.pop();
    expect(node.subSitemaps).toHaveLength(1);
    expect(Object.isFrozen(node.subSitemaps)).toBe(true);
  });

  test('problems: those of the fetch, then the document’s own, a hundred at most, and all are counted', () => {
    const spool = new Spool({ memoryBytes: 1e6 });
    const broken = urlset('a').replace('</loc>', '</loc><priority>high</priority>');
    const pages = source(spool, broken);
    const node = new PagesXMLSitemap({ url: SITE, pages, problems: [problem('truncated')], problemCount: 7 });
    expect(node.problems.map(({ code }) => code)).toEqual(['truncated', 'bad-priority']);
    expect(node.problemCount).toBe(8);
    const many = Array.from({ length: 150 }, () => problem('truncated'));
    const flooded = new PagesXMLSitemap({ url: SITE, pages, problems: many });
    expect(flooded.problems).toHaveLength(100);
    expect(flooded.problems.at(-1)?.code).toBe('bad-priority');
    expect(flooded.problemCount).toBe(151);
  });

  test('pageCount and problems are remembered: they are known even when the tree is closed', () => {
    const spool = new Spool({ memoryBytes: 1e6 });
    const [counted, walked, unread] = ['1', '2', '3'].map((name) => pagesNode(spool, name, 'a', 'b'));
    expect(counted?.pageCount).toBe(2);
    expect([...walked!.pages]).toHaveLength(2);
    spool.close();
    expect([counted?.pageCount, counted?.problemCount, walked?.pageCount]).toEqual([2, 0, 2]);
    expect(() => unread?.pageCount).toThrow('closed');
  });
});

describe('§5 a node that is stale', () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const writer = spool.writer();
  writer.write(Buffer.from(urlset('a')));
  const document = writer.end({
    options: { url: SITE, charset: undefined },
    requestedAt: 5_000,
    truncatedBy: undefined,
  });
  const nodeOf = (more: object) =>
    new PagesXMLSitemap({ url: SITE, pages: NO_PAGES, freshness: 'stale', ...more });
  const problems = [
    problem('bad-date'),
    { ...problem('stale'), status: 503, failure: 'http-status' },
    problem('stale'),
  ];

  test('says why, since when and for how many runs', () => {
    const unread = { runs: 3 };
    const full = nodeOf({ problems, facts: { document, checkedAt: 9_000, unread } });
    const reason = 'This is stale.';
    expect(full.staleness).toEqual({
      reason,
      since: new Date(9_000),
      runs: 3,
      status: 503,
      failure: 'http-status',
    });
    const none = { status: undefined, failure: undefined };
    expect(nodeOf({ facts: { document } }).staleness).toEqual({
      reason: '',
      since: new Date(5_000),
      runs: 1,
      ...none,
    });
    expect(nodeOf({}).staleness).toEqual({ reason: '', since: new Date(0), runs: 1, ...none });
    for (const freshness of ['new', 'changed', 'unchanged', undefined])
      expect(nodeOf({ problems, freshness }).staleness).toBeUndefined();
  });
});

test('§5 an invalid sitemap that is the result of a call has an outcome, and the code of its own failure', () => {
  for (const [code, outcome] of [
    ['timeout', 'failed'],
    ['not-a-sitemap', 'none'],
  ] as const) {
    const node = new InvalidSitemap({ url: SITE, code, reason: 'Why.' });
    makeTop(node, { complete: false, stopped: { limit: 'maxSitemaps', message: 'Enough.' } });
    expect([node.code, node.reason, node.complete, node.stopped?.limit]).toEqual([
      code,
      'Why.',
      false,
      'maxSitemaps',
    ]);
    expect(node.outcome).toBe('failed');
    makeTop(node, { complete: false });
    expect([node.outcome, node.code]).toEqual([outcome, code]);
  }
  const alone = new IndexXMLSitemap({ url: SITE, subSitemaps: [] });
  makeTop(alone, {});
  expect([alone.outcome, alone.code, alone.complete]).toEqual([undefined, undefined, undefined]);
  makeTop(alone, { complete: true });
  expect([alone.outcome, alone.code, alone.complete]).toEqual(['complete', undefined, true]);
});

test('§5 the lines of a robots.txt are read from all of its document, once', () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const writer = spool.writer(Buffer.from('HTTP/1.1 200 OK\r\n'));
  writer.write(
    Buffer.from(`Crawl-delay: 1\n# ${'x'.repeat(300_000)}\nContent-Signal: search=yes\nUser-agent: *\n`),
  );
  const document = writer.end({
    options: { url: SITE, charset: undefined },
    requestedAt: 5,
    truncatedBy: undefined,
  });
  const node = new IndexRobotsTxtSitemap({ url: SITE, subSitemaps: [], facts: { document } });
  expect(node.directives.map((line) => Object.values(line).join(' '))).toEqual([
    expect.stringMatching(/crawl-delay/i),
    expect.stringMatching(/content-signal/i),
  ]);
  const { directives } = node;
  expect(node.directives).toBe(directives);
  expect(Object.isFrozen(directives)).toBe(true);
  expect(new IndexRobotsTxtSitemap({ url: SITE, subSitemaps: [] }).directives).toEqual([]);
});

describe('§5 walking a tree', () => {
  const ORDER = ['a1', 'a2', 'both', 's1', 'both', 's1', 'both', 'news'];

  test('allSitemaps(): depth-first in declaration order, itself not included, again and again', () => {
    const tree = sampleTree();
    const all = tree.allSitemaps();
    const expected = [
      'robots.txt',
      'index.xml',
      'a.xml',
      'shared.xml',
      'second.xml',
      'missing.xml',
      'shared.xml',
      'feed',
    ];
    expect(paths(all)).toEqual(expected);
    expect(paths(all)).toEqual(expected);
  });

  test('allPages(): depth-first, sync and async equal, again and again', async () => {
    const all = sampleTree().allPages();
    for (let round = 0; round < 2; round++) {
      expect(paths(all)).toEqual(ORDER);
      const walked: string[] = [];
      for await (const { url } of all) walked.push(url.slice(SITE.length));
      expect(walked).toEqual(ORDER);
    }
    expect(paths([...all.batches()].flat())).toEqual(ORDER);
  });

  test('allPages() of any node: its own pages and those below it', () => {
    const [, index, a] = [...sampleTree().allSitemaps()];
    expect(paths(index!.allPages())).toEqual(['a1', 'a2', 'both', 's1', 'both']);
    expect(paths(a!.allPages())).toEqual(['a1', 'a2', 'both']);
  });

  test('§4 a page listed twice is yielded twice; unique drops repeats across the tree, in every walk', async () => {
    const unique = sampleTree().allPages({ unique: true });
    const expected = ['a1', 'a2', 'both', 's1', 'news'];
    expect(paths(unique)).toEqual(expected);
    expect(paths(unique)).toEqual(expected);
    const walked: string[] = [];
    for await (const { url } of unique) walked.push(url.slice(SITE.length));
    expect(walked).toEqual(expected);
  });

  test('several iterators at a time, stopped early or not, do not disturb each other', async () => {
    const { pages } = pagesNode(new Spool({ memoryBytes: 0, directory: folder() }), 'a', ...'abcdef');
    const [first, second] = [pages[Symbol.iterator](), pages[Symbol.iterator]()];
    const third = pages[Symbol.asyncIterator]();
    const seen: string[] = [];
    for (let step = 0; step < 3; step++) {
      seen.push(first.next().value?.url.at(-1), second.next().value?.url.at(-1));
      seen.push((await third.next()).value?.url.at(-1));
      for (const page of pages) {
        seen.push(page.url.at(-1)!);
        break;
      }
    }
    expect(seen.join('')).toBe('aaaabbbaccca');
    expect([...first].map(({ url }) => url.at(-1)).join('')).toBe('def');
    second.return?.();
    expect(second.next()).toEqual({ done: true, value: undefined });
  });

  test('an async iterator that is called again before it has resolved yields in order', async () => {
    const { pages } = pagesNode(new Spool({ memoryBytes: 1e6 }), 'a', ...'abcd');
    const iterator = pages[Symbol.asyncIterator]();
    const answers = await Promise.all([...'abcdef'].map(() => iterator.next()));
    expect(answers.map(({ value }) => value?.url.at(-1) ?? '-').join('')).toBe('abcd--');
    const early = pages[Symbol.asyncIterator]();
    const [one, end, after] = await Promise.all([early.next(), early.return?.(), early.next()]);
    expect([one.done, end?.done, after.done]).toEqual([false, true, true]);
    const left = pages[Symbol.asyncIterator]();
    await left.next();
    await left.return?.();
    expect((await left.next()).done).toBe(true);
  });

  test('a tree of any depth is walked', () => {
    let node: Sitemap = pagesNode(new Spool({ memoryBytes: 1e6 }), 'deepest', 'page');
    for (let depth = 0; depth < 20_000; depth++) {
      node = new IndexXMLSitemap({ url: `${SITE}${depth}`, subSitemaps: [node] });
    }
    expect([...node.allSitemaps()]).toHaveLength(20_000);
    expect(paths(node.allPages())).toEqual(['page']);
  });
});

describe('§5 a tree holds a spool', () => {
  const CLOSERS: readonly (readonly [string, (tree: Sitemap) => void])[] = [
    ['close()', (tree) => tree.close()],
    ['Symbol.dispose', (tree) => tree[Symbol.dispose]()],
    [
      'using',
      (tree) => {
        using closed = tree;
        expect([...closed.allPages()]).toHaveLength(8);
      },
    ],
  ];

  test.each(CLOSERS)('after %s of the root, reading pages says tree-closed', async (_, close) => {
    const tree = sampleTree();
    const [first] = tree.allPages();
    close(tree);
    expect(first?.url).toBe(`${SITE}a1`);
    expect(await codeOf(() => [...tree.allPages()])).toBe('tree-closed');
    expect(await codeOf(() => tree.allPages()[Symbol.asyncIterator]().next())).toBe('tree-closed');
    expect(await codeOf(() => JSON.stringify(tree))).toBe('tree-closed');
    tree.close();
    expect([...tree.allSitemaps()]).toHaveLength(8);
  });

  test('closing a node that is not the top closes nothing; any node can be made the top', async () => {
    const tree = sampleTree();
    for (const node of tree.allSitemaps()) node.close();
    expect([...tree.allPages()]).toHaveLength(8);
    const spool = new Spool({ memoryBytes: 1e6 });
    const alone = pagesNode(spool, 'a', 'b');
    makeTop(alone, { documents: spool });
    alone.close();
    expect(await codeOf(() => [...alone.pages])).toBe('tree-closed');
  });

  testIf(SHOWS_OPEN_FILES)(
    'a node kept alone keeps it alive; when that is gone too, it is released',
    async () => {
      const directory = folder();
      const spoolOf = () => new Spool({ memoryBytes: 0, directory });
      let kept: Sitemap | undefined = [...sampleTree(spoolOf()).allSitemaps()].find(
        ({ kind }) => kind === 'pages-rss',
      );
      expect(openSpools(directory)).toHaveLength(1);
      const tries = sized({ fast: 4, full: 12 });
      expect(await untilCollected(() => openSpools(directory).length === 0, tries)).toBe(false);
      expect(paths(kept!.pages)).toEqual(['news']);
      kept = undefined;
      expect(await untilCollected(() => openSpools(directory).length === 0)).toBe(true);
    },
  );
});
