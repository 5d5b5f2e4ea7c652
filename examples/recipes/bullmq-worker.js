// A queue of pages with BullMQ: one program adds the pages of a site, any number of workers fetch them, at most ten a second.
//
//     node bullmq-worker.js add https://example.org redis://127.0.0.1
//     node bullmq-worker.js work redis://127.0.0.1
import { createHash } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { streamPages } from 'ultimate-sitemap-parser';

const [command, ...rest] = process.argv.slice(2);
const connection = new Redis(rest.at(-1), { maxRetriesPerRequest: null });
if (command === 'add') await add(rest[0]);
else await work();
await connection.quit();

/** A page is added again when its date changes: the id of a job is made of both, and BullMQ ignores an id that it has. */
async function add(site) {
  const queue = new Queue('pages', { connection });
  for await (const batch of streamPages(site).batches()) {
    await queue.addBulk(
      batch.map(({ page }) => {
        const { url, lastModified } = page;
        const id = createHash('sha256').update(`${url} ${lastModified?.toISOString()}`).digest('hex');
        // Kept for as long as the page must not be fetched again.
        const opts = { jobId: id, attempts: 3, removeOnComplete: { age: 7 * 24 * 3600 } };
        return { name: 'page', data: { url }, opts };
      }),
    );
  }
  console.log(`${await queue.count()} pages wait`);
  await queue.close();
}

/** Works until there is nothing left to do. */
async function work() {
  const worker = new Worker(
    'pages',
    async ({ data }) => {
      const response = await fetch(data.url);
      await response.body?.cancel();
      if (response.status >= 500) throw new Error(`${data.url}: ${response.status}`);
      return response.status;
    },
    { connection, concurrency: 5, limiter: { max: 10, duration: 1000 } },
  );
  worker.on('completed', ({ data, returnvalue }) => console.log(returnvalue, data.url));
  worker.on('failed', (job, error) => console.error(error.message, job?.attemptsMade));
  await new Promise((resolve) => worker.once('drained', resolve));
  await worker.close();
}
