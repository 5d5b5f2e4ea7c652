/** Specification §9, who gets which headers. */
import { describe, expect, test } from 'vitest';
import { headersFor } from '../../../src/fetch/rules/headers.ts';
import type { Logger } from '../../../src/options/options.ts';
import type { ResolvedOptions } from '../../../src/options/resolve.ts';
import { VERSION } from '../../../src/options/version.ts';
import { isSameSite } from '../../../src/url.ts';
import { testCertificate } from '../../server/scripted-server.ts';
import { fetching, readAll, serving } from '../../support/fetching.ts';

function logging(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const add = (line: string): void => {
    lines.push(line);
  };
  return { lines, debug: add, info: add, warn: add, error: add };
}

function sent(site: string, headers: ResolvedOptions['headers'], to: string): Record<string, string> {
  return headersFor({ site: new URL(site), userAgent: 'test/1', headers, logger: logging() })(new URL(to));
}

describe('§9 all other headers go only to the homepage’s host', () => {
  test.each([
    ['http://example.org/', 'http://example.org/x', true],
    ['http://example.org/', 'https://example.org/x', true],
    ['http://example.org/', 'http://www.example.org/x', true],
    ['http://example.org/', 'https://www.example.org/x', true],
    ['https://www.example.org/', 'https://example.org/x', true],
    ['https://example.org/', 'https://EXAMPLE.org:443/x', true],
    ['https://example.org/', 'http://example.org/x', false],
    ['https://example.org/', 'https://example.org:8443/x', false],
    ['http://example.org:8080/', 'http://example.org:8080/x', true],
    ['http://example.org:8080/', 'https://example.org/x', false],
    ['https://example.org/', 'https://cdn.example.org/x', false],
    ['https://example.org/', 'https://example.org.evil.net/x', false],
    ['https://example.org/', 'https://wwwexample.org/x', false],
    ['https://example.org/', 'https://evil.net/example.org', false],
  ])('from %s to %s: %j', (site, url, gets) => {
    expect(isSameSite(new URL(site), new URL(url))).toBe(gets);
    const headers = sent(site, { Cookie: 'a=b', Accept: 'text/xml' }, url);
    expect(headers).toEqual({
      ...(gets ? { cookie: 'a=b' } : {}),
      'user-agent': 'test/1',
      accept: 'text/xml',
    });
  });

  test.each([
    ['https://staging.test/', 'https://other.test/x', true],
    ['https://staging.test/', 'http://other.test/x', false],
    ['https://staging.test/', 'http://staging.test/x', false],
    ['http://staging.test/', 'http://other.test/x', true],
    ['http://staging.test/', 'https://other.test/x', true],
  ])('hosts that stand for others, from %s to %s: %j', (site, url, gets) => {
    const rules = { site: new URL(site), userAgent: 'test/1', headers: { 'x-key': '1' }, logger: logging() };
    const isHere = ({ host }: URL): boolean => host === 'staging.test' || host === 'other.test';
    expect(headersFor({ ...rules, isHere })(new URL(url))['x-key']).toBe(gets ? '1' : undefined);
  });

  test('User-Agent and Accept go everywhere', async () => {
    const server = await serving({ '/': 'x' });
    const elsewhere = fetching('http://site.test/', { allowPrivateNetworks: true });
    for (const fetcher of [fetching(server.origin), elsewhere])
      await readAll(await fetcher.fetch(`${server.origin}/`));
    for (const { headers } of server.requests) {
      expect(headers['user-agent']).toBe(`ultimate-sitemap-parser/${VERSION}`);
      expect(headers.accept).toContain('application/xml');
    }
  });

  test('§8 a Headers is as good as an object, and so is one that a function returns', async () => {
    const server = await serving({ '/': 'x' });
    for (const headers of [new Headers({ 'X-Key': 'k' }), () => new Headers({ 'X-Key': 'k' })]) {
      await readAll(await fetching(server.origin, { headers }).fetch(`${server.origin}/`));
      expect(server.requests.at(-1)?.headers['x-key']).toBe('k');
    }
  });

  test('a function of the URL decides for itself', () => {
    const headers = (url: string): Record<string, string> | undefined =>
      url.includes('evil') ? undefined : { 'X-Key': 'k', 'user-agent': 'mine' };
    expect(sent('https://example.org/', headers, 'https://cdn.net/')).toMatchObject({
      'x-key': 'k',
      'user-agent': 'mine',
    });
    expect(sent('https://example.org/', headers, 'https://evil.net/')).not.toHaveProperty('x-key');
  });

  test('what such a function throws, or a wrong return, rejects the call', async () => {
    const server = await serving({ '/': 'x' });
    const bug = new Error('bug');
    const throwing = fetching(server.origin, {
      headers: () => {
        throw bug;
      },
    });
    await expect(throwing.fetch(`${server.origin}/`)).rejects.toBe(bug);
    for (const given of [
      { 'bad name': 'x' },
      // An async function: its headers would not be sent.
      Promise.resolve({ 'x-key': 'k' }),
      Promise.reject(bug),
    ]) {
      const headers = (): Record<string, string> => Object(given);
      const wrong = fetching(server.origin, { headers });
      await expect(wrong.fetch(`${server.origin}/`)).rejects.toMatchObject({ code: 'bad-option' });
    }
    expect(server.requests).toEqual([]);
  });

  test('every hop of a redirect is decided anew, and a log line says what was withheld', async () => {
    const home = await serving({ '/s.xml': { redirect: 'SET' }, '/back.xml': 'arrived' });
    const other = await serving({ '/t.xml': { redirect: `${home.origin}/back.xml` } });
    home.site['/s.xml'] = { redirect: `${other.origin}/t.xml` };
    const logger = logging();
    const site = home.origin.replace('//', '//user:p%40ss@');
    const fetcher = fetching(site, { headers: { 'X-Token': 'secret' }, logger, allowPrivateNetworks: true });
    await readAll(await fetcher.fetch(`${home.origin}/s.xml`));
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    for (const { headers } of home.requests)
      expect(headers).toMatchObject({ 'x-token': 'secret', authorization });
    expect(other.requests[0]?.headers).not.toHaveProperty('x-token');
    expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(logger.lines.filter((line) => line.includes('withheld'))).toHaveLength(1);
    expect(logger.lines.join()).not.toMatch(/secret|p%40ss|p@ss/);
  });
});

