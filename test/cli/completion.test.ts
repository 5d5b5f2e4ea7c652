/** Completion scripts: made from the commands, and understood by the shells that are here. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { usp } from './world.ts';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

describe('usp completion', () => {
  test.each(['bash', 'zsh', 'fish'])('%s knows every command and option', async (shell) => {
    const { code, stdout, stderr } = await usp(['completion', shell]);
    expect([code, stderr]).toEqual([0, '']);
    const words =
      'ls parse load completion help format no-robots sitemap-include save url bash zsh fish tabtree ndjson';
    for (const word of words.split(' ')) expect(stdout).toContain(word);
  });

  test.each(['bash', 'zsh', 'fish'])('%s reads it without an error (where there is one)', async (shell) => {
    if (!has(shell)) return;
    const { stdout } = await usp(['completion', shell]);
    const { status, stderr } = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  test.skipIf(!has('bash'))('bash completes', async () => {
    const { stdout } = await usp(['completion', 'bash']);
    const completions = (...line: readonly string[]): string[] => {
      const script = `${stdout}\nCOMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}; _usp; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter((word) => word !== '');
    };
    expect(completions('usp', 'l')).toEqual(['ls', 'load']);
    expect(completions('usp', 'ls', '-f', 't')).toEqual(['tabtree', 'tree']);
    expect(completions('usp', 'ls', '--sitemap-')).toEqual(['--sitemap-include', '--sitemap-exclude']);
    expect(completions('usp', 'ls', '--since', '')).toEqual([]);
    expect(completions('usp', 'parse', 'package.j')).toEqual(['package.json']);
    expect(completions('usp', 'ls', '-o', 'package.j')).toEqual(['package.json']);
    expect(completions('usp', 'completion', 'z')).toEqual(['zsh']);
    expect(completions('usp', 'help', 'pa')).toEqual(['parse']);
  });
});
