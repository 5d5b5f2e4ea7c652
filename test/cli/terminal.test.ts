/** A pseudo-terminal, as a person has it: the progress line appears, moves on and vanishes. */
import { spawn } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { startServer } from '../server/scripted-server.ts';
import { build, ROOT, USP_IN_SHELL, until, watched } from '../support/cli-binary.ts';
import { describeUnless } from '../support/collected.ts';
import { urlset } from '../support/documents.ts';
import { NO_TERMINAL } from '../support/platform.ts';
import { sized } from '../support/tier.ts';

beforeAll(() => build());

/** What a terminal shows after all that was written to it: enough of one for a line that is drawn again and again. */
function screen(written: string): string[] {
  const lines = [''];
  let row = 0;
  let column = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the commands of a terminal.
  for (const [piece] of written.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|[^\u001b]/gs)) {
    const [, value = '', command] = /^.\[([?\d;]*)([A-Za-z])$/.exec(piece) ?? [];
    if (command === 'G') column = Number(value || 1) - 1;
    else if (command === 'A') row -= Number(value || 1);
    else if (command === 'K') lines[row] = (lines[row] ?? '').slice(0, value === '2' ? 0 : column);
    else if (piece === '\r') column = 0;
    else if (piece === '\n') {
      row++;
      column = 0;
      lines[row] ??= '';
    } else if (command === undefined) {
      const line = (lines[row] ?? '').padEnd(column);
      lines[row] = line.slice(0, column) + piece + line.slice(column + 1);
      column++;
    }
  }
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
}

describeUnless(NO_TERMINAL, 'on a terminal', () => {
  test.each(sized({ fast: ['tree'], full: ['pages', 'tree'] }))(
    'the progress line appears, moves on, and is gone in the end (%s)',
    async (format) => {
      await using server = await startServer({});
      const { origin } = server;
      server.site['/robots.txt'] = `Sitemap: ${origin}/index.xml`;
      server.site['/index.xml'] = ['/a.xml', '/b.xml', '/missing.xml'];
      server.site['/a.xml'] = urlset('https://a.example/1', 'https://a.example/2');
      // Slow, and in pieces, until the line was seen often enough.
      const slow = urlset(...Array.from({ length: 40 }, (_, n) => `https://a.example/slow/${n}`));
      server.site['/b.xml'] = { body: slow, trickle: { bytes: 100, everyMs: 100 } };
      const command = `stty cols 120; ${USP_IN_SHELL} ls ${origin} -f ${format}`;
      const { CI: _ci, ...env } = process.env;
      const child = spawn('script', ['-qfec', command, '/dev/null'], {
        cwd: ROOT,
        env: { ...env, TERM: 'xterm', NO_COLOR: '1' },
      });
      const { written, finished } = watched(child);
      const host = new URL(origin).host;
      const drawn = (): string[] =>
        [
          ...written.stdout.matchAll(
            /\S+ · \d+\/\d+ sitemaps? · [\d,]+ pages? · [\d.]+ \w+ · [\d.]+ \w+\/s · \d+:\d\d/g,
          ),
        ].map(([line]) => line);
      await until(() => new Set(drawn()).size >= 3, 'three states of the progress line');
      const { code } = await finished;
      expect(code).toBe(0);
      expect(drawn()[0]).toContain(`${host} · `);
      const shown = screen(written.stdout);
      expect(shown.join('\n')).not.toContain(' · ');
      if (format === 'pages')
        expect(shown.filter((line) => line.startsWith('https://a.example/'))).toHaveLength(42);
      else expect(shown).toContain('3 sitemaps, 42 pages, 1 unreadable');
      expect(shown).toContain(`  ${origin}/missing.xml: the server responded with 404 Not Found.`);
      expect(written.stdout).toContain('\u001b[?25h');
    },
  );

  test.each(
    sized<readonly NodeJS.ProcessEnv[]>({
      fast: [{ CI: '' }],
      full: [{ CI: '1' }, { CI: '' }, { TERM: 'dumb' }],
    }),
  )('there is no progress line with %j, and no new line for each of its states', async (more) => {
    await using server = await startServer({
      '/sitemap.xml': { body: urlset('https://a.example/1'), delayMs: 1500 },
    });
    const { CI: _ci, ...env } = process.env;
    const command = `${USP_IN_SHELL} ls ${server.origin} -f pages`;
    const child = spawn('script', ['-qfec', command, '/dev/null'], {
      cwd: ROOT,
      env: { ...env, TERM: 'xterm', ...more },
    });
    expect((await watched(child).finished).stdout).toBe('https://a.example/1\r\n');
  });

  test('during a pause before the next attempt the line says what it waits for', async () => {
    await using server = await startServer({});
    server.site['/robots.txt'] = `Sitemap: ${server.origin}/a.xml`;
    server.site['/a.xml'] = {
      script: [{ status: 503, headers: { 'retry-after': '3' } }, { body: urlset('https://a.example/1') }],
    };
    const { CI: _ci, ...env } = process.env;
    const command = `stty cols 200; ${USP_IN_SHELL} ls ${server.origin} -k -f pages`;
    const child = spawn('script', ['-qfec', command, '/dev/null'], {
      cwd: ROOT,
      env: { ...env, TERM: 'xterm', NO_COLOR: '1' },
    });
    const { stdout } = await watched(child).finished;
    expect(stdout).toMatch(
      / · 0\/1 sitemap · waiting [123] s: the server responded with 503 Service Unavailable · 0:0\d/,
    );
  });

  test('with -q there is no progress line', async () => {
    await using server = await startServer({
      '/sitemap.xml': { body: urlset('https://a.example/1'), delayMs: 500 },
    });
    const child = spawn('script', ['-qfec', `${USP_IN_SHELL} ls ${server.origin} -q -f pages`, '/dev/null'], {
      cwd: ROOT,
      env: { ...process.env, TERM: 'xterm' },
    });
    const { stdout } = await watched(child).finished;
    expect(stdout).toBe('https://a.example/1\r\n');
  });
});
