/** §11.1: a site that was saved is read again from its archive, with every response as it was. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { loadTree, type Sitemap, saveTree, sitemapTreeForHomepage, warcClient } from '../../src/index.ts';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { recordsOf } from '../support/archives.ts';
import { usp } from '../support/cli-world.ts';
import { QUICK, urlsOf } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { codeOf } from '../support/sitemaps.ts';

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const { proxy: _, ...OFFLINE } = QUICK;

/** A site whose documents fail in every way that a server can make them. */
async function brokenSite(): Promise<ScriptedServer> {
  const server = await startServer({});
  servers.push(server);
  const { origin } = server;
  const names = [
    'good',
    'error',
    'gone',
    'missing',
    'empty',
    'html',
    'cut',
    'moved',
    'circle',
    'lost',
    'moved-html',
  ];
  Object.assign(server.site, {
    '/robots.txt': ['/index.xml'],
    '/index.xml': index(...names.map((name) => `${origin}/${name}.xml`)),
    '/good.xml': { pages: ['/1'] },
    '/error.xml': { status: 500, body: 'an error', headers: { 'x-trace': 'abc' } },
    '/gone.xml': { status: 410 },
    '/empty.xml': { body: '' },
    '/html.xml': { body: `<!DOCTYPE html><html><body>${'soft '.repeat(5000)}</body></html>` },
    '/cut.xml': { pages: ['/2', '/3'], truncateAfter: 92 },
    '/moved.xml': { redirect: '/new.xml' },
    '/new.xml': { status: 503, body: 'later' },
    '/moved-html.xml': { redirect: '/page.html' },
    '/page.html': '<html>a page</html>',
    '/circle.xml': { redirect: '/circle.xml' },
    '/lost.xml': { status: 302 },
  });
  return server;
}

async function savedSite(): Promise<{
  readonly tree: Sitemap;
  readonly path: string;
  readonly origin: string;
}> {
  const server = await brokenSite();
  const tree = await sitemapTreeForHomepage(server.origin, QUICK);
  const path = join(folder(), 'site.warc.gz');
  await saveTree(tree, path);
  await server.close();
  return { tree, path, origin: server.origin };
}

/** A tree without the words for people, which may name another cause of a document that is cut. */
function facts(tree: Sitemap): unknown {
  return [tree, ...tree.allSitemaps()].map((node) => ({
    kind: node.kind,
    url: node.url,
    declaredUrl: node.declaredUrl,
    truncated: node.truncated,
    status: node.status,
    code: node.kind === 'invalid' ? node.code : undefined,
    problems: node.problems.map(({ code }) => code),
    pages: urlsOf(node.pages),
  }));
}

describe('§11.1 our own archive', () => {
  test('replays a 500, a 410, a 404, an empty 200, an HTML page, a cut body and redirects as they were', async () => {
    const { tree, path, origin } = await savedSite();
    const again = await sitemapTreeForHomepage(origin, { ...OFFLINE, webClient: warcClient(path) });
    expect(facts(again)).toEqual(facts(tree));
    expect(again.triedPaths).toEqual(tree.kind === 'website' ? tree.triedPaths : []);
    expect([again.complete, again.problems]).toEqual([tree.complete, tree.problems]);
    for (const each of [tree, again]) each.close();
  });

  test('has a record of each response that gave no sitemap, with its head, and keeps it when it is saved again', async () => {
    const { tree, path, origin } = await savedSite();
    const second = join(folder(), 'second.warc');
    const loaded = await loadTree(path);
    await saveTree(loaded, second);
    for (const file of [path, second]) {
      const records = await recordsOf(file);
      const responses = new Map(
        records.map(({ uri, status, headers, text }) => [uri, { status, headers, text }]),
      );
      expect(responses.get(`${origin}/error.xml`)).toMatchObject({
        status: 'HTTP/1.1 500 Internal Server Error',
        headers: { 'x-trace': 'abc' },
      });
      expect(responses.get(`${origin}/gone.xml`)?.status).toBe('HTTP/1.1 410 Gone');
      expect(responses.get(`${origin}/empty.xml`)).toMatchObject({ status: 'HTTP/1.1 200 OK', text: '' });
      expect(responses.get(`${origin}/html.xml`)?.text).toMatch(/^<!DOCTYPE html>/);
      expect(responses.get(`${origin}/new.xml`)?.status).toBe('HTTP/1.1 503 Service Unavailable');
      expect(responses.get(`${origin}/sitemap.xml`)?.status).toBe('HTTP/1.1 404 Not Found');
    }
    for (const each of [tree, loaded]) each.close();
  });

  test('usp diff of an archive and of what was read from it reports no removal', async () => {
    const server = await brokenSite();
    const [before, first, second] = ['0', '1', '2'].map((name) => join(folder(), `${name}.warc.gz`)) as [
      string,
      string,
      string,
    ];
    const good = server.site['/error.xml'];
    server.site['/error.xml'] = { pages: ['/9'] };
    const flags = ['-q', '--retries', '0'];
    await usp(['ls', server.origin, '--save', before, '--proxy', 'none', ...flags]);
    server.site['/error.xml'] = good!;
    await usp(['ls', server.origin, '--save', first, '--proxy', 'none', ...flags]);
    await server.close();
    await usp(['ls', server.origin, '--from-warc', first, '--save', second, ...flags]);
    const replayed = await usp(['diff', first, second]);
    expect([replayed.code, replayed.stdout]).toEqual([0, '']);
    const removed = await usp(['diff', before, second]);
    expect([removed.code, removed.stdout]).toEqual([0, '']);
    expect(removed.stderr).toContain('1 unknown');
  });
});

