/**
 * §12: for every rule, a document that breaks it at a stated line and column, and one that does not. All of them also
 * in UTF-16, with CRLF and CR, gzipped, and with characters of many bytes before the place.
 */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkSitemap, checkSitemaps, type Finding } from '../../src/check/index.ts';
import type { DocumentListener, RuleName } from '../../src/check/rule.ts';
import { firstSentence, RULES } from '../../src/check/rule-table.ts';
import { limits } from '../../src/check/rules/limit-rules.ts';
import { checkTree, type Sitemap, sitemapFromBytes } from '../../src/index.ts';
import { NO_ATTRIBUTES } from '../../src/parse/xml/attributes.ts';
import { testIf } from '../support/collected.ts';
import { isFull } from '../support/tier.ts';
import { ALL_FIXTURES } from './fixtures/all-fixtures.ts';
import type { FixturePlace, RuleFixture } from './fixtures/rule-fixture.ts';
import { NEEDS_A_SERVER } from './server-rules.ts';

type Content = string | Uint8Array;

const SITEMAP = 'https://example.org/sitemap.xml';
const NOW = '2026-06-15T12:00:00Z';
/** Larger documents are read once: what their size shows does not depend on the charset. */
const LARGE = 200_000;
/** Larger documents are not read byte by byte. */
const MANY_CHUNKS = 5_000;
/** Rules whose document takes a second to read: in the fast tier, only the rule itself gets so much. */
const COUNTED: ReadonlySet<RuleName> = new Set(['over-50-mib', 'index-over-50000']);
/** Rules that are about bytes or charsets. */
const OF_CHARSETS: ReadonlySet<RuleName> = new Set(['not-utf-8', 'wrong-charset', 'unknown-charset']);
const NOT_ASCII = '\u00e9\u6f22\u{1f600}';

function documentsOf(fixture: RuleFixture, content: Content): { url: string; content: Content }[] {
  const others = (given: Readonly<Record<string, string>> = {}) =>
    Object.entries(given).map(([url, each]) => ({ url, content: each }));
  const own = { url: fixture.url ?? SITEMAP, content };
  return [...others(fixture.before), own, ...others(fixture.behind)];
}

function findingsOf(fixture: RuleFixture, content: Content): Finding[] {
  const now = new Date(fixture.now ?? NOW);
  return ofRule(fixture, [...checkSitemaps(documentsOf(fixture, content), { now })]);
}

async function findingsOfTree(fixture: RuleFixture, content: Content): Promise<Finding[]> {
  const now = new Date(fixture.now ?? NOW);
  const url = fixture.url ?? SITEMAP;
  const tree: Sitemap = await sitemapFromBytes(gzipSync(content), { url });
  const found: Finding[] = [];
  for await (const finding of checkTree(tree, { now })) found.push(finding);
  tree.close();
  return ofRule(fixture, found);
}

function ofRule({ rule, url = SITEMAP }: RuleFixture, findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.rule === rule && finding.document === url);
}

