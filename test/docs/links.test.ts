/**
 * Links lead somewhere in the repository, and the index to every page of docs/. That they do so in the published
 * package too is in package.test.ts, which packs it.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linksOf, PACKED, REPOSITORY_ONLY, targetsOf, textOf } from '../support/docs-links.ts';
import { codeBlocksOf, DOCS, docPage, docPages, proseOf } from '../support/docs-pages.ts';

const ROOT = dirname(DOCS);
const PAGES = docPages();

/** The anchors of a page, as GitHub makes them from its headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

describe('every link leads to a file of the repository, and to a heading of it', () => {
  test.each([...PACKED, ...REPOSITORY_ONLY])('%s', (file) => {
    for (const { link, target, anchor } of targetsOf(file)) {
      expect(existsSync(join(ROOT, target)), `${link}: there is no such file`).toBe(true);
      if (anchor === undefined || !target.endsWith('.md')) continue;
      expect([...anchorsOf(textOf(target))], `${link}: there is no such heading`).toContain(anchor);
    }
  });
});

test('the index of docs/ leads to every page', () => {
  const linked = linksOf(docPage('README.md'));
  const others = PAGES.map(({ name }) => name).filter((name) => name !== 'README.md');
  expect(others.filter((name) => !linked.includes(name))).toEqual([]);
});

describe('the form of', () => {
  test.each(PAGES.map((page) => [page.name, page] as const))('%s', (_, page) => {
    expect(page.text.match(/^# .+$/gm)?.length, 'one title').toBeGreaterThan(0);
    expect(page.text.startsWith('# ')).toBe(true);
    expect(page.text.split('\n').filter((line) => line.startsWith('```')).length % 2, 'open fences').toBe(0);
    for (const { language, code, where } of codeBlocksOf(page)) {
      expect(
        ['ts', 'typescript', 'js', 'text', 'sh', 'json', 'xml', 'yaml', 'mermaid', 'python', 'sql', 'ini'],
        where,
      ).toContain(language);
      if (language === 'json') expect(() => JSON.parse(code), where).not.toThrow();
    }
  });

  test('no page names a folder of the machine that it was written on', () => {
    for (const { name, text } of PAGES) {
      expect(text, name).not.toMatch(/(?:^|[\s`'"(])\/(?:home|root|work|Users|tmp|private|var\/folders)\//m);
      expect(text, name).not.toMatch(/localhost:\d{5}|127\.0\.0\.1:\d/);
    }
  });
});
