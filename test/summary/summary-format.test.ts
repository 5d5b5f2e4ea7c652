/** §10: `usp ls -f summary` and `-f summary-json`. */
import { afterEach, expect, test } from 'vitest';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';

let server: ScriptedServer | undefined;
afterEach(() => server?.close());

async function site(): Promise<string> {
  server = await startServer({});
  const { origin } = server;
  Object.assign(server.site, {
    '/robots.txt': ['/index.xml'],
    '/index.xml': ['/a.xml', '/gone.xml'],
    '/a.xml': { pages: [['/blog/1', '2013-05-06'], ['/blog/2', '2012-01-01'], '/about'] },
  });
  return origin;
}

test('summary says in words and numbers what there is', async () => {
  const origin = await site();
  const { code, lines } = await usp(['ls', origin, '-f', 'summary', '-u', '-q', '-k']);
  expect(code).toBe(0);
  expect(lines).toEqual([
    `${origin}/`,
    'incomplete: 1 sitemap could not be read',
    'sitemaps  2 (1 unreadable)',
    'pages     3 pages',
    expect.stringMatching(/^size {6}\d+ B$/),
    'dates     2012-01-01 to 2013-05-06; 1 undated',
    'Pages by last modification',
    `  2013  1  ${'█'.repeat(24)}`,
    `  2012  1  ${'█'.repeat(24)}`,
    'Pages by folder',
    `  /blog/  2  ${'█'.repeat(24)}`,
    `  /       1  ${'█'.repeat(12)}`,
    'Could not be read',
    '  1 × /gone.xml: the server responded with 404 Not Found.',
  ]);
});

test('summary-json is what summarize returns, as one line; filters choose the pages', async () => {
  const origin = await site();
  const { lines } = await usp(['ls', origin, '-f', 'summary-json', '-q', '-k', '--include', '/blog/']);
  expect(lines).toHaveLength(1);
  const summary = JSON.parse(lines[0] ?? '');
  expect(summary.pages).toEqual({ count: 2, distinct: 2 });
  expect(summary.lastModified).toMatchObject({ dated: 2, undated: 0, newest: '2013-05-06' });
  expect(summary.tree.sitemaps[0].sitemaps[0].sitemaps[0]).toMatchObject({ kind: 'pages-xml', pages: 2 });
});

test('--no-pages leaves a summary without what it is about', async () => {
  const { code, stderr } = await usp(['ls', 'https://a.example', '-f', 'summary', '--no-pages']);
  expect(code).toBe(2);
  expect(stderr).toContain('--no-pages leaves nothing to print with the format summary.');
});
