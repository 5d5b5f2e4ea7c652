// A route of Express that streams the pages of a site as NDJSON. When the client disconnects, the crawl ends.
//
//     node express-route.js 8080
//     curl -N 'http://127.0.0.1:8080/pages?site=https://example.org'
import { pipeline } from 'node:stream/promises';
import express from 'express';
import { streamPages } from 'ultimate-sitemap-parser';

const app = express();

app.get('/pages', async (request, response) => {
  const { site } = request.query;
  if (typeof site !== 'string' || !URL.canParse(site)) {
    response.status(400).json({ error: 'Say which site: /pages?site=https://example.org' });
    return;
  }
  response.type('application/x-ndjson');
  // The stream may be waiting for a slow server when the client leaves: only a signal ends that at once.
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    await pipeline(streamPages(site, { maxTimeMs: 60_000, signal: gone.signal }), lines, response);
  } catch (error) {
    // A client that is gone hears nothing of it; one that is there sees that the response is cut.
    if (!gone.signal.aborted) console.error(error);
  }
});

async function* lines(pages) {
  for await (const { page } of pages) yield `${JSON.stringify(page)}\n`;
}

const server = app.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/pages`);
});
