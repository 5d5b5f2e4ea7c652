/** `changes_since`: an index that applies its results is the site, also where results get lost on their way. */
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ScriptedServer, Site } from '../server/scripted-server.ts';
import { nodesOf } from '../support/archives.ts';
import { index, urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { folder, folderUntil, openFiles } from '../support/folder.ts';
import { type Agent, anAgent, SOME_CLIENTS } from '../support/mcp-client.ts';
import { IS_LINUX } from '../support/platform.ts';
import { CHANGING_SEED, Chance } from '../support/random.ts';
import { sized } from '../support/tier.ts';

const url = (page: string): string => `https://one.example/${page}`;

let server: ScriptedServer;
beforeEach(async () => {
  server = await serving({});
});

/** A caller with an index of pages, which applies results as the description of the tool says. */
class Caller {
  readonly pages = new Map<string, string | undefined>();
  token: string | undefined;
  readonly #agent: Agent;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** @param isLost - whether a result gets lost on its way: then nothing of it is applied */
  async sync({
    limit = 200,
    isLost = () => false,
  }: {
    limit?: number;
    isLost?: () => boolean;
  } = {}): Promise<void> {
    for (;;) {
      const args = { url: server.origin, limit, ...(this.token !== undefined && { token: this.token }) };
      const { data, isError } = await this.#agent.call('changes_since', args);
      if (isLost() || isError) return;
      if (data.reset === true) this.pages.clear();
      for (const { type, url, lastModified } of data.changes) {
        if (type === 'removed') this.pages.delete(url);
        else this.pages.set(url, lastModified);
      }
      this.token = data.token;
      if (!data.more) return;
    }
  }
}

describe('changes_since', () => {
  // Made by the server where it is missing.
  const archives = join(folderUntil(afterAll), 'archives');
  let agent: Agent;
  beforeAll(async () => {
    const flags = ['--allow-private', '--no-known', '--keep', '0', '--retries', '0'];
    agent = await anAgent([...flags, '--archive-dir', archives]);
  });
  afterAll(() => agent?.close());

  const declare = (site: Site): void => {
    for (const path of Object.keys(server.site)) delete server.site[path];
    Object.assign(server.site, { '/robots.txt': 'Sitemap: /sitemap.xml\n', ...site });
  };

  test('lists everything at first, then what is new, changed and gone', async () => {
    declare({ '/sitemap.xml': urlset([url('a'), '2024-01-01'], url('b'), url('c')) });
    const first = await agent.call('changes_since', { url: server.origin });
    expect(first.data).toMatchObject({ state: 'done', reset: true, more: false });
    expect(first.data.changes).toEqual([
      { type: 'added', url: url('a'), lastModified: '2024-01-01T00:00:00.000Z' },
      { type: 'added', url: url('b') },
      { type: 'added', url: url('c') },
    ]);
    declare({ '/sitemap.xml': urlset([url('a'), '2024-02-02'], url('c'), url('d')) });
    const second = await agent.call('changes_since', { url: server.origin, token: first.data.token });
    expect(second.data.reset).toBeUndefined();
    expect(second.data.changes).toEqual([
      { type: 'changed', url: url('a'), lastModified: '2024-02-02T00:00:00.000Z', fields: ['lastModified'] },
      { type: 'added', url: url('d') },
      { type: 'removed', url: url('b') },
    ]);
    // The result got lost: the state before is named once more.
    const again = await agent.call('changes_since', { url: server.origin, token: first.data.token });
    expect(again.data.changes).toEqual(second.data.changes);
    const third = await agent.call('changes_since', { url: server.origin, token: again.data.token });
    expect(third.data).toMatchObject({ changes: [], more: false });
  });

  test('reads again within the time for which other tools keep a site, with conditional requests', async () => {
    const keeping = await anAgent(['--allow-private', '--no-known', '--archive-dir', archives]);
    onTestFinished(() => keeping.close());
    declare({ '/sitemap.xml': { body: urlset(url('a')), headers: { etag: '"1"' } } });
    const first = await keeping.call('changes_since', { url: server.origin });
    const before = server.requests.length;
    const same = await keeping.call('changes_since', { url: server.origin, token: first.data.token });
    expect(same.data).toMatchObject({ state: 'done', changes: [], more: false });
    const asked = server.requests.slice(before).find(({ path }) => path === '/sitemap.xml');
    expect(asked?.headers['if-none-match']).toBe('"1"');
    declare({ '/sitemap.xml': urlset(url('a'), url('b')) });
    const changed = await keeping.call('changes_since', { url: server.origin, token: same.data.token });
    expect(changed.data.changes).toEqual([{ type: 'added', url: url('b') }]);
    expect(Date.parse(changed.data.readAt)).toBeGreaterThanOrEqual(Date.parse(first.data.readAt));
    expect(changed.data.ageSeconds).toBeGreaterThanOrEqual(0);
  });

  test('a site that was read in part says so', async () => {
    declare({ '/sitemap.xml': index('/one.xml', '/missing.xml'), '/one.xml': urlset(url('a')) });
    const { data } = await agent.call('changes_since', { url: server.origin });
    expect(data).toMatchObject({ outcome: 'partial', code: 'http-status' });
    expect(data.reason).toContain('/missing.xml');
  });

  test.each(['', 'nonsense', 'aaaaaaaaaaaa', '0-aaaaaaaaaaaa-1', '../../etc/passwd'])(
    'an unknown token (%j) lists everything',
    async (token) => {
      declare({ '/sitemap.xml': urlset(url('a')) });
      const { data } = await agent.call('changes_since', { url: server.origin, token });
      expect(data).toMatchObject({ reset: true, changes: [{ type: 'added', url: url('a') }] });
    },
  );

  describe('seen through filters', () => {
    const ROBOTS = 'Sitemap: /sitemap.xml\nUser-agent: *\nDisallow: /private/\n';
    const own = (path: string): string => `${server.origin}/${path}`;
    const changesOf = async (args: object) =>
      (await agent.call('changes_since', { url: server.origin, ...args })).data;

    test('lists what list_pages lists, and later what has changed of that', async () => {
      declare({
        '/robots.txt': ROBOTS,
        '/sitemap.xml': urlset(
          own('blog/1'),
          own('blog/draft'),
          own('private/blog/'),
          own('shop'),
          url('blog/2'),
        ),
      });
      const filters = {
        include: ['/blog/'],
        exclude: ['re:draft$'],
        hosts: 'same',
        agent: 'example-bot',
        onlyAllowed: true,
      };
      const listed = await agent.call('list_pages', { url: server.origin, ...filters });
      expect(listed.data.pages).toEqual([{ url: own('blog/1'), allowed: true }]);
      const first = await changesOf(filters);
      expect(first.changes).toEqual([{ type: 'added', url: own('blog/1'), allowed: true }]);
      declare({
        '/robots.txt': ROBOTS,
        '/sitemap.xml': urlset(
          own('blog/3'),
          own('blog/draft'),
          own('private/blog/'),
          own('new'),
          url('blog/4'),
        ),
      });
      const { changes, reset } = await changesOf({ ...filters, token: first.token });
      expect([changes, reset]).toEqual([
        [
          { type: 'added', url: own('blog/3'), allowed: true },
          { type: 'removed', url: own('blog/1') },
        ],
        undefined,
      ]);
    });

    test('pages that robots.txt newly disallows are removed, and those that it newly allows are added', async () => {
      const sitemap = urlset(own('private/a'), own('public/b'));
      const filters = { agent: 'example-bot', onlyAllowed: true };
      declare({ '/robots.txt': ROBOTS, '/sitemap.xml': sitemap });
      const { token } = await changesOf(filters);
      declare({ '/robots.txt': ROBOTS.replace('private', 'public'), '/sitemap.xml': sitemap });
      const { changes } = await changesOf({ ...filters, token });
      expect(changes).toEqual([
        { type: 'added', url: own('private/a'), allowed: true },
        { type: 'removed', url: own('public/b') },
      ]);
    });

    test('with a token of another agent, everything is listed that the agent may fetch', async () => {
      const robots = 'Sitemap: /sitemap.xml\nUser-agent: GPTBot\nDisallow: /private/\n';
      declare({ '/robots.txt': robots, '/sitemap.xml': urlset(own('private/a'), own('b')) });
      const { token } = await changesOf({ agent: 'GPTBot', onlyAllowed: true });
      const { reset, changes } = await changesOf({ agent: 'Googlebot', onlyAllowed: true, token });
      expect([reset, changes]).toEqual([
        true,
        [own('private/a'), own('b')].map((page) => ({ type: 'added', url: page, allowed: true })),
      ]);
    });

    test('with an agent alone, each page says whether it is allowed, with the rule', async () => {
      declare({ '/robots.txt': ROBOTS, '/sitemap.xml': urlset(own('private/a'), own('b')) });
      const { changes } = await changesOf({ agent: 'example-bot' });
      expect(changes).toEqual([
        { type: 'added', url: own('private/a'), allowed: false, rule: 'Disallow: /private/', ruleLine: 3 },
        { type: 'added', url: own('b'), allowed: true },
      ]);
    });

    test.each([
      ['an agent', {}, { agent: 'x' }],
      ['an agent, and a pattern', { include: ['/b/'] }, { include: ['/b/'], agent: 'x' }],
      ['another agent', { include: ['/b/'], agent: 'x' }, { include: ['/b/'], agent: 'y' }],
      ['no agent', { hosts: 'same', agent: 'x' }, { hosts: 'same', onlyAllowed: false }],
    ])('with %s nothing is listed again, since that leaves out no page', async (_, before, after) => {
      declare({ '/sitemap.xml': urlset(own('a'), own('b/'), own('b/c/')) });
      const { token } = await changesOf(before);
      const { reset, changes } = await changesOf({ ...after, token });
      expect([reset, changes]).toEqual([undefined, []]);
    });

    test.each([
      ['none', {}],
      ['another pattern', { include: ['/c/'] }],
      ['another host', { include: ['/b/'], hosts: 'same' }],
      ['another agent', { include: ['/b/'], agent: 'x', onlyAllowed: true }],
    ])(
      'with other filters than the token has (%s) everything is listed, since the caller has other pages',
      async (_, other) => {
        declare({ '/sitemap.xml': urlset(own('a'), own('b/'), own('b/c/')) });
        const part = await changesOf({ include: ['/b/'], limit: 1 });
        expect(part.more).toBe(true);
        const rest = await changesOf({ include: ['/b/'], token: part.token });
        expect(rest).toMatchObject({ changes: [{ url: own('b/c/') }], more: false });
        for (const { token } of [part, rest]) {
          const { data: listed } = await agent.call('list_pages', { url: server.origin, ...other });
          const { reset, changes } = await changesOf({ ...other, token });
          expect(reset).toBe(true);
          expect(changes.map((change: { url: string }) => change.url)).toEqual(
            listed.pages.map((page: { url: string }) => page.url),
          );
        }
      },
    );

    test('an expression that never ends is refused, and the server answers on', async () => {
      declare({ '/sitemap.xml': urlset(own(`${'a'.repeat(60)}!`)) });
      const args = { url: server.origin, include: ['re:(a+)+$'] };
      const { isError, text } = await agent.call('changes_since', args);
      expect([isError, text]).toEqual([true, expect.stringContaining('takes too long')]);
      expect((await changesOf({})).changes).toHaveLength(1);
    });
  });

  test('a site that cannot be read keeps the token, and loses no page', async () => {
    declare({ '/sitemap.xml': urlset(url('a')) });
    const caller = new Caller(agent);
    await caller.sync();
    declare({ '/robots.txt': { hangUp: true }, '/sitemap.xml': { hangUp: true } });
    const failed = await agent.call('changes_since', { url: server.origin, token: caller.token });
    expect(failed).toMatchObject({
      isError: true,
      text: expect.stringContaining('if you have a token, keep it'),
    });
    declare({ '/sitemap.xml': urlset(url('a'), url('b')) });
    await caller.sync();
    expect([...caller.pages.keys()].toSorted()).toEqual([url('a'), url('b')]);
  });

  test('an archive of a private site opens no private network to a server that refuses them', async () => {
    declare({ '/sitemap.xml': urlset(url('a')) });
    const first = await agent.call('changes_since', { url: server.origin });
    const guarded = await anAgent(['--no-known', '--retries', '0', '--archive-dir', archives]);
    onTestFinished(() => guarded.close());
    const [requests, before] = [server.requests.length, await states()];
    for (const args of [{}, { token: first.data.token }]) {
      const { isError, text } = await guarded.call('changes_since', { url: server.origin, ...args });
      expect([isError, text]).toEqual([true, expect.stringContaining('--allow-private')]);
    }
    expect(server.requests.length).toBe(requests);
    expect(await states()).toEqual(before);
  });

  test.each([
    ['all of it', () => Buffer.from('not an archive')],
    [
      'a document in it',
      (path: string) => {
        const bytes = readFileSync(path);
        const { offset, start } = nodesOf(path).documents[1]!;
        bytes[Number(offset) + Number(start) + 20]! ^= 0xff;
        return bytes;
      },
    ],
  ])('an archive that is damaged (%s) is reported, and then everything is listed', async (_, damaged) => {
    declare({ '/sitemap.xml': urlset(url('a')) });
    const caller = new Caller(agent);
    await caller.sync();
    declare({ '/sitemap.xml': urlset(url('a'), url('b')) });
    for (const path of await states())
      if (path.includes(caller.token ?? '?')) await writeFile(path, damaged(path));
    const { text, isError } = await agent.call('changes_since', { url: server.origin, token: caller.token });
    expect([isError, text]).toEqual([true, expect.stringContaining('Call again without a token')]);
    await caller.sync();
    expect([...caller.pages.keys()].toSorted()).toEqual([url('a'), url('b')]);
  });

  /** The files of all states. */
  const states = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const site of await readdir(archives))
      for (const name of await readdir(join(archives, site))) found.push(join(archives, site, name));
    return found;
  };

  test('a place in a difference whose later state is gone lists everything', async () => {
    declare({ '/sitemap.xml': urlset(url('a')) });
    const first = await agent.call('changes_since', { url: server.origin });
    declare({ '/sitemap.xml': urlset(url('a'), url('x'), url('y')) });
    const part = await agent.call('changes_since', { url: server.origin, token: first.data.token, limit: 1 });
    expect(part.data).toMatchObject({ changes: [{ type: 'added', url: url('x') }], more: true });
    for (const path of await states())
      if (path.includes(String(part.data.token).split('-')[1]!)) await rm(path);
    // What was applied of the difference is not on the site any more.
    declare({ '/sitemap.xml': urlset(url('a'), url('z')) });
    const { data } = await agent.call('changes_since', { url: server.origin, token: part.data.token });
    expect(data).toMatchObject({ reset: true, more: false });
    expect(data.changes).toMatchObject([{ url: url('a') }, { url: url('z') }]);
  });

  test('a folder that is deleted during calls is never a bug, nor a state of the future the newest', async () => {
    declare({ '/sitemap.xml': urlset(url('a')) });
    for (let round = 0; round < sized({ fast: 6, full: 40 }); round++) {
      const call = agent.call('changes_since', { url: server.origin });
      const requests = server.requests.length;
      while (round % 2 === 0 && server.requests.length === requests) await setImmediate();
      for (const site of await readdir(archives))
        await rm(join(archives, site), { recursive: true, force: true }).catch(() => {});
      const { isError, text } = await call;
      if (isError) expect(text).toMatch(/Call again|was left as it is: .*no such file/);
    }
    await agent.call('changes_since', { url: server.origin });
    const future = new Date(Date.now() + 1e9);
    for (const path of await states()) await utimes(path, future, future);
    const before = server.requests.length;
    await agent.call('changes_since', { url: server.origin });
    expect(server.requests.length).toBeGreaterThan(before);
  });

  test('calls at once do not take each other for damage, and only what is damaged is removed', async () => {
    declare({ '/sitemap.xml': urlset(url('a')) });
    const tokens: string[] = [];
    for (let round = 0; round < sized({ fast: 3, full: 15 }); round++) {
      declare({ '/sitemap.xml': urlset(url('a'), url(`round-${round}`)) });
      const calls = Array.from({ length: 8 }, (_, at) =>
        agent.call('changes_since', { url: server.origin, token: tokens.at(-1 - at) ?? '' }),
      );
      for (const { isError, text, data } of await Promise.all(calls)) {
        expect([isError, isError && text]).toEqual([false, false]);
        tokens.push(data.token);
      }
    }
    const last = tokens.at(-1)!;
    const before = await states();
    const damaged = before.find((path) => path.includes(last))!;
    await writeFile(damaged, (await readFile(damaged)).subarray(0, -40));
    const { isError } = await agent.call('changes_since', { url: server.origin, token: last });
    expect(isError).toBe(true);
    const after = await states();
    expect(before.filter((path) => !after.includes(path))).toEqual([damaged]);
  });

  const seeds = sized({ fast: [7], full: [7, CHANGING_SEED] });
  test.each(seeds)(
    'however results get lost, the index is the site after the next one that arrives: seed %i',
    async (seed) => {
      const RUNS = sized({ fast: 5, full: 8, strong: 120 });
      const chance = new Chance(seed);
      const random = (below: number): number => chance.between(0, below - 1);
      const caller = new Caller(agent);
      const other = new Caller(agent);
      for (let run = 0; run < RUNS; run++) {
        const dates = new Map(
          Array.from({ length: 12 }, (_, at) => [url(`p${at}`), `2024-01-0${1 + random(3)}`] as const).filter(
            () => random(3) > 0,
          ),
        );
        const entries = [...dates];
        declare({
          '/sitemap.xml': index('/one.xml', '/two.xml'),
          '/one.xml': urlset(...entries.slice(0, 5)),
          '/two.xml': urlset(...entries.slice(5)),
        });
        const limit = 1 + random(6);
        await caller.sync({ limit, isLost: () => random(4) === 0 });
        if (random(2) === 0) await other.sync({ limit: 3, isLost: () => random(5) === 0 });
        await caller.sync({ limit });
        const expected = entries.map(([page, date]) => [page, `${date}T00:00:00.000Z`]);
        expect([...caller.pages].toSorted(), `run ${run}`).toEqual(expected.toSorted());
      }
      // A caller that was away for long gets everything, or what has changed.
      await other.sync();
      expect([...other.pages].toSorted()).toEqual([...caller.pages].toSorted());
      // The states that were compared are closed. A short wait: what is forgotten is closed as garbage later.
      if (IS_LINUX) await expect.poll(() => openFiles(archives), { timeout: 2000 }).toEqual([]);
    },
  );
});

test.each(SOME_CLIENTS)(
  'with %s, changes_since is marked as one that writes, and is there only with a folder',
  async (client) => {
    const place = folder();
    const flags = ['--archive-dir', join(place, 'made')];
    const agents = [await anAgent(flags, client), await anAgent([], client)];
    try {
      const [tools = [], none = []] = await Promise.all(agents.map((each) => each.tools()));
      expect(tools.find(({ name }) => name === 'changes_since')?.annotations).toMatchObject({
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
      });
      expect(none.map(({ name }) => name)).not.toContain('changes_since');
      expect(await readdir(place)).toEqual(['made']);
    } finally {
      for (const each of agents) await each.close();
    }
  },
);
