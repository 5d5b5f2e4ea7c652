/** A site that changes, and `usp update` of its archive. */
import { join } from 'node:path';
import type { ScriptedServer, Site } from '../server/scripted-server.ts';
import { type Told, usp, type WorldOptions } from './cli-world.ts';
import { siteOf } from './crawled-site.ts';
import { folder } from './folder.ts';

export interface UpdatedSite {
  readonly server: ScriptedServer;
  readonly file: string;
  /** `usp update` of the file; a path instead of the origin in what it prints. */
  update(...argv: readonly string[]): Promise<Told>;
  updateIn(world: WorldOptions, ...argv: readonly string[]): Promise<Told>;
}

/** A site and the file of its archive, which is not there yet. */
export async function updatedSite(site: Site | ((origin: string) => Site)): Promise<UpdatedSite> {
  const server = await siteOf(site);
  const file = join(folder(), 'site.warc.gz');
  let last: string | undefined;
  const updateIn = async (world: WorldOptions, ...argv: readonly string[]): Promise<Told> => {
    // How often to try again does not shape the tree, and is not remembered. The site is private, so its URL is given.
    const [first = '-'] = argv;
    const given = first.startsWith('-') ? argv.find((word) => /^https?:/.test(word)) : first;
    const again = given === undefined && last !== undefined ? [last] : [];
    last = given?.replace(/\/\/.*@/, '//') ?? last;
    const told = await usp(['update', file, ...again, '--retries', '0', ...argv], world);
    const short = (text: string): string => text.replaceAll(server.origin, '').replaceAll(file, 'FILE');
    return { ...told, stdout: short(told.stdout), stderr: short(told.stderr), lines: told.lines.map(short) };
  };
  return { server, file, updateIn, update: (...argv) => updateIn({}, ...argv) };
}
