// Tells search engines which pages are new, changed or gone since the last time, by IndexNow (indexnow.org). The site proves that
// it is yours by a file with your key at its root. A run that fails, or is killed, is made up for by the next one.
//
//     INDEXNOW_KEY=0123456789abcdef node indexnow.js example.warc.gz https://example.org
import { applyChanges } from './changes.js';

const [archive, site, ...flags] = process.argv.slice(2);
const { INDEXNOW_KEY: key, INDEXNOW_ENDPOINT: endpoint = 'https://api.indexnow.org/indexnow' } = process.env;
/** What the protocol takes in one request. */
const MOST_URLS = 10_000;

process.exitCode =
  (await applyChanges(
    archive,
    site,
    async (changes) => {
      // One host a request; a page that changed twice is sent once.
      const byHost = new Map();
      for await (const { url } of changes) {
        const { host } = new URL(url);
        if (!byHost.has(host)) byHost.set(host, new Set());
        byHost.get(host).add(url);
      }
      for (const [host, urls] of byHost) {
        const list = [...urls];
        for (let at = 0; at < list.length; at += MOST_URLS)
          await submit(host, list.slice(at, at + MOST_URLS));
      }
    },
    flags,
  )) ?? 1;

/** Throws where the list is refused, so that the changes are kept and sent again. */
async function submit(host, urlList) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ host, key, urlList }),
  });
  if (!response.ok) throw new Error(`${endpoint} responded with ${response.status} for ${host}`);
  console.log(`${host}: ${urlList.length} URLs sent`);
}
