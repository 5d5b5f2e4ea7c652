/** §11.3: the rule of settled documents by itself, over small descriptions of trees. */
import { describe, expect, test } from 'vitest';
import {
  type DocumentState,
  type Side,
  settledDocuments,
  type TreeDescription,
} from '../../src/diff/settled.ts';

/** When the documents of a tree were read, and when those were that another tree shows as stale. */
const READ_AT = 2;
const STALE_SINCE = 1;

/** A tree of documents, each with its keys and what declares it: a number, or `tried`. */
function tree(
  side: Side,
  documents: readonly { keys: string; parents: readonly (number | 'tried')[]; state?: DocumentState }[],
  tried: Readonly<Record<string, DocumentState>> = {},
): TreeDescription {
  const states = new Map(Object.entries(tried).map(([key, state]) => [key, { state, goodAt: STALE_SINCE }]));
  for (const { keys, state = 'read' } of documents) {
    for (const key of keys.split(' ')) states.set(key, { state, goodAt: STALE_SINCE });
  }
  return {
    side,
    documents: documents.map(({ keys, parents }) => ({
      keys: new Set(keys.split(' ')),
      parents: new Set(parents.filter((parent) => parent !== 'tried')),
      isTried: parents.includes('tried'),
      goodAt: READ_AT,
    })),
    states,
    isSite: true,
    isWhole: true,
  };
}

// robots.txt → index → a.xml; and /sitemap.xml, which nothing declares.
const BEFORE = tree('before', [
  { keys: 'robots', parents: ['tried'] },
  { keys: 'index', parents: [0] },
  { keys: 'a', parents: [1] },
  { keys: 'known', parents: ['tried'] },
]);
const NAMES = ['robots', 'index', 'a', 'known'];

const later = (states: Readonly<Record<string, DocumentState>>): TreeDescription => tree('after', [], states);

describe('§11.3: a document is settled in the later tree', () => {
  const cases: readonly [string, Readonly<Record<string, DocumentState>>, string][] = [
    [
      'if it was read to its end',
      { robots: 'read', index: 'read', a: 'read', known: 'read' },
      'robots index a known',
    ],
    [
      'if it responded with 404 or 410',
      { robots: 'read', index: 'read', a: 'gone', known: 'gone' },
      'robots index a known',
    ],
    ['not if it failed', { robots: 'read', index: 'read', a: 'unread', known: 'unread' }, 'robots index'],
    ['not if it is stale', { robots: 'read', index: 'read', a: 'stale', known: 'stale' }, 'robots index'],
    ['if its index was read and does not declare it', { robots: 'read', index: 'read' }, 'robots index a'],
    ['if its index is gone', { robots: 'read', index: 'gone' }, 'robots index a'],
    ['not if its index failed', { robots: 'read', index: 'unread' }, 'robots'],
    ['not if its index is stale', { robots: 'read', index: 'stale' }, 'robots'],
    ['if all above it is gone with robots.txt', { robots: 'gone' }, 'robots index a'],
    ['not if robots.txt failed', { robots: 'unread' }, ''],
    ['if robots.txt does not declare its index any more', { robots: 'read' }, 'robots index a'],
    ['not if robots.txt failed, unless it was read all the same', { robots: 'unread', a: 'read' }, 'a'],
    [
      'not if it is at a known path that was not tried',
      { robots: 'read', index: 'read', a: 'read' },
      'robots index a',
    ],
    ['not if nothing was read', {}, ''],
  ];
  test.each(cases)('%s', (_name, states, expected) => {
    const settled = settledDocuments(BEFORE, later(states));
    expect(NAMES.filter((_, number) => settled[number]).join(' ')).toBe(expected);
  });

  test('if it is stale, and its last good read is not older than that of the earlier tree', () => {
    const stale = (goodAt: number): TreeDescription => ({
      ...later({}),
      states: new Map([
        ['robots', { state: 'read', goodAt: READ_AT }],
        ['index', { state: 'stale', goodAt }],
      ]),
    });
    expect(settledDocuments(BEFORE, stale(READ_AT - 1))).toEqual([true, false, false, false]);
    expect(settledDocuments(BEFORE, stale(READ_AT))).toEqual([true, true, true, false]);
  });

  test('in the earlier tree a stale document counts as read', () => {
    const fresh = tree('after', [{ keys: 'a', parents: ['tried'] }]);
    expect(settledDocuments(fresh, tree('before', [], { a: 'stale' }))).toEqual([true]);
  });
});

describe('§11.3: a site and a single sitemap', () => {
  const file = { ...tree('after', [{ keys: 'file', parents: [] }]), isSite: false };

  test('what only one of them declares is settled in the other if all of that was read', () => {
    expect(settledDocuments(BEFORE, file)).toEqual([true, true, true, true]);
    expect(settledDocuments(file, BEFORE)).toEqual([true]);
    expect(settledDocuments(BEFORE, { ...file, isWhole: false })).toEqual([false, false, false, false]);
    expect(settledDocuments(file, { ...BEFORE, isWhole: false })).toEqual([false]);
  });

  test('what both declare is settled as between two sites', () => {
    const same = { ...tree('after', [{ keys: 'a', parents: [] }]), isSite: false, isWhole: false };
    expect(settledDocuments(BEFORE, same)).toEqual([false, false, true, false]);
    const failed = {
      ...tree('after', [{ keys: 'a', parents: [], state: 'unread' }]),
      isSite: false,
      isWhole: false,
    };
    expect(settledDocuments(BEFORE, failed)[2]).toBe(false);
  });
});

describe('§11.3: settled documents, further', () => {
  test('a document that two indexes lead to is settled only if both are', () => {
    const two = tree('before', [
      { keys: 'one', parents: ['tried'] },
      { keys: 'two', parents: ['tried'] },
      { keys: 'a', parents: [0, 1] },
    ]);
    expect(settledDocuments(two, later({ one: 'read', two: 'unread' }))).toEqual([true, false, false]);
    expect(settledDocuments(two, later({ one: 'read', two: 'gone' }))).toEqual([true, true, true]);
  });

  test('a redirected document is settled only if nothing that is known of either URL is open', () => {
    const redirected = tree('before', [
      { keys: 'robots', parents: ['tried'] },
      { keys: 'final declared', parents: [0] },
    ]);
    expect(settledDocuments(redirected, later({ robots: 'read', declared: 'read' }))[1]).toBe(true);
    expect(settledDocuments(redirected, later({ robots: 'read', final: 'unread' }))[1]).toBe(false);
    expect(
      settledDocuments(redirected, later({ robots: 'read', declared: 'read', final: 'unread' }))[1],
    ).toBe(false);
    expect(settledDocuments(redirected, later({ robots: 'read' }))[1]).toBe(true);
  });

  test('indexes that list each other are settled together, whichever is asked about first', () => {
    const circle = tree('before', [
      { keys: 'robots', parents: ['tried'] },
      { keys: 'one', parents: [0, 2] },
      { keys: 'two', parents: [1, 3] },
      { keys: 'other', parents: [0] },
    ]);
    expect(settledDocuments(circle, later({ robots: 'read' }))).toEqual([true, true, true, true]);
    expect(settledDocuments(circle, later({ robots: 'read', other: 'unread' }))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
