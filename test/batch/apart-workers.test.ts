/** §14.1: two workers that share no folder with anything find what one process finds, archives included. */
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { SiteLine } from '../../src/batch/journal.ts';
import { build } from '../support/cli-binary.ts';
import { crawlHere, listOf, QUICK_CRAWL, startedHere } from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { QueueWorker, workerCommand } from '../support/queue-workers.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis, startValkey } from '../support/redis.ts';

beforeAll(build);

/** What of a line does not depend on when and where its site was crawled. */
const lasting = ({ site, outcome, sitemaps, pages, bytes, archive }: SiteLine) => ({
  ...{ site, outcome, sitemaps, pages, bytes, archive },
});

function resultIn(path: string) {
  const lines = linesOf(path).map(lasting);
  return { lines: lines.sort((a, b) => (a.site < b.site ? -1 : 1)), pages: pagesBySite(path) };
}

describeWith('redis-server', '§14.1 two workers that share no folder', () => {
  test('find what one process finds, twice with the archives of the first time', {
    timeout: 240_000,
  }, async () => {
    const sites = await loopbackSites();
    const [alone, many, next] = [crawlPath(), crawlPath(), crawlPath()];
    const numbers = Array.from({ length: 12 }, (_, number) => number);
    const list = listOf(sites, alone, numbers);
    const crawl = (path: string): readonly string[] => [
      'crawl',
      list,
      '-o',
      path,
      ...QUICK_CRAWL,
      '--archives',
    ];
    expect(await crawlHere([...crawl(alone), '--processes', '1'])).toMatchObject({ code: 0 });
    const { url } = await startRedis();
    for (const argv of [crawl(many), [...crawl(next), '--previous', many]]) {
      const commands = [startedHere([...argv, '--queue', url]), new QueueWorker(url), new QueueWorker(url)];
      for (const { finished } of commands) {
        const { code, stderr } = await finished;
        expect([code, stderr]).toEqual([0, expect.anything()]);
      }
    }
    const expected = resultIn(alone);
    expect(expected.lines).toHaveLength(numbers.length);
    expect([resultIn(many), resultIn(next)]).toEqual([expected, expected]);
    for (const { archive } of expected.lines) {
      if (archive === undefined) continue;
      for (const path of [many, next]) expect(existsSync(join(path, archive))).toBe(true);
    }
    // robots.txt and the sitemaps of each site that has some: nothing was fetched a third time.
    expect(sites.unchanged).toBeGreaterThan(numbers.length);
    expect(readFileSync(join(many, 'crawl.json'), 'utf8')).toContain('"done"');
  });
});

describeWith('redis-server', '§14.4 a worker', () => {
  test('crawls a site whose earlier archive is damaged as a new one, and says why', {
    timeout: 120_000,
  }, async () => {
    const sites = await loopbackSites();
    const [before, after] = [crawlPath(), crawlPath()];
    const crawl = (path: string): readonly string[] => [
      'crawl',
      listOf(sites, before, [0, 1, 2, 3, 4]),
      '-o',
      path,
      ...QUICK_CRAWL,
      '--archives',
    ];
    expect(await crawlHere([...crawl(before), '--processes', '1'])).toMatchObject({ code: 0 });
    const expected = resultIn(before);
    const archived = expected.lines.filter(({ archive }) => archive !== undefined);
    const damages: readonly (readonly [why: string, damage: (path: string) => void])[] = [
      ['its end is missing', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
      ['it is not a WARC file', (path) => writeFileSync(path, '<html>Not found</html>'.repeat(100))],
      ['it is empty', (path) => truncateSync(path, 0)],
    ];
    const problems = new Map<string, string>();
    for (const [at, [why, damage]] of damages.entries()) {
      const { site, archive = '' } = archived[at] ?? { site: '' };
      damage(join(before, archive));
      problems.set(site, `${archive} of the earlier crawl was not used, so everything was fetched: ${why}.`);
    }
    expect(archived.length).toBeGreaterThan(problems.size);
    const { url } = await startRedis();
    const commands = [
      startedHere([...crawl(after), '--previous', before, '--queue', url]),
      new QueueWorker(url),
    ];
    for (const { finished } of commands) expect(await finished).toMatchObject({ code: 0 });
    expect(resultIn(after)).toEqual(expected);
    for (const { site, previousProblem } of linesOf(after)) expect(previousProblem).toBe(problems.get(site));
  });
});

describeWith('valkey-server', '§14.2 a crawl with a worker', () => {
  test('works on Valkey', { timeout: 120_000 }, async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const { url } = await startValkey();
    const list = listOf(sites, path, [1, 2]);
    const crawl = startedHere(['crawl', list, '-o', path, '--queue', url, ...QUICK_CRAWL]);
    const worker = startedHere(workerCommand(url.replace('redis:', 'valkey:')));
    expect([await crawl.finished, await worker.finished]).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(linesOf(path)).toHaveLength(2);
  });
});
