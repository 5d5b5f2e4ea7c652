/** Opens a file in the browser that the system has for it. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from '../messages/failure.ts';

/** How long to wait for a program that cannot open anything. One that goes on is taken to be the browser itself. */
const PATIENCE_MS = 3_000;

/** @throws UsageError where there is no browser; the file is written by then */
export async function openInBrowser(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const [command, ...argv] = openerOf(process.platform);
  const child = spawn(command, [...argv, resolve(file)], {
    env: { ...env },
    stdio: 'ignore',
    detached: true,
  });
  child.unref();
  const ended = new Promise<string | undefined>((settle) => {
    child.on('error', (error) => {
      settle('code' in error && error.code === 'ENOENT' ? `there is no ${command}` : error.message);
    });
    // explorer.exe ends with 1 when all is well.
    const isFine = (code: number | null): boolean => code === 0 || process.platform === 'win32';
    child.on('close', (code) => settle(isFine(code) ? undefined : `${command} ended with ${code}`));
  });
  const waiting = new AbortController();
  const patience = delay(PATIENCE_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
  const why = await Promise.race([ended, patience]);
  waiting.abort();
  if (why === undefined) return;
  throw new UsageError(`${file} was written, but no browser could be opened: ${why}.`, {
    hint: `open ${resolve(file)} in a browser yourself.`,
  });
}

function openerOf(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['explorer.exe'];
  return ['xdg-open'];
}
