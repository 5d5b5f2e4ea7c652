/** Which agents a tool takes, and how filters of a caller are run. */
import { Script } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { checkAgent, filterRun } from '../../src/mcp/page-arguments.ts';
import { Refusal } from '../../src/mcp/tool-call.ts';

const NAME = 'The agent must be the name of a crawler, such as Googlebot or GPTBot.';
const NEEDED = 'onlyAllowed needs an agent: the crawler that robots.txt allows or disallows.';

test.each([
  [{}, undefined],
  [{ agent: 'GPTBot' }, undefined],
  [{ agent: 'Googlebot/2.1', onlyAllowed: true }, undefined],
  [{ onlyAllowed: false }, undefined],
  [{ agent: '' }, NAME],
  [{ agent: ' ' }, NAME],
  [{ agent: '/', onlyAllowed: true }, NAME],
  [{ onlyAllowed: true }, NEEDED],
])('%j', (args, message) => {
  const check = (): void => checkAgent(args);
  if (message === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(new Refusal(message));
});

test.each([
  ['globs', ['*/a', '/re:'], 'no time limit'],
  ['an expression among globs', ['*/a', 're:a$', '/b'], 'a time limit'],
])('a run of %s gives what the filter gives, and throws what it throws, each time', (_, patterns, limit) => {
  using limited = vi.spyOn(Script.prototype, 'runInContext');
  const run = filterRun(patterns);
  for (const value of [1, undefined, 'x']) expect(run(() => value)).toBe(value);
  const error = Object.assign(new TypeError('broken'), { code: 'ERR_X' });
  expect(() =>
    run(() => {
      throw error;
    }),
  ).toThrow(error);
  expect(run(() => 2)).toBe(2);
  const timeout = { timeout: 2000 };
  expect(limited.mock.calls.map(([, options]) => options)).toEqual(
    limit === 'a time limit' ? Array(5).fill(timeout) : [],
  );
});
