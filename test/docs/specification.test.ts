/** docs/specification.md has every section that tests and comments cite, and its lists are those of the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KNOWN_PATHS } from '../../src/crawl/discover.ts';
import { isPassingStatus } from '../../src/fetch/rules/retry.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import { FAILURES } from '../../src/problems/catalogue.ts';
import { docPage } from '../support/docs-pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = docPage('specification.md');

/** The text of each numbered section, by its number: `1`, `1.4`. */
const SECTIONS = new Map(
  PAGE.split(/^(?=##+ \d)/m)
    .slice(1)
    .map((section) => [/^##+ (\d+(?:\.\d+)?)/.exec(section)?.[1] ?? '', section]),
);

test('the sections are numbered 1 to 17, in this order', () => {
  const numbers = [...SECTIONS.keys()].filter((number) => !number.includes('.'));
  expect(numbers).toEqual(Array.from({ length: 17 }, (_, index) => String(index + 1)));
});

/** Every `§n` of the files below a folder, but for those of an RFC. */
function citationsBelow(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|json)$/.test(entry.name))
    .flatMap((entry) => {
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, 'utf8').replaceAll(/RFC \d+[\s*]*§[\d.]+/g, '');
      const cited = text.matchAll(/§(\d+(?:\.\d+)?)/g);
      return [...new Set(Array.from(cited, ([, number = '']) => number))].map(
        (number) => [file.slice(ROOT.length + 1), number] as const,
      );
    });
}

test.each(['src', 'test'])('every section that %s/ cites is on the page', (folder) => {
  const citations = citationsBelow(folder);
  expect(citations.length).toBeGreaterThan(4);
  expect(citations.filter(([, number]) => !SECTIONS.has(number))).toEqual([]);
});

describe('the page repeats what the code has', () => {
  test('the known paths, in their order', () => {
    const [, list = ''] = /### The known paths\s+In this order: ([\s\S]*?)\.\n\n/.exec(PAGE) ?? [];
    expect(Array.from(list.matchAll(/`([^`]+)`/g), ([, path]) => path)).toEqual(KNOWN_PATHS);
  });

  test('the statuses that are retried', () => {
    const [, list = ''] = /one of the statuses ([\d, –and\n]+)\./.exec(SECTIONS.get('2') ?? '') ?? [];
    const said = Array.from(list.matchAll(/(\d{3})(?:–(\d{3}))?/g), ([, from, to]) => {
      const first = Number(from);
      return Array.from({ length: Number(to ?? from) - first + 1 }, (_, index) => first + index);
    });
    expect(said.flat()).toEqual(Array.from({ length: 600 }, (_, status) => status).filter(isPassingStatus));
  });

  test('every option', () => {
    const options = `${SECTIONS.get('8')}${SECTIONS.get('15')}`;
    const missing = Object.keys(resolveOptions(undefined, 'stream')).filter(
      (name) => !options.includes(`\`${name}\``) && !options.includes(`\`${name}:`),
    );
    expect(missing).toEqual([]);
  });

  test('failure codes that exist', () => {
    const [, list = ''] = /a `code` \(([\s\S]*?)and the\s/.exec(SECTIONS.get('2') ?? '') ?? [];
    const codes = Array.from(list.matchAll(/`([^`]+)`/g), ([, code]) => code);
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !Object.hasOwn(FAILURES, code ?? ''))).toEqual([]);
  });
});
