/** §10: what an input is: a site, a file, stdin, or several files that a pattern names. Commands are in inputs.test.ts. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Unwritable, UsageError } from '../../src/cli/endings.ts';
import { checkUrl, distinctInputs, forEachInput, inputOf } from '../../src/cli/input.ts';
import { Reporter } from '../../src/cli/io.ts';
import { SitemapException } from '../../src/index.ts';
import { testIf } from '../support/collected.ts';
import { written } from '../support/folder.ts';
import { IS_POSIX } from '../support/platform.ts';

function reporting() {
  const lines: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const reporter = new Reporter({
    ...{ stdout: stream, stderr: stream, stdin: Readable.from([]), env: {}, version: '1.2.3' },
    isTerminal: { stdout: false, stderr: false, stdin: false },
    signal: new AbortController().signal,
  });
  return { reporter, lines };
}

describe('inputs', () => {
  const at = (names: readonly string[]) => written(Object.fromEntries(names.map((name) => [name, ''])));

  test.each<[string, readonly string[]]>([
    ['*', ['a+1.xml', 'a1.xml', 'a2.XML', 'ab.xml', 'b.xml.gz', 'c.xml', 'cc.xml']],
    ['*.xml', ['a+1.xml', 'a1.xml', 'ab.xml', 'c.xml', 'cc.xml']],
    ['c?.xml', ['cc.xml']],
    ['c??ml', ['c.xml']],
    ['c*c*ml', ['cc.xml']],
    ['a?.xml', ['a1.xml', 'ab.xml']],
    ['a*.xml', ['a+1.xml', 'a1.xml', 'ab.xml']],
    ['a+?.xml', ['a+1.xml']],
    ['?.xml*', ['b.xml.gz', 'c.xml']],
    ['.h*', []],
    ['*h*', []],
    ['none*', []],
  ])('the pattern %s names files in order, and none that is hidden', (glob, names) => {
    const path = at(['ab.xml', 'a2.XML', 'a1.xml', 'a+1.xml', 'b.xml.gz', '.hidden.xml', 'c.xml', 'cc.xml']);
    const expected = names.length === 0 ? [path(glob)] : names.map((name) => path(name));
    expect(distinctInputs([path(glob)])).toEqual(expected);
  });

  test('several patterns keep their order, and only the last part of a path is a pattern', () => {
    const path = at(['a1.xml', 'a2.xml', 'b.xml', 'maps/c.xml']);
    const patterns = [path('b*'), path('a?.xml'), path('*.xml')];
    expect(distinctInputs(patterns)).toEqual([path('b.xml'), path('a1.xml'), path('a2.xml')]);
    expect(distinctInputs([path('m*s/c.xml'), path('maps/*')])).toEqual([
      path('m*s/c.xml'),
      path('maps/c.xml'),
    ]);
  });

  testIf(IS_POSIX)('a file that has a star in its name is that file, and a URL is no pattern', () => {
    const path = at(['a*.xml', 'ab.xml']);
    expect(distinctInputs([path('a*.xml')])).toEqual([path('a*.xml')]);
    const urls = ['https://a.example/?x', 'HTTP://a.example/*'];
    expect(distinctInputs(urls)).toEqual(urls);
  });

  testIf(IS_POSIX)('each file is one input, under any of its names, and each text', () => {
    const path = at(['a.xml', 'b.xml']);
    symlinkSync(path('a.xml'), path('link.xml'));
    const other = join(dirname(path('a.xml')), '.', basename(path('a.xml')));
    expect(distinctInputs([path('link.xml'), path('a.xml'), other, path('*.xml')])).toEqual([
      path('link.xml'),
      path('b.xml'),
    ]);
    expect(distinctInputs(['-', 'x.example', '-', 'y.example', 'x.example'])).toEqual([
      '-',
      'x.example',
      'y.example',
    ]);
  });

  test.each<[string, object]>([
    ['-', { type: 'stdin' }],
    ['https://a.example/x.xml', { type: 'site', url: new URL('https://a.example/x.xml') }],
    ['HTTPS://A.example', { type: 'site', url: new URL('https://a.example/') }],
    ['a.example', { type: 'site', url: new URL('https://a.example/') }],
    ['a.example:8080/x', { type: 'site', url: new URL('https://a.example:8080/x') }],
    // Only the end of a name makes it that of a file.
    ['a.xml.example', { type: 'site', url: new URL('https://a.xml.example/') }],
  ])('%s', (text, input) => {
    const { reporter, lines } = reporting();
    expect([inputOf(text, reporter), lines]).toEqual([input, []]);
  });

  test.each([
    'gone.xml',
    'gone.TXT',
    'gone.gz',
    'gone.warc',
    'gone.json',
    'gone.html',
    'gone.htm',
    'gone.csv',
    'gone.rss',
    'gone.atom',
  ])('%s is a file that is not there, and no host', (name) => {
    const { reporter } = reporting();
    expect(() => inputOf(name, reporter)).toThrow(`${name} cannot be read: no such file or directory.`);
  });

  test.each(['./gone', '../gone', '/gone', '~', 'c:gone', 'C:gone', 'a\\gone', './gone.example'])(
    '%s is a path',
    (name) => {
      const { reporter } = reporting();
      expect(() => inputOf(name, reporter)).toThrow(`${name} cannot be read:`);
    },
  );

  test('what is neither', () => {
    const { reporter } = reporting();
    for (const text of ['no url', 'ftp://a.example/', ''])
      expect(() => inputOf(text, reporter)).toThrow('is not an http or https URL.');
  });

  testIf(IS_POSIX)('a folder is refused with the pattern of its files, with one slash', () => {
    const path = at(['maps/a.xml']);
    const { reporter } = reporting();
    for (const name of [path('maps'), `${path('maps')}/`]) {
      const hint = `as ${path('maps')}/*.xml`;
      expect(() => inputOf(name, reporter)).toThrow(expect.objectContaining({ hint }));
    }
  });

  testIf(IS_POSIX)('a device can be read once', () => {
    const path = at(['a.xml']);
    const { reporter } = reporting();
    expect(inputOf(path('a.xml'), reporter)).toMatchObject({ type: 'file', isRegular: true });
    expect(inputOf('/dev/null', reporter)).toMatchObject({ type: 'file', isRegular: false });
    mkdirSync(path('folder'));
  });
});

test('--url is an absolute URL, of one input', () => {
  expect(() => checkUrl(undefined, ['a', 'b'])).not.toThrow();
  expect(() => checkUrl('https://a.example/', ['a'])).not.toThrow();
  expect(() => checkUrl('https://a.example/')).not.toThrow();
  expect(() => checkUrl('https://a.example/', ['a', 'b'])).toThrow('and there are several inputs.');
  for (const url of ['a.example', '/a', ''])
    expect(() => checkUrl(url, ['a'])).toThrow(`--url needs an absolute URL, not "${url}".`);
});

describe('one input after the other', () => {
  let stop: AbortController;
  async function codeOf(...errors: readonly (Error | undefined)[]) {
    stop = new AbortController();
    const { reporter, lines } = reporting();
    const seen: number[] = [];
    const code = await forEachInput([...errors.keys()], { io: stop, reporter }, async (at) => {
      seen.push(at);
      const error = errors[at];
      if (error?.message === 'interrupted') stop.abort();
      if (error !== undefined) throw error;
    });
    return { code, seen, lines };
  }

  test('what cannot be opened is reported, and the others are read', async () => {
    expect(await codeOf(undefined, undefined)).toEqual({ code: 0, seen: [0, 1], lines: [] });
    const bad = new UsageError('bad', { hint: 'good' });
    expect(await codeOf(bad, undefined, bad)).toEqual({
      code: 2,
      seen: [0, 1, 2],
      lines: ['usp: bad\n', 'hint: good\n', 'usp: bad\n', 'hint: good\n'],
    });
  });

  test('an output that cannot be written, or a bug, ends it', async () => {
    await expect(codeOf(new Unwritable('full'), undefined)).rejects.toThrow('full');
    await expect(codeOf(new TypeError('bug'), undefined)).rejects.toThrow('bug');
  });

  test('a damaged archive is one that cannot be opened, but not where the user interrupts', async () => {
    const damaged = (message: string): Error => new SitemapException(message, { code: 'archive-damaged' });
    expect(await codeOf(damaged('a.warc is damaged'), undefined)).toEqual({
      code: 2,
      seen: [0, 1],
      lines: ['usp: a.warc is damaged\n'],
    });
    for (const error of [damaged('interrupted'), new UsageError('interrupted')])
      await expect(codeOf(error, undefined)).rejects.toThrow(error);
  });
});
