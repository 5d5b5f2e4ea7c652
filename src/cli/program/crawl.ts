/** `usp crawl` and `usp worker`: many sites. */
import { type Command, Option } from 'commander';
import { TABLE_FORMATS } from '../../batch/output/table-file.ts';
import * as value from '../args/option-values.ts';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import {
  filterOptions,
  networkOptions,
  PATTERN_HELP,
  placeOptions,
  secretOptions,
  verbosityOptions,
} from './options.ts';

const QUEUE = '--queue <url>';

export function addCrawl(program: Command, actions: Actions): void {
  const crawl = program
    .command('crawl')
    .summary('read the sitemaps of many sites into a table')
    .description(
      'Read the sitemaps of all sites of a list, and write their pages to a folder. ' +
        'Killed or interrupted, the same command goes on where it was.',
    )
    .argument('<sites>', "a file with one URL or host per line; '-' for stdin")
    .showHelpAfterError('(usp crawl --help shows all options)')
    .action((sites: string, options: object) => actions.crawl(sites, options));
  crawl
    .optionsGroup('Output:')
    .requiredOption('-o, --output <dir>', 'the folder of the crawl')
    .addOption(
      new Option('-f, --format <format>', 'parquet, ndjson or csv (default: parquet)')
        .choices(TABLE_FORMATS)
        .default(TABLE_FORMATS[0]),
    )
    .option('--archives', "keep each site's documents as a WARC file")
    .option('--previous <dir>', 'an earlier crawl with archives: fetch what changed')
    .option('--retry-failed', 'crawl the failed sites of the folder again')
    .option('--verify', 'read all rows of the folder, and crawl sites again whose rows are damaged')
    .optionsGroup('The list:')
    .option('--column <name>', 'the sites are in this column of a CSV or TSV file')
    .option('--strict', 'stop if a line of the list is not a site')
    .optionsGroup('Work:');
  workOptions(crawl);
  crawl.option(QUEUE, 'a Redis or Valkey URL: workers do the crawling');
  filterOptions(crawl);
  placeOptions(crawl, { known: 'if-none-declared' });
  networkOptions(crawl, { timeout: 'time for one site (default: 3,600)', hasWarc: false });
  logOptions(crawl);
  crawl.addHelpText('after', `\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}

export function addWorker(program: Command, actions: Actions): void {
  const worker = program
    .command('worker')
    .summary('crawl the sites that usp crawl --queue hands out')
    .description(
      'Crawl the sites that usp crawl --queue hands out, until all are finished. ' +
        'Run as many as you like, on as many machines as see the folder.',
    )
    .showHelpAfterError('(usp worker --help shows all options)')
    .action((options: object) => actions.worker(options));
  worker
    .optionsGroup('Work:')
    .requiredOption(QUEUE, 'the same Redis or Valkey URL as usp crawl has')
    .requiredOption('-o, --output <dir>', 'the same folder as usp crawl has');
  workOptions(worker);
  secretOptions(worker);
  logOptions(worker);
  worker.addHelpText('after', `\n${EXIT_CODE_HELP}`);
}

function workOptions(command: Command): void {
  command
    .option('--processes <n>', 'processes (default: the number of cores)', value.wholeNumber(1))
    .option('--sites-at-once <n>', 'sites at once in each process (default: 32)', value.wholeNumber(1))
    .option('--publish-every <seconds>', 'how long finished sites wait (default: 30)', value.seconds('more'));
}

function logOptions(command: Command): void {
  command
    .optionsGroup('Messages:')
    .addOption(new Option('--log-format <format>', 'text or json (default: text)').choices(['text', 'json']));
  verbosityOptions(command);
}
