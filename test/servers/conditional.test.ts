/** Specification §11.2 with nginx and Apache: real 304s, weak and strong ETags, only Last-Modified, neither. */
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  loadTree,
  type Sitemap,
  type SitemapOptions,
  saveTree,
  sitemapTreeForHomepage,
} from '../../src/index.ts';
import { internalsOf } from '../../src/sitemap/sitemap.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { startNginx } from '../support/nginx.ts';
import { describeWith, startRealServer } from '../support/real-servers.ts';
import { SERVER_USER } from '../support/real-sites.ts';

const NAMES = ['strong', 'weak', 'dated', 'neither'] as const;
/** How a server that has validators for all but one of the documents responds when they are asked for again. */
const STATUSES = {
  '/robots.txt': 304,
  '/index.xml': 304,
  '/strong.xml': 304,
  '/weak.xml': 304,
  '/dated.xml': 304,
  '/neither.xml': 200,
};
const PATHS = NAMES.map((name) => `/${name}.xml`);
const OPTIONS: SitemapOptions = { proxy: false, useKnownPaths: false, retries: 0 };

const pagesOf = (name: string, more: readonly string[] = []): string =>
  urlset(...Array.from({ length: 200 }, (_, page) => `https://example.org/${name}/${page}`), ...more);

const filesOf = (origin: string): Record<string, string> => ({
  'robots.txt': robots(`${origin}/index.xml`),
  'index.xml': index(...PATHS.map((path) => `${origin}${path}`)),
  ...Object.fromEntries(NAMES.map((name) => [`${name}.xml`, pagesOf(name)])),
});

/** A file that is older than a second: Apache sends a weak ETag for anything younger. */
function writeOld(file: string, text: string, seconds: number): void {
  writeFileSync(file, text);
  // By the clock of the file system, which is that of the server.
  const time = statSync(file).mtimeMs / 1000 - seconds;
  utimesSync(file, time, time);
}

/** The tree, saved and loaded. */
async function archived(tree: Sitemap): Promise<Sitemap> {
  const path = join(folder(), 'site.warc.gz');
  await saveTree(tree, path);
  tree.close();
  const loaded = await loadTree(path);
  onTestFinished(() => loaded.close());
  return loaded;
}

const freshnessOf = (tree: Sitemap): string[] =>
  [...tree.allSitemaps()].map(({ url, freshness }) => `${new URL(url).pathname} ${freshness}`);

/** The ETag and the Last-Modified header that a document came with. */
async function validatorsOf(tree: Sitemap): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const node of tree.allSitemaps()) {
    const head = (await internalsOf(node).facts?.document?.head()) ?? '';
    const etag = /^etag: (W\/)?/im.exec(head);
    const kinds = [
      etag && (etag[1] === undefined ? 'strong' : 'weak'),
      /^last-modified: ./im.test(head) && 'dated',
    ];
    found[new URL(node.url).pathname] = kinds.filter(Boolean).join(' ');
  }
  return found;
}

/** Reads the site three times: as it is, again, and with one document changed. */
async function readThrice(
  origin: string,
  root: string,
  requests: () => readonly { readonly status: number; readonly path: string }[],
): Promise<Record<string, number>> {
  const first = await archived(await sitemapTreeForHomepage(origin, OPTIONS));
  expect(await validatorsOf(first)).toMatchObject({
    '/strong.xml': 'strong dated',
    '/weak.xml': expect.stringMatching(/^weak/),
    '/dated.xml': 'dated',
    '/neither.xml': '',
  });
  // A server writes its log when a response has gone.
  const logged = async (count: number) => {
    while (requests().length < count) await delay(10);
  };
  const documents = [...first.allSitemaps()].length;
  await logged(documents);
  const before = requests().length;
  const second = await archived(await sitemapTreeForHomepage(origin, { ...OPTIONS, previous: first }));
  expect(new Set(freshnessOf(second).map((line) => line.split(' ')[1]))).toEqual(new Set(['unchanged']));
  expect([...second.allPages()]).toHaveLength(800);
  await logged(before + documents);
  const statuses = requests()
    .slice(before)
    .map(({ path, status }) => [path, status] as const);
  for (const name of NAMES) {
    writeOld(join(root, `${name}.xml`), pagesOf(name, ['https://example.org/new']), 3000);
    const next = await sitemapTreeForHomepage(origin, { ...OPTIONS, previous: second });
    const changed = freshnessOf(next).filter((line) => !line.endsWith(' unchanged'));
    expect(changed).toEqual([`/${name}.xml changed`]);
    next.close();
    writeOld(join(root, `${name}.xml`), pagesOf(name), 5000);
  }
  return Object.fromEntries(statuses);
}

