/** What Node itself needs for the bytes of a site: the least that a program takes which fetches them. */
import { once } from 'node:events';
import { Agent, get } from 'node:http';

export const name = 'node:http';
export const { version } = process;

/** The responses of all sitemaps, read one after the other on one connection. */
export async function bytes({ homepage }) {
  let received = 0;
  for await (const response of sitemapsOf(homepage))
    for await (const chunk of response) received += chunk.length;
  return { found: { bytes: received } };
}

async function* sitemapsOf(homepage) {
  const agent = new Agent({ keepAlive: true });
  const respond = async (url) => (await once(get(url, { agent }), 'response'))[0];
  let index = '';
  for await (const chunk of await respond(new URL('index.xml', homepage))) index += chunk;
  for (const [, url] of index.matchAll(/<loc>(.*?)<\/loc>/g)) yield respond(url);
  agent.destroy();
}
