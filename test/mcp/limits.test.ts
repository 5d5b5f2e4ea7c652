/** What a server for agents refuses, what it gives where there is no time, and that it ends and leaves nothing. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type ProgressTotals,
  type Sitemap,
  type SitemapOptions,
  sitemapFromString,
} from '../../src/index.ts';
import { changesSince } from '../../src/mcp/changes-tool.ts';
import { createMcpServer } from '../../src/mcp/index.ts';
import { Readings, type StartReading } from '../../src/mcp/readings.ts';
import { listPages, readSitemap } from '../../src/mcp/site-tools.ts';
import { ResultList, ToolCall } from '../../src/mcp/tool-call.ts';
import { SitePool } from '../../src/site-pool.ts';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { start, until } from '../support/cli-binary.ts';
import { testIf } from '../support/collected.ts';
import { signalling } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { folderUntil } from '../support/folder.ts';
import { type Agent, anAgent, SOME_CLIENTS, startAgent } from '../support/mcp-client.ts';
import { withMoreTime } from '../support/more-time.ts';
import { hasHeavy, sized } from '../support/tier.ts';

let server: ScriptedServer;
const folder = folderUntil(afterAll);
const { promise: held, resolve: release } = signalling();

/** A site of which one sitemap arrives when it is released. */
beforeAll(async () => {
  server = await startServer({
    '/robots.txt': ['/index.xml'],
    '/index.xml': ['/here.xml', '/held.xml'],
    '/here.xml': urlset('https://one.example/1', 'https://one.example/2', 'https://one.example/3'),
    '/held.xml': async () => {
      await held;
      return urlset('https://one.example/4');
    },
    '/never.xml': { silent: true },
    '/held-back.xml': { silent: true },
    '/hostile.xml': urlset('https://one.example/\u202e\u{e0041}x', 'https://one.example/b'),
  });
});
afterAll(async () => {
  release();
  await server?.close();
});

/** One that may not read private networks, for all tests that need no other. */
let usual: Promise<Agent> | undefined;
function usualAgent(): Promise<Agent> {
  usual ??= anAgent(['--archive-dir', join(folder, 'usual'), '--retries', '0']);
  return usual;
}
afterAll(async () => (await usual)?.close());

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** What tools are called with; closed with the test. */
function worldOf(
  limits: Partial<ConstructorParameters<typeof Readings>[0]> = {},
  options: SitemapOptions = {},
): { readonly pool: SitePool; readonly readings: Readings; readonly resultBytes: number } {
  const readings = new Readings({ atOnce: 20, keepMs: 60_000, maxSiteBytes: 1e9, maxPages: 1e6, ...limits });
  const pool = new SitePool({ allowPrivateNetworks: true, useKnownPaths: false, ...options });
  onTestFinished(async () => {
    await readings.close();
    await pool.close();
  });
  return { pool, readings, resultBytes: 9000 };
}

const callFor = (ms = 60_000): ToolCall => new ToolCall(new AbortController().signal, ms, undefined);

describe('a list of a result', () => {
  const large = 'x'.repeat(5000);

  test('takes its first item, however large: a result without any would never go on', () => {
    const list = new ResultList<string>(10, 300);
    expect([list.add(large), list.add('a')]).toEqual([true, false]);
    expect(list.items).toEqual([large]);
  });

  test('ends before an item that does not fit', () => {
    const list = new ResultList<string>(10, 300);
    expect(list.addFrom(['a', 'b', large, 'c'], 1)).toBe(2);
    expect(list.items).toEqual(['b']);
  });

  test('ends at its number of items, and at its bytes, which are not its characters', () => {
    const [short, long] = [Array<string>(9).fill('a'), Array<string>(9).fill('ü'.repeat(100))];
    expect(new ResultList<string>(4, 9000).addFrom(short, 0)).toBe(4);
    // Room for three items of 203 bytes; of 103 it would be six.
    expect(new ResultList<string>(9, 360 + 3 * 203).addFrom(long, 0)).toBe(3);
    expect(new ResultList<string>(9, 360 + 3 * 203 - 1).addFrom(long, 0)).toBe(2);
  });
});

