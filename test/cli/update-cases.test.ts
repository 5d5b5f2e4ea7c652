/** §11.4, the law of updates: each case that once lost pages, or removed them too early. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { loadTree } from '../../src/index.ts';
import type { Site } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { siteOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { type UpdatedSite, updatedSite } from '../support/updated-site.ts';

type Run = (...argv: readonly string[]) => Promise<readonly string[]>;

/** A site that was read once, and a run: what it prints. */
async function saved(site: Site, ...first: readonly string[]): Promise<UpdatedSite & { run: Run }> {
  const updated = await updatedSite(site);
  const run: Run = async (...argv) => (await updated.update(...argv)).lines;
  await run(updated.server.origin, '--no-known', ...first);
  return { ...updated, run };
}

const two: Site = {
  '/robots.txt': ['/index.xml'],
  '/index.xml': ['/a.xml'],
  '/a.xml': { pages: ['/1', '/2'] },
};

describe('§11.4: what an update prints adds up to the site', () => {
  test('case 1: a 304 with another tag is not believed, and its tag is not stored', async () => {
    const { server, run } = await saved({ ...two, '/a.xml': { pages: ['/1'], headers: { etag: '"v1"' } } });
    const asked: (string | undefined)[] = [];
    server.site['/a.xml'] = ({ headers }) => {
      const tag = headers['if-none-match'] as string | undefined;
      asked.push(tag);
      if (tag === '"v1"') return { status: 304, headers: { etag: '"v2"' } };
      return { body: urlset(`${server.origin}/1`, `${server.origin}/2`), headers: { etag: '"v2"' } };
    };
    expect(await run()).toEqual(['+ /2']);
    expect(asked).toEqual(['"v1"', undefined]);
    expect(await run()).toEqual([]);
  });

  test('case 2: a sitemap whose first read fails has its pages printed by the run that can read it', async () => {
    const { server, run } = await saved(two);
    server.site['/index.xml'] = ['/a.xml', '/b.xml'];
    server.site['/b.xml'] = { status: 500 };
    expect(await run()).toEqual([]);
    server.site['/b.xml'] = { pages: ['/b1', '/b2'] };
    expect(await run()).toEqual(['+ /b1', '+ /b2']);
  });

  test('case 3: a renamed sitemap that cannot be read at once removes nothing', async () => {
    const { server, run, update } = await saved(two);
    server.site['/index.xml'] = ['/a1.xml'];
    server.site['/a.xml'] = { status: 404 };
    server.site['/a1.xml'] = { status: 503 };
    const { lines, stderr } = await update();
    expect(lines).toEqual([]);
    expect(stderr).toMatch(/\/a\.xml, since \d{4}-.*, in 1 run: Nothing declares it any more/);
    expect(await run()).toEqual([]);
    server.site['/a1.xml'] = { pages: ['/1', '/3'] };
    expect(await run()).toEqual(['+ /3', '- /2']);
    expect(await run()).toEqual([]);
  });

  test('a renamed sitemap that leads back to its index for a minute removes nothing', async () => {
    const { server, run } = await saved(two);
    server.site['/index.xml'] = ['/a1.xml'];
    server.site['/a.xml'] = { status: 404 };
    server.site['/a1.xml'] = { redirect: '/index.xml' };
    expect([await run(), await run()]).toEqual([[], []]);
    server.site['/a1.xml'] = { pages: ['/1'] };
    expect(await run()).toEqual(['- /2']);
  });

  test('what leads back to robots.txt from an index that nothing declares any more removes nothing', async () => {
    const { server, run } = await saved(two);
    server.site['/robots.txt'] = ['/index1.xml'];
    server.site['/index1.xml'] = { status: 503 };
    server.site['/a.xml'] = { redirect: '/robots.txt' };
    expect(await run()).toEqual([]);
    server.site['/index1.xml'] = ['/a.xml'];
    server.site['/a.xml'] = { pages: ['/1'] };
    expect(await run()).toEqual(['- /2']);
  });

  test('a sitemap that nothing declares for a while goes on with its count of 404', async () => {
    const { server, run } = await saved(two);
    server.site['/a.xml'] = { status: 404 };
    expect(await run()).toEqual([]);
    // It is in no index for a run in which the new one cannot be read.
    server.site['/index.xml'] = ['/b.xml'];
    server.site['/b.xml'] = { status: 503 };
    expect(await run()).toEqual([]);
    server.site['/index.xml'] = ['/a.xml'];
    expect(await run()).toEqual(['- /1', '- /2']);
  });

  test('case 4: one 404 of a sitemap that is still declared removes nothing; the second does', async () => {
    const { server, run } = await saved(two);
    server.site['/a.xml'] = { status: 404 };
    expect(await run()).toEqual([]);
    server.site['/a.xml'] = { pages: ['/1', '/2'] };
    expect(await run()).toEqual([]);
    server.site['/a.xml'] = { status: 404 };
    expect(await run()).toEqual([]);
    expect(await run()).toEqual(['- /1', '- /2']);
    server.site['/a.xml'] = { pages: ['/1'] };
    expect(await run()).toEqual(['+ /1']);
  });

  test('another failure between two 404s neither counts nor resets', async () => {
    const { server, run } = await saved(two);
    for (const status of [404, 503, 500]) {
      server.site['/a.xml'] = { status };
      expect(await run()).toEqual([]);
    }
    server.site['/a.xml'] = { status: 404 };
    expect(await run()).toEqual(['- /1', '- /2']);
  });

  test('what nothing declares is kept for what cannot be read two levels below its index, until that is declared no more', async () => {
    const { server, run, update } = await saved(two);
    server.site['/index.xml'] = ['/deep.xml'];
    server.site['/deep.xml'] = ['/deeper.xml'];
    server.site['/deeper.xml'] = { status: 503 };
    expect([await run(), await run()]).toEqual([[], []]);
    server.site['/deep.xml'] = index();
    expect(await run()).toEqual(['- /1', '- /2']);

    server.site['/index.xml'] = ['/a.xml'];
    expect(await run()).toEqual(['+ /1', '+ /2']);
    server.site['/index.xml'] = ['/b.xml'];
    server.site['/b.xml'] = { status: 503 };
    expect(await run()).toEqual([]);
    // A filter leaves it out: it is not waited for any more.
    expect((await update('--sitemap-exclude', 'b.xml')).lines).toEqual(['- /1', '- /2']);
  });

  test('the limit: a page that moves into a sitemap that cannot be read is removed, and added again', async () => {
    const { server, run } = await saved({
      ...two,
      '/index.xml': ['/a.xml', '/b.xml'],
      '/b.xml': { pages: ['/3'] },
    });
    server.site['/a.xml'] = { pages: ['/1'] };
    server.site['/b.xml'] = { status: 503 };
    expect(await run()).toEqual(['- /2']);
    server.site['/b.xml'] = { pages: ['/3', '/2'] };
    expect(await run()).toEqual(['+ /2']);
    // So does a sitemap that becomes an index.
    server.site['/a.xml'] = ['/a1.xml'];
    server.site['/a1.xml'] = { status: 503 };
    expect(await run()).toEqual(['- /1']);
    server.site['/a1.xml'] = { pages: ['/1'] };
    expect(await run()).toEqual(['+ /1']);
  });

  test('a run that read nothing saves that it saw a 404', async () => {
    const { server, run } = await saved(two);
    for (const path of Object.keys(server.site)) server.site[path] = { status: 503 };
    server.site['/a.xml'] = { status: 404 };
    expect(await run()).toEqual([]);
    expect(await run()).toEqual(['- /1', '- /2']);
  });

  test('--gone-after is remembered, and 410 is gone at once', async () => {
    const { server, run } = await saved(two, '--gone-after', '3');
    server.site['/a.xml'] = { status: 404 };
    expect([await run(), await run()]).toEqual([[], []]);
    expect(await run()).toEqual(['- /1', '- /2']);
    server.site['/a.xml'] = { pages: ['/1'] };
    expect(await run()).toEqual(['+ /1']);
    server.site['/a.xml'] = { status: 410 };
    expect(await run()).toEqual(['- /1']);
  });

  test.each([
    ['1', '0'],
    ['60s', '0.01s'],
  ])(
    '--max-stale ends what is stale for longer, and says so: not with %s, but with %s',
    async (long, short) => {
      const { server, update } = await saved(two);
      server.site['/a.xml'] = { status: 503 };
      await setTimeout(70);
      expect((await update('--max-stale', long)).lines).toEqual([]);
      const { lines, stderr } = await update('--max-stale', short);
      expect(lines).toEqual(['- /1', '- /2']);
      expect(stderr).toMatch(/\/a\.xml is not kept: it was last read on .* \(--max-stale\)/);
    },
  );

  test('a filter of sitemaps removes what it leaves out, with a sentence', async () => {
    const { update } = await saved(two);
    const { lines, stderr } = await update('--sitemap-exclude', 'a.xml');
    expect(lines).toEqual(['- /1', '- /2']);
    expect(stderr).toContain('/a.xml of the earlier tree: left out by a filter, a limit or another option.');
  });

  test('patterns of pages are remembered; where they change, so does what is printed', async () => {
    const { server, run } = await saved(
      { ...two, '/a.xml': { pages: ['/en/1', '/de/1'] } },
      '--include',
      '/en/',
    );
    server.site['/a.xml'] = urlset(
      ...['/en/1', '/de/1', '/de/2', '/en/2'].map((path) => server.origin + path),
    );
    expect(await run()).toEqual(['+ /en/2']);
    expect(await run('--include', '/de/')).toEqual(['+ /de/1', '+ /de/2', '- /en/1', '- /en/2']);
    expect(await run()).toEqual([]);
    expect(await run('--include', '*')).toEqual(['+ /en/1', '+ /en/2']);
  });

  test('documents of the earlier tree keep their places under maxSitemaps', async () => {
    const { server, run } = await saved(two, '--max-sitemaps', '3');
    server.site['/index.xml'] = ['/new.xml', '/a.xml'];
    server.site['/new.xml'] = { pages: ['/new'] };
    expect(await run()).toEqual([]);
  });
});

