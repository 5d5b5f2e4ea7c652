/**
 * Many sites on addresses of 127.0.0.0/8, all served by one nginx: sites per second, processor time per site, memory
 * over time, open files, and what Redis has to do. nginx and Redis have their share of the same cores, which is not
 * counted. One site may be a large one.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { stderr } from 'node:process';
import { fileURLToPath } from 'node:url';
import { documentsOf } from '../documents/store.js';
import { watch } from '../measure/watch.js';
import { isNginxHere, start, startNginx, startRedis } from '../real-servers.js';
import { isHere } from '../requirements.js';

const USP = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
/** The address of the large site, which no small one has. */
const LARGE = '127.0.0.1';

/** For each contestant what it needed. */
export async function measureManySites({ name, sites, pages, set, contestants }) {
  const present = contestants.filter(isHere);
  if (!isNginxHere()) return { contestants: [], absent: ['nginx'], disagreements: [] };
  const folder = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  const large = set === undefined ? undefined : documentsOf(set);
  const all = { sites: sites + (large === undefined ? 0 : 1), pages: sites * pages + (large?.pages ?? 0) };
  const results = [];
  let nginx;
  try {
    nginx = await serve(folder, pages, large?.files ?? []);
    const list = join(folder, 'sites.txt');
    const addresses = Array.from({ length: sites }, (_, at) => addressOf(at));
    if (large !== undefined) addresses.unshift(LARGE);
    writeFileSync(list, addresses.map((address) => `http://${address}:${nginx.port}/\n`).join(''));
    for (const contestant of present) {
      stderr.write(`${name}: ${contestant.id}\n`);
      const output = join(folder, contestant.id);
      const measured = await run(contestant, { list, output, folder });
      const { finished } = JSON.parse(readFileSync(join(output, 'crawl.json'), 'utf8'));
      results.push({ ...contestant, ...measured, ...perSite(measured, all.sites), finished });
      rmSync(output, { recursive: true, force: true });
    }
  } finally {
    nginx?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    contestants: results,
    absent: contestants.filter((contestant) => !isHere(contestant)).map(({ id }) => id),
    disagreements: results
      .filter(({ finished }) => finished.complete !== all.sites || finished.pages !== all.pages)
      .map(({ id, finished }) => `${id} finished ${finished.complete} sites with ${finished.pages} pages.`),
  };
}

function perSite({ seconds, cpuSeconds, redis }, sites) {
  return {
    sitesPerSecond: sites / seconds,
    cpuMillisecondsPerSite: (cpuSeconds * 1000) / sites,
    ...(redis === undefined
      ? {}
      : {
          redisCallsPerSite: redis.calls / sites,
          redisCommandsPerSite: redis.commands / sites,
          redisBytesPerSite: redis.bytes / sites,
          redisCpuMillisecondsPerSite: (redis.cpuSeconds * 1000) / sites,
        }),
  };
}

async function run({ args, workers = 0 }, { list, output, folder }) {
  const redis = workers > 0 ? await startRedis(folder) : undefined;
  const queue = redis === undefined ? [] : ['--queue', `redis://127.0.0.1:${redis.port}`];
  const env = { ...process.env, NO_PROXY: '*' };
  const usp = (argv) =>
    start(process.execPath, [USP, ...argv], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const cpuBefore = cpuOfChildren();
  const startedAt = performance.now();
  const commands = [usp(['crawl', list, '-o', output, '-q', ...queue, ...(workers > 0 ? [] : args)])];
  for (let at = 0; at < workers; at++) commands.push(usp(['worker', '-q', ...queue, ...args]));
  const watched = watch(commands.map(({ pid }) => pid));
  try {
    const ended = commands.map((command) => once(command, 'exit'));
    const [code] = await ended[0];
    const seconds = (performance.now() - startedAt) / 1000;
    await Promise.all(ended);
    if (code !== 0) throw new Error(`usp crawl ended with code ${code}.`);
    const used = { seconds, cpuSeconds: cpuOfChildren() - cpuBefore, ...watched.stop() };
    return redis === undefined ? used : { ...used, redis: redisUse(await redis.info()) };
  } finally {
    watched.stop();
    redis?.stop();
  }
}

/** Commands that a script of BullMQ calls are counted by Redis as the script itself is: `calls` are without them. */
function redisUse(info) {
  const figure = (name) => Number(info.get(name));
  const callsOf = (command) => Number(/calls=(\d+)/.exec(info.get(`cmdstat_${command}`) ?? '')?.[1] ?? 0);
  return {
    calls: ['evalsha', 'eval', 'bzpopmin'].reduce((sum, name) => sum + callsOf(name), 0),
    commands: figure('total_commands_processed'),
    bytes: figure('total_net_input_bytes') + figure('total_net_output_bytes'),
    peakBytes: figure('used_memory_peak'),
    cpuSeconds: figure('used_cpu_user') + figure('used_cpu_sys'),
  };
}

/** Processor time of all processes that this one has started and that have ended, with theirs: fields 16 and 17. */
function cpuOfChildren() {
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function addressOf(at) {
  return `127.${1 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
}

/** Starts nginx with the documents of all small sites, and those of the large one. */
async function serve(folder, pages, files) {
  const urls = Array.from(
    { length: pages },
    (_, at) => `<url><loc>https://example.org/page/${at}</loc><lastmod>2026-01-02</lastmod></url>`,
  );
  mkdirSync(join(folder, 'small'));
  writeFileSync(join(folder, 'small', 'sitemap.xml'), `<urlset ${NAMESPACE}>${urls.join('')}</urlset>`);
  mkdirSync(join(folder, 'large'));
  for (const [at, file] of files.entries()) symlinkSync(file, join(folder, 'large', `${at + 1}.xml`));
  return startNginx(folder, (port) => {
    const children = files.map(
      (_, at) => `<sitemap><loc>http://${LARGE}:${port}/${at + 1}.xml</loc></sitemap>`,
    );
    writeFileSync(
      join(folder, 'large', 'sitemap.xml'),
      `<sitemapindex ${NAMESPACE}>${children.join('')}</sitemapindex>`,
    );
    const server = (listen, root) => `server {
    listen ${listen};
    root ${folder}/${root};
    location = /robots.txt { return 200 "User-agent: *\\nSitemap: http://$http_host/sitemap.xml\\n"; }
  }`;
    // One socket for all addresses: options of its own would make nginx open a second one for this address.
    const large = files.length === 0 ? '' : server(`${LARGE}:${port}`, 'large');
    return `${large}\n  ${server(`0.0.0.0:${port} backlog=4096`, 'small')}`;
  });
}
