/**
 * Attacks on the machine of the user: sitemaps that lead to private addresses, that steal credentials, that contain
 * commands for the terminal, the spreadsheet or the log. Only attacks without a test nearer to the code;
 * docs/reliability.md lists the others.
 */
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadTree, sitemapFromString, sitemapTreeForHomepage } from '../../src/index.ts';
import { startRawServer } from '../server/raw-server.ts';
import type { Site } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { DECLARED, QUICK, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { folderUntil } from '../support/folder.ts';
import { HAS_LINKS, IS_POSIX } from '../support/platform.ts';

const folder = folderUntil(afterAll);

const page = urlset('https://example.org/');

describe('requests that must not be made', () => {
  const tricks = (own: number, other: number): readonly string[] => [
    `http://127.0.0.1:${own}@127.0.0.1:${other}/1.xml`,
    `http://user:password@127.0.0.1:${other}/2.xml`,
    `http://127.0.0.1:${other}\\@127.0.0.1:${own}/3.xml`,
    `http://127.0.0.1:${other}#@127.0.0.1:${own}/4.xml`,
    `http://127.0.0.1:${other}?@127.0.0.1:${own}/5.xml`,
    `http:\\\\127.0.0.1:${other}\\6.xml`,
    `//127.0.0.1:${other}/7.xml`,
    `\\\\127.0.0.1:${other}/8.xml`,
    `http:////127.0.0.1:${other}/9.xml`,
    `http://127.0.0.1:0${other}/10.xml`,
    `http://127%2e0.0.1:${other}/11.xml`,
    `http://[::ffff:127.0.0.1]:${other}/12.xml`,
    `http://[0:0:0:0:0:ffff:7f00:1]:${other}/13.xml`,
    `http://[::127.0.0.1]:${other}/14.xml`,
    `http://[64:ff9b::127.0.0.1]:${other}/15.xml`,
    `http://[2002:7f00:1::]:${other}/16.xml`,
    `http://[::1]:${other}/17.xml`,
    `http://[::]:${other}/18.xml`,
    `http://0.0.0.0:${other}/19.xml`,
    `http://127.0.0.1\t:${other}/20.xml`,
    `ftp://127.0.0.1:${other}/21.xml`,
    `file://127.0.0.1:${other}/22.xml`,
    `javascript:fetch('http://127.0.0.1:${other}/')`,
  ];

  test('userinfo, backslashes, ports and IPv6 forms are refused as a child of an index, of robots.txt, and behind a redirect', async () => {
    const neighbour = await serving({ '*': page });
    const server = await siteOf({});
    const urls = tricks(server.port, neighbour.port);
    Object.assign(server.site, {
      '/robots.txt': robots(`${server.origin}/index.xml`, `${server.origin}/hops.xml`, ...urls),
      '/index.xml': index(...urls.map((url) => url.replaceAll('&', '&amp;'))),
      '/hops.xml': index(...urls.map((_, at) => `${server.origin}/hop/${at}`)),
      '*': ({ path }: { path: string }) =>
        path.startsWith('/hop/') ? { redirect: urls[Number(path.slice(5))]! } : { status: 404 },
    });
    const tree = await treeOf(server, DECLARED);
    expect(neighbour.connections).toBe(0);
    expect([...tree.allPages()]).toEqual([]);
    // Some of them are paths of the site itself, in spite of how they look, and do not exist there.
    const codes = Array.from(tree.allSitemaps(), (node) => (node.kind === 'invalid' ? node.code : node.kind));
    const refused = ['private-network', 'redirects', 'http-status', 'bad-url', 'unresolved'];
    expect(codes.filter((code) => !refused.includes(code)).sort()).toEqual([
      'index-xml',
      'index-xml',
      'robots-txt',
    ]);
    expect(codes.filter((code) => code === 'private-network').length).toBeGreaterThan(30);
  });

  test('a private address is refused in robots.txt, at known paths, in the homepage’s links and in its Link header', async () => {
    const neighbour = await serving({ '*': page });
    const inside = `${neighbour.origin}/secret.xml`;
    const server = await siteOf((origin) => ({
      '/': {
        body: `<html><head><link rel="sitemap" href="${inside}?1"><link rel="alternate" type="application/rss+xml" href="${inside}?2"></head></html>`,
        headers: { link: `<${inside}?3>; rel="sitemap"` },
      },
      '/robots.txt': { redirect: `${origin}/real-robots.txt` },
      '/real-robots.txt': { redirect: `${inside}?4` },
      '/sitemap.xml': { redirect: `${inside}?5` },
      '/sitemap_index.xml': index(`${inside}?6`),
      '/sitemap.txt': { redirect: `${inside}?7` },
    }));
    const tree = await treeOf(server, { ...QUICK, useHomepageLinks: true, extraKnownPaths: [`${inside}?8`] });
    expect(neighbour.connections).toBe(0);
    expect([...tree.allPages()]).toEqual([]);
    expect(tree.complete).toBe(false);
  });
});

describe('credentials', () => {
  test('headers and passwords go to the homepage’s origin only, through children and redirects, and into no log, listing or file', async () => {
    const stranger = await serving({});
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${stranger.origin}/1.xml`, `${origin}/2.xml`, `${origin}/3.xml`),
      '/2.xml': { redirect: `${stranger.origin}/2.xml` },
      '/3.xml': page,
      '/4.xml': page,
    }));
    Object.assign(stranger.site, { '/1.xml': page, '/2.xml': { redirect: `${server.origin}/4.xml` } });
    const [log, save] = [join(folder, 'leak.log'), join(folder, 'leak.warc.gz')];
    const home = server.origin.replace('//', '//me:hunter2@');
    const secrets = ['-H', 'Cookie: session=hunter2', '-H', 'X-Api-Key: hunter2'];
    const rest = ['-k', '--allow-private', '--proxy', 'none'];
    const told = await usp(['ls', home, '-f', 'json', ...secrets, ...rest, '-l', log, '--save', save]);
    const loud = await usp(['ls', home, '-f', 'ndjson', ...secrets, ...rest, '-vv']);
    expect([told.code, loud.code]).toEqual([0, 0]);
    for (const { headers } of stranger.requests) expect(JSON.stringify(headers)).not.toContain('hunter2');
    for (const { headers } of stranger.requests) expect(headers.authorization).toBeUndefined();
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({ cookie: 'session=hunter2', 'x-api-key': 'hunter2' });
      expect(headers.authorization).toBe(`Basic ${Buffer.from('me:hunter2').toString('base64')}`);
      expect(headers.referer).toBeUndefined();
    }
    const saved = gunzipSync(await readFile(save)).toString();
    const said = [told.stdout, told.stderr, loud.stdout, loud.stderr, await readFile(log, 'utf8'), saved];
    expect(said.filter((text) => /hunter2|bWU6aHVudGVyMg/.test(text))).toEqual([]);
  });
});

/** Control characters, bidi controls and separators: a terminal must not get them from a site. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these.
const HARMFUL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

describe('control characters in titles, URLs and statuses', () => {
  const EVIL = '\u001b]0;owned\u0007\u009b31m\u202eevil\u2066\u2028';
  const FORGED = 'x\r\n2024-01-01T00:00:00.000Z error forged';

  async function evilSite() {
    const raw = await startRawServer((socket) => {
      socket.end(`HTTP/1.1 404 Not\u001b[31mFound\u009b\r\nContent-Length: 0\r\n\r\n`, 'latin1');
    });
    onTestFinished(() => raw.close());
    return siteOf((origin) => ({
      '/robots.txt': `${robots(`${origin}/index.xml`)}\nSitemap: ${origin}/${EVIL}.xml\nSitemap: ${EVIL}\n`,
      '/index.xml': index(
        `${origin}/html.xml`,
        `${origin}/root.xml`,
        `${origin}/rss.xml`,
        `${origin}/lies\n2024-01-01T00:00:00.000Z error forged.xml`,
        `${raw.origin}/status.xml`,
        `${origin}/hop.xml`,
      ),
      '/html.xml': `<!DOCTYPE html><html><head><title>${FORGED}${EVIL}</title></head><body></body></html>`,
      '/root.xml': `<ev\u202eil${EVIL}><a/></ev>`,
      '/rss.xml': `<rss version="2.0"><channel><item><title>${FORGED}${EVIL}</title><link>https://h.example/${EVIL}</link></item></channel></rss>`,
      '/hop.xml': { redirect: `/\u202e${'%1b'}[31m` },
    }));
  }

  test.each(['tabtree', 'pages', 'tree', 'json', 'ndjson', 'csv'])(
    '-f %s prints none of them on a terminal',
    async (format) => {
      const { origin } = await evilSite();
      const argv = ['ls', origin, '-f', format, '-k', '-vv', '--allow-private', '--proxy', 'none'];
      const { stdout, stderr } = await usp(argv, { isTerminal: { stdout: true, stderr: true } });
      // Our own colours and the progress line use control characters, too.
      const own = (text: string) => stripVTControlCharacters(text).replaceAll('\r', '');
      expect(own(stdout)).not.toMatch(HARMFUL);
      expect(own(stderr)).not.toMatch(HARMFUL);
      expect(stdout).not.toContain('\u001b]');
      expect(stderr).not.toContain('\u001b]');
      expect(stdout + stderr).not.toContain('\u001b[31mFound');
    },
  );

  test('a title, a URL or a status cannot add a line to a log', async () => {
    const { origin } = await evilSite();
    const log = join(folder, 'forged.log');
    const argv = ['ls', origin, '-f', 'ndjson', '-k', '--allow-private', '--proxy', 'none'];
    const { stdout, stderr } = await usp([...argv, '-l', log]);
    const loud = await usp([...argv, '-vv']);
    const logged = await readFile(log, 'utf8');
    for (const text of [logged, stderr, loud.stderr]) {
      expect(text).not.toMatch(HARMFUL);
      expect(text.split('\n').filter((line) => /^\S* ?error forged/.test(line))).toEqual([]);
    }
    for (const line of logged.trimEnd().split('\n')) {
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (?:error|warn |info |debug) /);
      expect(line).not.toMatch(/^2024-01-01/);
    }
    // Each page is one line.
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toHaveProperty('newsStory.title');
  });

  test('-f pages prints a URL with line ends on one line', async () => {
    const site = urlset('https://h.example/a\r\nhttps://evil.example/', 'https://h.example/&#10;&#13;b');
    const { lines } = await usp(['ls', '-', '-f', 'pages'], { stdin: site });
    expect(lines).toEqual(['https://h.example/ahttps://evil.example/', 'https://h.example/b']);
  });

  test.each(['=', '+', '-', '@', '\t=', '\r=', '\uff1d', '\uff0b', '\uff0d', '\uff20'])(
    '-f csv: a cell that begins with %j is not a formula',
    async (start) => {
      const formula = `${start}HYPERLINK(&quot;http://evil.example&quot;)`;
      const news = `<news:news><news:title>&#32;${formula}</news:title><news:keywords>${formula}</news:keywords><news:genres>${formula}</news:genres><news:publication><news:name>${formula}</news:name><news:language>${formula}</news:language></news:publication></news:news>`;
      const video = `<video:video><video:title>${formula}</video:title></video:video>`;
      const document = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>https://h.example/</loc>${news}${video}<xhtml:link rel="alternate" hreflang="${formula}" href="https://h.example/de"/></url></urlset>`;
      const { lines } = await usp(['ls', '-', '-f', 'csv'], { stdin: document });
      const cells = cellsOf(lines.slice(1).join('\n'));
      expect(cells.filter((cell) => cell.includes('HYPERLINK')).length).toBeGreaterThanOrEqual(5);
      expect(cells.filter((cell) => /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell))).toEqual([]);
    },
  );
});

