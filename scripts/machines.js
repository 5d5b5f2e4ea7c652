/**
 * `npm run machines`: the two commands of the README, `npm install && npm run demo` and `npm install && npm test`, on machines that
 * are not like this one: other versions of Node with the npm that they bring along, users, places, clocks and environments.
 * It prints a table, and says what cannot be made here.
 *
 *     node scripts/machines.js [--only NAME] [--short]
 *     node scripts/machines.js --list
 *
 * --only takes a machine by its name and may be repeated; --list prints the names. --short runs some test files instead of
 * all; without --only it makes one machine that has several of these properties at once, as the full tier does.
 *
 * Each machine is a copy of the checkout below the folder for temporary files. It is installed with the network and the clock of this
 * machine: no registry can be reached with the certificates of another year, or by a proxy that does not exist.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { readArguments } from './arguments.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const NOT_COPIED = new Set([
  ...['.git', '.build', 'dist', 'coverage', 'bench/data', 'site/dist', 'site/.vitepress/cache'],
]);
/** Versions of Node and npm are installed here once. */
const VERSIONS = join(ROOT, 'node_modules/.cache/machines');
const OLDEST = '20.19.0';
const NOBODY = 65_534;
/** What the demo prints if it has read its site. */
const DEMO = '├── /sitemap_index.xml (index)';
/** Nothing listens there. */
const NO_PROXY_HERE = 'http://127.0.0.1:1';
const PROXIES = Object.fromEntries(
  ['http_proxy', 'HTTPS_PROXY', 'all_proxy', 'npm_config_proxy', 'npm_config_https_proxy'].map((name) => [
    name,
    NO_PROXY_HERE,
  ]),
);

/** What --short runs: the package, a release, proxies, TLS and what depends on dates. */
const SHORT = [
  'machines',
  'package',
  'release',
  'lock-files',
  'check/not-looked-at',
  'check/site-check',
  'cli/check',
  'cli/check-sites',
  'cli/examples',
  'cli/network-flags',
  'cli/sitemap-format',
  'crawl/previous',
  'fetch/client/proxy',
  'fetch/client/tls',
  'fetch/decode/raw-budget',
  'fetch/decode/zstd',
  'options/options',
  'parse/values/date',
  'report/report-html',
  'summary/summarize',
  'summary/summary-format',
].map((name) => `test/${name}.test.ts`);

const clock = (time) => ({ before: ['faketime', '-f', time], needs: ['faketime'] });
/** From a time on, in each command. The difference to the clock of this machine, since a time itself begins anew in each process. */
const clockFrom = (time) => ({
  get before() {
    const seconds = Math.round((Date.parse(time) - Date.now()) / 1000);
    return ['faketime', '-f', `${seconds < 0 ? '' : '+'}${seconds}s`];
  },
  needs: ['faketime'],
});
const shell = (line, needs = []) => ({ before: ['sh', '-c', `${line} && exec "$@"`, 'sh'], needs });
/** The folder for temporary files is a file system of its own, which only the commands of this machine see. */
const mounted = (options) => ({
  before: [
    ...['unshare', '--mount', 'sh', '-c'],
    `mount -t tmpfs -o ${options} tmpfs "$TMPDIR" && exec "$@"`,
    'sh',
  ],
  temporary: 'mounted',
  needs: ['unshare', 'mount'],
  isRoot: true,
});
/** Without these programs: the PATH is a folder of links to all others. */
const without = (...programs) => ({
  ...shell(
    `bin=$(mktemp -d) && IFS=: && for folder in $PATH; do ln -s "$folder"/* "$bin" 2>/dev/null; done; unset IFS; ` +
      `for program in ${programs.join(' ')}; do rm -f "$bin/$program"; done; export PATH="$bin"`,
  ),
  temporary: 'with links',
});

/**
 * Name → how it differs from this machine: a version of Node and npm, a place of the checkout, a user, variables, and a command
 * that runs each of its commands.
 */