describe('usp mcp, of which an agent asks more than it gets', () => {
  let agent: Agent;
  beforeAll(async () => {
    const flags = ['--allow-private', '--no-known', '--calls-at-once', '3', '--call-time', '2'];
    agent = await anAgent([...flags, '--archive-dir', join(folder, 'open'), '--retries', '0']);
  });
  afterAll(() => agent?.close());

  test('a call that has no more time gives what has arrived, and a cursor that goes on with the rest', async () => {
    // On a busy machine it may have arrived in a later call only.
    const first = await withMoreTime(Array(30).fill(2), async () => {
      const reading = await agent.call('list_pages', { url: server.origin, limit: 2 });
      expect(reading.data).toMatchObject({ state: 'reading', counts: { pages: 3, isWhole: false } });
      return reading;
    });
    expect(first.data.pages).toHaveLength(2);
    const early = await agent.call('find_sitemaps', { url: server.origin });
    // The index and one of its sitemaps; robots.txt is not counted.
    expect(early.data).toMatchObject({ state: 'reading', read: { sitemaps: 2, failed: 0 } });
    expect(early.data.sitemaps).toMatchObject([{ url: `${server.origin}/here.xml` }]);
    expect((await agent.call('check_site', { url: server.origin })).data).toMatchObject({ state: 'reading' });
    expect((await agent.call('changes_since', { url: server.origin, token: 'mine' })).data).toMatchObject({
      state: 'reading',
      changes: [],
      token: 'mine',
      more: true,
    });
    release();
    const urls: string[] = first.data.pages.map(({ url }: { url: string }) => url);
    for (let cursor = first.data.nextCursor; cursor !== undefined; ) {
      const { data } = await agent.call('list_pages', { cursor });
      urls.push(...data.pages.map(({ url }: { url: string }) => url));
      cursor = data.nextCursor;
    }
    expect(urls).toEqual([1, 2, 3, 4].map((number) => `https://one.example/${number}`));
    expect((await agent.call('find_sitemaps', { cursor: early.data.nextCursor })).data.sitemaps).toHaveLength(
      4,
    );
    const changes = await withMoreTime(Array(30).fill(2), async () => {
      const { data } = await agent.call('changes_since', { url: server.origin, token: 'mine' });
      expect(data).toMatchObject({ state: 'done', reset: true, more: false });
      return data.changes;
    });
    expect(changes).toHaveLength(4);
    // Each document was requested once for the tools that read, and once for the archive.
    expect(server.paths().filter((path) => path === '/here.xml')).toHaveLength(2);
  });

  test('a time of years is one: the call waits for the site, and its cursor is kept', async () => {
    const years = ['--keep', '50000', '--call-time', '3000000'];
    const patient = await anAgent([...years, '--allow-private', '--no-known', '--retries', '0']);
    onTestFinished(() => patient.close());
    const { data } = await patient.call('list_pages', { url: server.origin, limit: 3 });
    expect(data).toMatchObject({ state: 'done', counts: { pages: 4 } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await patient.call('list_pages', { cursor: data.nextCursor })).data.pages).toHaveLength(1);
  });

  test('more calls than are worked on at once are refused, and the others are not disturbed', async () => {
    const url = `${server.origin}/never.xml`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent.call('read_sitemap', { url })));
    const refused = answers.filter(({ isError, text }) => isError && text.includes('which is the limit'));
    expect(refused).toHaveLength(17);
    expect(answers.filter(({ data }) => data?.state === 'reading')).toHaveLength(3);
    expect(server.paths().filter((path) => path === '/never.xml')).toHaveLength(1);
  });

  test('a cancelled call ends the reading that only it wanted', async () => {
    const silent = await serving({ '*': { silent: true } });
    const cancelling = new AbortController();
    const call = agent.call('list_pages', { url: silent.origin }, { signal: cancelling.signal });
    await expect.poll(() => silent.requests.length).toBeGreaterThan(0);
    cancelling.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => silent.openSockets).toBe(0);
    expect((await agent.call('explain_rule', {})).isError).toBe(false);
  });

  test('a cancelled call leaves the reading to another caller, who has a cursor', async () => {
    const url = `${server.origin}/held-back.xml`;
    const { data } = await agent.call('read_sitemap', { url });
    const cancelling = new AbortController();
    const call = agent.call('read_sitemap', { url }, { signal: cancelling.signal });
    await agent.call('explain_rule', {});
    cancelling.abort();
    await expect(call).rejects.toThrow();
    await agent.call('explain_rule', {});
    const next = await agent.call('read_sitemap', { cursor: data.nextCursor });
    expect(next).toMatchObject({ isError: false, data: { state: 'reading' } });
    expect(server.paths().filter((path) => path === '/held-back.xml')).toHaveLength(1);
  });

  test('the size of a result is that of its text, with its escapes and problems', async () => {
    const hidden = '\u200b'.repeat(400);
    const pages = Array.from(
      { length: 200 },
      (_, at) => `<url><loc>https://one.example/${at}${hidden}</loc></url>`,
    );
    const wrong = Array.from({ length: 30 }, () => `<url><loc>${hidden.repeat(3)}</loc></url>`);
    const text = `<urlset>${wrong.join('')}${pages.join('')}</urlset>`;
    const answer = await agent.call('read_sitemap', { text });
    expect(answer.data.problemCount).toBeGreaterThan(0);
    expect(answer.data.pages.length).toBeGreaterThan(1);
    expect(Buffer.byteLength(answer.text)).toBeLessThan(41_000);
  });

  const HOSTILE: readonly (readonly [string, string, object, RegExp])[] = [
    ['no arguments', 'list_pages', {}, /Give a url/],
    ['a file', 'list_pages', { url: 'file:///etc/passwd' }, /must be an http or https URL/],
    ['a path', 'read_sitemap', { url: '../../etc/passwd' }, /must be an http or https URL/],
    ['a script', 'read_sitemap', { url: 'javascript:alert(1)' }, /must be an http or https URL/],
    ['control characters', 'find_sitemaps', { url: '\u0000\u001b[2J\u202e' }, /must be an http or https URL/],
    ['a number', 'find_sitemaps', { url: 42 }, /string/],
    ['an object', 'find_sitemaps', { url: { href: 'https://one.example/' } }, /string/],
    ['a URL without an end', 'find_sitemaps', { url: `https://one.example/${'a'.repeat(100_000)}` }, /8,192/],
    [
      'an unknown name',
      'find_sitemaps',
      { url: 'https://one.example/', path: '/etc' },
      /no argument "path"; find_sitemaps takes url, /,
    ],
    [
      '__proto__',
      'find_sitemaps',
      JSON.parse('{"__proto__": {"url": "x"}, "constructor": 1}'),
      /no argument .*"constructor"/,
    ],
    ['no pages', 'list_pages', { url: 'https://one.example/', limit: 0 }, /1/],
    ['a million patterns', 'list_pages', { url: 'x', include: new Array(5000).fill('a') }, /maximum|50/],
    [
      'an expression that is invalid',
      'list_pages',
      { url: 'https://one.example/', include: ['re:('] },
      /expression/,
    ],
    ['a date that is invalid', 'list_pages', { url: 'https://one.example/', since: 'soon' }, /since/],
    ['a text that is invalid', 'read_sitemap', { text: 'x' }, /^The text could not be read: \S/],
    ['an unknown cursor', 'list_pages', { cursor: '0123456789abcdef-0-0-0' }, /without a cursor/],
    ['a cursor that is invalid', 'list_pages', { cursor: '../../x' }, /without a cursor/],
    ['an unknown rule', 'check_site', { url: 'https://one.example/', rule: 'constructor' }, /no rule/],
    [
      'a token of any length',
      'changes_since',
      { url: 'https://one.example/', token: 'a'.repeat(9999) },
      /100/,
    ],
    [
      'a site that is a path',
      'changes_since',
      { url: 'https://../../x' },
      /http or https URL|could not be read/,
    ],
    [
      'a token that is a list',
      'changes_since',
      { url: 'https://one.example/', token: ['../../x'] },
      /does not take \["..\/..\/x"\] as token\. token \(string of at most 100 characters\): /,
    ],
    [
      'a host that is a pattern',
      'changes_since',
      { url: 'https://one.example/', hosts: '*\u202e' },
      /as hosts\. hosts \(one of any, same, subdomains\): /,
    ],
    [
      'an expression that is invalid, for changes',
      'changes_since',
      { url: 'https://one.example/', exclude: ['re:('] },
      /The pattern re:\( is not a regular expression/,
    ],
    [
      'a million patterns, for changes',
      'changes_since',
      { url: 'x', exclude: new Array(5000).fill('a') },
      /at most 50|maximum/,
    ],
    [
      'an agent without a name',
      'changes_since',
      { url: 'https://one.example/', agent: ' /\u001b[2J\u202e' },
      /the name of a crawler/,
    ],
    ['no agent', 'changes_since', { url: 'https://one.example/', onlyAllowed: true }, /needs an agent/],
    ['no site', 'changes_since', { token: 'aaaaaaaaaaaa' }, /changes_since needs url\. url \(string /],
    [
      'a cursor in place of a token',
      'changes_since',
      { url: 'x', cursor: 'a' },
      /takes url, token, include, /,
    ],
    ['a tool that there is not', 'rm', { url: '/' }, /rm/],
  ];
  test.each(HOSTILE)('%s is refused in a sentence', async (_, tool, args, expected) => {
    const answer = await agent
      .call(tool, args)
      .catch((error: Error) => ({ isError: true, text: error.message }));
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(expected);
    expect(answer.text.length).toBeLessThan(2000);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not get through.
    expect(answer.text).not.toMatch(/[\0-\x08\x1b\u202e]/);
  });

  test('a cursor of one tool is refused by another', async () => {
    const { data } = await agent.call('read_sitemap', { url: `${server.origin}/index.xml`, limit: 1 });
    expect(await agent.call('list_pages', { cursor: data.nextCursor })).toMatchObject({
      isError: true,
      text: expect.stringContaining('list_pages cannot continue from this cursor'),
    });
  });

  test('characters that cannot be seen are escapes in the text, and themselves in the data', async () => {
    const { text, data } = await agent.call('read_sitemap', { url: `${server.origin}/hostile.xml` });
    expect(data.pages[0].url).toContain('\u202e');
    expect(text).toContain('\\u202e');
    expect(text).not.toMatch(/[\u202e\u{e0041}]/u);
    expect(JSON.parse(text)).toEqual(data);
  });
});

