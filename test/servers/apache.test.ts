/**
 * Specification §15, with Apache: content codings, chunks, HTTP/1.0, redirects, TLS and keep-alive, as curl reads them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type SitemapOptions, sitemapTreeForHomepage } from '../../src/index.ts';
import { testCertificate } from '../server/scripted-server.ts';
import { fetching, opened, readAll } from '../support/fetching.ts';
import { describeWith, type RealServer, startRealServer } from '../support/real-servers.ts';
import { SERVER_USER, type SiteFiles, writeSite } from '../support/real-sites.ts';

const MODULES = '/usr/lib/apache2/modules';
const NAMES = [
  'alias',
  'authz_core',
  'brotli',
  'deflate',
  'env',
  'filter',
  'headers',
  'mime',
  'mpm_event',
  'setenvif',
  'ssl',
];
const MODULE_FILES = NAMES.map((name) => `${MODULES}/mod_${name}.so`);

/** How each file is sent. */
const FILES = {
  'plain.xml': '',
  'gzip.xml': 'SetOutputFilter DEFLATE',
  'br.xml': 'SetOutputFilter BROTLI_COMPRESS',
  'old.xml': 'SetEnv downgrade-1.0 1\nSetEnv force-response-1.0 1\nSetEnv nokeepalive 1',
  'false-gzip.xml': 'Header set Content-Encoding gzip',
  'declared.xml.gz': 'Header set Content-Encoding gzip\nForceType text/xml',
  'file.xml.gz': 'ForceType application/octet-stream',
} as const;

interface Apache extends RealServer {
  readonly site: SiteFiles;
}

async function startApache(tls: boolean): Promise<Apache> {
  let site: SiteFiles | undefined;
  const server = await startRealServer({
    program: 'apache2',
    configure({ folder, port }) {
      const origin = `${tls ? 'https' : 'http'}://localhost:${port}`;
      const files = Object.keys(FILES);
      site = writeSite(folder, origin, { listed: ['moved/plain.xml', ...files.slice(1)], files });
      const lines = [
        ...NAMES.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
        // Other paths are relative to it.
        ...[`ServerRoot "${folder}"`, 'PidFile pid', 'ErrorLog error.log', 'ServerName localhost'],
        ...[`Listen 127.0.0.1:${port}`, 'DocumentRoot site', `Mutex "file:${folder}" default`],
        ...[
          'TypesConfig /dev/null',
          'AddType text/xml .xml',
          'Redirect 301 /moved/ /',
          'KeepAlive On',
          'MaxKeepAliveRequests 5',
        ],
        ...(SERVER_USER === undefined ? [] : [`User ${SERVER_USER}`, `Group ${SERVER_USER}`]),
        ...(tls ? ['SSLEngine on', 'SSLCertificateFile server.pem', 'SSLSessionCache none'] : []),
        ...Object.entries(FILES).map(([name, how]) => `<Location /${name}>\n${how}\n</Location>`),
        '<Directory />\nRequire all granted\n</Directory>',
      ];
      writeFileSync(join(folder, 'apache.conf'), `${lines.join('\n')}\n`);
      return ['-D', 'FOREGROUND', '-f', join(folder, 'apache.conf')];
    },
  });
  // Its first pass over the configuration opens the port too, and closes it again.
  while (!existsSync(join(server.folder, 'pid'))) await delay(10);
  return { ...server, origin: `${tls ? 'https' : 'http'}://localhost:${server.port}`, site: site! };
}

const ca = testCertificate().cert;
const options: SitemapOptions = { proxy: false, ca, useKnownPaths: false, retries: 0 };

describeWith(
  'apache2',
  'Apache',
  () => {
    test.each([
      ['http', false],
      ['https', true],
    ])('a site over %s is read completely: codings, chunks, HTTP/1.0, redirects', async (_what, tls) => {
      const apache = await startApache(tls);
      const tree = await sitemapTreeForHomepage(apache.origin, options);
      expect([...tree.allSitemaps()].filter(({ kind }) => kind === 'invalid')).toEqual([]);
      expect([...tree.allPages()].map(({ url }) => url)).toEqual(apache.site.pages);
      tree.close();
    });

    test('each document is what curl reads', async () => {
      const apache = await startApache(false);
      for (const name of Object.keys(FILES)) {
        const url = `${apache.origin}/${name}`;
        const document = opened(await fetching(url).fetch(url));
        const coding = { 'gzip.xml': 'gzip', 'br.xml': 'br' }[name];
        if (coding !== undefined) expect(document.response.header('content-encoding')).toBe(coding);
        const { text } = await readAll(document);
        // curl refuses the false one, and keeps a file compressed.
        if (name === 'false-gzip.xml' || name === 'file.xml.gz' || !hasCurl) continue;
        const read = execFileSync('curl', ['-sS', '--compressed', url], { encoding: 'utf8' });
        expect([name, text === read]).toEqual([name, true]);
      }
      const falseUrl = `${apache.origin}/false-gzip.xml`;
      const { text, end } = await readAll(await fetching(falseUrl).fetch(falseUrl));
      expect(text).toBe(readFileSync(join(apache.site.root, 'false-gzip.xml'), 'utf8'));
      expect(end.problems.map(({ code }) => code)).toEqual(['wrong-content-encoding']);
    });
  },
  MODULE_FILES,
);

const hasCurl = (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, 'curl')));