/** The cells of a row of CSV, unquoted. */
function cellsOf(row: string): readonly string[] {
  return Array.from(row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  );
}

describe('names of Object.prototype', () => {
  const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'];

  test.each(NAMES)(
    '%s is a name like any other as root, tag, attribute, prefix, namespace and entity',
    async (name) => {
      const before = Object.getOwnPropertyNames(Object.prototype);
      const inside = `<${name}>x</${name}><loc ${name}="1">https://example.org/1&${name};</loc><${name}:loc>https://evil.example/</${name}:loc><priority>${name}</priority><changefreq>${name}</changefreq><lastmod>${name}</lastmod>`;
      const sitemap = await sitemapFromString(
        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:${name}="${name}" ${name}="x"><url ${name}="x">${inside}</url></urlset>`,
        { url: 'https://example.org/sitemap.xml' },
      );
      expect(sitemap.kind).toBe('pages-xml');
      expect(JSON.parse(JSON.stringify([...sitemap.pages]))).toEqual([
        { url: `https://example.org/1&${name};`, lastModifiedText: name },
      ]);
      const root = await sitemapFromString(`<${name} xmlns="${name}"><a/></${name}>`);
      expect(root).toMatchObject({ kind: 'invalid', code: 'not-a-sitemap' });
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    },
  );

  test.each(NAMES)(
    '%s is a name like any other as a header, a trailer, a content coding and a charset',
    async (name) => {
      const raw = await startRawServer((socket, head) => {
        if (head.includes('/robots.txt')) {
          socket.end('HTTP/1.1 200 OK\r\n\r\nSitemap: /a.xml\n');
          return;
        }
        const headers = [
          `${name}: x`,
          `${name}: y`,
          `Content-Encoding: ${name}`,
          `Content-Type: text/xml; charset=${name}`,
          `Retry-After: ${name}`,
          'Transfer-Encoding: chunked',
        ].join('\r\n');
        socket.end(
          `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${page.length.toString(16)}\r\n${page}\r\n0\r\n${name}: z\r\n\r\n`,
        );
      });
      onTestFinished(() => raw.close());
      const tree = await sitemapTreeForHomepage(raw.origin, DECLARED);
      expect(Array.from(tree.allPages(), ({ url }) => url)).toEqual(['https://example.org/']);
      expect(Object.prototype).not.toHaveProperty('x');
      tree.close();
    },
  );

  test.each(NAMES)(
    '%s is a name like any other in robots.txt and as a header, and an unknown option',
    async (name) => {
      const server = await siteOf((origin) => ({
        '/robots.txt': `${name}: ${origin}/evil.xml\nUser-agent: ${name}\n${name}\nSitemap: ${origin}/a.xml\n`,
        '/a.xml': page,
      }));
      const tree = await treeOf(server, { ...DECLARED, headers: JSON.parse(`{"${name}": "x"}`) as never });
      expect(server.paths()).toEqual(['/robots.txt', '/a.xml']);
      expect([...tree.allPages()]).toHaveLength(1);
      await expect(
        sitemapTreeForHomepage(server.origin, JSON.parse(`{"${name}": 1}`) as never),
      ).rejects.toMatchObject({
        code: 'bad-option',
      });
    },
  );

  test.each(NAMES)('%s as a key of a saved tree pollutes no prototype', async (name) => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': page });
    const file = join(folder, `${name}.warc.gz`);
    await usp(['ls', server.origin, '-k', '--save', file, '-f', 'tree', '--proxy', 'none']);
    const lines = gunzipSync(await readFile(file)).toString();
    const poisoned = lines.replaceAll(/^\{/gm, `{"${name}":{"polluted":1},`);
    await writeFile(file, gzipSync(poisoned));
    const loaded = await loadTree(file).catch((error: unknown) => error);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((loaded as Record<string, unknown>)['polluted']).toBeUndefined();
    if (loaded instanceof Error) expect(loaded).toMatchObject({ name: 'SitemapException' });
  });
});