test('a page whose details are long is shortened, and a list ends at its size', async () => {
  const image = `<image:image><image:loc>https://one.example/${'i'.repeat(500)}</image:loc></image:image>`;
  const page = (name: string, images: number): string =>
    `<url><loc>https://one.example/${name}</loc>${image.repeat(images)}</url>`;
  const text = `<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">${page('big', 900)}${Array.from({ length: 20 }, (_, at) => page(`p${at}`, 10)).join('')}</urlset>`;
  const agent = await usualAgent();
  const first = await agent.call('read_sitemap', { text, details: true });
  expect(first.data.pages[0]).toEqual({ url: 'https://one.example/big', shortened: true });
  expect(first.data.pages[1].images).toHaveLength(10);
  expect(first.text.length).toBeLessThan(45_000);
  expect(first.data.pages.length).toBeLessThan(21);
  const rest = await agent.call('read_sitemap', { cursor: first.data.nextCursor });
  expect(first.data.pages.length + rest.data.pages.length).toBeGreaterThan(10);
});

test('a late call ends although nothing has matched, and where it does not come to its place', async () => {
  const pages = Array.from({ length: 20_000 }, (_, at) => `https://one.example/${at}`);
  const site = await serving({ '/robots.txt': ['/all.xml'], '/all.xml': urlset(...pages) });
  const world = { ...worldOf(), resultBytes: 1000 };
  const args = { url: site.origin, include: ['/19999'] };
  expect(await listPages(world, args, callFor())).toMatchObject({ pages: [{ url: pages.at(-1) }] });
  const late = await listPages(world, args, callFor(0));
  expect(late).toMatchObject({ pages: [], counts: { isWhole: false }, nextCursor: expect.any(String) });
  const cursor = String(Reflect.get(late, 'nextCursor')).replace(/\d+$/, '19999');
  await expect(listPages(world, { cursor }, callFor(0))).rejects.toThrow('not enough time');
});

