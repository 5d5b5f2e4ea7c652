/** §13: the pages of a summary by folder, in a bounded number of folders. */
import { describe, expect, test } from 'vitest';
import { FolderCounts } from '../../src/summary/folder-counts.ts';
import type { FolderSummary } from '../../src/summary/tree-summary.ts';
import { aliveBytes } from '../support/sitemaps.ts';
import { sized } from '../support/tier.ts';
import { SITE } from '../support/trees.ts';

/** A number in letters: numbers in names are replaced. */
const wordOf = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

const sumOf = ({ folders, direct, other }: FolderSummary): number =>
  direct + other + folders.reduce((all, { pages }) => all + pages, 0);

describe('folders', () => {
  test('digits are one folder, and a slash at the end does not make a folder', () => {
    const counts = new FolderCounts();
    const paths = ['', 'about', 'a#/b/c', 'blog/a', 'blog/b/', 'y2012/x', 'y2013/x?a=/b/', 'y2013/m5/x#/c/'];
    for (const path of paths) counts.add(`${SITE}${path}`);
    const folders = counts.summary();
    expect(folders).toMatchObject({ name: 'https://example.org', pages: 8, direct: 3, other: 0 });
    expect(folders.folders.map(({ name, pages, direct }) => [name, pages, direct])).toEqual([
      ['y{n}', 3, 2],
      ['blog', 2, 2],
    ]);
    expect(folders.folders[0]?.folders.map(({ name }) => name)).toEqual(['m{n}']);
  });

  test('letters beyond ASCII are themselves, escaped or not, and an escape has no number', () => {
    const counts = new FolderCounts();
    for (const path of [
      'ü/1',
      '%C3%BC/2',
      '%c3%bc/3',
      '%D7%A9/4',
      '%D8%A7/5',
      'a%20b1/6',
      'a%2Fb/7',
      '%FF8/8',
    ])
      counts.add(`https://a.example/${path}`);
    expect(counts.summary().folders.map(({ name, pages }) => [name, pages])).toEqual([
      ['ü', 3],
      ['ש', 1],
      ['ا', 1],
      ['a%20b{n}', 1],
      ['a%2Fb', 1],
      ['%FF{n}', 1],
    ]);
  });

  test('a host is the same in capitals, with its port and in ASCII', () => {
    const counts = new FolderCounts();
    for (const host of ['münchen.example', 'xn--mnchen-3ya.example', 'MÜNCHEN.example:443'])
      counts.add(`https://${host}/a/1`);
    expect(counts.summary()).toMatchObject({ name: 'https://xn--mnchen-3ya.example', pages: 3 });
    expect(counts.summary().folders).toMatchObject([{ name: 'a', pages: 3 }]);
  });

  test.each([
    ['http://a.example:80/x/1', 'http://a.example'],
    ['http://a.example:443/x/1', 'http://a.example:443'],
    ['https://a.example:8080/x/1', 'https://a.example:8080'],
    ['HTTPS://a.example/x/1', 'https://a.example'],
    ['https://user:key@a.example/x/1', 'https://a.example'],
    ['http://[2001:DB8::1]:80/x/1', 'http://[2001:db8::1]'],
    ['https://a.example./x/1', 'https://a.example.'],
    ['https://1.2.3.4/x/1', 'https://1.2.3.4'],
    ['https://a.example/x?http://b.example/y/1', 'https://a.example'],
  ])('%s is on the host %s', (url, name) => {
    const counts = new FolderCounts();
    counts.add(url);
    expect(counts.summary()).toMatchObject({ name, pages: 1 });
  });

  test('names are one where their first 200 characters are, and an escape in small letters has no number', () => {
    const counts = new FolderCounts();
    const long = 'x'.repeat(199);
    for (const path of [
      `${long}ab/1`,
      `${long}ac/1`,
      `${long}b/1`,
      'a%2f1/1',
      'a%2f23/1',
      'a1b22c/1',
      '1x%331/1',
    ]) {
      counts.add(`${SITE}${path}`);
    }
    expect(counts.summary().folders.map(({ name, pages }) => [name, pages])).toEqual([
      [`${long}a`, 2],
      ['a%2f{n}', 2],
      [`${long}b`, 1],
      ['a{n}b{n}c', 1],
      ['{n}x%33{n}', 1],
    ]);
  });

  test('twenty folders are shown, the largest first, and the pages of the others are counted', () => {
    const counts = new FolderCounts();
    for (let n = 0; n < 22; n++)
      for (let page = 0; page <= n; page++) counts.add(`${SITE}${wordOf(n)}/y/${page}`);
    const { folders, other, pages, direct } = counts.summary();
    expect(folders.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, at) => wordOf(21 - at)));
    expect([other, pages, direct, folders[0]?.pages, folders[0]?.direct]).toEqual([3, 253, 0, 22, 0]);
  });

  test('several hosts are the first level', () => {
    const counts = new FolderCounts();
    for (const url of [
      'https://a.example',
      'https://a.example/x/1',
      'http://b.example/',
      'http://b.example/y/',
    ])
      counts.add(url);
    expect(counts.summary().folders.map(({ name, pages, direct }) => [name, pages, direct])).toEqual([
      ['https://a.example', 2, 1],
      ['http://b.example', 2, 2],
    ]);
  });

  test('of very many folders the large ones are kept, and nothing is lost', () => {
    // More than the 20,000 that are kept, twice.
    const names = sized({ fast: 45_000, full: 60_000 });
    const counts = new FolderCounts();
    for (let n = 0; n < names; n++) {
      counts.add(`https://a.example/${wordOf(n)}/page`);
      // A folder that was merged a moment ago may have more pages.
      counts.add(`https://a.example/${wordOf(Math.max(0, n - 1))}/page-2`);
      if (n % 10 === 0) counts.add(`https://a.example/large/${n}`);
    }
    const summary = counts.summary();
    expect(summary.pages).toBe(names * 2.1);
    expect(summary.folders[0]).toMatchObject({ name: 'large', pages: names / 10 });
    expect(summary.folders).toHaveLength(20);
    expect(sumOf(summary)).toBe(names * 2.1);
  });

  test('folders that differ in a number alone are one, and take no memory each', () => {
    const pages = 40_000;
    const long = 'x'.repeat(900);
    const counts = new FolderCounts();
    const before = aliveBytes();
    for (let n = 0; n < pages; n++) counts.add(`${SITE}${n}/${long}/page`);
    // Their addresses are 37 MB.
    expect(aliveBytes() - before).toBeLessThan(18_000_000);
    expect(counts.summary()).toMatchObject({ pages, folders: [{ name: '{n}', pages, direct: 0 }] });
  });

  test('pages of hosts that were merged are shown beside the one host that is left', () => {
    const counts = new FolderCounts();
    counts.add('https://b.example/x/1');
    for (let n = 0; n < 20_000; n++)
      for (const page of [1, 2]) counts.add(`https://a.example/${wordOf(n)}/${page}`);
    const summary = counts.summary();
    expect(summary).toMatchObject({ name: '', pages: 40_001, direct: 0, other: 1 });
    expect(summary.folders).toMatchObject([{ name: 'https://a.example', pages: 40_000 }]);
  });

  test('folders below the eighth level are one', () => {
    const counts = new FolderCounts();
    for (const path of ['a/b/c/d/e/f/g/h/1', 'a/b/c/d/e/f/g/h/i/2', 'a/b/c/d/e/f/g/h/i/j/3'])
      counts.add(`${SITE}${path}`);
    const names: string[] = [];
    for (let folder = counts.summary().folders[0]; folder !== undefined; folder = folder.folders[0])
      names.push(`${folder.name} ${folder.direct}`);
    expect(names).toEqual(['a 0', 'b 0', 'c 0', 'd 0', 'e 0', 'f 0', 'g 0', 'h 3']);
  });
});

