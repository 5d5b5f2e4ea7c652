/** §6 `url`: what an address may look like, what is made of it, and what is said of it. */
import { describe, expect, test } from 'vitest';
import { ReportedValues } from '../../src/parse/reported-values.ts';
import { isHttpUrl, isPlainHttpUrl } from '../../src/parse/values/written-url.ts';
import { ProblemList } from '../../src/problems/problem-list.ts';

const BASE = 'https://a.example/dir/sitemap.xml';

function read(text: string, base: string | null = BASE) {
  const problems = new ProblemList();
  const url = new ReportedValues(base ?? undefined, problems).url(text, 7);
  return { url, codes: problems.kept.map(({ code }) => code), problems: problems.kept };
}

describe('an absolute address is as it is written', () => {
  test.each([
    'https://a.example/',
    'HTTP://A.EXAMPLE',
    'https://user:password@a.example:8443/?q#f',
    'https://[::1]:80/',
    'https://a.example./b c/%zz',
    'https://é.example/日😀',
    'https://a.example/?a="b"&c=<d>&e=%7B',
    `https://a.example/it's/$x/%s`,
    'https://a.example/&AMP;/&amp/&lt;',
  ])('%s', (url) => {
    expect(read(url)).toMatchObject({ url, codes: [] });
    expect(read(url, null)).toMatchObject({ url, codes: [] });
  });
});

