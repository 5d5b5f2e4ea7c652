/** The commands of `usp` and their options: what `--help`, the completions and the documentation are made from. */
import { Command } from 'commander';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import { addCheck } from './check.ts';
import { addCompletion } from './completion.ts';
import { addCrawl, addWorker } from './crawl.ts';
import { addDiff } from './diff.ts';
import { addLoad } from './load.ts';
import { addLs } from './ls.ts';
import { addParse } from './parse.ts';
import { addReport } from './report.ts';
import { addRules } from './rules.ts';
import { addUpdate } from './update.ts';

/** In the order of the help. */
const COMMANDS: Readonly<Record<string, (program: Command, actions: Actions) => void>> = {
  ls: addLs,
  parse: addParse,
  load: addLoad,
  update: addUpdate,
  diff: addDiff,
  check: addCheck,
  rules: addRules,
  report: addReport,
  crawl: addCrawl,
  worker: addWorker,
  completion: addCompletion,
};

/** The command line. @param asked - the first word: if it is a command, the others are left out */
export function createProgram(version: string, actions: Actions, asked = ''): Command {
  const program = new Command('usp')
    .description('Find every sitemap of a site, also broken ones, and list every page in them.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(usp --help lists the commands)')
    // The descriptions name choices and defaults where they matter; repeated after them they only make lines long.
    .configureHelp({ optionDescription: ({ description }) => description })
    .addHelpText('after', `\n${EXIT_CODE_HELP}\n\nStart with:\n  usp ls example.org -f tree`);
  const isAlone = Object.hasOwn(COMMANDS, asked) && asked !== 'completion';
  for (const [name, add] of Object.entries(COMMANDS)) if (!isAlone || name === asked) add(program, actions);
  return program;
}
