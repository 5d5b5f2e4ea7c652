// An index of a site's pages in SQLite that is exact after every run, whatever fails in between: the law of `usp update`.
//
//     node sqlite-index.js example.warc.gz https://example.org pages.db
import { rmSync } from 'node:fs';
import sqlite from 'node-sqlite3-wasm';
import { applyChanges } from './changes.js';

const [archive, site, file, ...flags] = process.argv.slice(2);

// This is the only writer: a lock that is there was left by a process that was killed.
rmSync(`${file}.lock`, { recursive: true, force: true });
const database = new sqlite.Database(file);
database.exec('CREATE TABLE IF NOT EXISTS pages (url TEXT PRIMARY KEY, last_modified TEXT)');

const code = await applyChanges(
  archive,
  site,
  async (changes) => {
    // All changes of a run, or none.
    database.exec('BEGIN');
    for await (const { type, url, lastModified } of changes) {
      if (type === 'removed') database.run('DELETE FROM pages WHERE url = ?', url);
      else {
        database.run(
          'INSERT INTO pages VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET last_modified = excluded.last_modified',
          [url, lastModified ?? null],
        );
      }
    }
    database.exec('COMMIT');
  },
  flags,
);
console.log(`${database.get('SELECT count(*) AS pages FROM pages').pages} pages`);
database.close();
process.exitCode = code ?? 1;
