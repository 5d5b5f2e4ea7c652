/** A server for agents in a program: what it is served through, and what is left of it when it is closed. */
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createMcpServer } from '../../src/mcp/index.ts';
import { signalling } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { folderUntil } from '../support/folder.ts';
import { openSpools, SHOWS_OPEN_FILES } from '../support/sitemaps.ts';

const line = (id: number, method: string, params: object): Uint8Array =>
  Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

test('it reads any chunks, writes to anything that takes text, and frees what it has read when it is closed', async () => {
  // More than a block of the spool.
  const long = `${urlset('https://one.example/é')}<!--${' '.repeat(300_000)}-->`;
  const site = await serving({ '/robots.txt': ['/1.xml'], '/1.xml': long });
  const spoolDirectory = folderUntil(onTestFinished);
  const options = { allowPrivateNetworks: true, useKnownPaths: false, spoolMemoryBytes: 0, spoolDirectory };
  const agents = await createMcpServer(options);
  const { promise: gone, resolve: leave } = signalling();
  async function* stdin(): AsyncGenerator<Uint8Array> {
    yield line(1, 'initialize', INITIALIZE);
    const call = line(2, 'tools/call', { name: 'list_pages', arguments: { url: site.origin } });
    yield call.subarray(0, 10);
    yield call.subarray(10);
    await gone;
  }
  let written = '';
  const stdout = {
    write(text: string): void {
      written += text;
    },
  };
  const served = agents.serveStdio({ stdin: stdin(), stdout });
  await expect.poll(() => written).toContain('"id":2');
  const answers = written
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(answers[1].result.structuredContent).toMatchObject({
    state: 'done',
    pages: [{ url: 'https://one.example/é' }],
  });
  const files = (): number[] => (SHOWS_OPEN_FILES ? openSpools(spoolDirectory) : []);
  if (SHOWS_OPEN_FILES) expect(files()).toHaveLength(1);
  await agents.close();
  expect(files()).toEqual([]);
  leave();
  await served;
});

test('progress is sent to a call whose token is 0', async () => {
  const site = await serving({ '/robots.txt': ['/1.xml'], '/1.xml': urlset('https://one.example/') });
  await using agents = await createMcpServer({ allowPrivateNetworks: true, useKnownPaths: false });
  const stdin = new PassThrough();
  let written = '';
  const stdout = {
    write(text: string): void {
      written += text;
    },
  };
  const served = agents.serveStdio({ stdin, stdout });
  stdin.write(line(1, 'initialize', INITIALIZE));
  const params = { name: 'list_pages', arguments: { url: site.origin }, _meta: { progressToken: 0 } };
  stdin.write(line(2, 'tools/call', params));
  await expect.poll(() => written).toContain('"id":2');
  stdin.end();
  await served;
  expect(written).toContain('"notifications/progress","params":{"progressToken":0,');
});

test('a signal ends it, and the chunks that it waits for', async () => {
  await using agents = await createMcpServer();
  let isEnded = false;
  const endless: AsyncIterator<Uint8Array> = {
    next: () => new Promise(() => {}),
    return: async () => {
      isEnded = true;
      return { done: true, value: undefined };
    },
  };
  const stdin = { [Symbol.asyncIterator]: () => endless };
  const ending = new AbortController();
  const served = agents.serveStdio({ stdin, stdout: { write() {} }, signal: ending.signal });
  ending.abort();
  await served;
  await expect.poll(() => isEnded).toBe(true);
});
