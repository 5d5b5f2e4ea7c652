// The folder of `usp crawl` in object storage (S3, R2, MinIO…), copied at any moment, also while the crawl runs.
//
// Copy sites.ndjson first, then pages/. A line is written before its part comes to pages/, and a part never changes. So
// every part that is copied is whole; a part that no line names is ignored, and so is a line whose part is missing. What
// is left is consistent: the sites of these lines, each with all its pages.
//
//     node object-storage.js copy DIR http://127.0.0.1:4568/bucket
//     node object-storage.js list http://127.0.0.1:4568/bucket
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';

const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' });

const [command, ...rest] = process.argv.slice(2);
if (command === 'copy') await copy(rest[0], rest[1]);
else await list(rest[0]);

async function copy(folder, bucket) {
  await put(`${bucket}/sites.ndjson`, await readFile(join(folder, 'sites.ndjson')));
  const there = new Set(await keys(bucket));
  for (const part of await readdir(join(folder, 'pages'))) {
    const key = `pages/${part}`;
    if (!there.has(key)) await put(`${bucket}/${key}`, await readFile(join(folder, key)));
  }
}

async function list(bucket) {
  const there = new Set(await keys(bucket));
  const text = await (await request(`${bucket}/sites.ndjson`)).text();
  // The last line of a site counts.
  const sites = new Map();
  for (const line of text.split('\n').slice(0, -1)) {
    const site = JSON.parse(line);
    sites.set(site.site, site);
  }
  for (const { site, outcome, pages, parts } of sites.values())
    if (parts.every((part) => there.has(part))) console.log(JSON.stringify({ site, outcome, pages, parts }));
}

/** The names of the objects below pages/, a thousand at a time. */
async function keys(bucket) {
  const found = [];
  let after = '';
  for (;;) {
    const query = new URLSearchParams({ 'list-type': '2', prefix: 'pages/', 'start-after': after });
    const text = await (await request(`${bucket}?${query}`)).text();
    const page = Array.from(text.matchAll(/<Key>([^<]*)<\/Key>/g), ([, key]) => key);
    found.push(...page);
    if (!text.includes('<IsTruncated>true<')) return found;
    after = page.at(-1);
  }
}

function put(url, body) {
  return request(url, { method: 'PUT', body });
}

async function request(url, init) {
  const response = await client.fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response;
}