describe('where files are written', () => {
  const site: Site = {
    '/robots.txt': ['/../../evil.xml', '/%2e%2e%2f%2e%2e%2fevil.xml', '/a.xml'],
    '*': urlset('https://example.org/../../../etc/passwd', 'https://example.org/$(touch evil)'),
  };

  test('files are written only where options say, whatever a site calls its sitemaps', async () => {
    const server = await siteOf(site);
    const place = await mkdtemp(join(folder, 'where-'));
    const argv = ['ls', server.origin, '-k', '--proxy', 'none', '-f', 'json'];
    await usp([
      ...argv,
      '-o',
      join(place, 'out.json'),
      '--save',
      join(place, 'tree.gz'),
      '-l',
      join(place, 'log'),
    ]);
    expect((await readdir(place)).sort()).toEqual(['log', 'out.json', 'tree.gz']);
  });

  testIf(HAS_LINKS).each([
    ['-o', '--save', 'a', 'a'],
    ['-o', '--save', 'a', './b/../a'],
    ['-o', '--save', 'old', 'link'],
    ['--save', '-o', 'a', 'to-folder/a'],
    ['-o', '-l', 'a', 'a'],
    ['--save', '-l', 'old', 'old'],
  ])('%s and %s refuse to write to one file: %s, %s', async (one, other, first, second) => {
    const server = await siteOf(site);
    const place = await mkdtemp(join(folder, 'same-'));
    await mkdir(join(place, 'b'));
    await writeFile(join(place, 'old'), 'old');
    await symlink('old', join(place, 'link'));
    await symlink('.', join(place, 'to-folder'));
    const argv = ['ls', server.origin, '-k', '--proxy', 'none', one, `${place}/${first}`];
    const { code, stderr } = await usp([...argv, other, `${place}/${second}`]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^usp: (?:-o|--save) and (?:--save|-l) name the same file, .*\.\n$/),
    ]);
    expect(server.requests).toHaveLength(0);
    expect(await readFile(join(place, 'old'), 'utf8')).toMatch(/^old/);
  });

  testIf(IS_POSIX)('one device may be named twice', async () => {
    const server = await siteOf(site);
    const argv = ['ls', server.origin, '-k', '--proxy', 'none', '-o', '/dev/null', '-l', '/dev/null'];
    expect((await usp(argv)).code).toBe(0);
  });

  testIf(HAS_LINKS)(
    'a link is followed to its file, which is replaced whole; a link to nowhere is replaced itself',
    async () => {
      const server = await siteOf(site);
      const place = await mkdtemp(join(folder, 'links-'));
      const argv = ['ls', server.origin, '-k', '--proxy', 'none', '-f', 'pages'];
      await writeFile(join(place, 'real'), 'old');
      await symlink('real', join(place, 'link'));
      await symlink('nowhere/else', join(place, 'dangling'));
      for (const name of ['link', 'dangling'])
        expect((await usp([...argv, '-o', join(place, name)])).code).toBe(0);
      expect((await readdir(place)).sort()).toEqual(['dangling', 'link', 'real']);
      expect(await readFile(join(place, 'real'), 'utf8')).toContain('https://example.org/');
    },
  );

  test.each([
    ['a newline', 'a\nb'],
    ['an escape sequence', 'a\u001b[31mb'],
  ])('a file name with %s is printed on one line without control characters', async (_what, name) => {
    const { code, stderr } = await usp(['ls', 'http://127.0.0.1:1', '-o', join(folder, 'missing', name)]);
    expect(code).toBe(2);
    expect(stderr).not.toMatch(HARMFUL);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