describe('§11.4: output and archive are one step', () => {
  const closed = (): Writable =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });

  test('what a run could not print is printed by the next one, whole, before its own changes', async () => {
    const { server, file, run, update, updateIn } = await saved(two);
    server.site['/a.xml'] = { pages: ['/1', '/3'] };
    await updateIn({ stdout: closed() });
    expect(readdirSync(dirname(file)).sort()).toEqual([basename(file), `${basename(file)}.pending-1`]);
    using before = await loadTree(file);
    expect(Array.from(before.allPages(), ({ url }) => url.replace(server.origin, ''))).toEqual(['/1', '/2']);

    server.site['/a.xml'] = { pages: ['/1', '/4'] };
    await updateIn({ stdout: closed() });
    // The dry run prints them, too, and changes nothing.
    const dry = await run('--dry-run');
    expect(dry).toEqual(['+ /3', '- /2', '+ /4', '- /3']);
    const { lines, stderr } = await update();
    expect(lines).toEqual(dry);
    expect(stderr).toContain('The last run did not end: its changes are printed once more');
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
    expect(await run()).toEqual([]);
  });

  test('the same with a file as output, and as one JSON document', async () => {
    const { server, file, update, updateIn } = await saved(two);
    server.site['/a.xml'] = { pages: ['/1'] };
    await updateIn({ stdout: closed() });
    server.site['/a.xml'] = { pages: ['/1', '/5'] };
    const { lines } = await update('-f', 'json');
    const { changes, counts } = JSON.parse(lines.join('\n'));
    expect(changes.map(({ type }: { type: string }) => type)).toEqual(['removed', 'added']);
    expect(counts).toMatchObject({ added: 1, removed: 1 });
    expect(existsSync(`${file}.pending-1`)).toBe(false);
  });

  test('--exit-code counts what a run could not print, where nothing has changed since', async () => {
    const { server, update, updateIn } = await saved(two);
    server.site['/a.xml'] = { pages: ['/1', '/2', '/3'] };
    await updateIn({ stdout: closed() });
    const { code, lines } = await update('--exit-code');
    expect([code, lines]).toEqual([5, ['+ /3']]);
  });

  test('what a run could not print is seen through the filters of that run', async () => {
    const { server, run, updateIn } = await saved(two);
    server.site['/a.xml'] = { pages: ['/1', '/3'] };
    await updateIn({ stdout: closed() });
    expect(await run('--include', '*/1')).toEqual(['+ /3', '- /2', '- /3']);
    expect(await run()).toEqual([]);
  });

  test('what a run could not print has the verdicts of its robots.txt, and what is new those of the new one', async () => {
    const { server, update, updateIn } = await saved(two);
    const allowing = (rule: string): string =>
      `User-agent: *\n${rule}\n\nSitemap: ${server.origin}/index.xml\n`;
    server.site['/robots.txt'] = allowing('Disallow: /none');
    server.site['/a.xml'] = { pages: ['/1', '/2', '/3'] };
    const flags = ['--agent', 'example-bot', '-f', 'ndjson'];
    await updateIn({ stdout: closed() }, ...flags);
    server.site['/robots.txt'] = allowing('Disallow: /4');
    server.site['/a.xml'] = { pages: ['/1', '/2', '/3', '/4'] };
    const { lines } = await update(...flags);
    const added = lines.map((line) => JSON.parse(line));
    expect(added.map(({ url, rule }) => [url, rule])).toEqual([
      ['/3', undefined],
      ['/4', 'Disallow: /4'],
    ]);
  });

  test('-o has what a run could not print, although the site is down', async () => {
    const { server, file, update, updateIn } = await saved(two);
    server.site['/a.xml'] = { pages: ['/1', '/2', '/3'] };
    await updateIn({ stdout: closed() });
    await server.close();
    const output = join(dirname(file), 'changes.txt');
    const { code, lines } = await update('-o', output, '--retries', '0');
    expect([code, lines]).toEqual([6, []]);
    expect(readFileSync(output, 'utf8')).toBe(`+ ${server.origin}/3\n`);
    expect(existsSync(`${file}.pending-1`)).toBe(false);
  });

  test.each(['site.warc', 'site.WARC'])(
    'a first run that could not print %s is printed as a whole by the next',
    async (name) => {
      const server = await siteOf(two);
      const file = join(folder(), name);
      await usp(['update', file, server.origin, '--no-known'], { stdout: closed() });
      expect(existsSync(file)).toBe(false);
      const { lines } = await usp(['update', file, server.origin]);
      expect(lines.map((line) => line.replace(server.origin, ''))).toEqual(['+ /1', '+ /2']);
      expect(readdirSync(dirname(file))).toEqual([name]);
      // Its name says that it is not compressed.
      expect(readFileSync(file, 'latin1')).toMatch(/^WARC\//);
    },
  );
});
