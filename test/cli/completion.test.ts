/** Completion scripts: made from the commands, and understood by the shells that are here. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until, watched } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { describeUnless, testIf } from '../support/collected.ts';
import { folderUntil } from '../support/folder.ts';
import { HAS_BASH, IS_POSIX, NO_TERMINAL } from '../support/platform.ts';

const has = (shell: string): boolean => IS_POSIX && spawnSync(shell, ['-c', 'exit 0']).status === 0;
describe('usp completion', () => {
  test.each(['bash', 'zsh', 'fish'])('%s knows every command and option', async (shell) => {
    const { code, stdout, stderr } = await usp(['completion', shell]);
    expect([code, stderr]).toEqual([0, '']);
    const words =
      'ls update completion help format no-robots sitemap-include save url bash zsh fish tabtree ndjson';
    for (const word of words.split(' ')) expect(stdout).toContain(word);
  });

  test.each(['bash', 'zsh', 'fish'])('%s reads it without an error (where there is one)', async (shell) => {
    if (!has(shell)) return;
    const { stdout } = await usp(['completion', shell]);
    const { status, stderr } = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  testIf(HAS_BASH)('bash completes', async () => {
    const { stdout } = await usp(['completion', 'bash']);
    const files = ['ls', 'update', 'diff', 'check', 'report', 'fix', 'write', 'crawl'];
    const cases: readonly (readonly [line: readonly string[], completions: readonly string[]])[] = [
      [['usp', 'l'], ['ls']],
      [
        ['usp', 'ls', '-f', 't'],
        ['tabtree', 'tree'],
      ],
      [
        ['usp', 'ls', '--sitemap-'],
        ['--sitemap-include', '--sitemap-exclude'],
      ],
      [['usp', 'ls', '--since', ''], []],
      ...files.map((command) => [['usp', command, 'package.j'], ['package.json']] as const),
      [['usp', 'mcp', '--archive-dir', 'sr'], ['src']],
      [['usp', 'ls', '-o', 'package.j'], ['package.json']],
      [['usp', 'completion', 'z'], ['zsh']],
      [['usp', 'help', 'rep'], ['report']],
      [['usp', 'rules', 'hreflang-bad'], ['hreflang-bad-code']],
    ];
    // One shell for all of them: most of their time would be its start.
    const asked = cases.map(
      ([line]) => `COMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1};
        COMPREPLY=(); _usp; echo "\${COMPREPLY[*]}"`,
    );
    const shell = spawnSync('bash', ['-c', [stdout, ...asked].join('\n')], { encoding: 'utf8' });
    const lines = shell.stdout.split('\n').slice(0, -1);
    expect(lines).toEqual(cases.map(([, completions]) => completions.join(' ')));
  });
});

describeUnless(NO_TERMINAL, 'bash at a terminal, with names that are hard to type', () => {
  const folder = folderUntil(afterAll);
  beforeAll(async () => {
    for (const name of ['my file.xml', 'star*.xml', "it's.xml"]) writeFileSync(join(folder, name), '');
    mkdirSync(join(folder, 'a folder'));
    writeFileSync(join(folder, 'a folder', 'in side.xml'), '');
    writeFileSync(join(folder, '.usp.bash'), (await usp(['completion', 'bash'])).stdout);
  });

  /** The arguments that `usp` gets when a line is typed, then Tab, then Enter. */
  async function argumentsAfterTab(line: string): Promise<string[]> {
    // The shell that `script` starts it from would take a PS1 of the environment away.
    const shell = "env PS1='ready> ' bash --norc --noprofile -i";
    const child = spawn('script', ['-qfec', shell, '/dev/null'], {
      cwd: folder,
      env: { ...process.env, TERM: 'dumb', INPUTRC: '/dev/null' },
    });
    const { written, finished } = watched(child);
    const enter = async (text: string): Promise<void> => {
      await until(() => written.stdout.endsWith('ready> '), `a prompt after ${written.stdout}`);
      written.stdout = '';
      child.stdin.write(`${text}\n`);
    };
    await enter(`. ./.usp.bash; usp() { printf '<%s>' "$@"; echo; }`);
    await enter(`${line}\t`);
    await until(() => /<.*>\r?\n/.test(written.stdout), `the arguments of ${line}`);
    const [shown = ''] = /<.*>/.exec(written.stdout) ?? [];
    await enter('exit');
    await finished;
    return shown.slice(1, -1).split('><');
  }

  test.each([
    ['usp ls my', ['ls', 'my file.xml']],
    ['usp ls my\\ f', ['ls', 'my file.xml']],
    ['usp ls "my f', ['ls', 'my file.xml']],
    ['usp ls st', ['ls', 'star*.xml']],
    ['usp ls it', ['ls', "it's.xml"]],
    ['usp ls a', ['ls', 'a folder/']],
    ['usp ls -o a\\ folder/', ['ls', '-o', 'a folder/in side.xml']],
    ['usp ls --sitemap-i', ['ls', '--sitemap-include']],
  ])('%s⇥', async (line, expected) => {
    expect(await argumentsAfterTab(line)).toEqual(expected);
  });
});
