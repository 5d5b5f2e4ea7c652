// A server that reads a site for its client, shows the progress, and stops when the client disconnects.
//
//     npx tsx examples/progress-server.ts 8080
//     curl -N 'http://127.0.0.1:8080/?site=https://example.org'
import { createServer } from 'node:http';
import { streamPages } from 'ultimate-sitemap-parser';

const [port = '8080'] = process.argv.slice(2);

const server = createServer(async (request, response) => {
  const site = new URL(request.url ?? '/', 'http://localhost').searchParams.get('site');
  if (site === null || !URL.canParse(site)) {
    response.writeHead(400).end('Say which site: /?site=https://example.org\n');
    return;
  }
  // When the client disconnects, every connection of the crawl is closed too.
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const send = (event: object): void => void response.write(`${JSON.stringify(event)}\n`);
  try {
    const stream = streamPages(site, {
      signal: gone.signal,
      maxTimeMs: 60_000,
      onProgress: ({ type, totals }) => {
        if (type === 'finished') send({ done: totals.done, known: totals.known, pages: totals.pages });
      },
    });
    for await (const batch of stream.batches()) send({ pages: batch.map(({ page }) => page.url) });
    send({ complete: stream.complete, unreadable: stream.invalidSitemaps.length });
  } catch (error) {
    if (!gone.signal.aborted) send({ error: String(error) });
  }
  response.end();
});

server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}/`);
});
