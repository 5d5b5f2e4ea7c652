/**
 * Random schedules of faults, each from a seed: a site of a few sitemaps, and for each of them what its server does at
 * the first attempt, at the second and so on. Every document that can be read must be read completely, whatever its
 * siblings do.
 */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { checkTree, type Sitemap } from '../../src/index.ts';
import { type ScriptedResponse, startServer } from '../server/scripted-server.ts';
import { index, robots, urlset } from './documents.ts';
import { Chance } from './random.ts';
import { type Tally, withinHangLimit } from './tally.ts';
import { pagesOfStream, pagesOfTree } from './troubles.ts';

/** How many attempts fail before one succeeds: fewer than there are, since a busy machine may fail one more. */
const MOST_PASSING = 2;

/** What the server does with one sitemap of a schedule. */
interface Fate {
  readonly script: readonly ScriptedResponse[];
  /** Whether all its pages must be found. */
  readonly isWhole: boolean;
  readonly faults: number;
  readonly badInputs: number;
}

/** A fault of one attempt: the next attempt may succeed. */
function passingFault(chance: Chance, body: string): ScriptedResponse {
  const somewhere = chance.between(0, body.length - 1);
  return chance.pick<ScriptedResponse>([
    { status: chance.pick([400, 408, 429, 500, 502, 503, 504, 520]) },
    { status: 429, headers: { 'retry-after': '0' } },
    { hangUp: true },
    { silent: true },
    { body, truncateAfter: somewhere },
    { body, resetAfter: somewhere },
    { body, stallAfter: somewhere },
    { body: gzipSync(body), headers: { 'content-encoding': 'gzip' }, truncateAfter: 5 },
  ]);
}

/** A fault of every attempt: the pages of this document do not count, and its siblings must not suffer. */
function lastingFault(chance: Chance, body: string): ScriptedResponse {
  return chance.pick<ScriptedResponse>([
    { status: chance.pick([401, 403, 404, 410, 451, 501]) },
    { status: 503, headers: { 'retry-after': '3600' } },
    { redirect: '/circle' },
    { redirect: 'file:///etc/passwd' },
    { status: 302 },
    { body: '<!DOCTYPE html><html><body>Sorry</body></html>' },
    { body: '' },
    { body: damaged(chance, body) },
    { body: damaged(chance, gzipSync(body)) },
    { body: brotliCompressSync(body).subarray(3), headers: { 'content-encoding': 'br' } },
  ]);
}

/** A good response, in one of several forms. */
function goodResponse(chance: Chance, body: string): ScriptedResponse {
  return chance.pick<ScriptedResponse>([
    { body },
    { body, chunked: true },
    { body, gzip: true },
    { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } },
    { body: gzipSync(body), headers: { 'content-encoding': 'identity', 'content-type': 'image/png' } },
    { body, delayMs: chance.between(0, 50) },
    { body, trickle: { bytes: 200, everyMs: 1 } },
  ]);
}

/** A document with some bytes changed, and perhaps its end missing. */
function damaged(chance: Chance, document: string | Uint8Array): Uint8Array {
  const bytes = Buffer.from(document);
  for (let count = chance.between(1, 8); count > 0; count--)
    bytes[chance.between(0, bytes.length - 1)] = chance.between(0, 255);
  return bytes.subarray(0, chance.happens(0.5) ? bytes.length : chance.between(0, bytes.length));
}

function fateOf(chance: Chance, body: string): Fate {
  if (chance.happens(0.35)) {
    const last = lastingFault(chance, body);
    return { script: [last], isWhole: false, faults: 1, badInputs: last.body instanceof Uint8Array ? 1 : 0 };
  }
  const passing = Array.from({ length: chance.between(0, MOST_PASSING) }, () => passingFault(chance, body));
  return {
    script: [...passing, goodResponse(chance, body)],
    isWhole: true,
    faults: passing.length,
    badInputs: 0,
  };
}

/** Runs the schedule of one seed. Complaints name the seed. */
export async function runSchedule(seed: number, tally: Tally): Promise<void> {
  const chance = new Chance(seed);
  const server = await startServer({});
  const { origin } = server;
  const urls: string[] = [];
  /** The pages that must be found, by document. */
  const expected = new Map<string, readonly string[]>();
  let hasDamaged = false;
  for (let at = chance.between(2, 8); at > 0; at--) {
    const pages = Array.from(
      { length: chance.between(1, 60) },
      (_, page) => `https://example.org/${at}/${page}`,
    );
    const { script, isWhole, faults, badInputs } = fateOf(chance, urlset(...pages));
    server.site[`/${at}.xml`] = { script };
    urls.push(`${origin}/${at}.xml`);
    if (isWhole) expected.set(`${origin}/${at}.xml`, pages);
    else hasDamaged = true;
    tally.faults += faults;
    tally.badInputs += badInputs;
  }
  const top = chance.happens(0.5) ? robots(...urls) : robots(`${origin}/index.xml`);
  server.site['/index.xml'] = index(...urls);
  server.site['/circle'] = { redirect: '/circle' };
  server.site['/robots.txt'] = {
    script: [...(chance.happens(0.3) ? [passingFault(chance, top)] : []), { body: top }],
  };
  const isTree = chance.happens(0.5);
  await withinHangLimit(tally, `seed ${seed}`, async () => {
    const found = isTree
      ? await pagesOfTree(origin, OPTIONS, (tree) => checkWell(tree, tally))
      : await pagesOfStream(origin, OPTIONS);
    // What is left of a damaged document is unknown, and may be a sibling's URLs: only pages of whole documents count.
    for (const [document, pages] of expected) {
      tally.compare(
        `seed ${seed}, ${document}`,
        pages,
        found.pages.filter((page) => page.document === document).map(({ url }) => url),
        found.troubles.filter(({ url }) => url === document || !urls.includes(url)),
      );
    }
    if (!hasDamaged && !found.complete && found.troubles.length === 0)
      tally.complain(`seed ${seed}: everything was read, and it is reported as incomplete`);
  });
  await server.allSocketsClosed().catch((error: unknown) => {
    tally.leakedSockets += server.openSockets;
    tally.complain(`seed ${seed}: ${error}`);
  });
  await server.close();
  tally.schedules++;
}

// A silent server is given up soon. The pauses between attempts have their default length.
const OPTIONS = { proxy: false, useKnownPaths: false, idleTimeoutMs: 3_000 } as const;

/** Whatever the documents of a tree are, a check of them ends well. */
async function checkWell(tree: Sitemap, tally: Tally): Promise<void> {
  const check = checkTree(tree);
  for await (const { rule, message } of check) {
    tally.findings++;
    if (rule === 'check-failed') tally.complain(`${tree.url}: ${message}`);
  }
  if (check.summary.complete !== tree.complete) tally.complain(`${tree.url}: its check is not complete`);
  tally.checks++;
}