const MACHINES = {
  [`Node ${OLDEST}`]: { node: OLDEST, npm: '10' },
  'Node 20': { node: '20', npm: '10' },
  'Node 22': { node: '22', npm: '10' },
  'Node 24': { node: '24', npm: '11' },
  'newest Node': { node: 'latest', npm: 'latest' },
  'npm 12': { node: '22', npm: '12' },
  root: { isRoot: true },
  'a user in a private home': { user: NOBODY },
  'a path with a space and an umlaut': { place: 'a space and ü' },
  'a path with $ [ { (': { place: 'a $[{(' },
  'proxies in the environment': { environment: PROXIES },
  'ten years ago': clock('-10y'),
  '400 days ago': clock('-400d'),
  'in a year': clock('+1y'),
  'in ten years': clock('+10y'),
  '29 February': clockFrom('2028-02-29T12:00:00'),
  'New Year': clockFrom('2026-12-31T23:59:00'),
  'colours forced': { environment: { FORCE_COLOR: '1' } },
  'German messages': { environment: { LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8', LANGUAGE: 'de' } },
  'no HOME': { before: ['env', '-u', 'HOME'] },
  'umask 077': shell('umask 077'),
  '256 open files': shell('ulimit -n 256'),
  'one CPU': { before: ['taskset', '-c', '0'], needs: ['taskset'] },
  'no capabilities': {
    before: ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'],
    needs: ['setpriv'],
    isRoot: true,
  },
  'no bash, no mkfifo': without('bash', 'mkfifo'),
  'no Redis, no browser': without(
    ...['redis-server', 'valkey-server', 'chromium-headless-shell', 'chromium', 'chromium-browser'],
    ...['tinyproxy', 'microsocks', 'rclone', 'wget', 'xmllint', 'xmlwf', 'faketime'],
  ),
  'no network, no IPv6': {
    before: [
      ...['unshare', '--net', 'sh', '-c'],
      'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 && ip link set lo up && exec "$@"',
      'sh',
    ],
    needs: ['unshare', 'ip'],
    isRoot: true,
  },
  'scripts of npm ignored': { atInstall: { npm_config_ignore_scripts: 'true' } },
  'NODE_ENV=production': { atInstall: { NODE_ENV: 'production' }, environment: { NODE_ENV: 'production' } },
  'a TMPDIR with a space': { temporary: 'a space' },
  'a TMPDIR of 200 characters': { temporary: 'x'.repeat(160) },
  'a TMPDIR that runs no programs': mounted('noexec'),
};
const SHORT_MACHINE = {
  node: OLDEST,
  npm: '10',
  environment: PROXIES,
  ...(isInstalled('faketime') ? clock('-10y') : {}),
};

const { values } = readArguments(import.meta.url, {
  options: {
    short: { type: 'boolean' },
    list: { type: 'boolean' },
    only: { type: 'string', multiple: true },
  },
});
const names = values.only ?? Object.keys(MACHINES);
const unknown = names.find((name) => !(name in MACHINES));
if (process.platform !== 'linux') {
  console.log('Machines are made on Linux only: nothing was run.');
} else if (values.list) {
  console.log(Object.keys(MACHINES).join('\n'));
} else if (unknown !== undefined) {
  console.error(`There is no machine ${unknown}. See --list.`);
  process.exitCode = 2;
} else {
  if (values.short && !isInstalled('faketime'))
    console.log('Without faketime the clock is that of this machine.');
  const isOne = values.short && values.only === undefined;
  const machines = isOne ? [['short', SHORT_MACHINE]] : names.map((name) => [name, MACHINES[name]]);
  const rows = [['machine', 'install', 'demo', 'tests', 'seconds']];
  for (const [name, machine] of machines) rows.push(await rowOf(name, machine));
  console.log(`\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`);
}

/** Makes a machine and runs the two commands: its row of the table. */
async function rowOf(name, machine) {
  const why = whyNot(machine);
  if (why !== undefined) return [name, `not made: ${why}`, '', '', ''];
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'usp-machine-'));
  chmodSync(folder, 0o755);
  try {
    const results = await commandsOn(name, machine, folder);
    return [name, ...results, ((performance.now() - started) / 1000).toFixed(0)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Why a machine cannot be made here. */
function whyNot({ needs = [], isRoot, user, environment }) {
  const missing = needs.find((program) => !isInstalled(program));
  if (missing !== undefined) return `${missing} is not installed`;
  if ((isRoot || user !== undefined) && process.getuid() !== 0) return 'only root can';
  const locale = environment?.LC_ALL;
  const locales = spawnSync('locale', ['-a'], { encoding: 'utf8' }).stdout ?? '';
  if (locale !== undefined && !locales.toLowerCase().includes(locale.toLowerCase().replace('-', '')))
    return `the locale ${locale} is not installed`;
  return undefined;
}

async function commandsOn(name, machine, folder) {
  const { user, place = 'checkout', temporary, environment = {}, atInstall } = machine;
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  // The caches of npm are this machine's, but for another user, who cannot read them.
  const checkout = join(user === undefined ? folder : home, place);
  copyCheckout(checkout);
  const own = Object.entries(process.env).filter(
    ([key]) => !/^(?:npm_(?!config_)|TEST_|VITEST|INIT_CWD$)/i.test(key),
  );
  const env = { ...Object.fromEntries(own), ...(user !== undefined && { HOME: home }) };
  const version = machine.node === undefined ? undefined : await installedVersion(machine);
  if (machine.node !== undefined && version === undefined)
    return ['not made: that Node cannot be installed', '', ''];
  if (version !== undefined) env.PATH = `${version}${delimiter}${env.PATH}`;
  if (temporary !== undefined) {
    env.TMPDIR = join(folder, temporary);
    mkdirSync(env.TMPDIR);
  }
  if (user !== undefined) spawnSync('chown', ['-R', `${user}:${user}`, home]);
  const as = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const within = { ...env, ...environment, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  const run = (what, command, variables) =>
    ended({ what: `${name}: ${what}`, command: [...as, ...command], cwd: checkout, env: variables });

  const argv = ['npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline'];
  const install = await run('npm ci', argv, { ...env, ...atInstall });
  if (install !== 'good') return [install, '', ''];
  const demo = await run(
    'npm run demo',
    [...(machine.before ?? []), 'npm', 'run', '--silent', 'demo'],
    within,
  );
  const command = values.short ? ['npm', 'run', '--silent', 'test:unit', '--', ...SHORT] : ['npm', 'test'];
  return [install, demo, await run('tests', [...(machine.before ?? []), ...command], within)];
}

function copyCheckout(place) {
  const isCopied = (path) =>
    basename(path) !== 'node_modules' && !NOT_COPIED.has(relative(ROOT, path).replaceAll('\\', '/'));
  cpSync(ROOT, place, { recursive: true, filter: isCopied });
}

/** Installs a version of Node, and npm beside it: the folder to put before the PATH, or undefined where that fails. */
async function installedVersion({ node, npm }) {
  const folder = join(VERSIONS, `node-${node}-npm-${npm}`);
  const bin = join(folder, 'node_modules/.bin');
  if (!existsSync(join(bin, 'npm'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const packages = [`node-linux-${process.arch}@${node}`, `npm@${npm}`];
    const argv = [
      'npm',
      'install',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--ignore-scripts',
      ...packages,
    ];
    const what = `Node ${node} with npm ${npm}`;
    if ((await ended({ what, command: argv, cwd: folder, env: process.env })) !== 'good') return undefined;
  }
  // The package of Node has the binary in a folder of its own.
  return `${join(folder, `node_modules/node-linux-${process.arch}/bin`)}${delimiter}${bin}`;
}

/** Runs a command to its end. Where it fails, its output is printed, and this script fails. */
function ended({ what, command: [program, ...argv], cwd, env }) {
  const child = spawn(program, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  }).then((isGood) => {
    if (isGood && (!what.endsWith('npm run demo') || stripVTControlCharacters(output).includes(DEMO))) {
      console.log(`✓ ${what}`);
      return 'good';
    }
    console.log(`${output}\n✗ ${what}`);
    process.exitCode = 1;
    return 'fails';
  });
}

function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
