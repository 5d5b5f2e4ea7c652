/** `usp mcp`, to which a client sends what is not the protocol: it answers the next call, or ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { BINARY, build } from '../support/cli-binary.ts';

beforeAll(build);

const initialize = {
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const call = (id: number, name: string, args: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}`;

const DEEP = 100_000;

test('lines that are not calls, deep values and names of Object.prototype do not end it, nor keep a call from its answer', async () => {
  const child = spawn(process.execPath, [BINARY, 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = new Map<number, string>();
  const lines = createInterface(child.stdout);
  const last = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      const { id }: { id: number } = JSON.parse(line);
      answers.set(id, line);
      if (id === 9) resolve();
    });
  });
  const sent = [
    JSON.stringify(initialize),
    ...['null', '[]', '"x"', '{', '\0', '['.repeat(1_000_000), '{"jsonrpc":"2.0","id":{}}'],
    call(1, 'list_pages', `{"url":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`),
    call(2, 'explain_rule', '{"__proto__":{"rule":"bad-date"},"rule":"constructor"}'),
    call(3, '__proto__', '{}'),
    call(4, 'list_pages', `{"url":"https://example.org/${'a'.repeat(5_000_000)}"}`),
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"__proto__"}}',
    call(9, 'explain_rule', '{"rule":"bad-date"}'),
  ];
  child.stdin.write(`${sent.join('\n')}\n`);
  await last;
  for (const id of [1, 2, 3, 4]) {
    await expect.poll(() => answers.get(id)).toMatch(/"isError":true|"error":/);
    expect(answers.get(id)?.length).toBeLessThan(2_000);
  }
  expect(answers.get(9)).toContain('bad-date');
  child.stdin.end();
  expect((await once(child, 'exit'))[0]).toBe(0);
});

test('a line that never ends is not kept: the server ends, and says why', async () => {
  const child = spawn(process.execPath, [BINARY, 'mcp'], { stdio: ['pipe', 'ignore', 'pipe'] });
  const said = text(child.stderr);
  const exited = once(child, 'exit');
  // The pipe is closed while it is written to.
  child.stdin.on('error', () => {});
  const write = (): void => {
    while (child.stdin.write('x'.repeat(65_536)));
    child.stdin.once('drain', write);
  };
  write();
  expect((await exited)[0]).toBe(2);
  expect(await said).toContain('a message of more than 10 MiB');
});
