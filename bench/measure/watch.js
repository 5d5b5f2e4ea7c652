/** What processes and their children use while they run: memory over time, open files, processor time. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { cpuSecondsOf, peakBytesOf } from './usage.js';

const LOOK_EVERY_MS = 250;
/** How many moments of the curve are reported: the ends of as many parts of the time. */
const PARTS = 4;

/** Watches processes, and those that they start, until `stop` is called: what they used. */
export function watch(pids) {
  const processes = new Map();
  const curve = [];
  const look = () => {
    let largest = 0;
    for (const pid of pids.flatMap((pid) => [pid, ...childrenOf(pid)])) {
      const bytes = residentBytesOf(pid);
      if (bytes === undefined) continue;
      largest = Math.max(largest, bytes);
      const before = processes.get(pid) ?? { peakBytes: 0, openFiles: 0, cpuSeconds: 0 };
      processes.set(pid, {
        peakBytes: Math.max(before.peakBytes, peakBytesOf(pid) ?? 0),
        openFiles: Math.max(before.openFiles, openFilesOf(pid)),
        cpuSeconds: cpuSecondsOf(pid) ?? before.cpuSeconds,
      });
    }
    if (largest > 0) curve.push(largest);
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      const all = [...processes.values()];
      return {
        peakBytes: Math.max(...all.map(({ peakBytes }) => peakBytes)),
        openFiles: Math.max(...all.map(({ openFiles }) => openFiles)),
        /** The largest process, in each quarter of the time. */
        memoryOverTime: quarters(curve),
        processes: all,
      };
    },
  };
}

/** The largest value within each part of a curve. */
function quarters(curve) {
  const size = Math.max(1, Math.ceil(curve.length / PARTS));
  return Array.from({ length: Math.ceil(curve.length / size) }, (_, part) =>
    Math.max(...curve.slice(part * size, (part + 1) * size)),
  );
}

function childrenOf(pid) {
  return read(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
}

function residentBytesOf(pid) {
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

function openFilesOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