test('a late call for the rest of the changes says that there was no time to come to its place', async () => {
  const site = await serving({
    '/robots.txt': ['/all.xml'],
    '/all.xml': urlset('https://one.example/1', 'https://one.example/2', 'https://one.example/3'),
  });
  const world = { ...worldOf(), archives: join(folder, 'late') };
  const first = await changesSince(world, { url: site.origin, limit: 2 }, callFor());
  expect(first).toMatchObject({ more: true, token: expect.stringMatching(/-2$/) });
  const rest = { url: site.origin, token: String(Reflect.get(first, 'token')) };
  await expect(changesSince(world, rest, callFor(0))).rejects.toThrow('not enough time');
  expect(await changesSince(world, rest, callFor())).toMatchObject({
    more: false,
    changes: [{ type: 'added' }],
  });
});

test('a document that arrives after its call has ended is listed from its first page on', async () => {
  const { promise: arrives, resolve: arrive } = signalling();
  const site = await serving({
    '/late.xml': async () => {
      await arrives;
      return urlset('https://one.example/1', 'https://one.example/2');
    },
  });
  const world = worldOf();
  const early = await readSitemap(world, { url: `${site.origin}/late.xml` }, callFor(0));
  expect(early).toMatchObject({ state: 'reading' });
  arrive();
  const rest = await readSitemap(world, { cursor: String(Reflect.get(early, 'nextCursor')) }, callFor());
  expect(rest).toMatchObject({
    state: 'done',
    pages: [{ url: 'https://one.example/1' }, { url: 'https://one.example/2' }],
  });
});

