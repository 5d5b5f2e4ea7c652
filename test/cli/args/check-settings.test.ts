/** §12: the rules, the configuration and the baseline of a check: what wins, and what is refused. */
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/check/index.ts';
import { checkSettings, type RuleFlags } from '../../../src/cli/args/check-settings.ts';
import { written } from '../../support/folder.ts';

const io = { signal: new AbortController().signal };

/** The settings of flags, whose files have these contents. */
function settings(flags: RuleFlags, config?: object) {
  const path = written({ 'c.json': JSON.stringify(config ?? {}) });
  return checkSettings(config === undefined ? flags : { ...flags, config: path('c.json') }, io);
}

const FOUND: Finding = {
  rule: 'url-fragment',
  severity: 'warning',
  message: 'A message.',
  document: 'https://a.example/s.xml',
  page: 'https://a.example/#x',
};

test('flags win over the configuration, also by 0', async () => {
  const config = { agent: 'Bingbot', failOn: 'info', maxWarnings: 5 };
  expect(await settings({}, config)).toMatchObject(config);
  const flags = { agent: 'GPTBot', failOn: 'never', maxWarnings: 0 } as const;
  expect(await settings(flags, config)).toMatchObject(flags);
  expect(await settings({}, { maxWarnings: 0 })).toMatchObject({ maxWarnings: 0 });
  const none = await settings({});
  expect([none.agent, none.failOn, none.maxWarnings, none.baseline, none.writer]).toEqual(
    Array(5).fill(undefined),
  );
});

test.each<[string, RuleFlags, object | undefined, string | undefined]>([
  ['nothing', {}, undefined, 'warning'],
  ['--rule', { rule: ['url-fragment=error'] }, undefined, 'error'],
  ['--rule twice', { rule: ['url-fragment=error', 'url-fragment=info'] }, undefined, 'info'],
  ['another rule', { rule: ['bare-ampersand=off'] }, undefined, 'warning'],
  ['off', { rule: ['url-fragment=off'] }, undefined, undefined],
  ['a configuration', {}, { rules: { 'url-fragment': 'info' } }, 'info'],
  ['both', { rule: ['url-fragment=error'] }, { rules: { 'url-fragment': 'off' } }, 'error'],
])('the severity of a finding with %s', async (_what, flags, config, severity) => {
  expect((await settings(flags, config)).adjust(FOUND)?.severity).toBe(severity);
});

describe('a baseline', () => {
  /** What `--write-baseline` writes of these findings. */
  async function baselineOf(findings: readonly Finding[], flags: RuleFlags = {}): Promise<string> {
    const { adjust, writer } = await settings({ ...flags, writeBaseline: 'b.json' });
    for (const finding of findings) adjust(finding);
    return writer?.toString() ?? '';
  }

  test('hides what is known, and a new one has what is hidden, too', async () => {
    const path = written({ 'b.json': await baselineOf([FOUND]) });
    const { adjust, baseline, writer } = await settings({
      baseline: path('b.json'),
      writeBaseline: 'new.json',
    });
    expect(adjust(FOUND)).toBeUndefined();
    const other = { ...FOUND, page: 'https://a.example/#y' };
    expect(adjust(other)).toEqual(other);
    expect([baseline?.hidden, writer?.total]).toEqual([1, 2]);
  });

  test('has nothing of a rule that is off', async () => {
    const text = await baselineOf([FOUND], { rule: ['url-fragment=off'] });
    expect(text).not.toContain('url-fragment');
  });
});

test('a finding names the flag, and its baseline the option', async () => {
  const message = 'It is relative, and without the option "url" there is no base.';
  const { adjust } = await settings({});
  expect(adjust({ ...FOUND, rule: 'unresolvable-url', message })?.message).toContain(
    'the option --url there',
  );
});

test.each<[RuleFlags, string, string | undefined]>([
  [{ rule: ['url-fragmnt=off'] }, '--rule: There is no rule "url-fragmnt"', 'usp rules lists all rules.'],
  [{ rule: ['url-fragment'] }, '--rule: ', undefined],
  [{ config: '/gone.json' }, '/gone.json cannot be read: no such file or directory.', undefined],
  [{ baseline: '/gone.json' }, '/gone.json cannot be read: no such file or directory.', undefined],
])('%j is refused', async (flags, message, hint) => {
  await expect(settings(flags)).rejects.toMatchObject({
    message: expect.stringContaining(message),
    ...(hint !== undefined && { hint }),
  });
});

test.each([
  ['{', 'c.json: '],
  ['{"rules":{"nope":"off"}}', 'c.json: There is no rule "nope"'],
])('a configuration %s is named by its file', async (text, message) => {
  const path = written({ 'c.json': text });
  await expect(checkSettings({ config: path('c.json') }, io)).rejects.toThrow(message);
});