describe('§9 credentials and cookies over redirects between http and https', () => {
  const SECRET = { authorization: 'Bearer hush', cookie: 'token=hush', 'x-key': 'hush' };
  const secretsOf = ({ requests }: { requests: readonly { headers: object }[] }) =>
    requests.map(({ headers }) => Object.keys(SECRET).filter((name) => name in headers));

  /** Two servers of one host; the first and the last document are on the plain one, or on the one with TLS. */
  async function ridden(first: 'http' | 'https', other = 'localhost') {
    const plain = await serving({});
    const secure = await serving({}, { tls: true });
    const places = { http: `http://localhost:${plain.port}`, https: `https://${other}:${secure.port}` };
    const back = { http: places.http, https: `https://localhost:${secure.port}` };
    const second = first === 'http' ? 'https' : 'http';
    const [from, to] = first === 'http' ? [plain, secure] : [secure, plain];
    from.site['/a.xml'] = { redirect: `${places[second]}/b.xml` };
    to.site['/b.xml'] = { redirect: `${back[first]}/c.xml` };
    from.site['/c.xml'] = 'arrived';
    const options = { headers: SECRET, ca: testCertificate().cert, allowPrivateNetworks: true };
    const fetcher = fetching(back[first], options);
    expect((await readAll(await fetcher.fetch(`${back[first]}/a.xml`))).text).toBe('arrived');
    return { from: secretsOf(from), to: secretsOf(to) };
  }
  const ALL = Object.keys(SECRET);

  // The upgrade of a site at port 80 is at port 443; which hosts and ports are the site has its table above.
  test('http to https at a port that is not of the site, and back: nothing goes to the other port', async () => {
    expect(await ridden('http')).toEqual({ from: [ALL, ALL], to: [[]] });
  });

  test('https to http and back: nothing goes over http', async () => {
    expect(await ridden('https')).toEqual({ from: [ALL, ALL], to: [[]] });
  });

  test('http to https of another host and back: nothing goes to the other host', async () => {
    expect(await ridden('http', '127.0.0.1')).toEqual({ from: [ALL, ALL], to: [[]] });
  });
});

test('§9 what is withheld is logged once for each host, and only where something is', () => {
  const headersBy = (headers: Record<string, string>, site = 'https://example.org/') => {
    const logger = logging();
    const of = headersFor({ site: new URL(site), userAgent: 'test/1', headers, logger });
    for (const url of ['https://a.test/1', 'https://a.test/2', 'https://b.test:81/', 'https://example.org/'])
      of(new URL(url));
    return logger.lines;
  };
  const withheld = ['a.test', 'b.test:81'].map(
    (host) => `Headers for example.org are withheld from ${host}.`,
  );
  expect(headersBy({ 'X-Key': '1' })).toEqual(withheld);
  expect(headersBy({}, 'https://user:secret@example.org/')).toEqual(withheld);
  expect(headersBy({ 'USER-AGENT': 'mine', Accept: '*/*' })).toEqual([]);
  expect(headersBy({})).toEqual([]);
});

test.each([
  ['https://example.org/x', 'Basic dXNlcjpzZWNyZXQ='],
  ['https://www.example.org/x', 'Basic dXNlcjpzZWNyZXQ='],
  ['https://cdn.test/', undefined],
  ['http://example.org/x', undefined],
])(
  '§9 beside a function of the URL, userinfo goes to the homepage’s host alone: %s',
  (url, authorization) => {
    const site = 'https://user:secret@example.org/';
    expect(sent(site, () => ({ 'X-Key': 'k' }), url)['authorization']).toBe(authorization);
    expect(sent(site, () => undefined, url)['authorization']).toBe(authorization);
    expect(sent(site, () => ({ AUTHORIZATION: 'mine' }), url)['authorization']).toBe('mine');
  },
);

test('§9 a User-Agent of the headers goes everywhere, in place of the option', () => {
  for (const url of ['https://example.org/', 'https://cdn.test/'])
    expect(sent('https://example.org/', { 'User-AGENT': 'mine', Accept: 'a/b' }, url)).toEqual({
      'user-agent': 'mine',
      accept: 'a/b',
    });
});

describe('§9 userinfo in the homepage becomes Basic auth', () => {
  test('an explicit Authorization header wins', () => {
    const headers = sent(
      'https://user:secret@example.org/',
      { Authorization: 'Bearer t' },
      'https://example.org/',
    );
    expect(headers).toMatchObject({ authorization: 'Bearer t' });
  });

  test('userinfo of any other URL is not sent', async () => {
    const server = await serving({ '/s.xml': 'x' });
    await readAll(await fetching(server.origin).fetch(`${server.origin.replace('//', '//a:b@')}/s.xml`));
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});

test('§9 an Accept-Encoding of the caller is sent in place of ours', async () => {
  const server = await serving({ '/s.txt': 'text' });
  const fetcher = fetching(server.origin, { headers: { 'Accept-Encoding': 'identity' } });
  await readAll(await fetcher.fetch(`${server.origin}/s.txt`));
  expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
});
