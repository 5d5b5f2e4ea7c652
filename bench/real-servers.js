/**
 * nginx and Redis, for a while: real ones of this machine, on a free port of loopback, with all files in one folder.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const START_MS = 10_000;

/** What is at work: ended with the benchmark, however that ends. */
const working = new Set();
process.on('exit', () => {
  for (const child of working) child.kill('SIGTERM');
});

/** Starts a process that ends with this one. */
export function start(command, args, options) {
  const child = spawn(command, args, options);
  working.add(child);
  child.once('exit', () => working.delete(child));
  return child;
}

export function isNginxHere() {
  return spawnSync('nginx', ['-v'], { stdio: 'ignore' }).error === undefined;
}

/**
 * Starts nginx on all addresses of loopback.
 *
 * @param {string} folder
 * @param {(port: number) => string} servers - the `server` blocks, given the port
 */
export async function startNginx(folder, servers) {
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
user ${userInfo().username};
events { worker_connections 4096; }
http {
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  access_log off; sendfile on;
  ${servers(port)}
}
`,
  );
  return startServer('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], port);
}

/** Starts Redis. `info` is what it says about itself, by name. */
export async function startRedis(folder) {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  return { ...(await startServer('redis-server', args, port)), info: () => infoOf(port) };
}

async function infoOf(port) {
  const socket = connect(port, '127.0.0.1');
  socket.write('*2\r\n$4\r\nINFO\r\n$10\r\neverything\r\n*1\r\n$4\r\nQUIT\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  const lines = text.split('\r\n').filter((line) => /^\w[^:]*:/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

async function startServer(program, args, port) {
  const child = start(program, args, { stdio: 'ignore' });
  const until = performance.now() + START_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || performance.now() > until) throw new Error(`${program} did not start.`);
    await delay(50);
  }
  return { port, stop: () => child.kill('SIGTERM') };
}

async function isListening(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