test('a file in place of the folder for archives is reported', async () => {
  const archives = join(folder, 'a-file');
  await writeFile(archives, '');
  await expect(createMcpServer({ archives })).rejects.toThrow('it is a file, not a folder');
});

test.each(['', 1, null])('%j in place of the folder for archives is refused', async (value) => {
  const archives = value as string;
  await expect(createMcpServer({ archives })).rejects.toMatchObject({
    code: 'bad-option',
    option: 'archives',
    message: 'The option "archives" must be the path of a folder.',
  });
});

test.each([
  ['include', '/blog/'],
  ['hosts', 'same'],
  ['sample', 3],
  ['robotsAgent', 'GPTBot'],
])('the option %s is refused, since each call chooses its pages', async (name, value) => {
  await expect(createMcpServer({ [name]: value })).rejects.toMatchObject({
    code: 'bad-option',
    option: name,
    message: expect.stringContaining('is not an option of the server'),
  });
});

test('a server that is closed leaves no connection to a site', async () => {
  const site = await serving({ '/robots.txt': ['/1.xml'], '/1.xml': urlset('https://one.example/1') });
  const agent = await anAgent(['--allow-private', '--no-known']);
  expect((await agent.call('list_pages', { url: site.origin })).data).toMatchObject({ state: 'done' });
  await agent.close();
  // A short wait: what is forgotten is closed after four seconds.
  await expect.poll(() => site.openSockets, { timeout: 2000 }).toBe(0);
});

