// The changes of a site since the last time, none lost: `usp update` writes them to a file, which is deleted once they are
// applied. A run that was killed left its file behind, so that one is applied first. A change may come twice, and applying
// it twice must give the same as once: an upsert does, and so does a deletion.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * @param {string} archive - where `usp update` keeps the site
 * @param {string} site
 * @param {(changes: AsyncIterable<{ type: string, url: string, lastModified?: string }>) => Promise<void>} apply
 * @param {readonly string[]} [flags] - more flags of `usp update`
 */
export async function applyChanges(archive, site, apply, flags = []) {
  const file = `${archive}.changes.ndjson`;
  if (existsSync(file)) await applyFile(file, apply);
  const argv = ['update', archive, site, '-f', 'ndjson', '-o', file, ...flags];
  // npm puts `usp` on the PATH of its scripts.
  const [code] = await once(spawn('usp', argv, { stdio: 'inherit' }), 'close');
  if (existsSync(file)) await applyFile(file, apply);
  return code;
}

async function applyFile(file, apply) {
  await apply(linesOf(file));
  rmSync(file);
}

async function* linesOf(file) {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line);
}
