/** Starts server.js for a while. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('server.js', import.meta.url));

/**
 * Serves sites as long as `use` takes.
 *
 * @typedef {{ files?: string[], others?: string[], tiny?: number, delayMs?: number }} Site and `limit`, `restart`
 * @typedef {'counts' | 'change' | 'change-all' | 'replace'} Message
 * @typedef {{ requests: number, refused: number, bytes: number }} Counts
 * @param {Site[]} sites
 * @param {(homepages: string[], counts: (message?: Message) => Promise<Counts>) => Promise<Result>} use
 * @returns {Promise<Result>}
 * @template Result
 */
export async function withSites(sites, use) {
  const given = sites.map(({ files = [], others = [], tiny = 0, delayMs = 0, limit, restart }) => ({
    ...{ files, others, tiny, delayMs, limit, restart },
  }));
  const server = fork(SERVER, [JSON.stringify(given)], { execArgv: [] });
  try {
    const [homepages] = await once(server, 'message');
    return await use(homepages, async (message = 'counts') => {
      server.send(message);
      const [counts] = await once(server, 'message');
      return counts;
    });
  } finally {
    server.kill();
  }
}