test('another path and another password are another site, with and without an archive', async () => {
  const site = await serving({
    '/robots.txt': 'User-agent: *\n',
    '*': ({ path, headers }) => {
      const user = Buffer.from(String(headers['authorization']).slice(6), 'base64').toString();
      return urlset(`https://one.example${path}?${encodeURIComponent(user)}`);
    },
  });
  const flags = ['--allow-private', '--no-normalize', '--known-path', 'sitemap.xml', '--archive-dir'];
  const agent = await anAgent([...flags, join(folder, 'paths'), '--retries', '0']);
  try {
    for (const tool of ['list_pages', 'changes_since']) {
      const listed = new Set<string>();
      for (const place of ['a:bc@/one/', 'ab:c@/one/', 'ab:c@/two/']) {
        const [user, path] = place.split('@');
        const url = site.origin.replace('//', `//${user}@`) + path;
        const { data } = await agent.call(tool, { url });
        listed.add(JSON.stringify(data.pages ?? data.changes));
      }
      expect([...listed]).toHaveLength(3);
    }
  } finally {
    await agent.close();
    await site.close();
  }
});

test('what is kept is bounded also where all of it was asked for at once', async () => {
  const { readings } = worldOf();
  const signals: (AbortSignal | undefined)[] = [];
  const read: StartReading = async ({ signal }) => {
    signals.push(signal);
    return sitemapFromString(urlset('https://one.example/'));
  };
  const call = callFor(10_000);
  const calls = Array.from({ length: 12 }, (_, at) =>
    readings.use(`site ${at}`, read, call, ({ over }) => over),
  );
  await Promise.all(calls);
  expect(signals.filter((signal) => signal?.aborted)).toHaveLength(4);
});

