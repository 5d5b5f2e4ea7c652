// Crawlee fetches the pages that the sitemaps of a site list. The queue is filled while the sitemaps are still read.
//
//     node crawlee.js https://example.org          a RequestQueue: for any number of pages
//     node crawlee.js https://example.org list     a RequestList: a list in memory
import { BasicCrawler, Configuration, LogLevel, log, RequestList, RequestQueue } from '@crawlee/basic';
import { streamPages } from 'ultimate-sitemap-parser';

const [site, kind = 'queue'] = process.argv.slice(2);
log.setLevel(LogLevel.WARNING);
const configuration = new Configuration({ persistStorage: false });

const stream = streamPages(site, { robotsAgent: 'example-bot' });
/** The requests of the pages that robots.txt allows, in batches as they arrive. */
async function* requests() {
  for await (const batch of stream.batches()) {
    yield batch
      .filter(({ page }) => stream.verdictOf(page.url).allowed !== false)
      .map(({ page, sitemap }) => ({
        url: page.url,
        // Crawlee would leave out the fragment, and sort the query.
        uniqueKey: page.url,
        userData: { lastModified: page.lastModified?.toISOString(), sitemap: sitemap.url },
      }));
  }
}

async function filledQueue() {
  const queue = await RequestQueue.open(null, { config: configuration });
  for await (const batch of requests())
    await queue.addRequestsBatched(batch, { waitForAllRequestsToBeAdded: true });
  return { requestQueue: queue };
}

async function filledList() {
  const sources = [];
  for await (const batch of requests()) sources.push(...batch);
  return { requestList: await RequestList.open(null, sources) };
}

const crawler = new BasicCrawler(
  {
    ...(await (kind === 'list' ? filledList() : filledQueue())),
    maxRequestRetries: 0,
    async requestHandler({ request, sendRequest }) {
      const { statusCode } = await sendRequest();
      console.log(statusCode, request.url, request.userData.lastModified ?? '');
    },
  },
  configuration,
);
await crawler.run();
for (const { reason } of stream.invalidSitemaps) console.error(reason);
