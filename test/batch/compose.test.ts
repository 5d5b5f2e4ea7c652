/** docs/many-sites.md: what it shows for containers and for every night crawls a list, as it is written there. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { build, type Finished, ROOT, USP_IN_SHELL, watched } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { listOf, started } from '../support/crawl-command.ts';
import { crawlPath, linesOf } from '../support/crawl-folders.ts';
import { folder } from '../support/folder.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { onPath } from '../support/on-path.ts';
import { CAN_RUN_TEMPORARY, HAS_BASH, IS_LINUX } from '../support/platform.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';

beforeAll(build);

const FILE = readFileSync(join(ROOT, 'examples/compose.yaml'), 'utf8');

const KUBERNETES = readFileSync(join(ROOT, 'examples/kubernetes.yaml'), 'utf8');

test('the guide shows the files for containers as they are', () => {
  const guide = readFileSync(join(ROOT, 'docs/many-sites.md'), 'utf8');
  for (const file of [FILE, KUBERNETES]) expect(guide).toContain(`\`\`\`yaml\n${file}\`\`\``);
});

interface Container {
  readonly command: readonly string[];
  readonly variables: readonly string[];
  readonly volumes: readonly string[];
}

interface PodSpec {
  readonly containers: readonly {
    readonly args: string[];
    readonly env: readonly { readonly name: string }[];
  }[];
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
}

/** The containers of `usp` in both files. */
function containers(): readonly Container[] {
  const { services } = parse(FILE) as { services: Record<string, Record<string, unknown>> };
  const composed = Object.values(services).flatMap(({ command, environment = [], volumes = [] }) =>
    command === undefined
      ? []
      : [
          {
            command: String(command).split(' '),
            variables: environment as readonly string[],
            volumes: volumes as readonly string[],
          },
        ],
  );
  const inKubernetes = parseAllDocuments(KUBERNETES).map((document) => {
    const { spec } = document.toJS() as { readonly spec: { readonly template: { readonly spec: PodSpec } } };
    const { containers: all, volumes } = spec.template.spec;
    return {
      command: all.flatMap(({ args }) => args),
      variables: all.flatMap(({ env }) => env.map(({ name }) => name)),
      volumes: volumes.flatMap((each) => Object.keys(each)),
    };
  });
  return [...composed, ...inKubernetes];
}

test('the containers have flags and variables that usp knows, and workers share no volume', async () => {
  const found = containers();
  expect(found.map(({ command: [name] }) => name).sort()).toEqual(['crawl', 'crawl', 'worker', 'worker']);
  for (const { command, variables, volumes } of found) {
    const [name = '', ...args] = command;
    const { stdout } = await usp([name, '--help']);
    for (const flag of args.filter((each) => each.startsWith('-'))) expect(stdout).toContain(flag);
    for (const variable of variables) expect(stdout).toContain(variable);
    expect(variables).toEqual(['USP_QUEUE_KEY']);
    if (name === 'worker') expect(volumes.join()).toMatch(/^(?:\/tmp|name,emptyDir)$/);
  }
});

describeWith('rclone', 'the result in an object store', () => {
  test('is copied with crawl.json last, and without what is temporary', () => {
    const guide = readFileSync(join(ROOT, 'docs/many-sites.md'), 'utf8');
    const commands = [...guide.matchAll(/^rclone copy .+$/gm)].map(([command]) => command);
    const place = folder();
    const crawl = join(place, 'crawl');
    for (const name of ['pages', '.tmp/handed']) mkdirSync(join(crawl, name), { recursive: true });
    const files = ['crawl.json', 'sites.ndjson', 'pages/part-00000001.0123abcd.parquet', '.tmp/crawl.lock'];
    for (const name of files) writeFileSync(join(crawl, name), name);
    const to = join(place, 'bucket');
    const seen = commands.map((command) => {
      const local = command.replace(/remote:\S+/, `'${to}'`);
      expect(spawnSync('bash', ['-c', local], { cwd: place }).status).toBe(0);
      return readdirSync(to, { recursive: true, encoding: 'utf8' }).sort();
    });
    const parts = ['pages', 'pages/part-00000001.0123abcd.parquet', 'sites.ndjson'];
    expect(seen).toEqual([parts, ['crawl.json', ...parts]]);
  });
});