describe('what was read', () => {
  const MINUTE = 60_000;
  const limits = { keepMs: 15 * MINUTE, maxSiteBytes: 1e12 };
  const totals = { done: 1, failed: 0, known: 1, pages: 1, bytes: 0, requests: 1, elapsedMs: 1 };
  afterEach(() => vi.useRealTimers());

  test('is dropped 15 minutes after its last use, and its cursor is refused', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { readings } = worldOf(limits);
    const signals: (AbortSignal | undefined)[] = [];
    const read: StartReading = async ({ signal }) => {
      signals.push(signal);
      return sitemapFromString(urlset('https://one.example/'));
    };
    const use = (): Promise<string> =>
      readings.use('site', read, callFor(), async (reading) => {
        await reading.over;
        return reading.position('list_pages', {}, {}).cursor(1);
      });
    await use();
    vi.advanceTimersByTime(14 * MINUTE);
    const cursor = await use();
    vi.advanceTimersByTime(14 * MINUTE);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    vi.advanceTimersByTime(MINUTE);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    const goOn = readings.continueAt({ cursor }, 'list_pages', callFor(), async () => 0);
    await expect(goOn).rejects.toThrow('kept for 15 minutes');
    await use();
    expect(signals).toHaveLength(2);
  });

  test.each<readonly [string, number, () => Promise<Sitemap>]>([
    ['a document that is read', 1, () => sitemapFromString(urlset('https://one.example/'))],
    ['one that is not a sitemap', 2, () => sitemapFromString('nothing')],
    ['one that cannot be had', 2, () => Promise.reject(new Error('refused'))],
  ])('%s is requested by two calls %i times: what failed is tried again', async (_, times, result) => {
    const { readings } = worldOf(limits);
    const read = vi.fn<StartReading>(result);
    const use = () => readings.use('site', read, callFor(), async ({ over }) => void (await over));
    await use();
    await use();
    expect(read).toHaveBeenCalledTimes(times);
  });

  test('is reported as progress to the calls that wait for it, and to none that has its result', async () => {
    const { readings } = worldOf(limits);
    const { promise: arrives, resolve: arrive } = signalling();
    // Before the readings are closed, which wait for what is read.
    onTestFinished(arrive);
    let report = (_totals: ProgressTotals): void => {};
    const read: StartReading = async ({ onProgress }) => {
      report = (now) => onProgress?.({ totals: now } as never);
      await arrives;
      return sitemapFromString(urlset('https://one.example/'));
    };
    const notified: string[] = [];
    const call = (name: string): ToolCall =>
      new ToolCall(new AbortController().signal, 60_000, () => notified.push(name));
    await readings.use('site', read, call('with its result'), async () => 'what there is');
    const waiting = readings.use('site', read, call('that waits'), ({ over }) => over);
    report(totals);
    expect(notified).toEqual(['that waits']);
    arrive();
    await waiting;
    report({ ...totals, done: 2 });
    expect(notified).toEqual(['that waits']);
  });

  test('is held by no timer once it is dropped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { readings } = worldOf(limits);
    const read: StartReading = async () => sitemapFromString(urlset('https://one.example/'));
    await readings.use('site', read, callFor(), ({ over }) => over);
    expect(vi.getTimerCount()).toBe(1);
    await readings.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('keeps the last hundred lists that were asked of it: the cursor of an older one is refused', async () => {
    const { readings } = worldOf(limits);
    const read: StartReading = async () => sitemapFromString(urlset('https://one.example/'));
    const cursors = await readings.use('site', read, callFor(), async (reading) =>
      Array.from({ length: 103 }, (_, at) => reading.position('list_pages', {}, `list ${at}`).cursor(0)),
    );
    const goOn = (at: number): Promise<unknown> =>
      readings.continueAt({ cursor: cursors[at]! }, 'list_pages', callFor(), async ({ query }) => query);
    for (const at of [0, 1, 2]) await expect(goOn(at)).rejects.toThrow('without a cursor');
    for (const at of [3, 4, 100, 101, 102]) expect(await goOn(at)).toBe(`list ${at}`);
  });

  test('is dropped above 1 GiB, what was used the longest ago first', async () => {
    const { readings } = worldOf(limits);
    const dropped: string[] = [];
    const use = (name: string, mebibytes: number): Promise<unknown> =>
      readings.use(
        name,
        async ({ signal, onProgress }) => {
          signal?.addEventListener('abort', () => dropped.push(name));
          onProgress?.({ totals: { ...totals, bytes: mebibytes * 1024 ** 2 } } as never);
          return sitemapFromString(urlset('https://one.example/'));
        },
        callFor(),
        ({ over }) => over,
      );
    await use('first', 400);
    await use('second', 400);
    await use('first', 400);
    expect(dropped).toEqual([]);
    await use('third', 400);
    expect(dropped).toEqual(['second']);
  });

  test.each([
    ['maxSiteBytes', { maxSiteBytes: 1000 }, 'more than 1.0 kB'],
    ['maxPages', { maxPages: 10 }, 'more than 10 pages'],
  ])('ends at %s, and what there is is listed', async (_limit, own, reason) => {
    const site = await serving({
      '/robots.txt': ['/1.xml', '/2.xml', '/3.xml'],
      '/1.xml': urlset('https://one.example/1', 'https://one.example/2', 'https://one.example/3'),
      // Where a limit is reached within it, it may be reported before its end.
      '/2.xml': urlset(...Array.from({ length: 100 }, (_, at) => `https://two.example/${at}`)),
      '/3.xml': urlset('https://one.example/4'),
    });
    const world = worldOf({ ...limits, ...own }, { concurrency: 1 });
    const listed = await listPages(world, { url: site.origin }, callFor());
    expect(listed).toMatchObject({ state: 'done', outcome: 'partial', code: 'limit' });
    expect(Reflect.get(listed, 'reason')).toContain(reason);
    const one = { url: expect.stringContaining('https://one.example/') };
    expect(Reflect.get(listed, 'pages').slice(0, 3)).toMatchObject([one, one, one]);
    expect(site.requests.map(({ path }) => path)).not.toContain('/3.xml');
  });

  test('is requested at the pace of its host, whatever calls there are', async () => {
    let [now, most] = [0, 0];
    const site = await serving({
      '*': async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 20));
        now--;
        return urlset('https://one.example/');
      },
    });
    const world = worldOf(limits, { perHostConcurrency: 1 });
    const urls = [1, 2, 3, 4].map((number) => `${site.origin}/${number}.xml`);
    await Promise.all(urls.map((url) => readSitemap(world, { url }, callFor())));
    expect([site.requests.length, most]).toEqual([4, 1]);
  });
});

