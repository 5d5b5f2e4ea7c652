/** What a tree keeps of the head of a response. */
import { describe, expect, test } from 'vitest';
import { headBytes } from '../../src/read/response-head.ts';

describe('§11.1 the head of a response is kept', () => {
  const kept = (...headers: readonly (readonly [string, string])[]): string =>
    Buffer.from(
      headBytes({
        url: 'https://example.org/',
        status: 200,
        statusText: 'OK',
        headers: () => headers,
        requestedAt: 0,
      }),
    ).toString('latin1');

  test.each([
    'Set-Cookie',
    'Set-Cookie2',
    'Cookie',
    'Authorization',
    'Proxy-Authorization',
    'Authentication-Info',
    'Proxy-Authentication-Info',
  ])('without %s', (name) => {
    const head = kept(['ETag', '"1"'], [name, 'secret'], [name.toLowerCase(), 'secret']);
    expect(head).toBe('HTTP/1.1 200 OK\r\nETag: "1"\r\n');
  });

  test.each([
    ['Location', 'https://user:secret@example.org/a', 'Location: https://example.org/a'],
    ['Link', '<https://u:p@a.example/>, <//u:p@b.example/>', 'Link: <https://a.example/>, <//b.example/>'],
    ['Content-Encoding', 'gzip', 'X-Crawler-Content-Encoding: gzip'],
    ['X-Note', 'one\r\nSet-Cookie: two', 'X-Note: one Set-Cookie: two'],
    ['X-Note', 'Zo\u00eb', 'X-Note: Zo\u00eb'],
    // What is not Latin-1 is kept as UTF-8.
    ['X-Note', '\u03bb!', `X-Note: ${Buffer.from('\u03bb!').toString('latin1')}`],
  ])('%s: %j in one line, one byte for each character', (name, value, line) => {
    expect(kept([name, value])).toBe(`HTTP/1.1 200 OK\r\n${line}\r\n`);
  });

  test('what a document is asked for again with comes before what else fits into 16 KiB', () => {
    const others = 'Content-Type: text/xml\r\nETag: "1"\r\nLast-Modified: x\r\nLocation: /a\r\n';
    // To the last byte.
    const long = 'x'.repeat(16 * 1024 - others.length - 'X-Long: \r\n'.length);
    const first = [
      ['Content-Type', 'text/xml'],
      ['ETag', '"1"'],
      ['Last-Modified', 'x'],
      ['Location', '/a'],
    ] as const;
    // Fills all of it by itself, and comes before them.
    const full = 'x'.repeat(16 * 1024 - 'X-Full: \r\n'.length);
    const head = kept(['X-Full', full], ['X-Long', long], ['X-Longer', long], ...first);
    expect(head).toBe(`HTTP/1.1 200 OK\r\nX-Long: ${long}\r\n${others}`);
  });
});
