/**
 * The child process of `robots-work.test.ts`: how much work it is to read a robots.txt, and to judge a path by it.
 *
 *     node measure-robots.mjs 50000 2000 300  →  {"two stars": [1200000, 98000]}
 *
 * The last number is how many files are generated besides; of these, the most that each took for a byte.
 */
import { compileRobots, isRobotsText, readDirectives } from '../../src/robots/robots-rules.ts';
import { countedWork, startCounting } from './counted-work.ts';
import { Chance } from './random.ts';
import { ROBOTS_BOMBS, robotsBomb } from './robots-bombs.ts';
import { AGENTS, generatedPath, generatedRobots } from './robots-oracle.ts';

const [size, length, files] = process.argv.slice(2).map(Number);

await startCounting();
const counts: Record<string, readonly [read: number, judged: number]> = {};
for (const [name, { path }] of Object.entries(ROBOTS_BOMBS)) {
  const robots = Buffer.from(robotsBomb(name, size!));
  const read = await countedWork(() => [
    isRobotsText(robots),
    readDirectives(robots),
    compileRobots(robots, 'x'),
  ]);
  const rules = compileRobots(robots, 'x');
  const url = `https://example.org/${path.repeat(length! / path.length)}`;
  counts[name] = [read, await countedWork(() => rules.deciding(url))];
}
/** Many lines from few pieces: words repeat, overlap and are endings of each other. */
let [mostRead, mostJudged] = [0, 0];
for (let seed = 1; seed <= files!; seed++) {
  const chance = new Chance(seed);
  const robots = generatedRobots(chance, chance.pick([50, 500]));
  const agent = chance.pick(AGENTS);
  const bytes = robots.length + 200;
  mostRead = Math.max(mostRead, (await countedWork(() => compileRobots(robots, agent))) / bytes);
  const url = `https://example.org${generatedPath(chance, 500)}`;
  const rules = compileRobots(robots, agent);
  mostJudged = Math.max(mostJudged, (await countedWork(() => rules.deciding(url))) / (bytes + url.length));
}
counts['generated files'] = [mostRead, mostJudged];
process.stdout.write(JSON.stringify(counts));