testIf(hasHeavy)('an expression that never ends costs its call, not the server', async () => {
  const page = `https://one.example/${'a'.repeat(60)}!`;
  // Slow enough for each of them that all together take too long, and each alone does not.
  const slow = Array.from({ length: 400 }, (_, number) => `/${number}/${'a'.repeat(22)}.xml`);
  const site = await serving({
    '/robots.txt': ['/1.xml', ...slow],
    '/1.xml': urlset(page),
    ...Object.fromEntries(slow.map((path) => [path, urlset('https://one.example/b')])),
  });
  const world = worldOf();
  const listedWith = (patterns: object): Promise<object> =>
    listPages(world, { url: site.origin, ...patterns }, callFor());
  const listed = (pattern: string): Promise<object> => listedWith({ include: [pattern] });
  const ofSitemaps = (pattern: string): Promise<object> => listedWith({ sitemapInclude: [pattern] });
  await expect(listed('re:(a+)+$')).rejects.toThrow('takes too long');
  await expect(ofSitemaps('re:(a+)+!$')).rejects.toThrow('takes too long');
  expect(await listed('re:/a{60}!$')).toMatchObject({ pages: [{ url: page }] });
});

describe('private networks', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://[::1]:PORT/',
    'http://2130706433:PORT/',
    'http://169.254.169.254/',
    'http://10.0.0.1/',
  ])('%s is refused as a homepage and as a sitemap, and not requested', async (address) => {
    const agent = await usualAgent();
    const url = address.replace('PORT', String(server.port));
    const before = server.requests.length;
    for (const tool of ['find_sitemaps', 'list_pages', 'read_sitemap', 'check_site', 'changes_since']) {
      const { isError, text } = await agent.call(tool, { url });
      expect([isError, text], tool).toEqual([true, expect.stringContaining('--allow-private')]);
    }
    expect(server.requests.length).toBe(before);
  });
});

describe('the end', () => {
  test.each(SOME_CLIENTS)('closing %s ends the process, also while a site is being read', async (client) => {
    const agent = await startAgent(['--allow-private', '--no-known'], client);
    const silent = await serving({ '*': { silent: true } });
    const call = agent.call('list_pages', { url: silent.origin }).catch(() => {});
    await expect.poll(() => silent.requests.length).toBeGreaterThan(0);
    await agent.close();
    await call;
    await until(() => !isAlive(agent.pid), 'the end of the process');
    await expect.poll(() => silent.openSockets).toBe(0);
  });

  test.each(sized({ fast: ['SIGTERM'], full: ['SIGTERM', 'SIGINT', 'stdin'] }) as NodeJS.Signals[])(
    '%s ends it with exit code 0, and nothing on stderr',
    async (how) => {
      const spool = folderUntil(onTestFinished);
      const { child, written, finished } = start(['mcp'], { env: { TMPDIR: spool } });
      const params = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      };
      child.stdin?.write(
        `not json\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
      );
      await until(() => written.stdout.includes('\n'), 'an answer');
      if (String(how) === 'stdin') child.stdin?.end();
      else child.kill(how);
      const { code, stderr } = await finished;
      expect([code, stderr]).toEqual([0, '']);
      expect(await readdir(spool)).toEqual([]);
    },
  );
});
