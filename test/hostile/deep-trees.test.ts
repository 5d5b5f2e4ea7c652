/** §11.1: a saved tree that is nested deep costs what its nodes cost, and no more. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { loadTree } from '../../src/index.ts';
import { archiveOf, TREE_BOMBS } from '../support/archive-bombs.ts';
import { usp } from '../support/cli-world.ts';
import { folder } from '../support/folder.ts';

function deepTree(depth: number): string {
  const path = join(folder(), 'deep.warc');
  writeFileSync(path, TREE_BOMBS['nodes below each other']!(depth));
  return path;
}

/** An archive that says with which `maxDepth` it was crawled. */
function crawledTree(depth: number, options: object): string {
  const origin = JSON.stringify({ call: 'sitemap', url: 'http://a.test/', options, notKept: [] });
  const nodes = Array.from(
    { length: depth + 1 },
    (_, at) => `{"depth":${at},"kind":"index-xml","url":"http://a.test/${at}"}`,
  );
  const header = `{"format":"ultimate-sitemap-parser tree","version":1,"origin":${origin},"documents":[`;
  const path = join(folder(), 'crawled.warc');
  writeFileSync(path, archiveOf([header, '],"nodes":[', nodes.join(',\n'), ']}']));
  return path;
}

describe('the depth of a saved tree', () => {
  test.each<[string, () => string, number | undefined, string | undefined]>([
    ['as deep as the default of a crawl', () => crawledTree(13, {}), undefined, undefined],
    ['deeper than that', () => crawledTree(14, {}), undefined, 'more than 11 levels'],
    ['as deep as its crawl went', () => crawledTree(42, { maxDepth: 40 }), undefined, undefined],
    ['deeper than its crawl went', () => crawledTree(43, { maxDepth: 40 }), undefined, 'more than 40 levels'],
    [
      'deeper than any archive may be',
      () => crawledTree(1003, { maxDepth: 1e9 }),
      undefined,
      'more than 1000 levels',
    ],
    [
      'with a depth that is no number',
      () => crawledTree(3, { maxDepth: 'x' }),
      undefined,
      'more than 0 levels',
    ],
    ['that does not say how deep its crawl went', () => deepTree(1002), undefined, undefined],
    ['of 24,000 levels', () => deepTree(24_000), undefined, 'more than 1000 levels'],
    ['deeper than an option allows', () => deepTree(12), 9, 'more than 9 levels'],
    ['as deep as an option allows', () => deepTree(3000), 2998, undefined],
  ])('%s', async (_what, file, maxDepth, sentence) => {
    const loading = loadTree(file(), { maxDepth });
    if (sentence === undefined) (await loading).close();
    else
      await expect(loading).rejects.toMatchObject({
        code: 'archive-limit',
        option: 'maxDepth',
        message: expect.stringContaining(sentence),
      });
  });

  test('is limited by --max-depth in every command that loads', async () => {
    const file = deepTree(30);
    for (const argv of [
      ['ls', file],
      ['check', file],
      ['report', file],
      ['diff', file, file],
      ['fix', file, '-o', join(folder(), 'out')],
      ['update', file, 'http://a.test/', '--sitemap'],
    ]) {
      const { code, stderr } = await usp([...argv, '--max-depth', '20']);
      expect([argv[0], code, stderr]).toEqual([
        argv[0],
        2,
        expect.stringContaining('more than 20 levels deep (--max-depth)'),
      ]);
    }
  });
});

const FORMATS = ['tabtree', 'tree', 'json', 'csv', 'ndjson', 'summary', 'summary-json'];

test.each(FORMATS)('what -f %s prints is linear in the depth', async (format) => {
  const lengths: number[] = [];
  for (const depth of [1000, 2000, 4000]) {
    const argv = ['ls', deepTree(depth), '-f', format, '--max-depth', String(depth)];
    const pages = ['csv', 'ndjson', 'json', 'tree', 'tabtree'].includes(format) ? ['--no-pages'] : [];
    lengths.push((await usp([...argv, ...pages])).stdout.length);
  }
  const [small = 0, middle = 0, large = 0] = lengths;
  expect(large - middle).toBeLessThan(3 * (middle - small) + 100);
});

test.each(['tabtree', 'tree', 'csv', 'ndjson'])(
  '-f %s hears a signal while it prints nodes',
  async (format) => {
    const file = join(folder(), 'wide.warc');
    writeFileSync(file, TREE_BOMBS['nodes beside each other']!(50_000));
    const interruption = new AbortController();
    let lines = 0;
    // It takes everything at once, as a file does: only turns of the event loop let a timer fire.
    const stdout = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (lines === 0) setTimeout(() => interruption.abort(), 1);
        lines += chunk.toString().split('\n').length - 1;
        done();
      },
    });
    const { code } = await usp(['ls', file, '-f', format, '--no-pages'], {
      stdout,
      signal: interruption.signal,
    });
    expect(code).toBe(130);
    expect(lines).toBeLessThan(50_000);
  },
);
