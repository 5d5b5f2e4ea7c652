/** The command line of the benchmark. */
import { parseArgs } from 'node:util';

export const HELP = `npm run bench -- [options]

  --scenario NAME       only this one, or this group (may be given often); "broken" counts what is found, and times nothing
  --rounds N            how often everybody has a turn (default: 9)
  --json                for machines
  --check               compare the ratios with baseline.json, at a margin of 15 %: the scenarios that it has, or those named
  --write-baseline      make this run's ratios the baseline
                        (both with smaller sites and five rounds, unless sizes are given)
  --site-sitemaps N     sitemaps of 50,000 pages in scenario site (default: 52)
  --memory-sitemaps LIST   how many of them in scenario memory (default: 1,10,52; with 100 if you like)
  --write-pages N       pages in scenario write (default: 1000000)
  --quick               a tenth of the work, three rounds: to try it, not to quote it
  --list                the names of the scenarios
`;

/** What --quick makes of the sizes. */
const QUICK = { scale: 0.1, rounds: 3, siteSitemaps: 4, memorySitemaps: '1,2,4', writePages: 100_000 };
/** What is compared with the baseline: large enough for a ratio, small enough to be run. */
const CHECKED = { scale: 1, rounds: 5, siteSitemaps: 8, memorySitemaps: '1,4,8', writePages: 100_000 };
const FULL = { scale: 1, rounds: 9, siteSitemaps: 52, memorySitemaps: '1,10,52', writePages: 1_000_000 };

/**
 * @param {string[]} args
 * @throws Error with a sentence that says what is wrong
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      'write-baseline': { type: 'boolean', default: false },
      'site-sitemaps': { type: 'string' },
      'memory-sitemaps': { type: 'string' },
      'write-pages': { type: 'string' },
      quick: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const isCompared = values.check || values['write-baseline'];
  const sizes = values.quick ? QUICK : isCompared ? CHECKED : FULL;
  const memory = values['memory-sitemaps'];
  for (const count of memory?.split(',') ?? []) wholeNumber('memory-sitemaps', count);
  return {
    names: values.scenario,
    json: values.json,
    check: values.check,
    writeBaseline: values['write-baseline'],
    list: values.list,
    help: values.help,
    settings: {
      scale: sizes.scale,
      rounds: wholeNumber('rounds', values.rounds) ?? sizes.rounds,
      siteSitemaps: wholeNumber('site-sitemaps', values['site-sitemaps']) ?? sizes.siteSitemaps,
      memorySitemaps: memory ?? sizes.memorySitemaps,
      writePages: wholeNumber('write-pages', values['write-pages']) ?? sizes.writePages,
    },
  };
}

function wholeNumber(name, text) {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} takes whole numbers from 1 on.`);
  return number;
}
