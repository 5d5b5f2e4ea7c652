/** This library as a writer of sitemaps, as it is published. */
import { rmSync } from 'node:fs';
import { writeSitemaps } from '../../dist/write/index.js';
import { pagesToWrite } from '../documents/writable.js';

export { name, version } from './ours.js';

export function prepare({ folder }) {
  rmSync(folder, { recursive: true, force: true });
}

/** Files of so many pages with an index, into an empty folder; each is on the disk (fsync) before it has its name. */
export async function write({ folder, gzip, perFile, ...pages }) {
  const { problems } = await writeSitemaps(pagesToWrite({ ...pages, shape: 'ours' }), folder, {
    baseUrl: 'https://www.example.com/',
    maxUrls: perFile,
    gzip,
  });
  if (problems.length > 0) throw new Error(problems[0].message);
}
