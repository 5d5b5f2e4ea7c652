/** ARCHITECTURE, the spool; Specification §8 `spoolDirectory`, `spoolMemoryBytes`: one nameless file past a budget. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeptDocument } from '../../../src/sitemap/kept-document.ts';
import { Spool } from '../../../src/sitemap/spool/spool.ts';
import { describeIf } from '../../support/collected.ts';
import { folder } from '../../support/folder.ts';
import { aliveBytes, codeOf, openSpools, SHOWS_OPEN_FILES, untilCollected } from '../../support/sitemaps.ts';

const BLOCK = 256 * 1024;
const SIZES = [0, 1, 4095, 4097, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 17];

/** Bytes that tell where they are from. */
function bytesOf(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  // From here on they repeat, but for the number of the repetition.
  const period = Math.min(length, 65_536);
  for (let at = 0; at < period; at++) bytes[at] = (at * 31 + (at >> 8) * 7 + seed * 101) & 255;
  for (let at = period; at < length; at += period) {
    bytes.copyWithin(at, 0, period);
    bytes[at] = bytes[at]! + at / period;
  }
  return bytes;
}

function readSync(document: KeptDocument): Buffer {
  const chunks: Uint8Array[] = [];
  // A chunk holds only until the next one.
  for (const chunk of document.chunks()) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

async function readAsync(document: KeptDocument): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of document.chunksAsync()) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

async function written(spool: Spool, bytes: Uint8Array, chunkBytes = 10_000): Promise<KeptDocument> {
  const writer = spool.writer();
  for (let at = 0; at < bytes.length; at += chunkBytes) writer.write(bytes.subarray(at, at + chunkBytes));
  return writer.end();
}

