/** The examples of docs/ compile against the code as it is, run, and print what the page says they print. */
import { beforeAll, describe, expect, test } from 'vitest';
import { testIf } from '../support/collected.ts';
import { examples, isProgram, type Printed, printedBy, typeErrors } from '../support/docs-examples.ts';
import { hasHeavy } from '../support/tier.ts';

const BLOCKS = examples();
const PROGRAMS = BLOCKS.filter((block) => isProgram(block) && !block.flags.includes('no-run'));

/** A document that names its own origin has another size and checksum each time: the server has another port. */
function comparable(output: string): string {
  return output.trimEnd().replaceAll(/("(?:bytes|crc32)": )\d+/g, '$1…');
}

test('the pages have examples', () => {
  expect(BLOCKS.length).toBeGreaterThan(30);
  expect(PROGRAMS.length).toBeGreaterThan(20);
});

describe('there is a program of each kind', () => {
  test.each([
    ['tree', 'sitemapTreeForHomepage'],
    ['stream', 'streamPages'],
    ['collect', 'collectPages'],
    ['parse', 'parseSitemap'],
    ['check', 'check(?:Site|Tree|Sitemap)'],
    ['write', 'writeSitemaps'],
    ['crawl', 'crawlSites'],
    ['diff', 'diffPages'],
    ['MCP', 'createMcpServer'],
  ])('%s', (_kind, name) => {
    const own = PROGRAMS.filter(({ code }) => new RegExp(`^import .*\\b${name}\\b`, 'm').test(code));
    expect(own.map(({ where }) => where)).not.toEqual([]);
  });
});

testIf(hasHeavy)(
  'every example type-checks under strict, with exact optional properties and without skipLibCheck',
  async () => {
    expect(await typeErrors(BLOCKS)).toEqual([]);
  },
);

describe('every program runs, and prints what the page says', () => {
  let printed: readonly Printed[] = [];
  beforeAll(async () => {
    printed = await printedBy(PROGRAMS);
  });

  test.each(PROGRAMS.map((block, index) => [block.where, block, index] as const))('%s', (_, block, index) => {
    expect(printed[index]?.error).toBeUndefined();
    const { output } = printed[index] ?? { output: '' };
    if (block.output !== undefined) expect(comparable(output)).toBe(comparable(block.output));
  });
});
