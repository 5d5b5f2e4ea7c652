/** §9, §11.1: an archive may hold anything. Reading it has limits, hears its caller, and leaves nothing open. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SitemapException, warcClient } from '../../src/index.ts';
import { ARCHIVE_BOMBS } from '../support/archive-bombs.ts';
import { build, start } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { folder, openFiles } from '../support/folder.ts';
import { IS_LINUX } from '../support/platform.ts';
import { codeOf } from '../support/sitemaps.ts';
import { sized } from '../support/tier.ts';

function written(bytes: Uint8Array): string {
  const path = join(folder(), 'hostile.warc.gz');
  writeFileSync(path, bytes);
  return path;
}

function ask(path: string, url: string, signal: AbortSignal): Promise<unknown> {
  return warcClient(path)(url, { method: 'GET', redirect: 'manual', headers: {}, signal });
}

/** The descriptors of a process that lead to a file. */
/** How many of each: more than a careless reader can take, and what a careful one reads in a moment. */
const COUNTS: Readonly<Record<string, number>> = {
  'line ends in one gzip member': sized({ fast: 2_000_000, full: 4_000_000, strong: 50_000_000 }),
  'line ends in a plain file': sized({ fast: 2_000_000, full: 4_000_000, strong: 50_000_000 }),
  'header lines of one record': 250_000,
  'empty gzip members': sized({ fast: 5_000, full: 10_000, strong: 50_000 }),
  'records of 54 bytes': sized({ fast: 40_000, full: 40_000, strong: 300_000 }),
  'gzip members of 54 bytes': sized({ fast: 8_000, full: 8_000, strong: 100_000 }),
  'records in one gzip member': sized({ fast: 4_000, full: 6_000, strong: 300_000 }),
  'distinct URLs': sized({ fast: 8_000, full: 15_000, strong: 200_000 }),
  'zeros that one record inflates to': 2 ** 28,
};

describe('§9 a hostile WARC file', () => {
  test.each(Object.entries(ARCHIVE_BOMBS))(
    '%s: read, or refused with the byte',
    async (name, { of, says }) => {
      const path = written(of(COUNTS[name]!));
      const { signal } = new AbortController();
      const asked = await ask(path, 'http://nowhere.test/', signal).catch((error: unknown) => error);
      expect(asked).toBeInstanceOf(SitemapException);
      const { code, message } = asked as SitemapException;
      expect([code, message]).toEqual(
        says === undefined
          ? ['not-in-archive', expect.stringContaining(path)]
          : ['archive-damaged', expect.stringMatching(says)],
      );
      expect(message).toContain(path);
      if (IS_LINUX) expect(openFiles(path)).toEqual([]);
    },
  );

  test('what inflates to 200 times its size and 256 MiB is archive-limit', async () => {
    const path = written(ARCHIVE_BOMBS['zeros that one record inflates to']!.of(400 * 2 ** 20));
    expect(await codeOf(() => ask(path, 'http://a.test/', new AbortController().signal))).toBe(
      'archive-limit',
    );
  });

  const LONG = ['records of 54 bytes', 'gzip members of 54 bytes', 'zeros that one record inflates to'];
  test.each(LONG.slice(0, sized({ fast: 1, full: 3 })))(
    '%s: an abort is heard at once, closes the file, and the next request goes on from there',
    async (name) => {
      const path = written(ARCHIVE_BOMBS[name]!.of(COUNTS[name]!));
      const client = warcClient(path);
      const request = { method: 'GET', redirect: 'manual', headers: {} } as const;
      let aborts = 0;
      for (;;) {
        const controller = new AbortController();
        const reason = new Error('enough');
        const asked = client('http://nowhere.test/', { ...request, signal: controller.signal });
        const result = asked.catch((error: unknown) => error);
        setTimeout(() => controller.abort(reason), 30);
        const error = await result;
        if (error !== reason) {
          expect(error).toMatchObject({ code: 'not-in-archive' });
          break;
        }
        aborts++;
        // The chunk that was on its way is read; nothing after it.
        await expect.poll(() => (IS_LINUX ? openFiles(path) : [])).toEqual([]);
      }
      expect(aborts).toBeGreaterThan(0);
    },
  );

  test('aborted at any moment, indexing and reading leave no descriptor and no temporary file', async () => {
    const bytes = ARCHIVE_BOMBS['records in one gzip member']!.of(100);
    const plain = ARCHIVE_BOMBS['distinct URLs']!.of(100);
    const paths = [written(bytes), written(plain)];
    for (let run = 0; run < sized({ fast: 100, full: 100, strong: 500 }); run++) {
      const path = paths[run % 2]!;
      const controller = new AbortController();
      const asked = ask(path, run % 3 === 0 ? 'http://a.test/' : 'http://b.test/1', controller.signal);
      const settled = asked.catch(() => undefined);
      for (let turn = 0; turn < run % 13; turn++) await nextTurn();
      controller.abort(new Error('enough'));
      const response = (await settled) as { body?: AsyncIterable<Uint8Array> } | undefined;
      // One that was there before the abort is read, or left.
      if (response?.body !== undefined) for await (const _ of response.body) if (run % 2 === 0) break;
    }
    if (IS_LINUX) for (const path of paths) await expect.poll(() => openFiles(path)).toEqual([]);
  });

  test('--from-warc hears --timeout while it looks for records, and exits with 3', async () => {
    const name = 'gzip members of 54 bytes';
    const path = written(ARCHIVE_BOMBS[name]!.of(30_000));
    const { code, stdout, stderr } = await usp([
      'ls',
      'http://a.test',
      '--from-warc',
      path,
      '--timeout',
      '0.02',
    ]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(path);
  });

  testIf(IS_LINUX).each(['SIGINT', 'SIGTERM'] as const)(
    '--from-warc: the first %s ends usp while it looks for records, with 130',
    async (signal) => {
      await build();
      const path = written(ARCHIVE_BOMBS['gzip members of 54 bytes']!.of(300_000));
      const { child, finished } = start(['ls', 'http://a.test', '--from-warc', path]);
      const files = `/proc/${child.pid}/fd`;
      await expect.poll(() => openFiles(path, files)).not.toEqual([]);
      child.kill(signal);
      const { code, stdout, stderr } = await finished;
      expect([code, stdout]).toEqual([130, '']);
      expect(stderr).toContain('interrupted');
    },
  );
});
