/** §14: the folder of a crawl is opened again, and the crawl goes on. */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { OpenCrawl } from '../../src/batch/open-crawl.ts';
import { crawlPath } from '../support/crawl-folders.ts';

test('a crawl that is continued with another version has the version of its last run, for workers too', async () => {
  const path = crawlPath();
  const opened = async (version: string): Promise<OpenCrawl> => {
    const crawl = await OpenCrawl.open(path, () => ({ version, format: 'ndjson', options: {} }));
    onTestFinished(() => crawl.close());
    return crawl;
  };
  const first = await opened('1.0.0');
  await first.describe({});
  await first.close();
  const last = await opened('1.0.1');
  expect(last.description).toMatchObject({ id: first.description.id, version: '1.0.1' });
  await last.describe({});
  expect(JSON.parse(readFileSync(last.folder.description, 'utf8'))).toEqual(last.description);
});
