/** What a process has used. */
import { readFileSync } from 'node:fs';
import { cpuUsage, resourceUsage } from 'node:process';

/** Processor time of this process so far, in seconds, collector and compiler threads included. */
export function cpuSeconds() {
  const { user, system } = cpuUsage();
  return (user + system) / 1e6;
}

/**
 * The most memory that this process ever had. `maxRSS` will not do where there is something better: on Linux a process
 * inherits it from whoever started it.
 */
export function peakBytes() {
  return peakBytesOf('self') ?? resourceUsage().maxRSS * 1024;
}

/** The same of any process, where Linux tells. */
export function peakBytesOf(pid) {
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(procFile(pid, 'status'))?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** Processor time of any process so far, to a hundredth of a second, where Linux tells. */
export function cpuSecondsOf(pid) {
  // The name, in parentheses, may have spaces in it; user and system time are the 12th and 13th field behind it.
  const fields = procFile(pid, 'stat').split(') ').at(-1).split(' ');
  return fields.length < 13 ? undefined : (Number(fields[11]) + Number(fields[12])) / 100;
}

function procFile(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
