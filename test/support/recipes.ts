/** The programs of `examples/recipes` as their users run them: copied to a folder, with their packages installed. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { BINARY, build, ROOT, type Running, watched } from './cli-binary.ts';
import { npm } from './npm.ts';
import { IS_POSIX } from './platform.ts';
import { isFull } from './tier.ts';

export const RECIPES: string = join(ROOT, 'examples/recipes');

/** What this repository has installed itself: our package, and its optional peers. */
const OF_THE_ROOT = ['bullmq', 'ioredis'];

export interface Recipes {
  readonly folder: string;
  /** Starts a recipe, as a group of processes of its own. */
  start(argv: readonly string[], environment?: Readonly<Record<string, string>>): Running;
}

/** Installs the packages of the recipes into a folder; the sentence that says why, where that cannot be done. */
export async function installRecipes(folder: string): Promise<Recipes | string> {
  if (!isFull) return 'The recipes run in the full tier: npm run test:all.';
  if (!IS_POSIX) return 'The recipes start usp by its name, which needs a shell on Windows.';
  await build();
  cpSync(RECIPES, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const installed = join(RECIPES, 'node_modules');
  try {
    // Those of a developer, who has run the recipes by hand, are as good.
    if (existsSync(installed)) cpSync(installed, join(folder, 'node_modules'), { recursive: true });
    else await npm(folder, 'ci', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts');
  } catch (error) {
    return `The packages of examples/recipes could not be installed: ${String(error).split('\n')[0]}`;
  }
  const modules = join(folder, 'node_modules');
  symlinkSync(ROOT, join(modules, 'ultimate-sitemap-parser'), 'junction');
  for (const name of OF_THE_ROOT)
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction');
  const bin = join(modules, '.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(BINARY, join(bin, 'usp'));
  return {
    folder,
    start(argv, environment = {}) {
      const PATH = `${bin}:${process.env['PATH']}`;
      const env = { ...process.env, PATH, ...environment };
      return watched(spawn(process.execPath, [...argv], { cwd: folder, env, detached: true }));
    },
  };
}
