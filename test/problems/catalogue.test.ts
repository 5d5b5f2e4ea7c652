/** Problems are data: the table of codes, and the list that keeps a hundred and counts them all. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CRAWL_PROBLEMS,
  FAILURES,
  FETCH_PROBLEMS,
  isDropping,
  isMissing,
  isNeverRequested,
  isNothingKnown,
  isTruncated,
  missingParts,
  PARSE_PROBLEMS,
  type ParseProblemCode,
  saysNothing,
} from '../../src/problems/catalogue.ts';
import { factsOfFailure, ProblemList } from '../../src/problems/problem-list.ts';
import { sized } from '../support/tier.ts';

const CODES = Object.keys(PARSE_PROBLEMS) as ParseProblemCode[];

describe('the table of codes', () => {
  test('codes are kebab-case words', () => {
    for (const code of CODES) expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
  });

  test('meanings are sentences', () => {
    for (const meaning of Object.values(PARSE_PROBLEMS)) expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  // That it uses none besides is held by the types.
  test('the core uses every code of it', () => {
    const folder = join(import.meta.dirname, '../../src/parse');
    const used = new Set<string>();
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const source = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      for (const [, text = ''] of source.matchAll(/'([a-z-]+)'/g)) used.add(text);
    }
    expect(CODES.filter((code) => !used.has(code))).toEqual([]);
  });

  const doc = join(import.meta.dirname, '../../docs/problem-codes.md');

  test('the docs list the same codes', ({ skip }) => {
    skip(!existsSync(doc), 'There is no docs/problem-codes.md yet.');
    const text = readFileSync(doc, 'utf8');
    expect(CODES.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });
});

describe('§5 a site whose sitemap cannot be read may have some', () => {
  test.each<[string, number | undefined, boolean]>([
    ['timeout', undefined, true],
    ['unresolved', undefined, true],
    ['http-status', 401, true],
    ['http-status', 403, true],
    ['http-status', 429, true],
    ['http-status', 500, true],
    ['http-status', 503, true],
    ['http-status', 400, true],
    ['http-status', 418, true],
    ['http-status', 304, true],
    ['redirects', undefined, true],
    ['bad-response', undefined, true],
    ['web-client', undefined, true],
    ['http-status', 404, false],
    ['http-status', 410, false],
    ['recursion', undefined, false],
    ['not-a-sitemap', undefined, false],
  ])('after %s %s: %s', (code, status, isPossible) => {
    expect(isNothingKnown([{ code, status }], [], 0)).toBe(isPossible);
    const failed = { code: 'known-path-failed', failure: code, status, documents: 2 };
    expect(isNothingKnown([], [failed], 2)).toBe(isPossible);
    // A third path was requested, and is not there.
    expect(isNothingKnown([], [failed], 3)).toBe(false);
  });
});

describe('§5 what each code says', () => {
  const ALL = Object.keys({ ...PARSE_PROBLEMS, ...FETCH_PROBLEMS, ...CRAWL_PROBLEMS });
  const codesOf = (words: string): string[] => words.trim().split(/\s+/);

  test('the problems that cost an entry or a URL, unless it was kept', () => {
    expect(ALL.filter((code) => isDropping({ code }))).toEqual(
      codesOf(`empty-loc entry-without-loc line-not-a-url not-http-url other-entry-kind oversized-url
        robots-line-skipped template truncated unresolvable-url`),
    );
    expect(ALL.filter((code) => isDropping({ code, kept: true }))).toEqual([]);
    expect([
      isDropping({ code: 'template', kept: false }),
      isDropping({ code: 'bad-date', kept: false }),
    ]).toEqual([true, false]);
  });

  test('the problems of a document whose end is missing, and the one of missing children', () => {
    const cut =
      codesOf(`truncated changed-on-retry connection-broke encoding-damaged gzip-corrupt gzip-truncated
      partial-content too-large cut-by-limit`);
    expect(ALL.filter((code) => isTruncated([{ code: 'doctype' }, { code }]))).toEqual(cut);
    const missing = missingParts(ALL.map((code) => ({ code })));
    expect(missing.map(({ code }) => code)).toEqual([...cut, 'too-many-sitemaps']);
  });

  test('the failures of documents that were never requested', () => {
    expect(Object.keys(FAILURES).filter(isNeverRequested)).toEqual(
      codesOf('limit max-depth not-fetched not-in-archive private-network proxy web-client'),
    );
  });

  test('the failures that say nothing about what a site has', () => {
    expect(Object.keys(FAILURES).filter((code) => saysNothing(code, undefined))).toEqual(
      codesOf(`bad-response host-down http-status limit private-network proxy rate-limited redirects refused reset
        timeout tls unreachable unresolved web-client`),
    );
    expect([404, 410, 400, 409, 411, 500].map((status) => saysNothing('http-status', status))).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(saysNothing('timeout', 404)).toBe(true);
  });
});

describe('§5 a site of which several documents failed', () => {
  const timeout = { code: 'timeout' };
  const missing = { code: 'http-status', status: 404 };
  const path = (failure: string, status?: number, documents?: number) => ({
    code: 'known-path-failed',
    failure,
    status,
    documents,
  });
  const robots = { code: 'robots-txt-failed', failure: 'timeout' };
  const stale = { code: 'stale', failure: 'timeout' };
  type Failures = Parameters<typeof isNothingKnown>;
  test.each<[string, Failures[0], Failures[1], number, boolean]>([
    ['nothing failed', [], [], 0, false],
    ['all known paths are missing', [], [], 21, false],
    ['robots.txt failed, and no known path was requested', [], [robots], 0, true],
    ['robots.txt failed, and the known path is missing', [], [robots], 1, false],
    ['robots.txt and the known path failed', [], [robots, path('timeout')], 1, true],
    ['one of two known paths failed, and robots.txt', [], [robots, path('timeout')], 2, false],
    ['known paths failed in two ways', [], [path('timeout', undefined, 2), path('tls')], 3, true],
    [
      'known paths failed in two ways, and one is missing',
      [],
      [path('timeout', undefined, 2), path('tls')],
      4,
      false,
    ],
    ['the second of the known paths is HTML', [], [path('timeout'), path('not-a-sitemap')], 2, false],
    ['the first of the known paths is HTML', [], [path('not-a-sitemap'), path('timeout')], 2, false],
    ['a document is stale, and known paths are missing', [], [stale], 5, true],
    ['a document is stale, and a known path is HTML', [], [stale, path('not-a-sitemap')], 1, false],
    ['a problem without a failure says nothing', [], [{ code: 'doctype' }, { code: 'stale' }], 0, false],
    [
      'sitemaps failed, and known paths are missing',
      [timeout, { code: 'http-status', status: 500 }],
      [],
      3,
      true,
    ],
    ['the second of the sitemaps is missing', [timeout, missing], [], 0, false],
    ['the first of the sitemaps is missing', [missing, timeout], [], 0, false],
    ['a sitemap failed, and a known path is HTML', [timeout], [path('not-a-sitemap')], 1, false],
    ['a sitemap is missing, and robots.txt failed', [missing], [robots], 0, false],
  ])('%s', (_what, unread, problems, knownPaths, expected) => {
    expect(isNothingKnown(unread, problems, knownPaths)).toBe(expected);
  });
});

describe('§5 what a failure says', () => {
  test.each([
    ['http-status', 404, true],
    ['http-status', 410, true],
    ['http-status', 403, false],
    ['http-status', 500, false],
    ['timeout', undefined, false],
    ['not-a-sitemap', 404, false],
  ])('%s %s: the document is not there: %s', (code, status, expected) => {
    expect(isMissing({ code, status })).toBe(expected);
  });

  test.each([
    ['limit', true],
    ['max-depth', true],
    ['private-network', true],
    ['http-status', false],
    ['timeout', false],
  ])('%s: the site was not asked: %s', (code, expected) => {
    expect(isNeverRequested(code)).toBe(expected);
  });

  test('the end of a document is missing, or some of its children', () => {
    const all = ['bad-date', 'truncated', 'too-many-sitemaps', 'too-large'].map((code) => ({ code }));
    expect(missingParts(all).map(({ code }) => code)).toEqual([
      'truncated',
      'too-many-sitemaps',
      'too-large',
    ]);
    expect([
      isTruncated(all.slice(0, 1)),
      isTruncated(all.slice(0, 2)),
      isTruncated(all.slice(2, 3)),
    ]).toEqual([false, true, false]);
  });
});

describe('the list of one document', () => {
  test('keeps problems in the order they were found, with their offsets', () => {
    const list = new ProblemList();
    list.add('bad-date', 'First.', 7);
    list.add('doctype', 'Second.');
    list.add('bad-date', 'Third.', 0);
    expect(list.kept).toEqual([
      { code: 'bad-date', message: 'First.', offset: 7 },
      { code: 'doctype', message: 'Second.' },
      { code: 'bad-date', message: 'Third.', offset: 0 },
    ]);
    // Absent means absent: JSON would show an undefined as nothing, equality would not.
    expect(Object.keys(list.kept[1] ?? {})).toEqual(['code', 'message']);
    expect(list.count).toBe(3);
  });

  test('is empty at first', () => {
    const list = new ProblemList();
    expect(list.kept).toEqual([]);
    expect(list.count).toBe(0);
  });

  test('keeps exactly a hundred', () => {
    const list = new ProblemList();
    for (let number = 0; number < 100; number++) list.add('bad-date', `${number}.`, number);
    expect(list.kept).toHaveLength(100);
    for (let number = 100; number < 5000; number++) list.add('bad-date', `${number}.`, number);
    expect(list.kept.map(({ offset }) => offset)).toEqual(Array.from({ length: 100 }, (_, number) => number));
    expect(list.count).toBe(5000);
  });

  test('a flood of one code does not hide the first of another: the youngest repetition gives way', () => {
    const list = new ProblemList();
    for (let number = 0; number < 1000; number++) list.add('bad-date', 'Flood.', number);
    list.add('doctype', 'Late.', 1000);
    list.add('doctype', 'Later.', 1001);
    list.add('truncated', 'At the end.', 1002);
    expect(list.count).toBe(1003);
    expect(list.kept).toHaveLength(100);
    expect(list.kept.slice(-2).map(({ message }) => message)).toEqual(['Late.', 'At the end.']);
    expect(list.kept.slice(0, 98).map(({ offset }) => offset)).toEqual(
      Array.from({ length: 98 }, (_, number) => number),
    );
  });

  test('addProblem keeps all that was known of a problem', () => {
    const list = new ProblemList();
    const found = { code: 'stale', message: 'It failed.', offset: 3, line: 2, column: 1 } as const;
    const facts = { option: 'maxDepth', failure: 'timeout', status: 503, documents: 2, kept: true };
    list.addProblem({ ...found, ...facts });
    list.addProblem({ code: 'stale', message: 'It failed again.' });
    expect(list.kept).toEqual([
      { ...found, ...facts },
      { code: 'stale', message: 'It failed again.' },
    ]);
  });

  test('addOnce adds what is true of a document once, and counts it once', () => {
    const list = new ProblemList();
    list.addOnce('doctype', 'First.', 1);
    list.addOnce('doctype', 'Second.', 2);
    list.add('doctype', 'Third.', 3);
    expect(list.kept.map(({ message }) => message)).toEqual(['First.', 'Third.']);
    expect(list.count).toBe(2);
  });

  test('a message has a thousand characters at most, and no half of one, also for the listener', () => {
    const heard: [string, number | undefined, string | undefined][] = [];
    const list = new ProblemList((problem, subject) =>
      heard.push([problem.message, problem.offset, subject]),
    );
    const cut = `${'a'.repeat(999)}😀`;
    const messages = [
      'a'.repeat(1000),
      'a'.repeat(1001),
      cut,
      `${'é'.repeat(998)}😀`,
      'half \ud83d.',
      '\ufeffBOM',
    ];
    const shown = [
      'a'.repeat(1000),
      `${'a'.repeat(1000)}…`,
      `${'a'.repeat(999)}…`,
      messages[3],
      'half \ufffd.',
      '\ufeffBOM',
    ];
    messages.forEach((message, at) => {
      list.add('bad-date', message, at, undefined, `${at}`);
    });
    expect(list.kept.map(({ message }) => message)).toEqual(shown);
    expect(heard).toEqual(shown.map((message, at) => [message, at, `${at}`]));
  });

  test('a listener hears of every problem once, kept or not, with its place and facts', () => {
    const heard: unknown[] = [];
    const locate = (offset: number) => (offset > 150 ? undefined : { line: offset + 1, column: 2 });
    const list = new ProblemList((problem, subject) => heard.push([problem, subject]), locate);
    for (let number = 0; number < 150; number++)
      list.add('bad-date', 'Flood.', number, undefined, `${number}`);
    list.addOnce('bad-date', 'Not added.', 5);
    list.addOnce('template', 'Here.', 150, { kept: true });
    list.add('template', 'There.', 151, { kept: false });
    list.add('doctype', 'Nowhere.');
    expect(heard).toHaveLength(153);
    expect(heard.slice(148)).toEqual([
      [{ code: 'bad-date', message: 'Flood.', offset: 148, line: 149, column: 2 }, '148'],
      [{ code: 'bad-date', message: 'Flood.', offset: 149, line: 150, column: 2 }, '149'],
      [{ code: 'template', message: 'Here.', offset: 150, line: 151, column: 2, kept: true }, undefined],
      [{ code: 'template', message: 'There.', offset: 151, kept: false }, undefined],
      [{ code: 'doctype', message: 'Nowhere.' }, undefined],
    ]);
    expect(list.kept[0]).toEqual({ code: 'bad-date', message: 'Flood.', offset: 0, line: 1, column: 2 });
    expect(list.kept.slice(-2).map(({ code }) => code)).toEqual(['template', 'doctype']);
    expect(list.count).toBe(153);
  });

  test('more than a hundred codes of another version: the youngest gives way', () => {
    const list = new ProblemList();
    for (let number = 0; number < 102; number++)
      list.addProblem({ code: `code-${number}` as never, message: 'New.' });
    expect(list.kept.map(({ code }) => code)).toEqual([
      ...Array.from({ length: 99 }, (_, number) => `code-${number}`),
      'code-101',
    ]);
    expect(list.count).toBe(102);
  });

  test.each([{}, { status: 503 }, { option: 'allowPrivateNetworks' }, { status: 503, option: 'retries' }])(
    'the facts of a failure are its code, and its status and option where there are some: %j',
    (facts) => {
      const failure = { code: 'x', status: undefined, option: undefined, ...facts };
      expect(factsOfFailure(failure)).toStrictEqual({ failure: 'x', ...facts });
    },
  );

  test('addOnce after the list is full still adds the first of its code', () => {
    const list = new ProblemList();
    for (let number = 0; number < 200; number++) list.add('bad-date', 'Flood.');
    list.addOnce('doctype', 'Here.');
    expect(list.kept.at(-1)).toEqual({ code: 'doctype', message: 'Here.' });
    expect(list.count).toBe(201);
  });

  test('whatever comes: at most a hundred, all counted, the first of each code kept, in order', () => {
    const problem = fc.tuple(fc.constantFrom(...CODES), fc.boolean());
    fc.assert(
      fc.property(fc.array(problem, { maxLength: 600, size: 'max' }), (problems) => {
        const list = new ProblemList();
        const first = new Map<string, number>();
        let count = 0;
        problems.forEach(([code, once], number) => {
          if (!once || !first.has(code)) count++;
          if (!first.has(code)) first.set(code, number);
          if (once) list.addOnce(code, 'A sentence.', number);
          else list.add(code, 'A sentence.', number);
        });
        expect(list.count).toBe(count);
        expect(list.kept).toHaveLength(Math.min(count, 100));
        const offsets = list.kept.map(({ offset }) => offset ?? -1);
        expect(offsets).toEqual(offsets.toSorted((left, right) => left - right));
        for (const [code, number] of first) {
          expect(list.kept.find((kept) => kept.code === code)?.offset).toBe(number);
        }
      }),
      { numRuns: sized({ fast: 50, full: 200 }) },
    );
  });
});
