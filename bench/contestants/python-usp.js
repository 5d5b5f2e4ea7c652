/** The library of the same name in Python, by its documented functions: see python_usp.py. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../measure/command.js';

const SCRIPT = fileURLToPath(new URL('python_usp.py', import.meta.url));

export const name = 'ultimate-sitemap-parser in Python';
export const version = execFileSync('python3', [SCRIPT, 'version'], { encoding: 'utf8' }).trim();

export function passOf() {
  return async ({ homepage }, mode) => {
    const { output } = await runCommand('python3', [SCRIPT, mode, homepage]);
    // It times itself: the start of Python is not its work.
    return JSON.parse(output);
  };
}
