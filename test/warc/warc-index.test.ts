/** §11.1: a WARC file is read for its index only while a request waits for it. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { FileBytes, WarcFile } from '../../src/warc/warc-file.ts';
import { warcIndexes } from '../../src/warc/warc-index.ts';
import { testIf } from '../support/collected.ts';
import { signalling } from '../support/crawled-site.ts';
import { folder, openFiles } from '../support/folder.ts';
import { IS_LINUX } from '../support/platform.ts';

/** A file of 3 MB, as gzip cannot make its bytes fewer. */
function largeFile(): { readonly path: string; readonly bytes: number } {
  const path = join(folder(), 'file.warc.gz');
  const records = Array.from({ length: 48 }, (_, at) => {
    const body = randomBytes(65_536);
    const head =
      'WARC/1.0\r\nWARC-Type: resource\r\n' +
      `WARC-Target-URI: http://a.test/${at}\r\nContent-Length: ${body.length}\r\n\r\n`;
    return gzipSync(Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n\r\n')]), { level: 1 });
  });
  const file = Buffer.concat(records);
  writeFileSync(path, file);
  return { path, bytes: file.length };
}

/** What this process has read from files so far. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1]);
}

testIf(IS_LINUX)(
  'a request that is aborted leaves nothing that reads, and the next one goes on',
  async () => {
    const { path, bytes } = largeFile();
    const indexesOf = warcIndexes([new WarcFile(path)]);
    const before = bytesRead();
    // A chunk takes a turn at least: the file has more chunks than there are turns in all.
    for (const turns of [0, 1, 2, 5, 10]) {
      const stop = new AbortController();
      const indexing = indexesOf(stop.signal);
      for (let at = 0; at < turns; at++) await turn();
      stop.abort(new Error('enough'));
      await expect(indexing).rejects.toThrow('enough');
      await expect.poll(() => openFiles(path)).toEqual([]);
    }
    await sleep(50);
    expect(bytesRead() - before).toBeLessThan(bytes);
    const { signal } = new AbortController();
    const [index] = await indexesOf(signal);
    const found = await index!.response('http://a.test/47', signal);
    expect(found?.head.get('content-length')).toBe('65536');
    await found?.block.cancel();
    await expect.poll(() => openFiles(path)).toEqual([]);
  },
);

test('an index is made once, for requests at once and for those after them', async () => {
  const path = join(folder(), 'file.warc');
  writeFileSync(path, 'WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n');
  const indexesOf = warcIndexes([new WarcFile(path)]);
  const { signal } = new AbortController();
  const [first, second] = await Promise.all([indexesOf(signal), indexesOf(signal)]);
  expect(first).toHaveLength(1);
  expect([second === first, (await indexesOf(signal)) === first]).toEqual([true, true]);
});

test('bytes that are cancelled while they wait are not read, and open no file', async () => {
  const path = join(folder(), 'file.warc');
  writeFileSync(path, 'WARC/1.0\r\n');
  const { promise, resolve } = signalling();
  const bytes = new FileBytes(new WarcFile(path), 0, () => promise);
  const reading = bytes.read();
  await bytes.cancel();
  resolve();
  expect(await reading).toBeUndefined();
  if (IS_LINUX) expect(openFiles(path)).toEqual([]);
});

testIf(IS_LINUX).each([
  ['plain', 'WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: many\r\n\r\n'],
  ['compressed', gzipSync('WARC/1.0\r\n\r\n')],
])('a %s file that is damaged long before its end is closed again', async (_what, start) => {
  const path = join(folder(), 'file.warc');
  writeFileSync(path, Buffer.concat([Buffer.from(start), Buffer.alloc(1_000_000, 'x')]));
  const { signal } = new AbortController();
  await expect(warcIndexes([new WarcFile(path)])(signal)).rejects.toMatchObject({ code: 'archive-damaged' });
  expect(openFiles(path)).toEqual([]);
});
