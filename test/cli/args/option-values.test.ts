/** §10: how the text of a flag or an argument becomes its value; times are in test/cli/inputs.test.ts. */
import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  addressInList,
  duration,
  forgottenCommand,
  hintsAtPatterns,
  parseAddress,
  VALUES,
  wholeNumber,
} from '../../../src/cli/args/option-values.ts';
import { UsageError } from '../../../src/cli/endings.ts';
import { written } from '../../support/folder.ts';

describe('whole numbers', () => {
  test.each([
    ['1', 1],
    ['007', 7],
    ['50,000', 50_000],
    ['50_000', 50_000],
    ['1,234,567', 1_234_567],
    ['1_234_567', 1_234_567],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%s is %d', (text, value) => {
    expect(wholeNumber(text, 1)).toBe(value);
  });

  test.each(['0', '', '-1', '+1', '1.5', '1e3', '0x10', ' 1', '1 ', '1,5', '1_', '9007199254740992'])(
    '%j is none from 1 on',
    (text) => {
      expect(() => wholeNumber(text, 1)).toThrow('It must be a whole number, 1 or more.');
    },
  );

  test('the least one is one of them', () => {
    expect([wholeNumber('0', 0), VALUES.fromZero('0'), VALUES.fromOne('1')]).toEqual([0, 0, 1]);
    expect(() => VALUES.fromOne('0')).toThrow('1 or more');
    expect(() => wholeNumber('2', 3)).toThrow('3 or more');
  });

  test.each([
    ['all', 'all'],
    ['1', 1],
    ['5,000', 5000],
  ])('--request-pages %s', (text, value) => {
    expect(VALUES.pageSample(text)).toBe(value);
  });

  test.each(['0', '-1', 'ALL', 'some', ''])('--request-pages %j is refused', (text) => {
    expect(() => VALUES.pageSample(text)).toThrow('It must be a whole number, 1 or more, or all.');
  });
});

describe('times', () => {
  test.each([
    ['.5', 's', 0.5],
    ['1.25m', 's', 75],
    ['2h', 'm', 120],
    ['36h', 'd', 1.5],
    ['90m', 'h', 1.5],
    ['0', 'm', 0],
  ] as const)('%s of a flag in %s is %d', (text, unit, value) => {
    expect(duration(text, unit)).toBe(value);
  });

  test.each(['5.', '1.', '1S', '1M', '1 m', '5ms', '.'])('%j is none', (text) => {
    expect(() => duration(text, 'm')).toThrow('It must be a number of minutes, or a time such as');
  });

  test('the shortest time is one, and a shorter one is not', () => {
    expect([duration('1s', 's', 1000), duration('0.001', 's', 1)]).toEqual([1, 0.001]);
    expect(() => duration('0.999s', 's', 1000)).toThrow('It must be a number of seconds above zero, or');
    expect(() => duration('0', 'd', 1)).toThrow('It must be a number of days above zero, or');
  });

  test.each([
    ['since', '--since'],
    ['until', '--until'],
    ['now', '--now'],
  ] as const)('a text for %s that is no time is named with its flag', (name, flag) => {
    expect(() => VALUES[name]('soon')).toThrow(`${flag}: "soon" is not a date or a time.`);
  });

  test('a time keeps the text of the user', () => {
    expect(VALUES.since('24h').text).toBe('24h');
    expect(VALUES.until('2014-05-06').text).toBe('2014-05-06');
    expect(VALUES.until('2014-05-06T08:00Z').toISOString()).toBe('2014-05-06T08:00:00.000Z');
  });
});

