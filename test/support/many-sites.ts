/**
 * Many small sites on one server, each below a path of its own, like the daily work of a crawling service. Each site
 * knows its pages, so a lost page is always noticed.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { index, robots, urlset } from './documents.ts';
import { Chance } from './random.ts';
import { type Tally, withinHangLimit } from './tally.ts';
import { pagesOfStream, pagesOfTree } from './troubles.ts';

interface SmallSite {
  /** By path below the site. */
  readonly documents: ReadonlyMap<string, string | Uint8Array>;
  readonly pages: readonly string[];
}

/** The site with a number: each number gives another site. */
function smallSite(number: number, base: string): SmallSite {
  const chance = new Chance(number);
  const documents = new Map<string, string | Uint8Array>();
  const pages: string[] = [];
  const declared: string[] = [];
  const count = chance.between(1, 4);
  for (let at = 0; at < count; at++) {
    const own = Array.from(
      { length: chance.between(1, 12) },
      (_, page) => `https://s${number}.example/${at}/${page}`,
    );
    pages.push(...own);
    const [name, body] = chance.pick<readonly [string, string | Uint8Array]>([
      [`${at}.xml`, urlset(...own)],
      [`${at}.xml.gz`, gzipSync(urlset(...own))],
      [`${at}.txt`, own.join('\n')],
      [
        `${at}.rss`,
        `<rss version="2.0"><channel>${own.map((url) => `<item><link>${url}</link></item>`).join('')}</channel></rss>`,
      ],
    ]);
    documents.set(name, body);
    declared.push(base + name);
  }
  const declaration = chance.pick(['robots.txt', 'a known path', 'an index']);
  if (declaration === 'a known path') documents.set('sitemap.xml', index(...declared));
  else if (declaration === 'robots.txt') documents.set('robots.txt', robots(...declared));
  else documents.set('robots.txt', robots(`${base}index.xml`)).set('index.xml', index(...declared));
  return { documents, pages };
}

/** Crawls the sites from `from` to `to`, `atOnce` at a time: half as trees, half as streams. */
export async function crawlManySites(
  { from = 0, to, atOnce }: { readonly from?: number; readonly to: number; readonly atOnce: number },
  tally: Tally,
): Promise<void> {
  const sites = new Map<number, SmallSite>();
  const server = createServer((request, response) => {
    const [, number, name = ''] = /^\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? [];
    const document = sites.get(Number(number))?.documents.get(name);
    if (document === undefined) response.writeHead(404).end();
    else response.end(document);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let next = from;
  const worker = async (): Promise<void> => {
    for (let number = next++; number < to; number = next++) {
      const base = `${origin}/${number}/`;
      const site = smallSite(number, base);
      sites.set(number, site);
      await withinHangLimit(tally, `site ${number}`, async () => {
        const { pages, troubles } = await (number % 2 === 0 ? pagesOfTree : pagesOfStream)(base, OPTIONS);
        tally.compare(
          `site ${number}`,
          site.pages,
          pages.map(({ url }) => url),
          troubles,
        );
      });
      sites.delete(number);
      tally.sites++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await tally.noSocketsLeft(server);
  await new Promise((resolve) => server.close(resolve));
}

const OPTIONS = { proxy: false, normalizeHomepageUrl: false } as const;
