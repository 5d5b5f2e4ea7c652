/**
 * Every recipe of `examples/recipes` runs with the real packages, and does what its first lines promise. The full tier
 * installs them; where that cannot be done, the tests are skipped and say so.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { loadTree } from '../src/index.ts';
import type { ScriptedServer, Site } from './server/scripted-server.ts';
import { describeIf, testIf } from './support/collected.ts';
import { startGroup } from './support/crawl-command.ts';
import { siteOf } from './support/crawled-site.ts';
import { codeBlocksOf, docPages } from './support/docs-pages.ts';
import { exampleSite } from './support/docs-site.ts';
import { index, robots, urlset } from './support/documents.ts';
import { loopbackSites } from './support/loopback-sites.ts';
import { describeWith, temporaryFolder } from './support/real-servers.ts';
import { installRecipes, RECIPES, type Recipes } from './support/recipes.ts';
import { startRedis } from './support/redis.ts';
import { isFull } from './support/tier.ts';

/** What is used of node-sqlite3-wasm. */
interface Sqlite {
  readonly Database: new (
    file: string,
    options: { readonly readOnly: boolean },
  ) => { all(statement: string): readonly { readonly url: string }[]; close(): void };
}

test('the README names every recipe', () => {
  const text = readFileSync(join(RECIPES, 'README.md'), 'utf8');
  const files = readdirSync(RECIPES, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.js') && !name.includes('node_modules')))
    expect(text).toContain(`(${file})`);
});

const ends: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

describeIf(isFull, 'recipes', () => {
  let recipes: Recipes;
  let why: string | undefined;

  beforeAll(async () => {
    const installed = await installRecipes(temporaryFolder((end) => void ends.push(end)));
    if (typeof installed === 'string') why = installed;
    else recipes = installed;
  }, 300_000);

  const recipe = (title: string, body: () => Promise<void>, collected = true): void => {
    testIf(collected)(title, async ({ skip }) => {
      if (why !== undefined) return skip(why);
      await body();
    });
  };

  /** Runs a recipe to its end: the lines that it printed. */
  async function run(
    argv: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number | null; readonly lines: readonly string[]; readonly stderr: string }> {
    const { code, stdout, stderr } = await recipes.start(argv, environment).finished;
    return { code, lines: stdout.split('\n').filter((line) => line !== ''), stderr };
  }

  const page = (text: string): string => `<!doctype html><title>x</title><body><p>${text}</p></body>`;

  /** Three pages, one of them disallowed, and a sitemap that is missing. */
  const small = (origin: string): Site => ({
    '/robots.txt': `User-agent: *\nDisallow: /secret\n\nSitemap: ${origin}/a.xml\nSitemap: ${origin}/gone.xml\n`,
    '/a.xml': { pages: [['/1', '2024-05-06'], '/2', '/secret'] },
    '/1': page('Oak is hard'),
    '/2': page('Pine is soft'),
    '/secret': page('Nobody may read this'),
  });

  const short = (lines: readonly string[], { origin }: ScriptedServer): string[] =>
    lines.map((line) => line.replaceAll(origin, '')).sort();

  for (const kind of ['queue', 'list']) {
    recipe(`crawlee.js fetches every allowed page once, from a ${kind}`, async () => {
      const server = await siteOf(small);
      const { code, lines, stderr } = await run(['crawlee.js', server.origin, kind]);
      expect([code, short(lines, server)]).toEqual([0, ['200 /1 2024-05-06T00:00:00.000Z', '200 /2 ']]);
      expect(stderr).toContain(`${server.origin}/gone.xml: the server responded with 404`);
    });
  }

  describeWith('redis-server', 'with Redis', () => {
    recipe('bullmq-worker.js fetches a page once for each of its dates', async () => {
      const server = await siteOf(small);
      const { url } = await startRedis();
      const add = async (): Promise<readonly string[]> =>
        (await run(['bullmq-worker.js', 'add', server.origin, url])).lines;
      expect(await add()).toEqual(['3 pages wait']);
      expect(await add()).toEqual(['3 pages wait']);
      const { lines } = await run(['bullmq-worker.js', 'work', url]);
      expect(short(lines, server)).toEqual(['200 /1', '200 /2', '200 /secret']);
      expect(await add()).toEqual(['0 pages wait']);
      server.site['/a.xml'] = { pages: [['/1', '2024-05-07'], '/2'] };
      expect(await add()).toEqual(['1 pages wait']);
    });
  });

  /** A site whose sitemap does not end. */
  const endless = (origin: string): Site => ({
    '/robots.txt': ['/a.xml'],
    '/a.xml': {
      body: urlset(...Array.from({ length: 20_000 }, (_, n) => `${origin}/${n}`)),
      stallAfter: 500_000,
    },
  });

  recipe('express-route.js streams pages, and ends the crawl when its client is gone', async () => {
    const running = recipes.start(['express-route.js', '0']);
    onTestFinished(() => void running.child.kill());
    let address = '';
    await expect
      .poll(() => {
        address = running.written.stdout.trim();
        return address;
      })
      .toMatch(/^http/);
    const server = await siteOf(small);
    const text = await (await fetch(`${address}?site=${server.origin}`)).text();
    const urls = text.split('\n').filter((line) => line !== '');
    expect(urls.map((line) => JSON.parse(line).url.replace(server.origin, ''))).toEqual([
      '/1',
      '/2',
      '/secret',
    ]);
    expect((await fetch(`${address}?site=nonsense`)).status).toBe(400);

    const slow = await siteOf(endless);
    const leaving = new AbortController();
    const { body } = await fetch(`${address}?site=${slow.origin}`, { signal: leaving.signal });
    await body?.getReader().read();
    // By then all that the server has sent is handed on, and the stream waits for more.
    await delay(1_000);
    leaving.abort();
    await expect.poll(() => slow.openSockets).toBe(0);
  });

  recipe('next/app/pages/route.js streams pages, and ends the crawl when its client is gone', async () => {
    const server = await siteOf(small);
    const slow = await siteOf(endless);
    writeFileSync(
      join(recipes.folder, 'next-host.js'),
      `import { dynamic, GET, runtime } from './next/app/pages/route.js';
      const get = (site, signal) => GET(new Request('http://x.example/pages?site=' + site, { signal }));
      console.log(runtime, dynamic, (await get('nonsense')).status);
      console.log(await (await get('${server.origin}')).text());
      const leaving = new AbortController();
      const reader = (await get('${slow.origin}', leaving.signal)).body.getReader();
      await reader.read();
      leaving.abort(new Error('gone'));
      try {
        for (;;) await reader.read();
      } catch ({ message }) {
        console.log(message);
      }`,
    );
    const { lines } = await run(['next-host.js']);
    expect(lines[0]).toBe('nodejs force-dynamic 400');
    expect(lines.slice(1, 4).map((line) => JSON.parse(line).url.replace(server.origin, ''))).toEqual([
      '/1',
      '/2',
      '/secret',
    ]);
    expect(lines[4]).toBe('gone');
    await expect.poll(() => slow.openSockets).toBe(0);
  });

  test('next/app/pages/route.js is a route of Next.js itself', { timeout: 300_000 }, async ({ skip }) => {
    const folder = process.env['USP_NEXT'];
    if (folder === undefined)
      return skip('USP_NEXT names no folder with next, react, react-dom and this package (226 MB)');
    mkdirSync(join(folder, 'app', 'pages'), { recursive: true });
    cpSync(join(RECIPES, 'next', 'app', 'pages', 'route.js'), join(folder, 'app', 'pages', 'route.js'));
    const layout = 'export default ({ children }) => <html><body>{children}</body></html>;';
    writeFileSync(join(folder, 'app', 'layout.js'), layout);
    const next = join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');
    const options = {
      cwd: folder,
      env: { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1' },
    };
    execFileSync(process.execPath, [next, 'build'], { ...options, stdio: 'pipe' });
    const server = await siteOf(small);
    const child = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', '0'], options);
    onTestFinished(() => void child.kill());
    const origin = await new Promise<string | undefined>((resolve) => {
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk;
        if (said.includes('Ready')) resolve(/http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]);
      });
    });
    expect((await fetch(`${origin}/pages`)).status).toBe(400);
    const lines = (await (await fetch(`${origin}/pages?site=${server.origin}`)).text()).trim().split('\n');
    expect(lines.map((line) => new URL(JSON.parse(line).url).pathname)).toEqual(['/1', '/2', '/secret']);
  });

  recipe('every method of sitemapper: the program before prints what the one after prints', async () => {
    const server = await siteOf(exampleSite);
    const { text } = docPages().find(({ name }) => name === 'coming-from-javascript.md')!;
    const [section = ''] = text.slice(text.indexOf('## sitemapper')).split(/\n## (?!sitemapper)/);
    const blocks = codeBlocksOf({ name: 'coming-from-javascript.md', text: section });
    const programs = blocks.filter(({ language }) => language === 'js' || language === 'ts');
    for (const [at, { code, language }] of programs.entries()) {
      const local = code.replaceAll('https://example.org', server.origin);
      const program = (await transform(local, { loader: language === 'ts' ? 'ts' : 'js' })).code;
      writeFileSync(join(recipes.folder, `migration-${at}.js`), program);
    }
    // One process for all of them: most of their time would be its start.
    writeFileSync(
      join(recipes.folder, 'migrations.js'),
      `import { format } from 'node:util';
      const { log } = console;
      for (let at = 0; at < ${programs.length}; at++) {
        const lines = [];
        console.log = (...values) => void lines.push(...format(...values).split('\\n'));
        await import('./migration-' + at + '.js');
        log(JSON.stringify(lines));
      }`,
    );
    const { lines, stderr } = await run(['migrations.js']);
    const printed = lines.map((line) => short(JSON.parse(line), server));
    for (const listing of printed) expect(listing, stderr).not.toEqual([]);
    const every = section.match(/`(?:fetch|crawl|getSites|parse|isExcluded)`/g);
    expect(new Set(every).size).toBe(5);
    expect(printed.length).toBe(12);
    for (let at = 0; at < printed.length; at += 2) {
      expect([programs[at]?.language, programs[at + 1]?.language]).toEqual(['js', 'ts']);
      expect(printed[at]).toEqual(printed[at + 1]);
    }
  });

  recipe('sqlite-index.js is exact after runs with faults', async () => {
    const server = await siteOf({});
    const at = (path: string): string => `${server.origin}${path}`;
    const site: Record<string, string[]> = {
      '/a.xml': ['/a/1', '/a/2'],
      '/b.xml': ['/b/1'],
      '/c.xml': ['/c/1'],
    };
    const publish = (): void => {
      server.site['/robots.txt'] = robots(at('/index.xml'));
      server.site['/index.xml'] = index(...Object.keys(site).map(at));
      for (const [path, pages] of Object.entries(site)) server.site[path] = urlset(...pages.map(at));
    };
    const folder = mkdtempSync(join(recipes.folder, 'exact-'));
    const archive = join(folder, 'exact.warc.gz');
    const file = join(folder, 'exact.db');
    const argv = ['sqlite-index.js', archive, server.origin, file, '--no-known', '--retries', '0', '-q'];
    const require = createRequire(join(recipes.folder, 'package.json'));
    const sqlite: Sqlite = require('node-sqlite3-wasm');
    const indexed = (): readonly string[] => {
      const database = new sqlite.Database(file, { readOnly: true });
      const rows = database.all('SELECT url FROM pages');
      database.close();
      return short(
        rows.map(({ url }) => url),
        server,
      );
    };
    const saved = async (): Promise<readonly string[]> => {
      using tree = await loadTree(archive);
      return short(
        [...tree.allPages({ unique: true })].map(({ url }) => url),
        server,
      );
    };
    /** A run that is killed, with all that it has started, once something is so. */
    const killed = async (isTime: () => boolean): Promise<void> => {
      const { child, finished } = recipes.start(argv);
      await expect.poll(isTime, { interval: 1 }).toBe(true);
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // It has ended.
      }
      await finished;
    };
    const faults: readonly (() => Promise<void> | void)[] = [
      () => {},
      () => {
        server.site['/a.xml'] = { status: 404 };
        server.site['/b.xml'] = { status: 503 };
        server.site['/c.xml'] = { body: urlset(at('/c/1'), at('/c/cut')), truncateAfter: 200 };
      },
      () => {
        server.site['/index.xml'] = '<!doctype html><title>Login</title>';
      },
      // Killed while it reads: nothing may be lost of what changed meanwhile.
      async () => {
        let isAsked = false;
        server.site['/c.xml'] = () => {
          isAsked = true;
          return { silent: true };
        };
        await killed(() => isAsked);
        publish();
      },
      // Killed when the changes are written, and may be applied or not: a file that is gone soon has its event all the same.
      async () => {
        let isWritten = false;
        const watcher = watch(folder, (_event, name) => {
          isWritten ||= name === 'exact.warc.gz.changes.ndjson';
        });
        await killed(() => isWritten).finally(() => watcher.close());
      },
      () => {},
    ];
    for (const [number, fault] of faults.entries()) {
      for (const [path, pages] of Object.entries(site)) {
        pages.push(`${path.replace('.xml', '')}/new-${number}`);
        if (pages.length > 3) pages.shift();
      }
      publish();
      await fault();
      const { code, stderr } = await run(argv);
      expect([number, [0, 1, 6].includes(code ?? -1), stderr]).toEqual([number, true, '']);
      expect([number, indexed()]).toEqual([number, await saved()]);
    }
    expect(indexed()).toEqual(Object.values(site).flat().sort());
  });

  recipe(
    'retrieval.js fetches what changed, forgets what is gone, and comes back for what failed',
    async () => {
      const server = await siteOf((origin) => ({
        ...small(origin),
        '/robots.txt': `User-agent: *\nDisallow: /secret\n\nSitemap: ${origin}/a.xml\n`,
        '/1': { script: [{ status: 503, headers: { 'retry-after': '1' } }, { body: page('Oak is hard') }] },
        '/2': { status: 500 },
      }));
      const [archive, file] = ['retrieval.warc.gz', 'retrieval.db'];
      const ask = (question: string) =>
        run(['retrieval.js', archive, server.origin, file, question, '--no-known', '-q'], { PAUSE_MS: '1' });
      const asked = async (question: string): Promise<readonly string[]> =>
        short((await ask(question)).lines, server);
      const first = await ask('oak pine read');
      expect(first.code).toBe(0);
      expect(short(first.lines, server)).toEqual(['/1']);
      expect(first.stderr).toContain(`not fetched: ${server.origin}/2`);
      server.site['/2'] = page('Pine is soft');
      expect(await asked('oak pine read')).toEqual(['/1', '/2']);
      // Changed, with a new date; and a page that is gone.
      server.site['/a.xml'] = { pages: [['/1', '2024-05-07']] };
      server.site['/1'] = page('Walnut is dark');
      const before = server.paths().filter((path) => path === '/1').length;
      expect(await asked('oak pine')).toEqual([]);
      expect(await asked('walnut')).toEqual(['/1']);
      expect(server.paths().filter((path) => path === '/1')).toHaveLength(before + 1);
      expect(server.paths()).not.toContain('/secret');
    },
  );

  let postgres: Promise<string> | undefined;
  /**
   * A real Postgres with pgvector, compiled to WebAssembly, that listens like any other. It takes seconds to start, so
   * recipes share it: each has tables of its own.
   */
  async function startPostgres(): Promise<string> {
    writeFileSync(
      join(recipes.folder, 'postgres-server.js'),
      `import { PGlite } from '@electric-sql/pglite';
      import { vector } from '@electric-sql/pglite-pgvector';
      import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
      const db = await PGlite.create({ extensions: { vector } });
      const server = new PGLiteSocketServer({ db, port: 0, host: '127.0.0.1' });
      await server.start();
      console.log('postgres://postgres@' + server.getServerConn() + '/postgres');`,
    );
    const running = recipes.start(['postgres-server.js']);
    ends.push(() => void running.child.kill());
    // It answers, or says why it ended.
    let ended = false;
    void running.finished.then(() => {
      ended = true;
    });
    await expect.poll(() => ended || running.written.stdout.endsWith('\n')).toBe(true);
    expect(running.written.stdout, running.written.stderr).toMatch(/^postgres:/);
    return running.written.stdout.trim();
  }

  recipe('postgres.js has the pages of the site after every run', async () => {
    const server = await siteOf(small);
    postgres ??= startPostgres();
    const DATABASE_URL = await postgres;
    const argv = ['postgres.js', 'postgres.warc.gz', server.origin, '--no-known', '--retries', '0', '-q'];
    expect(await run(argv, { DATABASE_URL })).toMatchObject({ code: 0, lines: ['3 pages'] });
    server.site['/a.xml'] = { pages: [['/1', '2024-05-07'], '/4'] };
    expect(await run(argv, { DATABASE_URL })).toMatchObject({ code: 0, lines: ['2 pages'] });
    // What cannot be read stays.
    server.site['/a.xml'] = { status: 503 };
    expect(await run(argv, { DATABASE_URL })).toMatchObject({ lines: ['2 pages'] });
  });

  recipe(
    'vector-store.js embeds what changed, forgets what is gone, and finds the nearest page',
    async () => {
      // An embedding that counts letters is enough to see which text is nearest.
      const letters = (text: string): number[] =>
        Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => text.toLowerCase().split(letter).length - 1);
      const embeddings = createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        const { input } = JSON.parse(body) as { readonly input: readonly string[] };
        response.end(JSON.stringify({ data: input.map((text) => ({ embedding: letters(text) })) }));
      });
      await new Promise<void>((resolve) => embeddings.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void embeddings.close());
      const server = await siteOf(small);
      postgres ??= startPostgres();
      const environment = {
        DATABASE_URL: await postgres,
        EMBEDDINGS_URL: `http://127.0.0.1:${(embeddings.address() as AddressInfo).port}/`,
        PAUSE_MS: '1',
      };
      const asked = async (question: string): Promise<readonly string[]> => {
        const argv = [
          'vector-store.js',
          'vectors.warc.gz',
          server.origin,
          question,
          '--no-known',
          '--retries',
          '0',
          '-q',
        ];
        const { lines } = await run(argv, environment);
        return lines.map((line) => line.replace(server.origin, ''));
      };
      expect(await asked('Oak is hard')).toEqual(['/1', '/2']);
      server.site['/a.xml'] = { pages: ['/2'] };
      expect(await asked('Oak is hard')).toEqual(['/2']);
      expect(server.paths()).not.toContain('/secret');
    },
  );

  recipe('indexnow.js sends each change, and sends again what was refused', async () => {
    const sent: { readonly host: string; readonly key: string; readonly urlList: readonly string[] }[] = [];
    let status = 200;
    const engine = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      sent.push(JSON.parse(body));
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void engine.close());
    const server = await siteOf(small);
    const environment = {
      INDEXNOW_KEY: '0123456789abcdef',
      INDEXNOW_ENDPOINT: `http://127.0.0.1:${(engine.address() as AddressInfo).port}/`,
    };
    const argv = ['indexnow.js', 'indexnow.warc.gz', server.origin, '--no-known', '--retries', '0', '-q'];
    const urls = (): readonly string[] => sent.flatMap(({ urlList }) => short(urlList, server));
    expect(await run(argv, environment)).toMatchObject({ code: 0 });
    expect(sent[0]).toMatchObject({ host: new URL(server.origin).host, key: '0123456789abcdef' });
    expect(urls()).toEqual(['/1', '/2', '/secret']);
    server.site['/a.xml'] = { pages: [['/1', '2024-05-07'], '/2', '/3'] };
    status = 429;
    expect((await run(argv, environment)).code).toBe(1);
    status = 200;
    sent.length = 0;
    expect(await run(argv, environment)).toMatchObject({ code: 0 });
    expect(urls()).toEqual(['/1', '/3', '/secret']);
  });

  recipe('object-storage.js: a copy that is taken at any moment is consistent', async () => {
    const COPIES = 3;
    writeFileSync(
      join(recipes.folder, 's3.js'),
      `import S3rver from 's3rver';
      const configureBuckets = Array.from({ length: ${COPIES} }, (_, n) => ({ name: 'copy-' + n }));
      const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: 's3', configureBuckets });
      const { port } = await server.run();
      console.log('http://127.0.0.1:' + port);`,
    );
    const s3 = recipes.start(['s3.js']);
    onTestFinished(() => void s3.child.kill());
    await expect.poll(() => s3.written.stdout).toMatch(/^http.*\n/);
    const storage = s3.written.stdout.trim();
    const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

    const sites = await loopbackSites();
    const list = join(recipes.folder, 'sites.txt');
    const count = 120;
    const homepages = Array.from({ length: count }, (_, number) => sites.homepage(number));
    writeFileSync(list, homepages.join('\n'));
    const folder = join(recipes.folder, 'crawl');
    const argv = [
      '--no-known',
      '--retries',
      '0',
      '--publish-every',
      '0.05',
      '--processes',
      '1',
      '-f',
      'ndjson',
    ];
    const crawl = startGroup(['crawl', list, '-o', folder, ...argv, '--sites-at-once', '2', '-q']);
    await expect.poll(() => existsSync(join(folder, 'pages'))).toBe(true);
    await expect.poll(() => existsSync(join(folder, 'sites.ndjson'))).toBe(true);
    const copied: number[] = [];
    for (let number = 0; number < COPIES; number++) {
      const bucket = `${storage}/copy-${number}`;
      // The last one when the crawl is over.
      if (number === COPIES - 1) await crawl.finished;
      const copy = await run(['object-storage.js', 'copy', folder, bucket], keys);
      expect([copy.code, copy.stderr]).toEqual([0, '']);
      const { lines } = await run(['object-storage.js', 'list', bucket], keys);
      const rows = new Map<string, number>();
      const parts = new Set(lines.flatMap((line) => JSON.parse(line).parts as string[]));
      for (const part of parts) {
        const bytes = await (await fetch(`${bucket}/${part}`)).arrayBuffer();
        for (const row of gunzipSync(Buffer.from(bytes)).toString().split('\n').slice(0, -1)) {
          const { site } = JSON.parse(row);
          rows.set(site, (rows.get(site) ?? 0) + 1);
        }
      }
      for (const line of lines) {
        const { site, pages } = JSON.parse(line);
        expect([site, rows.get(site) ?? 0]).toEqual([site, pages]);
      }
      copied.push(lines.length);
      await delay(1);
    }
    expect(copied.at(-1)).toBe(count);
    expect(copied).toEqual([...copied].sort((a, b) => a - b));
  });
});