describe('what is not written well is read, with a problem', () => {
  test.each<readonly [string, string | undefined, readonly string[]]>([
    // White space is not a problem.
    [' \u00a0\n https://a.exa\r\n\tmple/1\t \u3000', 'https://a.example/1', []],
    // Escaped more than once.
    ['https://a.example/?a&amp;b&amp;c', 'https://a.example/?a&b&c', ['double-escaped-url']],
    ['https://a.example/?a&amp;amp;amp;b', 'https://a.example/?a&b', ['double-escaped-url']],
    ['/?a&amp;b', 'https://a.example/?a&b', ['double-escaped-url', 'relative-url']],
    // In quotes or brackets.
    ['"https://a.example/"', 'https://a.example/', ['relative-url']],
    ["'https://a.example/'", 'https://a.example/', ['relative-url']],
    ['<https://a.example/>', 'https://a.example/', ['relative-url']],
    ['[https://a.example/]', 'https://a.example/', ['relative-url']],
    ['“https://a.example/”', 'https://a.example/', ['relative-url']],
    ['‘https://a.example/’', 'https://a.example/', ['relative-url']],
    ['"<https://a.example/>"', 'https://a.example/', ['relative-url']],
    ['"HTTPS://a.example/"', 'HTTPS://a.example/', ['relative-url']],
    // As many at the end as are in front.
    ['"https://a.example/""', 'https://a.example/"', ['relative-url']],
    ['"https://a.example/', 'https://a.example/', ['relative-url']],
    ['\u200b\u2060https://a.example/', 'https://a.example/', ['relative-url']],
    ['\u200bhttps://a.example/"', 'https://a.example/"', ['relative-url']],
    ['"https://a.example/{{x}}"', 'https://a.example/{{x}}', ['relative-url', 'template']],
    // Relative.
    ['b', 'https://a.example/dir/b', ['relative-url']],
    ['/b', 'https://a.example/b', ['relative-url']],
    ['//b.example/c', 'https://b.example/c', ['relative-url']],
    ['?b', 'https://a.example/dir/sitemap.xml?b', ['relative-url']],
    ['http:/b.example/c', 'http://b.example/c', ['relative-url']],
    ['HTTPS:b.example/c', 'https://b.example/c', ['relative-url']],
    ["it's/$x/50%", "https://a.example/dir/it's/$x/50%", ['relative-url']],
    ['www.b.example/c', 'https://a.example/dir/www.b.example/c', ['relative-url']],
    // Dropped.
    ['', undefined, ['empty-loc']],
    [' \n\u00a0', undefined, ['empty-loc']],
    ['ftp://a.example/', undefined, ['not-http-url']],
    ['MAILTO:a@a.example', undefined, ['not-http-url']],
    ['javascript:void(0)', undefined, ['not-http-url']],
    ['a+b-c.d1:x', undefined, ['not-http-url']],
    ['httpx://a.example/', undefined, ['not-http-url']],
    ['https://', undefined, ['unresolvable-url']],
    ['https://:80/', 'https://:80/', []],
    ['//[', undefined, ['unresolvable-url']],
    // Templates.
    ['{{ url }}', undefined, ['template']],
    ['/{% url %}', undefined, ['template']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the address of a template
    ['/${url}', undefined, ['template']],
    ["'.$url", undefined, ['template']],
    ["$url.'", undefined, ['template']],
    ['$permalink', undefined, ['template']],
    ['%s', undefined, ['template']],
    ['%1$d', undefined, ['template']],
    ['<a>', undefined, ['template']],
    ['a"b', undefined, ['template']],
    ['/%s', 'https://a.example/%s', ['relative-url']],
    ['/$x', 'https://a.example/$x', ['relative-url']],
    ['$a/b', 'https://a.example/dir/$a/b', ['relative-url']],
    ['%x', 'https://a.example/dir/%x', ['relative-url']],
    ['https://a.example/<?php', 'https://a.example/<?php', ['template']],
    ['https://a.example/<%= x', 'https://a.example/<%= x', ['template']],
    ["https://a.example/'.x", "https://a.example/'.x", ['template']],
    ["https://a.example/x.'", "https://a.example/x.'", ['template']],
    ['https://a.example/{%', 'https://a.example/{%', ['template']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the address of a template
    ['https://a.example/${x}', 'https://a.example/${x}', ['template']],
    ['https://a.example/{x}', 'https://a.example/{x}', []],
  ])('%j', (text, url, codes) => {
    const result = read(text);
    expect([result.url, result.codes]).toEqual([url, codes]);
    for (const { offset } of result.problems) expect(offset).toBe(7);
  });

  test('without a base, relative ones are dropped, and the option that is missing is named', () => {
    const { url, problems } = read('/b', null);
    expect(url).toBeUndefined();
    expect(problems).toMatchObject([{ code: 'unresolvable-url', option: 'url' }]);
    expect(read('/b').problems[0]).not.toHaveProperty('option');
  });

  test('a problem quotes the address as it is written, and what was made of it', () => {
    const messages = (text: string) => read(text).problems.map(({ message }) => message);
    expect(messages('/b')).toEqual(['A URL is relative, and was resolved to https://a.example/b: /b']);
    expect(messages('https://a.example/?a&amp;b')).toEqual([
      'A URL is escaped twice; it was read as https://a.example/?a&b',
    ]);
    expect(messages('https://a.example/{{x}}')[0]).toContain('was kept: https://a.example/{{x}}');
    expect(messages('{{x}}')[0]).toContain('was dropped: {{x}}');
    // What is kept is marked, where a problem of this code may also be a drop.
    expect(read('https://a.example/{{x}}').problems[0]).toHaveProperty('kept', true);
    expect(read('{{x}}').problems[0]).not.toHaveProperty('kept');
  });

  test('the longest address has 8 KiB, white space around it not counted', () => {
    const url = (length: number) => 'https://a.example/'.padEnd(length, 'x');
    expect(read(` ${url(8192)} `)).toMatchObject({ url: url(8192), codes: [] });
    expect(read(url(8193))).toMatchObject({ url: undefined, codes: ['oversized-url'] });
    expect(read('x'.repeat(8193)).codes).toEqual(['oversized-url']);
    expect(read(url(9000)).problems[0]!.message.length).toBeLessThan(400);
  });
});

describe('numbers', () => {
  const number = (text: string, highest: number) => {
    const problems = new ProblemList();
    const value = new ReportedValues(BASE, problems).number(text, 'rating', highest, 7);
    return [value, ...problems.kept.map(({ code, offset }) => `${code} ${offset}`)];
  };

  test.each<readonly [string, number | undefined]>([
    ['0', 0],
    ['-0', 0],
    ['5', 5],
    ['5.0', 5],
    ['5.0001', undefined],
    ['-0.1', undefined],
    ['', undefined],
    ['x', undefined],
  ])('%j of at most 5', (text, value) => {
    expect(number(text, 5)).toEqual(value === undefined ? [undefined, 'bad-number 7'] : [value]);
  });
});

test('bytes are an address where their text is one', () => {
  const encoder = new TextEncoder();
  const texts = [
    'http://a',
    'https://a',
    'HTTPS://A',
    'http://',
    'https://',
    'http:// a',
    'http:///a',
    'https://?a',
  ];
  texts.push(
    'https://#a',
    'http//a.example',
    'httpss://a',
    'ttps://a.example',
    'https:/a.example',
    'http:a',
    'http://é',
  );
  for (const text of texts) {
    const bytes = encoder.encode(`>${text}<`);
    // Less than eight bytes are left to the text.
    const expected = text.length >= 8 && isHttpUrl(text);
    expect([text, isPlainHttpUrl(bytes, 1, bytes.length - 1)]).toEqual([text, expected]);
  }
});
