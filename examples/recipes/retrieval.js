// From "changed" to "in my index": pages that are new or changed are fetched at the pace of their host, their text goes
// into a full-text index, and what the site no longer lists leaves it. A page that cannot be fetched now is fetched by the
// next run. Then it answers a question.
//
//     node retrieval.js example.warc.gz https://example.org index.db "how to oil a table"
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { convert } from 'html-to-text';
import sqlite from 'node-sqlite3-wasm';
import { applyChanges } from './changes.js';

const [archive, site, file, question = '', ...flags] = process.argv.slice(2);
const AGENT = 'example-bot';
const PAUSE_MS = Number(process.env.PAUSE_MS ?? 1000);

rmSync(`${file}.lock`, { recursive: true, force: true });
const database = new sqlite.Database(file);
database.exec(`
  CREATE TABLE IF NOT EXISTS pages (url TEXT PRIMARY KEY, is_fetched INTEGER NOT NULL);
  CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (url UNINDEXED, text);
`);

// 1. What is to be fetched, and what is gone. Only pages that robots.txt allows.
const code = await applyChanges(
  archive,
  site,
  async (changes) => {
    database.exec('BEGIN');
    for await (const { type, url } of changes) {
      database.run('DELETE FROM pages WHERE url = ?', url);
      if (type === 'removed') database.run('DELETE FROM texts WHERE url = ?', url);
      else database.run('INSERT INTO pages VALUES (?, 0)', url);
    }
    database.exec('COMMIT');
  },
  ['--agent', AGENT, '--only-allowed', ...flags],
);

// 2. One page after the other, each host at its pace.
for (const { url } of database.all('SELECT url FROM pages WHERE is_fetched = 0 ORDER BY url')) {
  const text = await textOf(url);
  if (text === undefined) {
    console.error(`not fetched: ${url}`);
    continue;
  }
  database.exec('BEGIN');
  database.run('DELETE FROM texts WHERE url = ?', url);
  database.run('INSERT INTO texts VALUES (?, ?)', [url, text]);
  database.run('UPDATE pages SET is_fetched = 1 WHERE url = ?', url);
  database.exec('COMMIT');
}

// 3. What the index knows.
const words = question.match(/\p{L}+/gu) ?? [];
const match = words.map((word) => `"${word}"`).join(' OR ');
const found =
  match === '' ? [] : database.all('SELECT url FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 5', match);
for (const { url } of found) console.log(url);
database.close();
process.exitCode = code ?? 1;

/** The text of a page; undefined where it cannot be had now. A host that asks for a pause gets it. */
async function textOf(url) {
  for (let attempt = 0; attempt < 3; attempt++) {
    await delay(PAUSE_MS);
    const response = await fetch(url, { headers: { 'user-agent': AGENT } }).catch(() => undefined);
    if (response?.ok) return convert(await response.text(), { wordwrap: false });
    if (response?.status !== 429 && response?.status !== 503) return undefined;
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    if (!(seconds <= 60)) return undefined;
    await delay(seconds * PAUSE_MS);
  }
  return undefined;
}
