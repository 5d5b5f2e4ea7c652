/** Links between the pages lead somewhere, the index leads to every page, and no page says what is nobody's business. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeBlocksOf, DOCS, docPage, docPages, proseOf } from '../support/docs-pages.ts';

const PAGES = docPages();

/** The anchors of a page, as GitHub makes them of its headings. */
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

function linksOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

describe('the links of', () => {
  test.each(PAGES.map(({ name, text }) => [name, text]))('%s', (name, text) => {
    for (const link of linksOf(text)) {
      if (/^https:\/\//.test(link)) continue;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? name : file;
      expect(existsSync(join(DOCS, target)), `${link}: there is no such file`).toBe(true);
      if (anchor !== undefined && target.endsWith('.md')) {
        expect([...anchorsOf(docPage(target))], `${link}: there is no such heading`).toContain(anchor);
      }
    }
  });
});

test('the index leads to every page', () => {
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
      expect(['ts', 'typescript', 'text', 'sh', 'json', 'mermaid', 'python'], where).toContain(language);
      if (language === 'json') expect(() => JSON.parse(code), where).not.toThrow();
    }
  });

  test('no page names a place on somebody’s machine', () => {
    for (const { name, text } of PAGES) {
      expect(text, name).not.toMatch(/(?:^|[\s`'"(])\/(?:home|root|work|Users|tmp|private|var\/folders)\//m);
      expect(text, name).not.toMatch(/localhost:\d{5}|127\.0\.0\.1:\d/);
    }
  });
});
