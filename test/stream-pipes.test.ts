/** §5: a stream of pages in Node's `pipeline`, and as a web `ReadableStream`: whole, ended early, failing, slow. */
import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { type StreamedPage, type StreamOptions, streamPages } from '../src/index.ts';
import type { ScriptedServer } from './server/scripted-server.ts';
import { DECLARED, siteOf } from './support/crawled-site.ts';
import { urlset } from './support/documents.ts';

const urls = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `https://example.org/page/${at}`);

const siteWith = (count: number): Promise<ScriptedServer> =>
  siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': urlset(...urls(count)) });

/** A site whose document never ends: what reads it must be ended. */
const endless = (): Promise<ScriptedServer> =>
  siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { body: urlset(...urls(20_000)), stallAfter: 500_000 } });

const pagesOf = (server: ScriptedServer, options: StreamOptions = {}) =>
  streamPages(server.origin, { ...DECLARED, ...options });

const lineOf = ({ page }: StreamedPage): string => `${page.url}\n`;

function collecting(): { readonly sink: Writable; readonly text: () => string } {
  let text = '';
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return { sink, text: () => text };
}

async function* lines(pages: AsyncIterable<StreamedPage>): AsyncGenerator<string> {
  for await (const page of pages) yield lineOf(page);
}

const toLines = (): Transform =>
  new Transform({
    objectMode: true,
    transform(item: StreamedPage, _encoding, done) {
      done(undefined, lineOf(item));
    },
  });

const toWebLines = (): TransformStream<StreamedPage, string> =>
  new TransformStream({ transform: (item, controller) => controller.enqueue(lineOf(item)) });

describe('all pages', () => {
  const expected = urls(5_000)
    .map((url) => `${url}\n`)
    .join('');

  test('pipeline of the stream itself, through a generator', async () => {
    const { sink, text } = collecting();
    await pipeline(pagesOf(await siteWith(5_000)), lines, sink);
    expect(text()).toBe(expected);
  });

  test('pipeline of Readable.from, through a Transform', async () => {
    const { sink, text } = collecting();
    await pipeline(Readable.from(pagesOf(await siteWith(5_000))), toLines(), sink);
    expect(text()).toBe(expected);
  });

  test('ReadableStream.from, through TransformStreams, as the body of a Response', async () => {
    const body = ReadableStream.from(pagesOf(await siteWith(5_000)))
      .pipeThrough(toWebLines())
      .pipeThrough(new TextEncoderStream());
    expect(await new Response(body).text()).toBe(expected);
  });
});

describe('an early end closes every connection', () => {
  test('pipeline whose last step leaves its loop', async () => {
    const server = await endless();
    const found: string[] = [];
    await pipeline(pagesOf(server), async (pages: AsyncIterable<StreamedPage>) => {
      for await (const { page } of pages) if (found.push(page.url) === 10) return;
    });
    expect(found).toEqual(urls(10));
    await server.allSocketsClosed();
  });

  test('a Readable that is destroyed', async () => {
    const server = await endless();
    const readable = Readable.from(pagesOf(server));
    for await (const { page } of readable) if (page.url.endsWith('/10')) break;
    expect(readable.destroyed).toBe(true);
    await server.allSocketsClosed();
  });

  test('a ReadableStream that is cancelled, behind a TransformStream too', async () => {
    for (const through of [false, true]) {
      const server = await endless();
      const stream: ReadableStream<unknown> = ReadableStream.from(pagesOf(server));
      const reader = (
        through ? stream.pipeThrough(toWebLines() as unknown as TransformStream<unknown, string>) : stream
      ).getReader();
      expect((await reader.read()).done).toBe(false);
      await reader.cancel();
      await server.allSocketsClosed();
    }
  });
});

describe('an error ends everything, and is passed on', () => {
  test('a sink that fails', async () => {
    const server = await endless();
    const failing = new Writable({
      objectMode: true,
      write: (_page, _encoding, done) => done(new Error('the disk is full')),
    });
    await expect(pipeline(Readable.from(pagesOf(server)), failing)).rejects.toThrow('the disk is full');
    await server.allSocketsClosed();
  });

  test('a TransformStream that fails', async () => {
    const server = await endless();
    const failing = new TransformStream<StreamedPage, string>({
      transform: () => {
        throw new Error('not a page of mine');
      },
    });
    const reader = ReadableStream.from(pagesOf(server)).pipeThrough(failing).getReader();
    await expect(reader.read()).rejects.toThrow('not a page of mine');
    await server.allSocketsClosed();
  });

  test('a signal that aborts the crawl, in pipeline and in a ReadableStream', async () => {
    for (const read of [
      (pages: AsyncIterable<StreamedPage>) => pipeline(pages, lines, collecting().sink),
      (pages: AsyncIterable<StreamedPage>) => ReadableStream.from(pages).pipeTo(new WritableStream()),
    ]) {
      const server = await endless();
      const ending = new AbortController();
      const reading = read(pagesOf(server, { signal: ending.signal }));
      await expect.poll(() => server.bytesSent).toBeGreaterThan(0);
      ending.abort(new Error('enough'));
      await expect(reading).rejects.toThrow('enough');
      await server.allSocketsClosed();
    }
  });

  // Without Readable.from, `pipeline` waits for the next page, which may take as long as a site is silent.
  test('a signal of pipeline itself, for Readable.from, whether pages come or not', async () => {
    const server = await endless();
    const ending = new AbortController();
    const { sink, text } = collecting();
    const reading = pipeline(Readable.from(pagesOf(server, { idleTimeoutMs: 600_000 })), toLines(), sink, {
      signal: ending.signal,
    });
    await expect.poll(() => text()).not.toBe('');
    ending.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    await server.allSocketsClosed();
  });

  test('a stream that was used', async () => {
    const stream = pagesOf(await siteWith(1));
    for await (const _ of stream);
    await expect(pipeline(stream, collecting().sink)).rejects.toMatchObject({ code: 'stream-used' });
    await expect(ReadableStream.from(stream).getReader().read()).rejects.toMatchObject({
      code: 'stream-used',
    });
  });
});

describe('a slow sink slows the download', () => {
  // Larger than what the buffers of both ends hold.
  const body = Buffer.from(urlset(...urls(20_000).map((url) => `${url}/${'e'.repeat(1_000)}`)));

  test.each([
    ['Node', (pages: AsyncIterable<StreamedPage>) => nodeReader(Readable.from(pages))],
    ['the web', (pages: AsyncIterable<StreamedPage>) => webReader(ReadableStream.from(pages))],
  ])('%s', async (_, open) => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { body, chunked: true } });
    const reader = open(pagesOf(server));
    await reader.read();
    // Nothing is read: in the end no more is sent than buffers hold, whatever their size.
    await server.hasStoppedSending();
    expect(server.bytesSent).toBeLessThan(body.length);
    await reader.stop();
    await server.allSocketsClosed();
  });
});

interface Reader {
  read(): Promise<unknown>;
  stop(): Promise<void>;
}

function nodeReader(readable: Readable): Reader {
  const items = readable[Symbol.asyncIterator]();
  return { read: () => items.next(), stop: async () => void (await items.return?.()) };
}

function webReader(readable: ReadableStream<StreamedPage>): Reader {
  const reader = readable.getReader();
  return { read: () => reader.read(), stop: () => reader.cancel() };
}