describe('folders that are years', () => {
  const namesOf = (...paths: readonly string[]): readonly (readonly [string, number])[] => {
    const counts = new FolderCounts();
    for (const path of paths) counts.add(`${SITE}${path}`);
    return counts.summary().folders.map(({ name, pages }) => [name, pages] as const);
  };

  test('are distinguished where there is nothing else', () => {
    expect(namesOf('2010/a', '2011/b', '2011/05/c')).toEqual([
      ['2011', 2],
      ['2010', 1],
    ]);
  });

  test('are numbers like any beside other folders', () => {
    expect(namesOf('2010/05/a', '2011/06/b', '12345/c', 'shop/d')).toEqual([
      ['{n}', 3],
      ['shop', 1],
    ]);
  });

  test('have four digits and nothing else', () => {
    expect(namesOf('1900/a', '2099/a', '2099/b')).toEqual([
      ['2099', 2],
      ['1900', 1],
    ]);
    for (const other of ['1899', '2100']) expect(namesOf(`${other}/a`, '2010/b')).toEqual([['{n}', 2]]);
    expect(namesOf('2010/a', '2010/b', '20240506/c', '1899/d', '2012-olympics/e')).toEqual([
      ['{n}', 4],
      ['{n}-olympics', 1],
    ]);
  });

  test('are one with their folders and pages, beside a number and another folder', () => {
    const counts = new FolderCounts();
    for (const path of ['2010/x/1', '2010/2', '2011/x/3', '2011/y/4', '123/x/5', 'shop/6'])
      counts.add(`${SITE}${path}`);
    expect(counts.summary().folders).toMatchObject([
      {
        name: '{n}',
        pages: 5,
        direct: 1,
        folders: [
          { name: 'x', pages: 3, direct: 3 },
          { name: 'y', pages: 1 },
        ],
      },
      { name: 'shop', pages: 1 },
    ]);
  });

  test('lose no page where folders in them were merged', () => {
    const words = Array.from({ length: 20_500 }, (_, n) => `2010/${wordOf(n)}/a`);
    expect(namesOf(...words, 'shop/d')).toEqual([
      ['{n}', 20_500],
      ['shop', 1],
    ]);
  });
});