describe('lists of words', () => {
  test.each([
    ['added', ['added']],
    ['removed,changed', ['removed', 'changed']],
    ['removed, added ,changed', ['removed', 'added', 'changed']],
  ])('the kinds %j', (text, values) => {
    expect(VALUES.changeTypes(text)).toEqual(values);
  });

  test.each([
    [
      'lastmod,priority,changefreq,news,images,videos,alternates',
      ['lastModified', 'priority', 'changeFrequency', 'newsStory', 'images', 'videos', 'alternates'],
    ],
    ['lastModified, changeFrequency,newsStory', ['lastModified', 'changeFrequency', 'newsStory']],
  ])('the fields %j', (text, values) => {
    expect(VALUES.comparedFields(text)).toEqual(values);
  });

  test.each(['', 'added,', 'added removed', 'Added'])('%j is no list of kinds', (text) => {
    expect(() => VALUES.changeTypes(text)).toThrow('is not one of added, removed, changed.');
  });
});

describe('what is repeated', () => {
  test('texts, paths and patterns are kept in order', () => {
    for (const name of ['texts', 'paths', 'patterns'] as const)
      expect(VALUES[name]('b', VALUES[name]('a'))).toEqual(['a', 'b']);
    expect(() => VALUES.paths('', ['a'])).toThrow('It must be a path, such as sitemaps/main.xml.');
  });

  test.each([
    ['X-One: 1', { 'X-One': '1' }],
    ['Accept: text/html, application/xml;q=0.9', { Accept: 'text/html, application/xml;q=0.9' }],
    ['Cookie:a=b: c', { Cookie: 'a=b: c' }],
    ['X-Empty:', { 'X-Empty': '' }],
    ['X-Space :  1', { 'X-Space': '1' }],
    ["X!#$%&'*+.^_`|~9: 1", { "X!#$%&'*+.^_`|~9": '1' }],
  ])('the header %j', (text, headers) => {
    expect(VALUES.headers(text)).toEqual(headers);
  });

  test('a header of the same name replaces the earlier one, and the others stay', () => {
    const before = VALUES.headers('B: 1', VALUES.headers('A: 1'));
    expect(VALUES.headers('A: 2', before)).toEqual({ A: '2', B: '1' });
  });

  test.each(['A', ': 1', 'A B: 1', 'A: 1\r\nB: 2', 'A: 1\n', 'A: 1\0', 'Ä: 1', ''])(
    '%j is no header, and is not repeated',
    (text) => {
      expect(() => VALUES.headers(text)).toThrow("-H needs 'Name: value', in one line.");
    },
  );

  test.each(['Host', 'connection', 'Content-Length', 'Transfer-Encoding'])('-H cannot set %s', (name) => {
    expect(() => VALUES.headers(`${name}: secret`)).toThrow(
      `-H cannot set ${name}: it belongs to the connection.`,
    );
  });

  test('--map-host adds up, and names a host once', () => {
    const one = VALUES.hostMap('localhost:3000=www.example.org');
    const two = VALUES.hostMap('b.example=c.example', one);
    expect(two).toEqual({ 'localhost:3000': 'www.example.org', 'b.example': 'c.example' });
    expect(() => VALUES.hostMap('b.example=d.example', two)).toThrow('--map-host names b.example twice.');
  });

  test.each(['', '=', 'a.example', 'a.example=', '=b.example'])('--map-host %j is not two hosts', (text) => {
    expect(() => VALUES.hostMap(text)).toThrow('--map-host needs HERE=PUBLIC, two hosts.');
  });

  test('--map-host with what is no host is named by its flag', () => {
    expect(() => VALUES.hostMap('a.example=b.example/path')).toThrow(/^--map-host /);
  });
});

