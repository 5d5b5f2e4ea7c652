/** docs/many-sites.md: the commands of the compose file crawl a list, as they are written there. */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { build, ROOT } from '../support/cli-binary.ts';
import { listOf, started } from '../support/crawl-command.ts';
import { crawlPath, linesOf } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';

beforeAll(build);

const FILE = readFileSync(join(ROOT, 'examples/compose.yaml'), 'utf8');

test('the guide shows the compose file as it is', () => {
  const guide = readFileSync(join(ROOT, 'docs/many-sites.md'), 'utf8');
  expect(guide).toContain(`\`\`\`yaml\n${FILE}\`\`\``);
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
      command.replaceAll('/data/', `${data}/`).replace('redis://redis', url).split(' '),
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
