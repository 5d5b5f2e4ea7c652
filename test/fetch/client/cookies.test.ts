/** Specification §15: cookies go back to the origin that set them, and nowhere else (RFC 6265). */
import { describe, expect, test } from 'vitest';
import { CookieJar } from '../../../src/fetch/client/cookies.ts';
import { testCertificate } from '../../server/scripted-server.ts';
import { failed, fetching, readAll, serving } from '../../support/fetching.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('which URL gets a cookie', () => {
  test.each<[string, string, string, string | undefined]>([
    ['a=1', 'https://a.test/x/y', 'https://a.test/x/z', 'a=1'],
    ['a=1', 'https://a.test/x/y', 'https://a.test/', undefined],
    ['a=1; Path=/', 'https://a.test/x/y', 'https://a.test/', 'a=1'],
    ['a=1; Path=/x; Path=/', 'https://a.test/', 'https://a.test/s.xml', 'a=1'],
    ['a=1; Path=/; Path=/x', 'https://a.test/', 'https://a.test/s.xml', undefined],
    ['a=1; path=/x', 'https://a.test/', 'https://a.test/x', 'a=1'],
    ['a=1; path=/x', 'https://a.test/', 'https://a.test/x/y', 'a=1'],
    ['a=1; path=/x', 'https://a.test/', 'https://a.test/xy', undefined],
    ['a=1; path=/x/', 'https://a.test/', 'https://a.test/x/y', 'a=1'],
    ['a=1; path=nonsense', 'https://a.test/x/y', 'https://a.test/x/z', 'a=1'],
    ['a=1', 'https://a.test/', 'https://b.test/', undefined],
    ['a=1', 'https://a.test/', 'https://www.a.test/', undefined],
    ['a=1', 'https://a.test/', 'http://a.test/', undefined],
    ['a=1', 'http://a.test/', 'https://a.test/', undefined],
    ['a=1', 'https://a.test/', 'https://a.test:8443/', undefined],
    ['a=1; Domain=a.test', 'https://www.a.test/', 'https://www.a.test/', 'a=1'],
    ['a=1; Domain=.a.test', 'https://www.a.test/', 'https://www.a.test/', 'a=1'],
    ['a=1; Domain=a.test', 'https://www.a.test/', 'https://a.test/', undefined],
    ['a=1; Domain=a.test', 'https://www.a.test/', 'https://evil.a.test/', undefined],
    ['a=1; Domain=b.test', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1; Domain=www.a.test', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1; Domain=', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; Secure', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; secure', 'http://a.test/', 'http://a.test/', undefined],
    ['a=1; HttpOnly; SameSite=Strict; Partitioned', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; Max-Age=60', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; Max-Age=0', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1; Max-Age=-5', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1; Max-Age=0; Max-Age=60', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; Max-Age=60; Max-Age=0', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1; Max-Age=soon', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; Expires=Wed, 09-Jun-2100 10:18:14 GMT', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; Expires=nonsense', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'https://a.test/', 'https://a.test/', 'a=1'],
    [' a = 1 ;Path=/', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a="1=2"', 'https://a.test/', 'https://a.test/', 'a="1=2"'],
    ['a=', 'https://a.test/', 'https://a.test/', 'a='],
    ['a=1; Path=/X', 'https://a.test/', 'https://a.test/x', undefined],
    ['a=1', 'https://a.test/x', 'https://a.test/y', 'a=1'],
    ['a=1', 'https://a.test/x/y/', 'https://a.test/x/y', 'a=1'],
    ['a=1', 'https://a.test/x/y/', 'https://a.test/x/z', undefined],
    ['a=1; Path=', 'https://a.test/x/y', 'https://a.test/x/z', 'a=1'],
    ['a=1; path=/x/', 'https://a.test/', 'https://a.test/x', undefined],
    ['a=1; Domain=A.TEST', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; Domain=a.test', 'https://evila.test/', 'https://evila.test/', undefined],
    ['a=1; Domain=test; Domain=b.test', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1; Max-Age=+5', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['a=1; MAX-AGE=0', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1; Max-Age=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'https://a.test/', 'https://a.test/', 'a=1'],
    [
      'a=1; Max-Age=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'https://a.test/',
      'https://a.test/',
      undefined,
    ],
    [
      'a=1; Max-Age=0; Expires=Wed, 09 Jun 2100 10:18:14 GMT',
      'https://a.test/',
      'https://a.test/',
      undefined,
    ],
    ['a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1; Expires=Thu, 01 Jan 2026 00:00:01 GMT', 'https://a.test/', 'https://a.test/', 'a=1'],
    ['=1', 'https://a.test/', 'https://a.test/', '1'],
    ['=', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1\t2', 'https://a.test/', 'https://a.test/', 'a=1\t2'],
    ['a=\u00e9', 'https://a.test/', 'https://a.test/', 'a=\u00e9'],
    ['a=\u007f', 'https://a.test/', 'https://a.test/', undefined],
    ['\u0142=1', 'https://a.test/', 'https://a.test/', undefined],
    ['just-a-value', 'https://a.test/', 'https://a.test/', 'just-a-value'],
    ['', 'https://a.test/', 'https://a.test/', undefined],
    ['; Path=/', 'https://a.test/', 'https://a.test/', undefined],
    ['a=1\u0000', 'https://a.test/', 'https://a.test/', undefined],
    ['a=\u0142', 'https://a.test/', 'https://a.test/', undefined],
    [`a=${'x'.repeat(4095)}`, 'https://a.test/', 'https://a.test/', `a=${'x'.repeat(4095)}`],
    [`a=${'x'.repeat(4096)}`, 'https://a.test/', 'https://a.test/', undefined],
  ])('%j of %s, for %s', (text, from, to, sent) => {
    const jar = new CookieJar(() => NOW);
    jar.store(new URL(from), [text]);
    expect(jar.headerFor(new URL(to))).toBe(sent);
  });

  test('several: longer paths first, then in their order; a later value replaces an earlier one', () => {
    const jar = new CookieJar(() => NOW);
    jar.store(new URL('https://a.test/'), ['a=1', 'b=2', 'c=3; Path=/x', 'a=4']);
    expect(jar.headerFor(new URL('https://a.test/x'))).toBe('c=3; b=2; a=4');
  });

  test('the caller’s own cookies come first, and win', () => {
    const jar = new CookieJar(() => NOW);
    jar.store(new URL('https://a.test/'), ['session=theirs', 'lang=de']);
    expect(jar.headerFor(new URL('https://a.test/'), 'session=mine; x=1')).toBe('session=mine; x=1; lang=de');
  });

  test('cookies of one name and several paths are several, and both are sent', () => {
    const jar = new CookieJar(() => NOW);
    jar.store(new URL('https://a.test/x/y'), ['a=1; Path=/', 'a=2', 'b=3; Path=/x']);
    expect(jar.headerFor(new URL('https://a.test/x/z'))).toBe('a=2; b=3; a=1');
    expect(jar.headerFor(new URL('https://a.test/'))).toBe('a=1');
  });

  test.each([
    ['', 'a=1; b=2'],
    ['c=3', 'c=3; a=1; b=2'],
    [' b = 4;c=3', ' b = 4;c=3; a=1'],
    ['a=9; b=8', 'a=9; b=8'],
    ['A=9', 'A=9; a=1; b=2'],
  ])('beside the header %j of the caller: %j', (own, all) => {
    const jar = new CookieJar(() => NOW);
    jar.store(new URL('https://a.test/'), ['a=1', 'b=2']);
    expect(jar.headerFor(new URL('https://a.test/'), own)).toBe(all);
    expect(new CookieJar().headerFor(new URL('https://a.test/'), own)).toBe(own === '' ? undefined : own);
  });

  test('a change is a new value, and not the same one again', () => {
    const jar = new CookieJar(() => NOW);
    const changes = [
      'a=1',
      'a=1',
      'a=2',
      'a=2; Path=/x',
      'b=; Max-Age=0',
      'a=; Max-Age=0',
      'a=; Max-Age=0',
    ].map((text) => {
      jar.store(new URL('https://a.test/'), [text]);
      return jar.changes;
    });
    expect(changes).toEqual([1, 1, 2, 3, 3, 4, 4]);
  });

  test('an expired one is no longer sent', () => {
    let now = NOW;
    const jar = new CookieJar(() => now);
    jar.store(new URL('https://a.test/'), ['a=1; Max-Age=60']);
    now += 59_999;
    expect(jar.headerFor(new URL('https://a.test/'))).toBe('a=1');
    now += 2;
    expect(jar.headerFor(new URL('https://a.test/'))).toBeUndefined();
  });

  test('one that is set again with a time that is over is removed, and that is a change', () => {
    const jar = new CookieJar(() => NOW);
    jar.store(new URL('https://a.test/'), ['a=1', 'b=2']);
    jar.store(new URL('https://a.test/'), ['a=; Max-Age=0']);
    expect(jar.headerFor(new URL('https://a.test/'))).toBe('b=2');
    expect(jar.changes).toBe(3);
  });
});

describe('a jar is bounded', () => {
  test('in cookies of an origin: the oldest are forgotten', () => {
    const jar = new CookieJar(() => NOW);
    const url = new URL('https://a.test/');
    jar.store(
      url,
      Array.from({ length: 1000 }, (_, i) => `c${i}=1`),
    );
    const sent = jar.headerFor(url)!.split('; ');
    expect([sent.length, sent[0], sent.at(-1)]).toEqual([50, 'c950=1', 'c999=1']);
  });

  test('in bytes of an origin', () => {
    const jar = new CookieJar(() => NOW);
    const url = new URL('https://a.test/');
    jar.store(
      url,
      Array.from({ length: 50 }, (_, i) => `c${i}=${'x'.repeat(4000)}`),
    );
    expect(jar.headerFor(url)!.length).toBeLessThanOrEqual(8192);
    expect(jar.headerFor(url)).toContain('c49=');
  });

  test.each([
    [4092, 2],
    [4093, 1],
  ])('in bytes of an origin, to the byte: of two with %i bytes %i are kept', (length, count) => {
    const jar = new CookieJar(() => NOW);
    const url = new URL('https://a.test/');
    // Each has a name of one byte, and "=" and "; " around it; the second is always the shorter one.
    jar.store(url, [`a=${'x'.repeat(length)}`, `b=${'y'.repeat(4092)}`]);
    const names = jar
      .headerFor(url)!
      .split('; ')
      .map((pair) => pair[0]);
    expect(names).toEqual(['a', 'b'].slice(2 - count));
  });

  test('in origins, to the number: 256 are kept', () => {
    const jar = new CookieJar(() => NOW);
    const urls = Array.from({ length: 257 }, (_, at) => new URL(`https://h${at}.test/`));
    const first = (): string | undefined => jar.headerFor(urls[0]!);
    for (const url of urls.slice(0, 256)) jar.store(url, ['a=1']);
    expect(first()).toBe('a=1');
    jar.store(urls[256]!, ['a=1']);
    expect([first(), jar.headerFor(urls[1]!), jar.headerFor(urls[2]!)]).toEqual(['a=1', undefined, 'a=1']);
  });

  test('in origins: those that were not used for the longest time are forgotten', () => {
    const jar = new CookieJar(() => NOW);
    const home = new URL('https://home.test/');
    jar.store(home, ['a=1']);
    for (let i = 0; i < 1000; i++) {
      jar.store(new URL(`https://h${i}.test/`), ['a=1']);
      expect(jar.headerFor(home)).toBe('a=1');
    }
    expect(jar.headerFor(new URL('https://h0.test/'))).toBeUndefined();
    expect(jar.headerFor(new URL('https://h999.test/'))).toBe('a=1');
  });
});

describe('the option cookies', () => {
  const setting = (cookie: string | string[], redirect: string) => ({
    redirect,
    headers: { 'set-cookie': cookie },
  });

  test('a site that redirects in circles until its cookie comes back is read', async () => {
    const server = await serving({
      '/s.xml': ({ headers }) =>
        headers.cookie === 'ok=1; also=2' ? 'the sitemap' : setting(['ok=1; Path=/', 'also=2'], '/s.xml'),
      '/far.xml': ({ headers }) => (headers.cookie?.includes('far=1') ? 'read' : { redirect: '/check' }),
      '/check': setting('far=1; Path=/', '/far.xml'),
    });
    const with_ = fetching(server.origin, { cookies: true });
    expect((await readAll(await with_.fetch(`${server.origin}/s.xml`))).text).toBe('the sitemap');
    expect((await readAll(await with_.fetch(`${server.origin}/far.xml`))).text).toBe('read');
    const without = fetching(server.origin);
    expect(failed(await without.fetch(`${server.origin}/s.xml`)).code).toBe('redirects');
  });

  test('cookies that the caller sends go first, whatever the case of the name', async () => {
    const server = await serving({
      '/s.xml': ({ headers }) => (headers.cookie === 'own=1; a=2' ? 'read' : setting('a=2', '/s.xml')),
    });
    const fetcher = fetching(server.origin, { cookies: true, headers: { COOKIE: 'own=1' } });
    expect((await readAll(await fetcher.fetch(`${server.origin}/s.xml`))).text).toBe('read');
  });

  test('a circle that sets the same cookie again and again ends', async () => {
    const server = await serving({ '/s.xml': setting('a=1', '/s.xml'), '/t.xml': setting('t=1', '/t.xml') });
    const fetcher = fetching(server.origin, { cookies: true });
    expect(failed(await fetcher.fetch(`${server.origin}/s.xml`)).reason).toContain('in a circle');
    expect(server.requests).toHaveLength(2);
  });

  test('a circle with a new cookie each time ends after ten redirects', async () => {
    let n = 0;
    const server = await serving({ '/s.xml': () => setting(`a=${n++}`, '/s.xml') });
    const fetcher = fetching(server.origin, { cookies: true });
    expect(failed(await fetcher.fetch(`${server.origin}/s.xml`)).reason).toContain('more than 10 redirects');
  });

  test('a cookie does not go to another origin, nor to another call', async () => {
    const own = await serving({
      '/a': { body: 'x', headers: { 'set-cookie': 'secret=1; Path=/' } },
      '/b': 'y',
    });
    const other = await serving({ '*': 'z' });
    const options = { cookies: true, allowPrivateNetworks: true };
    const fetcher = fetching(own.origin, options);
    for (const url of [
      `${own.origin}/a`,
      `${own.origin}/b`,
      `${other.origin}/b`,
      `http://localhost:${own.port}/b`,
    ]) {
      await readAll(await fetcher.fetch(url));
    }
    await readAll(await fetching(own.origin, options).fetch(`${own.origin}/b`));
    const sent = [...own.requests, ...other.requests].map(({ host, headers }) => [host, headers.cookie]);
    const at = (port: number): string => `127.0.0.1:${port}`;
    expect(sent).toEqual([
      [at(own.port), undefined],
      [at(own.port), 'secret=1'],
      [`localhost:${own.port}`, undefined],
      [at(own.port), undefined],
      [at(other.port), undefined],
    ]);
  });

  test('cookies are neither logged nor part of a failure', async () => {
    const server = await serving({
      '/a': { status: 404, headers: { 'set-cookie': 'secret=hush; Path=/' } },
      '/b': { redirect: '/b' },
    });
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    const fetcher = fetching(server.origin, { cookies: true, logger });
    const failures = [await fetcher.fetch(`${server.origin}/a`), await fetcher.fetch(`${server.origin}/b`)];
    expect(server.requests.at(-1)?.headers.cookie).toBe('secret=hush');
    expect(JSON.stringify([failures, lines])).not.toContain('hush');
  });

  test('a Secure cookie goes over https', async () => {
    const server = await serving(
      { '/a': { body: 'x', headers: { 'set-cookie': 's=1; Secure; Path=/' } }, '/b': 'y' },
      { tls: true },
    );
    const fetcher = fetching(server.origin, { cookies: true, ca: testCertificate().cert });
    for (const path of ['/a', '/b']) await readAll(await fetcher.fetch(server.origin + path));
    expect(server.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 's=1']);
  });
});
