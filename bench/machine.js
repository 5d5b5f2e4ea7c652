/** What it runs on. */
import { cpus, loadavg, totalmem } from 'node:os';
import { platform, versions } from 'node:process';

export function describeMachine() {
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: versions.node,
    platform,
  };
}

/** How busy it is: over two or so on two cores, look at the CPU columns rather than at the time. */
export function load() {
  return loadavg()[0].toFixed(1);
}
