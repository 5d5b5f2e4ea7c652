/**
 * xmlwf, the checker that comes with Expat, in C: it says whether a document is well-formed, and makes no page of it.
 */
import { execFileSync } from 'node:child_process';
import { runCommand } from '../measure/command.js';

export const name = 'xmlwf';
export const version = /expat_([\d.]+)/.exec(execFileSync('xmlwf', ['-v'], { encoding: 'utf8' }))?.[1] ?? '';

export function passOf() {
  return async ({ files }) => {
    const { output, ...used } = await runCommand('xmlwf', files);
    if (output !== '') throw new Error(`xmlwf says: ${output}`);
    return used;
  };
}
