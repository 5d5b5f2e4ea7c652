/** `usp update`: a saved site again. */
import { type Command, Option } from 'commander';
import { parseAddress } from '../args/address.ts';
import * as value from '../args/option-values.ts';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import {
  agentOptions,
  CHANGE_FORMAT_HELP,
  changeOptions,
  messageOptions,
  networkOptions,
  PATTERN_HELP,
  placeOptions,
} from './shared-options.ts';

const REMEMBERED_HELP = `The file remembers the site and where to look, so that usp update FILE is enough from
the second time on; given options win, and are remembered. Headers, cookies, proxies
and keys are not saved: give them each time.`;

/** What the file remembers wins over a default. */
const NOT_BY_DEFAULT = ['robots', 'known', 'normalize'];

export function addUpdate(program: Command, actions: Actions): void {
  const update = program
    .command('update')
    .summary('read a saved site again, and print what changed')
    .description('Read a saved site again, print which pages are new, changed or gone, and save it.')
    .argument('<file>', 'the saved tree; made the first time')
    .argument('[url]', "the site's URL, needed the first time", parseAddress)
    .showHelpAfterError('(usp update --help shows all options)')
    .action((file: string, url: URL | undefined, options: object, command: Command) => {
      const given = Object.entries(options).filter(
        ([name]) => !NOT_BY_DEFAULT.includes(name) || command.getOptionValueSource(name) !== 'default',
      );
      return actions.update([file, url], Object.fromEntries(given));
    });
  update
    .option('--sitemap', 'the URL is a sitemap: read it and those below')
    .option('--dry-run', 'save nothing')
    .option('--trust-lastmod', 'do not request sitemaps whose declared date is the same')
    .option(
      '--gone-after <runs>',
      'a sitemap is gone after this many runs with a 404 (2)',
      value.wholeNumber(1),
    )
    .option('--max-stale <days>', 'keep what cannot be read no longer than this', value.days);
  changeOptions(update);
  agentOptions(update);
  update
    .option('--no-only-allowed', 'all pages again')
    .option('--sitemap-include <pattern>', 'fetch only sitemaps whose URL matches', value.patterns)
    .option('--sitemap-exclude <pattern>', 'fetch no sitemaps whose URL matches', value.patterns);
  placeOptions(update);
  update
    .addOption(new Option('--robots', 'read robots.txt again'))
    .addOption(new Option('--normalize', 'look for the whole site again'))
    .addOption(new Option('--no-homepage-links', 'not those of the homepage any more'));
  networkOptions(update);
  messageOptions(update);
  update.addHelpText(
    'after',
    `\n${REMEMBERED_HELP}\n\n${CHANGE_FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`,
  );
}
