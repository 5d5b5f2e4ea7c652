/**
 * §11.4: random sites that change, break and recover, read by `usp update` itself, which is killed, whose reader goes
 * away and whose disk is full in the middle of its output. What was printed so far, whole lines of whatever arrived, is
 * compared with the archive and with the law (test/support/update-oracle.ts) after every run that ended.
 */
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { loadTree } from '../../src/index.ts';
import { ChangingSite, KNOWN_PATH } from '../support/changing-site.ts';
import { build, start } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { folder } from '../support/folder.ts';
import { CHANGING_SEED, Chance, seedsOf } from '../support/random.ts';
import { sized } from '../support/tier.ts';
import { UpdateOracle } from '../support/update-oracle.ts';

const CHOSEN = [25, 2] as const;
const RUNS = sized({ fast: 8, full: 8, strong: 20 });
const KILLS = sized({ fast: 0.05, full: 0.15 });

beforeAll(build);

test(`what is printed adds up, however runs end: sites from seed ${CHOSEN[0]} and from ${CHANGING_SEED}`, {
  timeout: 1_200_000,
}, async () => {
  const ended = { whole: 0, killed: 0, EPIPE: 0, ENOSPC: 0 };
  for (const seed of seedsOf({ variable: 'UPDATE', chosen: CHOSEN, seconds: 3 }))
    expect(await oneSite(seed, ended)).toEqual([]);
  process.stdout.write(`${JSON.stringify(ended)}\n`);
});

type Ended = 'whole' | 'killed' | 'EPIPE' | 'ENOSPC';

async function oneSite(seed: number, ended: Record<Ended, number>): Promise<readonly string[]> {
  const chance = new Chance(seed);
  let site: ChangingSite | undefined;
  const server = await serving(() => site);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  site = new ChangingSite(origin, chance, chance.between(20, 45));
  const file = join(folder(), 'site.warc.gz');
  const oracle = new UpdateOracle({ goneAfter: 2 });
  const applied = new Set<string>();
  const faults: string[] = [];
  try {
    for (let run = 0; run < RUNS && faults.length === 0; run++) {
      site.next(
        run === 0 ? 0 : chance.between(1, 5),
        chance.happens(0.3) ? 0 : chance.pick([0.02, 0.1, 0.3]),
      );
      const before = pendingOf(file);
      // The last run ends, so that the end of it all is compared.
      const isLast = run === RUNS - 1;
      const how: Ended = isLast || chance.happens(0.5) ? 'whole' : endOf(chance);
      const { printed, hasEnded, stderr } = await update(file, origin, how, chance);
      ended[hasEnded ? 'whole' : how]++;
      for (const line of printed.split('\n').slice(0, -1)) {
        const name = line.slice(2 + origin.length);
        if (line.startsWith('+ ')) applied.add(name);
        else if (line.startsWith('- ')) applied.delete(name);
        else faults.push(`seed ${seed}, run ${run}: ${JSON.stringify(line)} is not a change`);
      }
      const hasSaved = hasEnded ? !stderr.includes('nothing was saved') : pendingOf(file) > before;
      if (hasSaved) oracle.run(site);
      if (!hasEnded) continue;
      // A first run that could read nothing saves nothing, and has printed nothing.
      using tree = hasSaved || existsSync(file) ? await loadTree(file, { verify: true }) : undefined;
      const listed = new Set(Array.from(tree?.allPages() ?? [], ({ url }) => url.slice(origin.length)));
      const differ = (what: string, one: ReadonlySet<string>, other: ReadonlySet<string>): void => {
        for (const name of one)
          if (!other.has(name)) faults.push(`seed ${seed}, run ${run}: ${name} ${what}`);
      };
      differ('is saved, and was not printed', listed, applied);
      differ('was printed, and is not saved', applied, listed);
      differ('is lost', oracle.pages, listed);
      differ('should be gone', listed, oracle.pages);
      if (pendingOf(file) > 0) faults.push(`seed ${seed}, run ${run}: an archive is still pending`);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
  return faults;
}

function endOf(chance: Chance): Ended {
  return chance.happens(KILLS) ? 'killed' : chance.pick(['EPIPE', 'ENOSPC'] as const);
}

function pendingOf(file: string): number {
  return readdirSync(dirname(file)).filter((name) => name.includes('.pending-')).length;
}

async function update(
  file: string,
  origin: string,
  how: Ended,
  chance: Chance,
): Promise<{ readonly printed: string; readonly hasEnded: boolean; readonly stderr: string }> {
  const options = ['--retries', '0', '--no-known', '--known-path', KNOWN_PATH];
  const argv = ['update', file, origin, ...options];
  if (how === 'killed') {
    const running = start(argv);
    await Promise.race([running.finished, delay(chance.between(200, 1500))]);
    running.child.kill('SIGKILL');
    const { code, stdout, stderr } = await running.finished;
    return { printed: stdout, hasEnded: code === 0 || code === 1 || code === 6, stderr };
  }
  const stdout = new CutOutput(how === 'whole' ? Number.POSITIVE_INFINITY : chance.between(0, 1500), how);
  const { stderr } = await usp(argv, { stdout });
  return { printed: stdout.text, hasEnded: !stdout.isCut, stderr };
}

/** Takes some bytes, and then none. */
class CutOutput extends Writable {
  text = '';
  isCut = false;
  readonly #room: number;
  readonly #code: string;

  constructor(room: number, code: string) {
    super();
    this.#room = room;
    this.#code = code;
  }

  override _write(chunk: Buffer | string, _encoding: string, done: (error?: Error) => void): void {
    const all = this.text + String(chunk);
    this.text = all.slice(0, Math.min(all.length, this.#room));
    this.isCut = all.length > this.#room;
    if (!this.isCut) done();
    else done(Object.assign(new Error(this.#code), { code: this.#code }));
  }
}

async function serving(site: () => ChangingSite | undefined): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const served = site()?.serve(pathname, request.headers);
    if (served === undefined || served.status === 0) {
      response.destroy();
      return;
    }
    response.writeHead(served.status, served.headers);
    if (served.breaks) response.write(served.body, () => response.destroy());
    else response.end(served.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