describe('single values', () => {
  test.each([
    [',', ','],
    [';', ';'],
    ['tab', '\t'],
    ['TAB', '\t'],
    ['\\t', '\t'],
    ['\t', '\t'],
  ])('--separator %j', (text, value) => {
    expect(VALUES.separator(text)).toBe(value);
  });

  test.each(['', '|', ' ', ',,', 'tabs'])('--separator %j is refused', (text) => {
    expect(() => VALUES.separator(text)).toThrow("It must be ',', ';' or tab.");
  });

  test.each([
    ['none', false],
    ['http://proxy.example:8080', 'http://proxy.example:8080'],
    ['https://proxy.example', 'https://proxy.example'],
    ['socks5://proxy.example:1080', 'socks5://proxy.example:1080'],
  ])('--proxy %s', (text, value) => {
    expect(VALUES.proxy(text)).toBe(value);
  });

  test.each(['None', '', 'ftp://proxy.example'])('--proxy %j is refused', (text) => {
    expect(() => VALUES.proxy(text)).toThrow("It must be an http:, https: or socks5: URL, or 'none'.");
  });

  test('a path is kept as it is, and an empty one refused', () => {
    expect(VALUES.path(' a b ')).toBe(' a b ');
    expect(() => VALUES.path('')).toThrow('It must be the name of a file or a folder.');
  });
});

describe('addresses', () => {
  const host = (length: number): string =>
    `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(length - 187)}.org`;

  test('a host name may have 253 characters, besides its port', () => {
    expect(host(253)).toHaveLength(253);
    expect(addressInList(host(253))?.hostname).toBe(host(253));
    expect(addressInList(`https://${host(253)}:8443/`)?.port).toBe('8443');
    expect(addressInList(host(254))).toBeUndefined();
  });

  test.each([
    [' https://example.org/ ', 'https://example.org/'],
    ['https://example.org/\t', 'https://example.org/'],
    ['HTTPS://EXAMPLE.ORG/A', 'https://example.org/A'],
    ['example.org.', 'https://example.org./'],
  ])('%j is %s', (text, url) => {
    expect(parseAddress(text).href).toBe(url);
  });

  test.each([
    'https://exam\tple.org',
    'exam\nple.org',
    'https://',
    'httpx://example.org',
    'ws://example.org',
  ])('%j is no address', (text) => {
    expect(addressInList(text)).toBeUndefined();
  });

  test('the message has no password', () => {
    expect(() => parseAddress('ftp://user:secret@example.org/')).toThrow(
      '"ftp://…@example.org/" is not an http or https URL.',
    );
  });

  test.each([
    ['HTTP://example.org', 'usp ls HTTP://example.org'],
    ['https://user:secret@example.org/', 'usp ls https://example.org/'],
    ['www.example.org', 'usp ls www.example.org'],
    ['localhost:3000', 'usp ls localhost:3000'],
  ])('%s without a command', (text, hint) => {
    expect(forgottenCommand(text)?.hint).toBe(hint);
  });

  test('a file without a command is an input, a folder and another word are not', () => {
    const path = written({ map: '' });
    mkdirSync(path('folder'));
    expect(forgottenCommand(path('map'))?.message).toBe(`unknown command '${path('map')}'.`);
    expect(forgottenCommand(path('folder'))).toBeUndefined();
    expect(forgottenCommand('lss')).toBeUndefined();
  });
});

describe('the hint at a glob that is compared with the whole URL', () => {
  test.each([
    ['include', '--include'],
    ['exclude', '--exclude'],
    ['sitemapInclude', '--sitemap-include'],
    ['sitemapExclude', '--sitemap-exclude'],
  ])('of %s names its flag, for each pattern', (name, flag) => {
    const why = 'matches nothing, since a pattern with a * is compared with the whole URL: try';
    expect(hintsAtPatterns({ [name]: ['/a*', '/b', '*/c', '/d/*/e', 'http*'] })).toEqual([
      `${flag} /a* ${why} */a*`,
      `${flag} /d/*/e ${why} */d/*/e`,
    ]);
  });

  test('is for these flags only', () => {
    expect(hintsAtPatterns({ knownPath: ['/a*'], output: '/a*', include: undefined })).toEqual([]);
  });
});

test('a pattern that cannot be read is refused with what a pattern is', () => {
  let refused: unknown;
  try {
    VALUES.patterns('re:(', ['a']);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(UsageError);
  expect(refused).toMatchObject({
    message: expect.stringContaining('is not a regular expression'),
    hint: 'a part of the URL, a glob with *, or re: and a regular expression.',
  });
});