describeWith('redis-server', 'the commands of the compose file', () => {
  test('finish the crawl, and the workers end with it', { timeout: 240_000 }, async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const data = dirname(path);
    mkdirSync(data, { recursive: true });
    listOf(sites, path, [1, 2, 7]);
    const { url } = await startRedis();
    const commands = [...FILE.matchAll(/^ {4}command: (.+)$/gm)].map(([, command = '']) =>
      command.split(' ').map((word) => word.replace(/^\/data\//, `${data}/`).replace('redis://redis', url)),
    );
    expect(commands.map(([name]) => name)).toEqual(['crawl', 'worker']);
    // The worker first: the order in which containers are ready is not known.
    const [worker, crawl] = commands.reverse().map(started);
    expect([await crawl?.finished, await worker?.finished]).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(
      linesOf(path)
        .map(({ site }) => site)
        .sort(),
    ).toEqual([1, 2, 7].map(sites.homepage).sort());
  });
});

const NIGHTLY = join(ROOT, 'examples/nightly');

test('the guide shows the files for every night as they are', () => {
  const guide = readFileSync(join(ROOT, 'docs/many-sites.md'), 'utf8');
  for (const file of ['nightly.sh', 'usp-crawl.timer', 'cronjob.yaml'])
    expect(guide).toContain(`\n${readFileSync(join(NIGHTLY, file), 'utf8')}\`\`\``);
});

testIf(IS_LINUX && HAS_BASH && CAN_RUN_TEMPORARY)(
  'nightly.sh crawls a list, and from the second night on says what changed',
  { timeout: 240_000 },
  async () => {
    const path = folder();
    const sites = await loopbackSites();
    const list = listOf(sites, join(path, 'crawl'), [1, 2]);
    const usp = `#!/bin/sh\nexec ${USP_IN_SHELL} "$@"\n`;
    writeFileSync(join(path, 'usp'), usp, { mode: 0o755 });
    const env = { ...process.env, PATH: `${path}:${process.env['PATH']}` };
    const run = (): Promise<Finished> =>
      watched(spawn('bash', [join(NIGHTLY, 'nightly.sh'), list], { cwd: path, env })).finished;
    expect(await run()).toMatchObject({ code: 0 });
    const [today = ''] = readdirSync(path).filter((name) => /^\d{4}-\d\d-\d\d$/.test(name));
    // A night that was killed, and one that is too old to be kept.
    mkdirSync(join(path, '2024-05-08'));
    mkdirSync(join(path, '2024-01-01'));
    utimesSync(join(path, '2024-01-01'), 0, 0);
    renameSync(join(path, today), join(path, '2024-05-07'));
    expect(await run()).toMatchObject({ code: 0 });
    const names = readdirSync(path);
    expect(names).toContain(`${today}-changes.parquet`);
    expect(names.filter((name) => /^\d{4}-\d\d-\d\d$/.test(name)).sort()).toEqual([
      '2024-05-07',
      '2024-05-08',
      today,
    ]);
    expect(sites.unchanged).toBeGreaterThan(0);
  },
);

testIf(IS_LINUX && onPath('systemd-analyze') !== undefined)('systemd accepts the unit and its timer', () => {
  const units = ['usp-crawl.service', 'usp-crawl.timer'].map((name) => join(NIGHTLY, name));
  const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], {
    encoding: 'utf8',
  });
  expect({ status, said: stderr.split('\n').filter((line) => line.includes('usp-crawl')) }).toEqual({
    status: 0,
    said: [],
  });
});
