/** Specification §15 on the command line: --cacert, --cert, --key and --cookies. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inFlags } from '../../src/cli/args/option-flags.ts';
import { VALUES } from '../../src/cli/args/option-values.ts';
import { createProgram } from '../../src/cli/program/program.ts';
import { FLAGGED } from '../../src/options/flagged-options.ts';
import { testCertificate } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { folderUntil } from '../support/folder.ts';

const page = 'https://example.org/page';
const folder = folderUntil(afterAll);
const file = (name: string): string => join(folder, name);

beforeAll(() => {
  const { cert, key } = testCertificate();
  writeFileSync(file('cert.pem'), cert);
  writeFileSync(file('key.pem'), key);
  writeFileSync(file('both.pem'), Buffer.concat([cert, key]));
  writeFileSync(file('nonsense.pem'), 'nonsense');
});

const read = (url: string, ...flags: readonly string[]) =>
  usp(['ls', '--sitemap', url, '-f', 'pages', '--proxy', 'none', ...flags]);

describe('--cacert', () => {
  test('trusts the certificates in a file', async () => {
    const server = await serving({ '/s.xml': urlset(page) }, { tls: true });
    const url = `${server.origin}/s.xml`;
    expect(await read(url, '--cacert', file('cert.pem'))).toMatchObject({ code: 0, lines: [page] });
    const without = await read(url);
    expect(without.lines).toEqual([]);
    expect(without.stderr).toContain('use the option --cacert or NODE_EXTRA_CA_CERTS');
    expect(without.stderr).toContain('to skip the check, the option --insecure');
  });
});

describe('--cert and --key', () => {
  test.each([
    ['in two files', ['--cert', 'cert.pem', '--key', 'key.pem']],
    ['in one file', ['--cert', 'both.pem']],
  ])('%s', async (_what, flags) => {
    const server = await serving({ '/s.xml': urlset(page) }, { tls: true, clientCertificate: 'required' });
    const found = flags.map((flag) => (flag.startsWith('--') ? flag : file(flag)));
    const url = `${server.origin}/s.xml`;
    expect(await read(url, '--insecure', ...found)).toMatchObject({ code: 0, lines: [page] });
    const without = await read(url, '--insecure');
    expect(without.stderr).toContain('a client certificate: the option --cert with the option --key');
  });
});

describe('a file that is of no use is reported before anything is fetched', () => {
  test.each([
    [['--cacert', 'missing.pem'], /--cacert .*missing.pem cannot be read: no such file/],
    [['--cert', 'missing.pem'], /--cert .*missing.pem cannot be read/],
    [['--key', 'missing.pem'], /--key .*missing.pem cannot be read/],
    [['--cacert', 'nonsense.pem'], /The option --cacert must be the content of a PEM file/],
    [['--cacert', 'key.pem'], /The option --cacert must be the content of a PEM file/],
    [['--cert', 'cert.pem'], /The option --cert also needs the option --key/],
    [['--key', 'key.pem'], /The option --key also needs the option --cert/],
  ])('%j', async (flags, message) => {
    const server = await serving({ '*': urlset(page) });
    const found = flags.map((flag) => (flag.startsWith('--') ? flag : file(flag)));
    const { code, stderr } = await read(`${server.origin}/s.xml`, ...found);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('BEGIN');
    expect(server.connections).toBe(0);
  });
});

test('--cookies reads a site that redirects in circles without', async () => {
  const server = await serving({
    '/s.xml': ({ headers }) =>
      headers.cookie === 'ok=1' ? urlset(page) : { redirect: '/s.xml', headers: { 'set-cookie': 'ok=1' } },
  });
  expect(await read(`${server.origin}/s.xml`, '--cookies')).toMatchObject({ code: 0, lines: [page] });
  expect((await read(`${server.origin}/s.xml`)).lines).toEqual([]);
});

test.each([
  [
    'ca',
    'use the option "ca" or X; or the option "verifyTls"',
    'use the option --cacert or X; or the option --insecure',
  ],
  ['cert', 'the option "cert" with the option "key"', 'the option --cert with the option --key'],
  ['cookies', 'The option "cookies" must be true or false.', 'The option --cookies must be true or false.'],
])('a message about %s names its flags', (option, message, expected) => {
  expect(inFlags(message, option)).toBe(expected);
});

test('a flag whose option takes no text has a reader (`value` in the table of options)', () => {
  const values = FLAGGED.flatMap(({ row }) => row.flag.value ?? []);
  expect(values.filter((value) => !(value in VALUES))).toEqual([]);
  const [command] = createProgram('1.0.0', async () => {}, 'ls').commands;
  const without = FLAGGED.filter(({ row, attribute }) => {
    const option = command?.options.find(
      (each) => each.attributeName() === attribute && each.required && !each.negate,
    );
    const isRead = option?.parseArg !== undefined || option?.argChoices !== undefined;
    return option !== undefined && !isRead && !row.test('text');
  });
  expect(without.map(({ name }) => name)).toEqual([]);
});