describeWith('nginx', 'nginx', () => {
  test('responds with 304 to all documents that have validators', async () => {
    const nginx = await startNginx({
      http: 'types { text/xml xml; text/plain txt; }\n  gzip_types text/xml;',
      server: `
        location = /weak.xml { gzip on; }
        location = /dated.xml { etag off; }
        location = /neither.xml { etag off; if_modified_since off; add_header Last-Modified ""; }`,
      files: filesOf,
    });
    const root = join(nginx.folder, 'site');
    for (const name of NAMES) writeOld(join(root, `${name}.xml`), pagesOf(name), 5000);
    expect(await readThrice(nginx.origin, root, () => nginx.requests())).toEqual(STATUSES);
  });
});

const MODULES = '/usr/lib/apache2/modules';
const APACHE_MODULES = ['authz_core', 'deflate', 'env', 'filter', 'headers', 'mime', 'mpm_event', 'setenvif'];
const MODULE_FILES = APACHE_MODULES.map((name) => `${MODULES}/mod_${name}.so`);

describeWith(
  'apache2',
  'Apache',
  () => {
    test('responds with 304 to all documents that have validators; a compressed one that it sends again is unchanged', async () => {
      let root = '';
      const apache = await startRealServer({
        program: 'apache2',
        configure({ folder: place, port }) {
          root = join(place, 'site');
          mkdirSync(root);
          for (const [name, text] of Object.entries(filesOf(`http://127.0.0.1:${port}`))) {
            writeOld(join(root, name), text, 5000);
          }
          const lines = [
            ...APACHE_MODULES.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
            // Other paths are relative to it.
            `ServerRoot "${place}"`,
            'PidFile pid',
            'ErrorLog error.log',
            'ServerName localhost',
            `Listen 127.0.0.1:${port}`,
            'DocumentRoot site',
            `Mutex "file:${place}" default`,
            'TypesConfig /dev/null',
            'AddType text/xml .xml',
            ...(SERVER_USER === undefined ? [] : [`User ${SERVER_USER}`, `Group ${SERVER_USER}`]),
            'LogFormat "%>s %U" plain',
            'CustomLog access.log plain',
            '<Directory />\nRequire all granted\nFileETag MTime Size\n</Directory>',
            '<Location /weak.xml>\nHeader edit ETag ^ W/\n</Location>',
            '<Location /dated.xml>\nFileETag None\nSetOutputFilter DEFLATE\n</Location>',
            '<Location /neither.xml>\nFileETag None\nHeader unset Last-Modified\nSetOutputFilter DEFLATE\n</Location>',
          ];
          writeFileSync(join(place, 'apache.conf'), `${lines.join('\n')}\n`);
          return ['-D', 'FOREGROUND', '-f', join(place, 'apache.conf')];
        },
      });
      // Its first pass over the configuration opens the port too, and closes it again.
      while (!existsSync(join(apache.folder, 'pid'))) await delay(10);
      const requests = () =>
        apache.logged('access.log').map((line) => {
          const [status = '', path = ''] = line.split(' ');
          return { status: Number(status), path };
        });
      const statuses = await readThrice(apache.origin, root, requests);
      expect(statuses).toEqual(STATUSES);
    });
  },
  MODULE_FILES,
);