describe.each([
  ['all in memory', Number.MAX_SAFE_INTEGER],
  ['half of it in memory', 2 * BLOCK],
  ['all in the file', 0],
])('%s', (_, memoryBytes) => {
  test('documents of every size come back as they were, twice, sync and async', async () => {
    const directory = folder();
    const spool = new Spool({ memoryBytes, directory });
    const documents: KeptDocument[] = [];
    for (const [seed, size] of SIZES.entries()) documents.push(await written(spool, bytesOf(size, seed)));
    for (let round = 0; round < 2; round++) {
      for (const [seed, size] of SIZES.entries()) {
        const document = documents[seed]!;
        expect(readSync(document).equals(bytesOf(size, seed))).toBe(true);
        expect((await readAsync(document)).equals(bytesOf(size, seed))).toBe(true);
      }
    }
    expect(readdirSync(directory)).toEqual([]);
    spool.close();
  });

  test('writers that take turns do not mix, and the caller may reuse its chunks', async () => {
    const spool = new Spool({ memoryBytes, directory: folder() });
    const step = fc.record({
      writer: fc.nat(3),
      length: fc.nat(BLOCK + 5),
      startsOver: fc.nat(9).map((n) => n === 0),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const writers = Array.from({ length: 4 }, () => spool.writer());
        const expected = writers.map((): Uint8Array[] => []);
        const chunk = new Uint8Array(BLOCK + 5);
        for (const [seed, { writer, length, startsOver }] of steps.entries()) {
          if (startsOver) {
            writers[writer]!.discard();
            writers[writer] = spool.writer();
            expected[writer] = [];
          }
          const bytes = bytesOf(length, seed);
          chunk.set(bytes);
          writers[writer]!.write(chunk.subarray(0, length));
          chunk.fill(0);
          expected[writer]!.push(bytes);
        }
        expect(writers.map(({ length }) => length)).toEqual(expected.map((all) => Buffer.concat(all).length));
        writers[3]!.discard();
        const documents = writers.slice(0, 3).map((writer) => writer.end());
        for (const [index, document] of documents.entries()) {
          const whole = Buffer.concat(expected[index]!);
          expect(readSync(document).equals(whole)).toBe(true);
          expect((await readAsync(document)).equals(whole)).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
    spool.close();
  });

  test('after close, and in the middle of a walk, reading says tree-closed', async () => {
    const spool = new Spool({ memoryBytes, directory: folder() });
    const document = await written(spool, bytesOf(5 * BLOCK, 1));
    const empty = spool.writer().end();
    const open = spool.writer();
    const sync = document.chunks()[Symbol.iterator]();
    const async = document.chunksAsync()[Symbol.asyncIterator]();
    sync.next();
    await async.next();
    const inFlight = codeOf(() => async.next());
    spool.close();
    spool.close();
    expect(await inFlight).toBe('tree-closed');
    expect(await codeOf(() => sync.next())).toBe('tree-closed');
    expect(await codeOf(() => readSync(document))).toBe('tree-closed');
    expect(await codeOf(() => readAsync(document))).toBe('tree-closed');
    expect(await codeOf(() => readSync(empty))).toBe('tree-closed');
    expect(await codeOf(() => open.write(bytesOf(1, 1)))).toBe('tree-closed');
    expect(await codeOf(() => open.discard())).toBeUndefined();
  });
});

test('close() releases the memory, also while a document is still referenced', async () => {
  const spool = new Spool({ memoryBytes: Number.MAX_SAFE_INTEGER });
  const document = await written(spool, bytesOf(40 * BLOCK, 1));
  const held = aliveBytes();
  spool.close();
  // Of 40: the test runner's own memory goes up and down by one or two.
  expect(held - aliveBytes()).toBeGreaterThan(36 * BLOCK);
  expect(() => readSync(document)).toThrow(/closed/);
});

test('a place in the file that was given back is used again, and the end of the file stays where it is', async () => {
  const spool = new Spool({ memoryBytes: 0, directory: folder() });
  const dropped = spool.writer();
  dropped.write(bytesOf(3 * BLOCK, 1));
  const kept = await written(spool, bytesOf(3 * BLOCK, 2));
  dropped.discard();
  const later = [];
  for (const seed of [3, 4, 5]) later.push(await written(spool, bytesOf(2 * BLOCK, seed)));
  expect(readSync(kept).equals(bytesOf(3 * BLOCK, 2))).toBe(true);
  for (const [at, document] of later.entries())
    expect(readSync(document).equals(bytesOf(2 * BLOCK, at + 3))).toBe(true);
  spool.close();
});

test('memory that spools share gets back what each of them took: when it is discarded, moved to the file or closed', async () => {
  const total = 64 * BLOCK;
  const memory = { total, remaining: total };
  const [one, other] = [new Spool({ memoryBytes: memory }), new Spool({ memoryBytes: memory })];
  await written(one, bytesOf(2 * BLOCK, 1));
  await written(other, bytesOf(BLOCK + 17, 2));
  expect(total - memory.remaining).toBe(3 * BLOCK + 17);
  const writer = one.writer();
  writer.write(bytesOf(BLOCK + 1, 3));
  expect(total - memory.remaining).toBe(4 * BLOCK + 17);
  writer.discard();
  // More than 1/32 of the memory goes to the file.
  await written(one, bytesOf(2 * BLOCK + 1, 4));
  expect(total - memory.remaining).toBe(3 * BLOCK + 17);
  for (const _twice of [1, 2]) one.close();
  expect(total - memory.remaining).toBe(BLOCK + 17);
  other.close();
  expect(memory.remaining).toBe(total);
});

test('a spool in a folder that is not there stays in memory, with one warning', async () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  for (const directory of [join(folder(), 'missing'), file]) {
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const spool = new Spool({ memoryBytes: 1000, directory, onWarning });
    const documents = await Promise.all(
      [1, 2, 3].map((seed) => written(spool, bytesOf(2 * BLOCK + 9, seed))),
    );
    for (const [index, document] of documents.entries()) {
      expect(readSync(document).equals(bytesOf(2 * BLOCK + 9, index + 1))).toBe(true);
    }
    expect(warnings).toEqual([expect.stringMatching(/stay in memory \(E.*spoolDirectory/)]);
    spool.close();
  }
});

describeIf(SHOWS_OPEN_FILES, 'the file', () => {
  test('is opened when the budget is used up, and closed by close()', async () => {
    const directory = folder();
    const spool = new Spool({ memoryBytes: 320_000, directory });
    for (let seed = 0; seed < 32; seed++) await written(spool, bytesOf(10_000, seed));
    expect(openSpools(directory)).toEqual([]);
    await written(spool, bytesOf(1, 1));
    expect(openSpools(directory)).toHaveLength(1);
    spool.close();
    expect(openSpools(directory)).toEqual([]);
  });

  test('takes what many writers have that have not ended, once the budget is used up', async () => {
    const directory = folder();
    const spool = new Spool({ memoryBytes: 64 * BLOCK, directory });
    const writers = Array.from({ length: 64 }, () => spool.writer());
    for (const [seed, writer] of writers.entries()) writer.write(bytesOf(BLOCK, seed));
    expect(openSpools(directory)).toEqual([]);
    writers.push(spool.writer());
    writers[64]!.write(bytesOf(BLOCK, 64));
    await expect.poll(() => openSpools(directory)).toEqual([BLOCK]);
    // What is given up makes room in memory again.
    writers[0]!.discard();
    await written(spool, bytesOf(BLOCK, 65));
    expect(openSpools(directory)).toEqual([BLOCK]);
    for (const [seed, writer] of writers.entries())
      if (seed > 0) expect(readSync(writer.end()).equals(bytesOf(BLOCK, seed))).toBe(true);
    spool.close();
  });

  test('takes a large document whole, and leaves the memory to small ones', async () => {
    const directory = folder();
    // 1/32 of it is two blocks.
    const spool = new Spool({ memoryBytes: 64 * BLOCK, directory });
    const small = await written(spool, bytesOf(2 * BLOCK, 1));
    expect(openSpools(directory)).toEqual([]);
    const large = await Promise.all([2, 3, 4].map((seed) => written(spool, bytesOf(3 * BLOCK, seed))));
    await expect.poll(() => openSpools(directory)).toEqual([9 * BLOCK]);
    expect(readSync(small).equals(bytesOf(2 * BLOCK, 1))).toBe(true);
    for (const [index, document] of large.entries()) {
      expect(readSync(document).equals(bytesOf(3 * BLOCK, index + 2))).toBe(true);
    }
    // None of them took anything of the budget.
    for (let seed = 0; seed < 31; seed++) await written(spool, bytesOf(2 * BLOCK, seed));
    expect(openSpools(directory)).toEqual([9 * BLOCK]);
    spool.close();
  });

  test('has no block for each small document', async () => {
    const directory = folder();
    const spool = new Spool({ memoryBytes: 0, directory });
    for (let seed = 0; seed < 1000; seed++) await written(spool, bytesOf(1500, seed));
    expect(openSpools(directory)).toEqual([1_500_000]);
    spool.close();
  });

  test('does not grow when a document starts over', async () => {
    const directory = folder();
    const spool = new Spool({ memoryBytes: 0, directory });
    let writer = spool.writer();
    for (let retry = 0; retry < 10; retry++) {
      writer.discard();
      writer = spool.writer();
      for (let seed = 0; seed < 8; seed++) writer.write(bytesOf(BLOCK, seed));
    }
    const document = writer.end();
    await expect.poll(() => openSpools(directory)).toEqual([8 * BLOCK]);
    const expected = Buffer.concat(Array.from({ length: 8 }, (_, seed) => bytesOf(BLOCK, seed)));
    expect(readSync(document).equals(expected)).toBe(true);
    spool.close();
  });

  test('is closed once neither the spool nor a document of it is referenced, and not before', async () => {
    const directory = folder();
    let kept: KeptDocument | undefined = await (async () => {
      const spool = new Spool({ memoryBytes: 0, directory });
      await written(spool, bytesOf(2 * BLOCK, 1));
      return written(spool, bytesOf(BLOCK + 1, 2));
    })();
    expect(await untilCollected(() => openSpools(directory).length === 0, 12)).toBe(false);
    expect(readSync(kept!).equals(bytesOf(BLOCK + 1, 2))).toBe(true);
    kept = undefined;
    expect(await untilCollected(() => openSpools(directory).length === 0)).toBe(true);
  });

  test('keeps the head of a response apart from the body, wherever its blocks are and end', async () => {
    for (const memoryBytes of [0, 1e9]) {
      const spool = new Spool({ memoryBytes, directory: folder() });
      let last: KeptDocument | undefined;
      // The ends of documents are packed, and one of them is in two packs.
      for (const [headBytes, bodyBytes] of [
        ...[0, 1, 300, 99_999, 100_000].map((length) => [length, 100_000 - length] as const),
        [BLOCK + 7, 2 * BLOCK - 7] as const,
      ]) {
        const head = bytesOf(headBytes, 3);
        const body = bytesOf(bodyBytes, 4);
        const writer = spool.writer(head);
        writer.write(body);
        const document = writer.end();
        last = document;
        expect(Buffer.from(await document.head(), 'latin1').equals(head)).toBe(true);
        expect(readSync(document).equals(body)).toBe(true);
        expect((await readAsync(document)).equals(body)).toBe(true);
        expect(document.bytes).toBe(bodyBytes);
      }
      spool.close();
      expect(await codeOf(() => last!.head())).toBe('tree-closed');
    }
  });

  test('of two spools in one folder are two, and do not mix', async () => {
    const directory = folder();
    const spools = [1, 2].map(() => new Spool({ memoryBytes: 0, directory }));
    const documents = await Promise.all(
      spools.map((spool, seed) => written(spool, bytesOf(3 * BLOCK, seed))),
    );
    expect(openSpools(directory)).toHaveLength(2);
    for (const [seed, document] of documents.entries()) {
      expect(readSync(document).equals(bytesOf(3 * BLOCK, seed))).toBe(true);
    }
    spools[0]!.close();
    expect(readSync(documents[1]!).equals(bytesOf(3 * BLOCK, 1))).toBe(true);
    spools[1]!.close();
  });
});

test('a walk over memory lets others have their turn', async () => {
  const spool = new Spool({ memoryBytes: Number.MAX_SAFE_INTEGER });
  const document = await written(spool, bytesOf(20 * BLOCK, 1));
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  for await (const _ of document.chunksAsync())
    for (const end = performance.now() + 2; performance.now() < end; );
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

test('a document has the facts that it was ended with, and no more than one end', async () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const writer = spool.writer(Buffer.from('HEAD\xe9', 'latin1'));
  writer.write(Buffer.from('body'));
  expect(writer.length).toBe(9);
  const facts = { options: { url: 'x', charset: 'y' }, requestedAt: 5, truncatedBy: 'disconnect' } as const;
  const document = writer.end(facts);
  expect([document.options, document.requestedAt, document.truncatedBy, document.bytes]).toEqual([
    ...Object.values(facts),
    4,
  ]);
  expect([await document.head(), readSync(document).toString(), document.shared]).toEqual([
    'HEADé',
    'body',
    spool,
  ]);
  writer.discard();
  expect(readSync(document).toString()).toBe('body');
  expect(() => writer.write(Buffer.from('x'))).toThrow(
    'The document has ended; ask the spool for another writer.',
  );
  expect(() => writer.end()).toThrow(TypeError);
  const discarded = spool.writer();
  discarded.discard();
  expect(() => discarded.end()).toThrow(TypeError);
  const bare = spool.writer().end();
  expect([
    bare.options,
    bare.requestedAt,
    bare.truncatedBy,
    bare.bytes,
    await bare.head(),
    [...bare.chunks()],
  ]).toEqual([{ url: undefined, charset: undefined }, undefined, undefined, 0, '', []]);
});

test('of two responses of one URL the last counts, at the place of the first', async () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const responseOf = (url: string, text: string): KeptDocument => {
    const writer = spool.writer();
    writer.write(Buffer.from(text));
    return writer.end({ options: { url, charset: undefined }, requestedAt: 1, truncatedBy: undefined });
  };
  for (const [url, text] of [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
  ] as const)
    spool.addResponse(responseOf(url, text));
  expect(Array.from(spool.responses, (each) => readSync(each).toString())).toEqual(['3', '2']);
});

test('an archive is kept open once for a spool, until that is closed, and not afterwards', async () => {
  const events: string[] = [];
  const archive = (name: string) => ({
    isArchive: true,
    use: () => {
      events.push(`use ${name}`);
      return { close: () => void events.push(`close ${name}`) };
    },
  });
  const [first, second] = [archive('a'), archive('b')];
  const spool = new Spool({ memoryBytes: 1e6 });
  for (const each of [first, second, first]) spool.keepOpen(each);
  const document = await written(spool, Buffer.from('text'));
  const other = spool.use();
  spool.close();
  spool.close();
  spool.keepOpen(archive('c'));
  expect(events).toEqual(['use a', 'use b', 'close a', 'close b']);
  // Another user of its documents keeps them.
  expect(readSync(document).toString()).toBe('text');
  other.close();
  expect(() => readSync(document)).toThrow(expect.objectContaining({ code: 'tree-closed' }));
  expect(() => spool.use()).toThrow(expect.objectContaining({ code: 'tree-closed' }));
  expect(() => spool.writer()).toThrow(expect.objectContaining({ code: 'tree-closed' }));
});

test('memory is given back to the byte, however documents end', async () => {
  const memory = { total: 64 * BLOCK, remaining: 64 * BLOCK };
  const [spool, other] = [
    new Spool({ memoryBytes: memory }),
    new Spool({ memoryBytes: memory, directory: folder() }),
  ];
  await written(spool, bytesOf(1000, 1));
  expect(memory.remaining).toBe(memory.total - 1000);
  await written(other, bytesOf(2 * BLOCK, 1), BLOCK);
  expect(memory.remaining).toBe(memory.total - 1000 - 2 * BLOCK);
  // More than a part of 32 of it goes to the file.
  await written(other, bytesOf(2 * BLOCK + 1, 1), BLOCK);
  expect(memory.remaining).toBe(memory.total - 1000 - 2 * BLOCK);
  const writer = other.writer();
  writer.write(bytesOf(BLOCK + 5, 1));
  expect(memory.remaining).toBe(memory.total - 1000 - 3 * BLOCK);
  writer.discard();
  writer.discard();
  expect(memory.remaining).toBe(memory.total - 1000 - 2 * BLOCK);
  other.close();
  expect(memory.remaining).toBe(memory.total - 1000);
  spool.close();
  expect(memory.remaining).toBe(memory.total);
});

test('memory is used to its last byte, and the next byte goes to the file', async () => {
  const memory = { total: 64 * BLOCK, remaining: 10 };
  const spool = new Spool({ memoryBytes: memory, directory: folder() });
  const documents = [
    await written(spool, bytesOf(10, 1)),
    await written(spool, bytesOf(1, 2)),
    await written(spool, bytesOf(0, 3)),
  ];
  expect(memory.remaining).toBe(0);
  expect(documents.map((document) => readSync(document).equals(bytesOf(document.bytes, 1)))).toEqual([
    true,
    false,
    true,
  ]);
  expect(readSync(documents[1]!).equals(bytesOf(1, 2))).toBe(true);
  spool.close();
  expect(memory.remaining).toBe(10);
});
