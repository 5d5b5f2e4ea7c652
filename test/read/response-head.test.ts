/** What a tree keeps of the head of a response. */
import { describe, expect, test } from 'vitest';
import { headBytes } from '../../src/read/response-head.ts';

describe('§11.1 the head of a response is kept', () => {
  const headOf = (statusText: string, headers: readonly (readonly [string, string])[]): string =>
    Buffer.from(
      headBytes({
        url: 'https://example.org/',
        status: 200,
        statusText,
        headers: () => headers,
        requestedAt: 0,
      }),
    ).toString('latin1');
  const kept = (...headers: readonly (readonly [string, string])[]): string => headOf('OK', headers);

  test.each([
    ['', ''],
    ['Not Here', 'Not Here'],
    ['a\r\nX-B: c', 'a X-B: c'],
    ['Zo\u00eb', 'Zo\u00eb'],
    ['\u03bb', Buffer.from('\u03bb').toString('latin1')],
    ['x'.repeat(200), 'x'.repeat(200)],
    ['x'.repeat(201), 'x'.repeat(200)],
  ])('with the status text %j', (statusText, line) => {
    expect(headOf(statusText, [])).toBe(`HTTP/1.1 200 ${line}\r\n`);
  });

  test.each(['', 'X Y', 'X:', 'X\r\nY', '\u00e9', 'X\u0000'])('without a header that is named %j', (name) => {
    expect(kept(['A', '1'], [name, 'x'], ["X-!#$%&'*+.^_`|~1", '2'])).toBe(
      "HTTP/1.1 200 OK\r\nA: 1\r\nX-!#$%&'*+.^_`|~1: 2\r\n",
    );
  });

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
    ['content-length', '5', 'X-Crawler-content-length: 5'],
    ['Transfer-Encoding', 'chunked', 'X-Crawler-Transfer-Encoding: chunked'],
    ['Location', 'https://user@example.org/@a', 'Location: https://example.org/@a'],
    ['Location', 'https://a:b@c@example.org/', 'Location: https://example.org/'],
    ['Location', 'https://example.org/?mail=a@b.test', 'Location: https://example.org/?mail=a@b.test'],
    ['X-Note', '  a\tb  ', 'X-Note: a\tb'],
    ['X-Note', 'a\u0000\u001b\u007fb\u0001c', 'X-Note: a b c'],
    ['X-Note', '', 'X-Note: '],
    ['X-Note', '\u03bb'.repeat(1000), `X-Note: ${Buffer.from('\u03bb'.repeat(1000)).toString('latin1')}`],
    ['X-Note', 'Zo\u00eb', 'X-Note: Zo\u00eb'],
    // What is not Latin-1 is kept as UTF-8.
    ['X-Note', '\u03bb!', `X-Note: ${Buffer.from('\u03bb!').toString('latin1')}`],
  ])('%s: %j in one line, one byte for each character', (name, value, line) => {
    expect(kept([name, value])).toBe(`HTTP/1.1 200 OK\r\n${line}\r\n`);
  });

  test('of more than 16 KiB, each line that still fits is kept, in the order of the response', () => {
    const line = (name: string, bytes: number): [string, string] => [
      name,
      'x'.repeat(bytes - name.length - 4),
    ];
    const kib = 1024;
    const head = kept(
      ...[line('X-A', 10 * kib), line('X-Too-Long', 7 * kib), line('X-B', 6 * kib), line('X-C', 7)],
    );
    expect(head.match(/^[\w-]+(?=:)/gm)).toEqual(['X-A', 'X-B']);
    const whole = kept(...[line('X-A', 10 * kib), line('X-B', 6 * kib)]);
    expect(whole).toHaveLength('HTTP/1.1 200 OK\r\n'.length + 16 * kib);
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
