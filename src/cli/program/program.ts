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

/** The whole command line. */
export function createProgram(version: string, actions: Actions): Command {
  const program = new Command('usp')
    .description('Find every sitemap of a site, also broken ones, and list every page in them.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(usp --help lists the commands)')
    // The descriptions name choices and defaults where they matter; repeated after them they only make lines long.
    .configureHelp({ optionDescription: ({ description }) => description })
    .addHelpText('after', `\n${EXIT_CODE_HELP}\n\nStart with:\n  usp ls example.org -f tree`);

  // In the order of the help.
  addLs(program, actions);
  addParse(program, actions);
  addLoad(program, actions);
  addUpdate(program, actions);
  addDiff(program, actions);
  addCheck(program, actions);
  addRules(program, actions);
  addReport(program, actions);
  addCrawl(program, actions);
  addWorker(program, actions);
  addCompletion(program, actions);
  return program;
}
