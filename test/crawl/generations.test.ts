/** Specification §11.2: a living tree as `previous`, whose documents the next tree copies. */
import { expect, test } from 'vitest';
import type { Sitemap } from '../../src/index.ts';
import type { Site } from '../server/scripted-server.ts';
import { describeIf } from '../support/collected.ts';
import { DECLARED, siteOf, treeOf, urlsOf } from '../support/crawled-site.ts';
import { robots, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { codeOf, openSpools, SHOWS_OPEN_FILES } from '../support/sitemaps.ts';
import { sized } from '../support/tier.ts';

const DOCUMENTS = 12;
/** More than a block of the spool. */
const DOCUMENT_BYTES = 270_000;
const LIVE_BYTES = DOCUMENTS * DOCUMENT_BYTES;

/** A site of large documents, each with a version that is its ETag. */
function versions(): { readonly of: number[]; build(origin: string): Site } {
  const of = new Array<number>(DOCUMENTS).fill(0);
  return {
    of,
    build: (origin) => {
      const urls = of.map((_, at) => `${origin}/${at}.xml`);
      const documents = of.map((_, at): [string, Site[string]] => [
        `/${at}.xml`,
        ({ headers }) => {
          const etag = `"${at}-${of[at]}"`;
          if (headers['if-none-match'] === etag) return { status: 304 };
          // A comment is what a parser passes over soonest.
          const text = `${urlset(`${origin}/page-${at}-${of[at]}`)}<!--`;
          return { body: `${text.padEnd(DOCUMENT_BYTES)}-->`, headers: { etag } };
        },
      ]);
      const declared: Site[string] = ({ headers }) =>
        headers['if-none-match'] === '"r"'
          ? { status: 304 }
          : { body: robots(...urls), headers: { etag: '"r"' } };
      return { '/robots.txt': declared, ...Object.fromEntries(documents) };
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describeIf(SHOWS_OPEN_FILES, '§11.2 the documents of a living previous', () => {
  const spooled = (memoryBytes: number) => ({
    ...DECLARED,
    spoolMemoryBytes: memoryBytes,
    spoolDirectory: folder(),
  });

  test('are copied, and outlive the tree that they came with', async () => {
    const options = spooled(0);
    const spools = () => openSpools(options.spoolDirectory);
    const server = await siteOf(versions().build);
    const first = await treeOf(server, options);
    expect(sum(spools())).toBeGreaterThan(0.8 * LIVE_BYTES);
    const urls = urlsOf(first.allPages());
    const second = await treeOf(server, { ...options, previous: first });
    first.close();
    await expect.poll(() => sum(spools())).toBeLessThan(1.5 * LIVE_BYTES);
    expect(urlsOf(second.allPages())).toEqual(urls);
    second.close();
    await expect.poll(spools).toEqual([]);
    expect(await codeOf(() => urlsOf(second.allPages()))).toBe('tree-closed');
  });

  test('are not kept open by a call that is refused since some of them are closed', async () => {
    const options = spooled(0);
    const { of, build } = versions();
    const server = await siteOf(build);
    const first = await treeOf(server, options);
    // The spool that is still open comes first.
    for (let at = DOCUMENTS / 2; at < DOCUMENTS; at++) of[at]! += 1;
    const second = await treeOf(server, { ...options, previous: first });
    second.close();
    for (const trustLastmod of [false, true]) {
      const third = treeOf(server, { ...options, previous: second, trustLastmod, maxTimeMs: 3_600_000 });
      await expect(third).rejects.toMatchObject({ code: 'tree-closed' });
    }
    first.close();
    await expect.poll(() => openSpools(options.spoolDirectory)).toEqual([]);
  });

  test('do not make a closed tree one that may be read again, whichever of the two is closed', async () => {
    const server = await siteOf(versions().build);
    const first = await treeOf(server, DECLARED);
    const second = await treeOf(server, { ...DECLARED, previous: first });
    second.close();
    await expect(treeOf(server, { ...DECLARED, previous: second })).rejects.toMatchObject({
      code: 'tree-closed',
    });
    const third = await treeOf(server, { ...DECLARED, previous: first });
    first.close();
    await expect(treeOf(server, { ...DECLARED, previous: first })).rejects.toMatchObject({
      code: 'tree-closed',
    });
    expect(urlsOf(third.allPages())).toHaveLength(DOCUMENTS);
  });

  test('do not pile up from one read to the next', async () => {
    const options = spooled(0);
    const { of, build } = versions();
    const server = await siteOf(build);
    let tree: Sitemap = await treeOf(server, options);
    // Every read leaves one document that does not change any more.
    for (let read = 0; read < sized({ fast: 4, full: DOCUMENTS }); read++) {
      for (let at = read; at < DOCUMENTS; at++) of[at]! += 1;
      const next: Sitemap = await treeOf(server, { ...options, previous: tree });
      tree.close();
      tree = next;
      expect(urlsOf(tree.allPages())).toEqual(
        of.map((version, at) => `${server.origin}/page-${at}-${version}`),
      );
      await expect.poll(() => sum(openSpools(options.spoolDirectory))).toBeLessThan(1.5 * LIVE_BYTES);
    }
  });
});
