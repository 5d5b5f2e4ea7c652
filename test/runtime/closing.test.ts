/** §5 what has `close()` is closed by `using`, too. */
import { expect, test } from 'vitest';
import { crawlSites } from '../../src/batch/index.ts';
import { createMcpServer } from '../../src/mcp/index.ts';
import { DECLARED, siteOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';

test('a crawled site: its tree is closed at the end of the block', async () => {
  const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': urlset('https://example.org/1') });
  for await (const site of crawlSites([server.origin], DECLARED)) {
    const { tree } = site;
    {
      using used = site;
      expect([...(used.tree?.allPages() ?? [])]).toHaveLength(1);
    }
    expect(() => [...(tree?.allPages() ?? [])]).toThrow(expect.objectContaining({ code: 'tree-closed' }));
  }
});

test('a server for agents', async () => {
  const agents = await createMcpServer();
  await expect(agents[Symbol.asyncDispose]()).resolves.toBeUndefined();
});