function expectBad(fixture: RuleFixture, found: readonly Finding[], at: readonly FixturePlace[]): void {
  const { rule, severity = RULES[rule].severity, count, says } = fixture;
  expect(places(found)).toEqual(at);
  for (const finding of found) {
    expect(finding.severity).toBe(severity);
    expect(finding.message).toMatch(/^(?:[A-Z<0-9"]|https?:|hreflang=|robots\.txt )/);
    expect(finding.message).not.toContain('undefined');
  }
  if (count !== undefined) expect(found[0]?.count).toBe(count);
  if (says !== undefined) expect(found.map(({ message }) => message)).toEqual(says);
}

function places(found: readonly Finding[]): FixturePlace[] {
  return found.map(({ line, column }) => (line === undefined ? undefined : [line, column!]));
}

const textOf = (content: Content): string | undefined => (typeof content === 'string' ? content : undefined);

const FORMS = ['bytes', 'UTF-16', 'line ends', 'tree', 'many bytes'] as const;
// The fast tier counts to the largest limits elsewhere, and has nothing to read of this one.
const READ_HERE = ALL_FIXTURES.filter(({ rule }) => isFull || rule !== 'index-over-50000');
const FIXTURES = READ_HERE.map((fixture, number) => [title(fixture), fixture, number] as const);

describe.each(FIXTURES)('%s', (_title, fixture, number) => {
  const { bad, good, at, rule } = fixture;
  const text = textOf(bad);
  const isSmall = text !== undefined && text.length < LARGE;
  /** Whether a small document is also read in another form. In the fast tier the forms take turns. */
  const isReadAs = (form: (typeof FORMS)[number]): boolean =>
    isSmall && (isFull || FORMS[number % FORMS.length] === form);

  testIf(isFull || !COUNTED.has(rule))('is reported where it is', () =>
    expectBad(fixture, findingsOf(fixture, bad), at),
  );

  // Of those with 50,000 entries, the fast tier reads one.
  const isGoodRead =
    isFull || good.length < LARGE || (rule === 'over-50000-urls' && fixture.url !== undefined);
  testIf(isGoodRead)('is not reported where all is well', () =>
    expect(findingsOf(fixture, good)).toEqual([]),
  );

  testIf(isReadAs('bytes'))('as bytes with a byte order mark', () =>
    expectBad(fixture, findingsOf(fixture, Buffer.from(`\uFEFF${text}`)), at),
  );

  // What is checked in each chunk may be divided between two.
  testIf(text !== undefined && text.length < MANY_CHUNKS)('byte by byte', () => {
    const { url = SITEMAP, before, behind } = fixture;
    const now = new Date(fixture.now ?? NOW);
    const options = { url, now };
    const bytesOf = (content: string) => Array.from(Buffer.from(content), (byte) => Uint8Array.of(byte));
    if (before !== undefined || behind !== undefined) return;
    expectBad(fixture, ofRule(fixture, [...checkSitemap(bytesOf(text!), options)]), at);
  });

  // A robots.txt in UTF-16 says nothing to anybody.
  const isRobotsTxt = fixture.url?.endsWith('/robots.txt') === true;
  testIf(isReadAs('UTF-16') && !OF_CHARSETS.has(rule) && !isRobotsTxt)('in UTF-16', () => {
    const utf16 = (content: string) => Buffer.from(`\uFEFF${content}`, 'utf16le');
    expectBad(fixture, findingsOf(fixture, utf16(text!)), at);
    expect(findingsOf(fixture, utf16(good))).toEqual([]);
  });

  testIf(isReadAs('line ends')).each([
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('with lines that end with %s', (_name, end) => {
    expectBad(fixture, findingsOf(fixture, text!.replaceAll('\n', end)), at);
    expect(findingsOf(fixture, good.replaceAll('\n', end))).toEqual([]);
  });

  testIf(isReadAs('tree') && fixture.before === undefined && fixture.behind === undefined)(
    'gzipped, as a tree',
    async () => {
      expectBad(fixture, await findingsOfTree(fixture, text!), at);
      expect(await findingsOfTree(fixture, good)).toEqual([]);
    },
  );

  const shifted = isReadAs('many bytes') ? withManyBytes(text!, fixture) : undefined;
  testIf(shifted !== undefined)('behind characters of many bytes', () =>
    expectBad(fixture, findingsOf(fixture, shifted!.text), shifted!.at),
  );
});

test.each<[RuleName, (heard: DocumentListener, count: number) => void, number]>([
  [
    'index-over-50000',
    ({ startTags = {} }, count) => {
      for (let at = 0; at < count; at++) startTags['sitemap:sitemap']?.(at, NO_ATTRIBUTES);
    },
    50_000,
  ],
  [
    'over-50-mib',
    ({ end }, bytes) => end?.({ kind: 'pages-xml', truncated: false, bytes, charset: 'utf-8', isUtf8: true }),
    52_428_800,
  ],
])('%s is reported from the first one over the limit', (rule, hears, most) => {
  for (const more of [0, 1]) {
    const reported: string[] = [];
    const heard = limits({
      ...{ name: SITEMAP, url: SITEMAP, now: 0, kind: 'pages-xml', isFetched: false, declaredBy: new Set() },
      place: () => undefined,
      isOnlyCounted: () => false,
      report: (finding) => void reported.push(finding.rule),
      withPage: (finding, deliver) => deliver(finding),
    });
    hears(heard, most + more);
    expect(reported.filter((name) => name === rule)).toHaveLength(more);
  }
});

test('every rule has a fixture, here or with a server', () => {
  // No document is known to break `check-failed`: document-check.test.ts has a rule that throws.
  const shown = new Set<RuleName>([
    ...ALL_FIXTURES.map(({ rule }) => rule),
    ...NEEDS_A_SERVER,
    'check-failed',
  ]);
  expect(Object.keys(RULES).filter((rule) => !shown.has(rule as RuleName))).toEqual([]);
});

test('what is too old for a news sitemap is removed from it: no example gives it another date', () => {
  const { explanation, bad, good } = RULES['news-too-old'];
  expect(bad).toContain('<news:publication_date>');
  expect(good).not.toMatch(/<news:|\d{4}/);
  expect(explanation.fix).toMatch(/^Remove .* leave its date as it is\./);
});

function title({ rule, title: what }: RuleFixture): string {
  return what === undefined ? rule : `${rule}: ${what}`;
}

/**
 * The text with a comment of such characters at the start of each line that a finding is on, where there may be one.
 */
function withManyBytes(
  text: string,
  { at, url = SITEMAP }: RuleFixture,
): { text: string; at: readonly FixturePlace[] } | undefined {
  if (url.endsWith('.txt')) return undefined;
  const comment = `<!--${NOT_ASCII}-->`;
  const lines = text.split('\n');
  const moved = new Set<number>();
  for (const place of at) {
    if (place === undefined || moved.has(place[0])) continue;
    const before = lines
      .slice(0, place[0] - 1)
      .join('\n')
      .trimEnd();
    const isBetweenTags = before.endsWith('>') && lines[place[0] - 1]!.trimStart().startsWith('<');
    if (!isBetweenTags || before.endsWith(']>') || /<html|^<!DOCTYPE/.test(text)) continue;
    lines[place[0] - 1] = comment + lines[place[0] - 1];
    moved.add(place[0]);
  }
  if (moved.size === 0) return undefined;
  const shift = (place: FixturePlace): FixturePlace =>
    place !== undefined && moved.has(place[0]) ? [place[0], place[1] + comment.length] : place;
  return { text: lines.join('\n'), at: at.map(shift) };
}

test.each(Object.entries(RULES))('%s begins with a whole sentence', (_, row) => {
  const { what } = row.explanation;
  const sentence = firstSentence(row);
  expect([what.startsWith(sentence), what.slice(sentence.length)]).toEqual([
    true,
    expect.stringMatching(/^$|^\s+[^a-z]/),
  ]);
  expect(sentence).toMatch(/\.$/);
});
