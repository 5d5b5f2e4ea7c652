// Pages into a vector store: what is new or changed is fetched, cut into pieces, embedded and upserted into Postgres with pgvector;
// what is gone is deleted. Then it answers a question with the nearest pieces.
//
//     DATABASE_URL=postgres://localhost/docs EMBEDDINGS_URL=http://localhost:11434/v1/embeddings EMBEDDINGS_MODEL=nomic-embed-text \
//       node vector-store.js example.warc.gz https://example.org "how to oil a table"
import { setTimeout as delay } from 'node:timers/promises';
import { convert } from 'html-to-text';
import pg from 'pg';
import { applyChanges } from './changes.js';

const [archive, site, question = '', ...flags] = process.argv.slice(2);
const { DATABASE_URL, EMBEDDINGS_URL, EMBEDDINGS_MODEL, EMBEDDINGS_KEY, PAUSE_MS = '1000' } = process.env;
const AGENT = 'example-bot';
const PIECE = 1500;

const database = new pg.Client({ connectionString: DATABASE_URL });
await database.connect();
const { length: dimensions } = (await embedded(['x']))[0];
await database.query(`
  CREATE EXTENSION IF NOT EXISTS vector;
  CREATE TABLE IF NOT EXISTS waiting (url text PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS pieces (url text, number int, text text, embedding vector(${dimensions}), PRIMARY KEY (url, number));
`);

// 1. Which pages are to be fetched, and which are gone. Only those that robots.txt allows.
const code = await applyChanges(
  archive,
  site,
  async (changes) => {
    await database.query('BEGIN');
    for await (const { type, url } of changes) {
      await database.query('DELETE FROM waiting WHERE url = $1', [url]);
      if (type === 'removed') await database.query('DELETE FROM pieces WHERE url = $1', [url]);
      else await database.query('INSERT INTO waiting VALUES ($1)', [url]);
    }
    await database.query('COMMIT');
  },
  ['--agent', AGENT, '--only-allowed', ...flags],
);

// 2. Fetched one by one; a page that fails waits for the next run.
const { rows: waiting } = await database.query('SELECT url FROM waiting ORDER BY url');
for (const { url } of waiting) {
  await delay(Number(PAUSE_MS));
  const response = await fetch(url, { headers: { 'user-agent': AGENT } }).catch(() => undefined);
  if (!response?.ok) {
    console.error(`not fetched: ${url}`);
    continue;
  }
  const text = convert(await response.text(), { wordwrap: false });
  const pieces = text.match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? [];
  const vectors = await embedded(pieces);
  await database.query('BEGIN');
  await database.query('DELETE FROM pieces WHERE url = $1', [url]);
  for (const [number, piece] of pieces.entries())
    await database.query('INSERT INTO pieces VALUES ($1, $2, $3, $4)', [
      url,
      number,
      piece,
      JSON.stringify(vectors[number]),
    ]);
  await database.query('DELETE FROM waiting WHERE url = $1', [url]);
  await database.query('COMMIT');
}

// 3. The pages with the nearest pieces.
if (question !== '') {
  const [vector] = await embedded([question]);
  const { rows } = await database.query('SELECT url FROM pieces ORDER BY embedding <=> $1 LIMIT 5', [
    JSON.stringify(vector),
  ]);
  for (const url of new Set(rows.map((row) => row.url))) console.log(url);
}
await database.end();
process.exitCode = code ?? 1;

/** The vectors of texts, by any server with the API of OpenAI's embeddings. */
async function embedded(input) {
  if (input.length === 0) return [];
  const response = await fetch(EMBEDDINGS_URL, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(EMBEDDINGS_KEY && { authorization: `Bearer ${EMBEDDINGS_KEY}` }),
    },
    body: JSON.stringify({ model: EMBEDDINGS_MODEL, input }),
  });
  if (!response.ok) throw new Error(`${EMBEDDINGS_URL} responded with ${response.status}`);
  const { data } = await response.json();
  return data.map(({ embedding }) => embedding);
}
