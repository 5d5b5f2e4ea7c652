/**
 * Specification §15, with lighttpd: files, redirects, keep-alive and, where its modules are installed, codings and TLS.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sitemapTreeForHomepage } from '../../src/index.ts';
import { testCertificate } from '../server/scripted-server.ts';
import { describeUnless } from '../support/collected.ts';
import { describeWith, type RealServer, startRealServer } from '../support/real-servers.ts';
import { SERVER_USER, type SiteFiles, writeSite } from '../support/real-sites.ts';

const MODULES = ['/usr/lib/lighttpd', '/usr/lib64/lighttpd', '/usr/local/lib/lighttpd'];
const has = (module: string): boolean => MODULES.some((folder) => existsSync(`${folder}/${module}.so`));

interface Lighttpd extends RealServer {
  readonly site: SiteFiles;
}

async function startLighttpd(more: {
  readonly tls?: boolean;
  readonly codings?: readonly string[];
}): Promise<Lighttpd> {
  const scheme = more.tls === true ? 'https' : 'http';
  let site: SiteFiles | undefined;
  const server = await startRealServer({
    program: 'lighttpd',
    configure({ folder, port }) {
      const files = ['a.xml', 'b.xml', 'c.xml.gz'];
      const listed = ['moved/a.xml', 'b.xml', 'c.xml.gz'];
      site = writeSite(folder, `${scheme}://localhost:${port}`, { listed, files });
      const modules = [
        'mod_redirect',
        ...(more.tls ? ['mod_openssl'] : []),
        ...(more.codings ? ['mod_deflate'] : []),
      ];
      const quoted = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(', ');
      const lines = [
        `server.modules = (${quoted(modules)})`,
        ...[`server.document-root = "${site.root}"`, 'server.errorlog = "/dev/null"'],
        ...['server.bind = "127.0.0.1"', `server.port = ${port}`, 'server.max-keep-alive-requests = 5'],
        'mimetype.assign = (".xml" => "text/xml", ".txt" => "text/plain", ".gz" => "application/gzip")',
        'url.redirect = ("^/moved/(.*)$" => "/$1")',
        ...(SERVER_USER === undefined ? [] : [`server.username = "${SERVER_USER}"`]),
        ...(more.tls ? ['ssl.engine = "enable"', `ssl.pemfile = "${site.pem}"`] : []),
        ...(more.codings
          ? ['deflate.mimetypes = ("text/xml")', `deflate.allowed-encodings = (${quoted(more.codings)})`]
          : []),
      ];
      writeFileSync(join(folder, 'lighttpd.conf'), `${lines.join('\n')}\n`);
      return ['-D', '-f', join(folder, 'lighttpd.conf')];
    },
  });
  return { ...server, origin: `${scheme}://localhost:${server.port}`, site: site! };
}

async function expectEveryPage(server: Lighttpd): Promise<void> {
  const ca = testCertificate().cert;
  const tree = await sitemapTreeForHomepage(server.origin, {
    proxy: false,
    ca,
    useKnownPaths: false,
    retries: 0,
  });
  expect([...tree.allSitemaps()].filter(({ kind }) => kind === 'invalid')).toEqual([]);
  expect([...tree.allPages()].map(({ url }) => url)).toEqual(server.site.pages);
  tree.close();
}

describeWith('lighttpd', 'lighttpd', () => {
  test('a site over http is read completely', async () => {
    await expectEveryPage(await startLighttpd({}));
  });
});

/** Debian has these modules in packages of their own. */
function describeModule(module: 'deflate' | 'openssl', body: () => void): void {
  const missing = `mod_${module} is not installed: apt-get install lighttpd-mod-${module}`;
  const title = `lighttpd with mod_${module}`;
  describeWith('lighttpd', title, () =>
    describeUnless(has(`mod_${module}`) ? undefined : missing, title, body),
  );
}

describeModule('deflate', () => {
  test.each(['gzip', 'deflate', 'brotli', 'zstd'])(
    'a site with the content coding %s is read completely',
    async (coding) => expectEveryPage(await startLighttpd({ codings: [coding] })),
  );
});

describeModule('openssl', () => {
  test('a site over https is read completely', async () => {
    await expectEveryPage(await startLighttpd({ tls: true }));
  });
});
