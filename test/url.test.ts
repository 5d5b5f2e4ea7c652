import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentKey, parsedUrl, shownUrl } from '../src/url.ts';
import { ROOT } from './support/cli-binary.ts';
import { sized } from './support/tier.ts';

/** More calls than V8 needs to compile the function anew, with Node's fast call of C++ in it. */
const MANY = 20_000;

test.each([
  ['https://münchen.example/', undefined, 'https://xn--mnchen-3ya.example/'],
  ['//königs.example/ü', 'https://example.org/', 'https://xn--knigs-jua.example/%C3%BC'],
  ['/ü', 'https://münchen.example/', 'https://xn--mnchen-3ya.example/%C3%BC'],
  ['https://例え.example/', undefined, 'https://xn--r8jz45g.example/'],
  ['https://example.org/a', undefined, 'https://example.org/a'],
  ['https://exa mple.org/', undefined, undefined],
  ['https://mün chen.example/', undefined, undefined],
  ['about', undefined, undefined],
])('%s on %s is %s, however often it is asked', (text, base, expected) => {
  const found = new Set<string | undefined>();
  for (let times = 0; times < MANY; times++) found.add(parsedUrl(text, base)?.href);
  expect([...found]).toEqual([expected]);
});

test('any text is a URL or none, as `new URL` has it', () => {
  const parts = [
    'https:',
    'mailto:',
    'x:',
    '//',
    '/',
    '[',
    ']',
    ':',
    '80',
    '@',
    '%',
    '%C3',
    '?',
    '#',
    '.',
    ' ',
    '\u0001',
    'a',
  ];
  const letters = [
    'ü',
    'ß',
    '\u00A0',
    '\u00AD',
    '例',
    '\uFEFF',
    '\uFF0F',
    '\u3002',
    '\uD800',
    '\u{1F600}',
    '\u0080',
    '\uFFFF',
  ];
  const part = fc.constantFrom(...parts, ...letters);
  const start = fc.constantFrom('', 'https://', 'http://', 'file://', 'x://');
  const text = fc
    .tuple(start, fc.array(part, { maxLength: 8 }))
    .map(([first, rest]) => first + rest.join(''));
  const byError = (given: string, base: string | undefined): string | undefined => {
    try {
      return new URL(given, base).href;
    } catch {
      return undefined;
    }
  };
  fc.assert(
    fc.property(text, fc.option(text, { nil: undefined }), (given, base) => {
      expect(parsedUrl(given, base)?.href).toBe(byError(given, base));
    }),
    { numRuns: sized({ fast: 2_000, full: 20_000, strong: 50_000 }) },
  );
});

test('keys and shown texts of URLs with other letters stay what they are', () => {
  const found = new Set<string>();
  for (let times = 0; times < MANY; times++) {
    found.add(documentKey('https://münchen.example/a#b'));
    found.add(shownUrl('https://user:secret@münchen.example/'));
  }
  expect([...found]).toEqual(['https://xn--mnchen-3ya.example/a', 'https://münchen.example/']);
});

test('an empty fragment is not a part of what is requested', () => {
  expect(documentKey('https://a.example/b?c#')).toBe('https://a.example/b?c');
});

test('no other file asks URL.canParse, which Node 20 gets wrong', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const asking = files.filter((name) =>
    readFileSync(join(ROOT, 'src', name), 'utf8').includes('URL.canParse('),
  );
  expect(asking).toEqual(['url.ts']);
});
