/** Node with limits: it and all processes that it starts end after a time, or when they take too much memory. */
import { execFile, spawn } from 'node:child_process';

const CHECK_MS = 500;
const isWindows = process.platform === 'win32';

/**
 * Starts Node. `ending` resolves to `ok`, `failed`, `too slow` or `too much memory`; `stop()` ends it now.
 * Where there is no `ps`, as on Windows, nothing limits the memory.
 */
export function limitedRun(args, { seconds, gigabytes, ...options }) {
  const child = spawn(process.execPath, args, { stdio: 'ignore', detached: !isWindows, ...options });
  let reason;
  const stop = (why = 'stopped', pids = []) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    reason ??= why;
    for (const pid of [isWindows ? child.pid : -child.pid, ...pids]) kill(pid);
  };
  const timer = setTimeout(stop, seconds * 1000, 'too slow');
  const checks = setInterval(async () => {
    const family = await familyOf(child.pid);
    const bytes = family.reduce((sum, { rss }) => sum + rss * 1024, 0);
    const pids = family.map(({ pid }) => pid);
    if (bytes > gigabytes * 1024 ** 3) stop('too much memory', pids);
  }, CHECK_MS);
  const ending = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(reason ?? (code === 0 ? 'ok' : 'failed')));
  }).finally(() => {
    clearTimeout(timer);
    clearInterval(checks);
  });
  return { ending, stop };
}

/** A process and all its descendants, each with its memory in KiB; none if they cannot be listed. */
function familyOf(root) {
  return new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid=,rss='], (error, list) => {
      const lines = error ? [] : list.split('\n');
      const rows = lines.map((line) => line.trim().split(/\s+/).map(Number));
      const family = new Set([root]);
      for (let size = 0; size < family.size; ) {
        size = family.size;
        for (const [pid, parent] of rows) if (family.has(parent)) family.add(pid);
      }
      resolve(rows.filter(([pid]) => family.has(pid)).map(([pid, , rss]) => ({ pid, rss })));
    });
  });
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
