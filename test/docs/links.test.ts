/** Links lead somewhere, in the repository and in the published package; the index leads to every page of docs/. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeBlocksOf, DOCS, docPage, docPages, proseOf } from '../support/docs-pages.ts';

const ROOT = dirname(DOCS);
const PAGES = docPages();
/** What `npm pack` puts into the package, besides package.json and the licence. */
const PACKED = ['README.md', 'CHANGELOG.md', ...PAGES.map(({ name }) => `docs/${name}`)];
const REPOSITORY_ONLY = ['CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md', 'bench/README.md'];

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

function linksOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The relative links of a file: as written, and the file and heading that each leads to. */
function targetsOf(file: string): readonly { link: string; target: string; anchor: string | undefined }[] {
  return linksOf(textOf(file))
    .filter((link) => !/^https?:/.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : posix.join(posix.dirname(file), path);
      return { link, target, anchor };
    });
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

describe('every link of the package leads to a file of the package', () => {
  let files: readonly string[] = [];
  beforeAll(async () => {
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', pack, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
    const [packed] = JSON.parse(stdout);
    files = packed.files.map(({ path }: { path: string }) => path);
  }, 60_000);

  test('these pages are in the package', () => {
    expect(files).toEqual(expect.arrayContaining(PACKED));
    expect(files.filter((file) => REPOSITORY_ONLY.includes(file))).toEqual([]);
  });

  test.each(PACKED)('%s', (file) => {
    const dead = targetsOf(file).filter(({ target }) => !files.includes(target));
    expect(dead.map(({ link }) => link)).toEqual([]);
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
        ['ts', 'typescript', 'js', 'text', 'sh', 'json', 'xml', 'yaml', 'mermaid', 'python', 'sql'],
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
