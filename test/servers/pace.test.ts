/** §15 against a real nginx: a limit of requests, a long Retry-After, and a restart. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { InvalidSitemap, type SitemapOptions } from '../../src/index.ts';
import { testCertificate } from '../server/scripted-server.ts';
import { treeOf } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { type NginxSite, startNginx } from '../support/nginx.ts';
import { describeWith } from '../support/real-servers.ts';
import { sized } from '../support/tier.ts';

const CHILDREN = sized({ fast: 120, full: 300 });
const OPTIONS: SitemapOptions = { proxy: false };

/** robots.txt, an index, and many sitemaps of one page each. */
const filesOf =
  (count: number): NginxSite['files'] =>
  (origin) => {
    const children = Array.from({ length: count }, (_, at) => `child-${at}.xml`);
    return {
      'robots.txt': robots(`${origin}/index.xml`),
      'index.xml': index(...children.map((name) => `${origin}/${name}`)),
      ...Object.fromEntries(children.map((name) => [name, urlset(`https://example.org/${name}`)])),
    };
  };

const files = filesOf(CHILDREN);

const lostOf = async (server: { readonly origin: string }, options = OPTIONS): Promise<string[]> => {
  const tree = await treeOf(server, options);
  return [...tree.allSitemaps()].flatMap((each) => (each instanceof InvalidSitemap ? [each.reason] : []));
};

describeWith('nginx', '§15 nginx that limits requests', () => {
  // A tenth of those few that are read in the fast tier is less than what is refused before the pace is found.
  const count = sized({ fast: 250, full: 300 });
  // A slow machine does not exceed the first rate.
  const rates = sized({ fast: [40, 15, 5], full: [10, 4] });
  test('with a bare 503: no sitemap is lost, and at most 10 % are refused', {
    timeout: 400_000,
  }, async () => {
    for (const rate of rates) {
      const server = await startNginx({
        files: filesOf(count),
        http: `limit_req_zone $binary_remote_addr zone=all:1m rate=${rate}r/s;`,
        server: 'limit_req zone=all burst=20 nodelay;',
      });
      expect(await lostOf(server)).toEqual([]);
      const requests = server.requests();
      const refused = requests.filter(({ status }) => status === 503).length;
      expect(refused / requests.length).toBeLessThanOrEqual(0.1);
      if (refused > 0) return;
    }
    expect.fail('no request was refused at any of the rates');
  });

  test(`with Retry-After: 300 is not asked ${CHILDREN} times, and each sitemap says rate-limited`, async () => {
    const server = await startNginx({
      files,
      server: `location /child- { add_header Retry-After 300 always; return 429; }`,
    });
    const lost = await lostOf(server);
    expect(lost).toHaveLength(CHILDREN);
    expect(lost.every((reason) => reason.includes('300 s'))).toBe(true);
    const refused = server.requests().filter(({ status }) => status === 429).length;
    expect(refused).toBeLessThanOrEqual(16);
  });
});

describeWith('nginx', `§15 a restart of nginx while ${CHILDREN} sitemaps are read`, () => {
  test.each(sized({ fast: [1_500], full: [1_500, 5_000] }))('of %i ms loses nothing', async (ms) => {
    // Slow enough for the restart to come in the middle.
    const server = await startNginx({ files, server: 'location /child- { limit_rate 1k; }' });
    const lost = lostOf(server);
    await expect.poll(() => server.requests().length, { timeout: 100_000 }).toBeGreaterThan(60);
    await server.stop();
    await delay(ms);
    await server.start();
    expect(await lost).toEqual([]);
    expect(new Set(server.requests().map(({ path }) => path)).size).toBeGreaterThan(CHILDREN);
  });
});

describeWith('nginx', '§15 nginx that will not have it', () => {
  test('refuses wrong credentials once, not once for each known path', async () => {
    const server = await startNginx({
      files,
      // Any file without the user in it.
      server: 'auth_basic closed; auth_basic_user_file nginx.conf;',
    });
    await treeOf({ origin: server.origin.replace('//', '//user:wrong@') }, OPTIONS);
    // nginx logs a request a little after it has responded.
    await expect.poll(() => server.requests()).not.toEqual([]);
    expect(server.requests().map(({ status }) => status)).toEqual([401]);
  });

  test('speaks HTTPS on a port that is requested with http: one attempt for each path, and a reason', async () => {
    const { cert, key } = testCertificate();
    const server = await startNginx({
      files: (origin) => ({ ...files(origin), 'server.pem': `${key}${cert}` }),
      listen: 'ssl',
      server: 'ssl_certificate site/server.pem; ssl_certificate_key site/server.pem;',
    });
    const tree = await treeOf(server, { ...OPTIONS, useKnownPaths: false });
    expect(tree.problems.map(({ message }) => message).join()).toContain('the port speaks HTTPS');
    const refused = () => server.requests().filter(({ status }) => status === 400);
    // nginx writes its log when it has sent the response, so the crawl may be over before.
    await expect.poll(refused).not.toEqual([]);
    expect(refused()).toHaveLength(1);
  });
});
