/** §8, §10: what sitemaps say does no harm where a command writes it, whichever command and format. */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Told, usp } from '../support/cli-world.ts';
import { folderUntil } from '../support/folder.ts';

/** Colours, a C1 control, bidi, a line separator, no width, a soft hyphen, an annotation, a tag, DEL. */
const EVIL = '\u001b[31m\u009b\u202e\u2028\u200b\u00ad\ufff9\u{e0041}\u007f';
const TITLE = `x\n::add-mask::##[add-mask]\n\u0085::add-mask::${EVIL.replace('\u001b', '')}`;
// A line feed and a tab are layout.
const HARMFUL = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const urlset = (
  ...urls: readonly string[]
): string => `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:n="http://www.google.com/schemas/sitemap-news/0.9">${urls
    .map(
      (url) => `<url><loc>${url}</loc><n:news><n:publication><n:name>N</n:name><n:language>en</n:language>
      </n:publication><n:publication_date>2024-05-06</n:publication_date><n:title>${TITLE}</n:title></n:news></url>`,
    )
    .join('')}</urlset>`;

const page = `https://example.org/a${EVIL.replace('\u001b', '')}##[add-mask]`;
const place = folderUntil(afterAll);
const before = join(place, 'before.xml');
// A file's name is shown too.
const after = join(place, `after${EVIL}##[group].xml`);

beforeAll(async () => {
  await writeFile(before, urlset('https://example.org/old'));
  await writeFile(after, urlset(page, `${page}2`));
});

const TERMINAL = { isTerminal: { stdout: true, stderr: true }, env: { TERM: 'xterm', CI: '1' } };
// What we paint ourselves.
const withoutColours = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of it.
  text.replaceAll(/\u001b\[\d{1,2}m/g, '');

const COMMANDS: readonly (readonly [string, () => readonly string[]])[] = [
  ...['tabtree', 'pages', 'tree', 'json', 'ndjson', 'csv', 'summary', 'summary-json', 'sitemap'].map(
    (format) => [`ls -f ${format}`, () => ['ls', after, '-f', format]] as const,
  ),
  ['ls -f csv --no-pages', () => ['ls', after, '-f', 'csv', '--no-pages']],
  ...[';', 'tab'].map((sign): readonly [string, () => readonly string[]] => [
    `ls -f csv --bom --separator ${sign}`,
    () => ['ls', after, '-f', 'csv', '--bom', '--separator', sign],
  ]),
  ['ls -f csv --csv-raw', () => ['ls', after, '-f', 'csv', '--csv-raw']],
  ...['changes', 'pages', 'ndjson', 'csv', 'json'].map(
    (format) => [`diff -f ${format}`, () => ['diff', before, after, '-f', format]] as const,
  ),
  ...['text', 'unix', 'json', 'ndjson', 'csv', 'sarif', 'github', 'markdown'].map(
    (format) => [`check -f ${format}`, () => ['check', after, '-f', format]] as const,
  ),
];

describe('nothing that harms a terminal gets there', () => {
  test.each(COMMANDS)('usp %s', async (_, argv) => {
    for (const env of [TERMINAL.env, { ...TERMINAL.env, NO_COLOR: '1' }]) {
      const { stdout, stderr } = await usp([...argv(), '-v'], { ...TERMINAL, env });
      expect(stdout).not.toBe('');
      const shown = 'NO_COLOR' in env ? stdout + stderr : withoutColours(stdout + stderr);
      expect(shown.match(HARMFUL)).toBeNull();
    }
  });

  test('a colour of the site is not a colour of ours', async () => {
    const { stdout } = await usp(['diff', before, after, '-f', 'changes'], TERMINAL);
    expect(stdout).not.toContain('\u001b[31m\\u009b');
  });
});

/** Of one document, or of a document per line. */
const values = (name: string, text: string): unknown[] => {
  const documents = name === 'diff -f json' ? [text] : text.trim().split('\n');
  return documents.map((document) => JSON.parse(document) as unknown);
};

describe('JSON has escapes on every stream, and the same values', () => {
  const JSONS = COMMANDS.filter(([name]) => /json|sarif/.test(name));
  test.each(JSONS)('usp %s', async (name, argv) => {
    const [piped, shown] = [await usp(argv()), await usp(argv(), TERMINAL)] as [Told, Told];
    expect(piped.stdout.match(HARMFUL)).toBeNull();
    // SARIF and the JSON of check are written over several lines.
    if (name.startsWith('check -f') && !name.endsWith('ndjson')) JSON.parse(piped.stdout);
    else {
      expect(values(name, shown.stdout)).toEqual(values(name, piped.stdout));
      if (!/summary|check/.test(name))
        expect(JSON.stringify(values(name, piped.stdout))).toContain(TITLE.slice(-6));
    }
  });
});

test.each([
  ['DEL', '\u007f'],
  ['a command of GitHub Actions', '##[group]'],
])('%s has escapes in JSON, also where all else is plain ASCII', async (_what, harm) => {
  const stdin = urlset('https://example.org/').replace(TITLE, `a${harm}b`);
  for (const format of ['json', 'ndjson']) {
    const { stdout } = await usp(['ls', '-', '-f', format], { stdin });
    expect(stdout).not.toContain(harm);
    expect(JSON.stringify(JSON.parse(stdout))).toContain(`"title":${JSON.stringify(`a${harm}b`)}`);
  }
});

/** As a runner of GitHub Actions reads a log. */
function commandsIn(text: string): readonly string[] {
  return text.split(/[\r\n]/).filter((line) => /^[\s\x85]*::/.test(line) || line.includes('##['));
}

describe('no line is a command of GitHub Actions', () => {
  const SAFE = COMMANDS.filter(([name]) => !name.includes('--csv-raw'));
  test.each(SAFE)('usp %s', async (name, argv) => {
    for (const world of [{}, TERMINAL]) {
      const { stdout, stderr } = await usp([...argv(), '-v'], world);
      expect(stdout).not.toBe('');
      const isOwn = (line: string): boolean =>
        name.endsWith('github') && /^::(?:error|warning|notice) /.test(line);
      expect(commandsIn(stdout + stderr).filter((line) => !isOwn(line) || line.includes('##['))).toEqual([]);
    }
  });

  test('cells stay as they are with --csv-raw', async () => {
    expect((await usp(['ls', after, '-f', 'csv', '--csv-raw'])).stdout).toContain('##[add-mask]');
  });

  test('what a server says, and what is named on the command line', async () => {
    const server = createServer((_request, response) => response.writeHead(403, '##[stop-commands]x').end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const site = `http://127.0.0.1:${port}/`;
    for (const argv of [
      ['ls', site, '--retries', '0', '--no-known', '-vv', '-f', 'tree'],
      ['check', site, '--retries', '0', '--no-known', '-f', 'unix'],
      ['ls', '::add-mask::x.xml'],
      ['ls', '--##[group]x'],
      ['##[group]x'],
    ]) {
      const { stdout, stderr } = await usp(argv);
      expect(stdout + stderr).not.toBe('');
      expect(commandsIn(stdout + stderr)).toEqual([]);
    }
  });
});
