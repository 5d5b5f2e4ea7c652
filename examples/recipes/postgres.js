// A table of a site's pages in Postgres that is exact after every run: new and changed pages are upserted, removed ones deleted, all
// changes of a run in one transaction.
//
//     DATABASE_URL=postgres://localhost/crawl node postgres.js example.warc.gz https://example.org
import pg from 'pg';
import { applyChanges } from './changes.js';

const [archive, site, ...flags] = process.argv.slice(2);
const database = new pg.Client({ connectionString: process.env.DATABASE_URL });
await database.connect();
await database.query('CREATE TABLE IF NOT EXISTS pages (url text PRIMARY KEY, last_modified timestamptz)');

const code = await applyChanges(
  archive,
  site,
  async (changes) => {
    await database.query('BEGIN');
    for await (const batch of batches(changes, 1000)) {
      const listed = batch.filter(({ type }) => type !== 'removed');
      await database.query('DELETE FROM pages WHERE url = ANY($1)', [batch.map(({ url }) => url)]);
      await database.query(
        'INSERT INTO pages SELECT * FROM unnest($1::text[], $2::timestamptz[]) ON CONFLICT (url) DO NOTHING',
        [listed.map(({ url }) => url), listed.map(({ lastModified }) => lastModified ?? null)],
      );
    }
    await database.query('COMMIT');
  },
  flags,
);
const { rows } = await database.query('SELECT count(*)::int AS pages FROM pages');
console.log(`${rows[0].pages} pages`);
await database.end();
process.exitCode = code ?? 1;

/** Lists of at most so many: a query for each page would take a round trip each. */
async function* batches(items, most) {
  let batch = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length === most) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