describe('§11.1 a URL that is not in the file', () => {
  async function foreign(): Promise<{ readonly path: string; readonly origin: string }> {
    const origin = 'http://a.test';
    const body = index(`${origin}/a.xml`, `${origin}/b.xml`);
    const record = (url: string, text: string): string => {
      const block = `HTTP/1.1 200 OK\r\n\r\n${text}`;
      return `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ${url}\r\nContent-Length: ${Buffer.byteLength(block)}\r\n\r\n${block}\r\n\r\n`;
    };
    const path = join(folder(), 'part.warc');
    writeFileSync(
      path,
      record(`${origin}/robots.txt`, robots(`${origin}/index.xml`)) +
        record(`${origin}/index.xml`, body) +
        record(`${origin}/a.xml`, urlset(`${origin}/1`)),
    );
    return { path, origin };
  }

  test('is a failure of its own, and no 404: it names the file, is not settled, and known paths are silent', async () => {
    const { path, origin } = await foreign();
    const tree = await sitemapTreeForHomepage(origin, { ...OFFLINE, webClient: warcClient(path) });
    const [lost] = [...tree.allSitemaps()].filter((node) => node.kind === 'invalid');
    expect(lost).toMatchObject({ url: `${origin}/b.xml`, code: 'not-in-archive', status: undefined });
    expect(lost?.reason).toContain(path);
    expect([tree.complete, tree.problems]).toEqual([false, []]);
    tree.close();
  });

  test('of several files, each URL is found in any of them, and the last response of them all counts', async () => {
    const { path, origin } = await foreign();
    const rest = join(folder(), 'rest.warc');
    const whole = await startServer({});
    servers.push(whole);
    const block = `HTTP/1.1 200 OK\r\n\r\n${urlset(`${origin}/2`)}`;
    const second = `HTTP/1.1 200 OK\r\n\r\n${urlset(`${origin}/new`)}`;
    const records = [[`${origin}/b.xml`, block] as const, [`${origin}/a.xml`, second] as const].map(
      ([url, text]) =>
        `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ${url}\r\nContent-Length: ${text.length}\r\n\r\n${text}\r\n\r\n`,
    );
    writeFileSync(rest, records.join(''));
    const tree = await sitemapTreeForHomepage(origin, { ...OFFLINE, webClient: warcClient([path, rest]) });
    expect(urlsOf(tree.allPages())).toEqual([`${origin}/new`, `${origin}/2`]);
    tree.close();
    for (const command of [
      ['ls', origin, '-f', 'pages', '--ordered'],
      ['check', origin, '-f', 'ndjson'],
      ['report', origin, '-o', join(folder(), 'report.html')],
      ['update', join(folder(), 'u.warc.gz'), origin, '-f', 'pages'],
    ]) {
      const ran = await usp([...command, '--from-warc', path, '--from-warc', rest, '-q']);
      expect([command[0], ran.stderr.includes('not in'), ran.code < 2]).toEqual([command[0], false, true]);
    }
    const listed = await usp([
      'ls',
      origin,
      '-f',
      'pages',
      '--ordered',
      '--from-warc',
      path,
      '--from-warc',
      rest,
    ]);
    expect(listed.stdout).toBe(`${origin}/new\n${origin}/2\n`);
    expect(await codeOf(() => warcClient([]))).toBe('bad-input');
  });
});
