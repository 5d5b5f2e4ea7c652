/** The guard against getting slower: this run's ratios beside those of a good day. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

const BASELINE = new URL('baseline.json', import.meta.url);
const RESULTS = new URL('results.json', import.meta.url);

/** Machines differ, and so do their busy hours: only what is twice as bad is worth a word. */
const MARGIN = 2;

/**
 * The ratios of a run, the higher the better for us: how many times our time others need; of our own other ways of
 * doing it, how many times theirs we need; in scenario memory, which part of a site's peak a site of a fifth of the
 * size needs. Scenario broken times nothing and has none.
 */
export function ratiosOf(scenarios) {
  return Object.fromEntries(
    scenarios
      .filter(({ kind }) => kind in RATIOS)
      .map(({ name, kind, contestants }) => {
        const ratioOf = RATIOS[kind];
        const ratios = contestants
          .filter(({ id }) => id !== 'ours')
          .map((contestant) => [contestant.id, ratioOf(contestant)])
          .filter(([, ratio]) => Number.isFinite(ratio));
        return [name, Object.fromEntries(ratios.map(([id, ratio]) => [id, rounded(ratio)]))];
      }),
  );
}

const timeRatio = ({ module, timesOurs }) => (module === 'ours.js' ? 1 / timesOurs : timesOurs);
const RATIOS = { pages: timeRatio, 'start-up': timeRatio, memory: ({ growth }) => 1 / growth };

export function writeResults(run) {
  writeFileSync(RESULTS, `${JSON.stringify(run, undefined, 2)}\n`);
}

/** Keeps the scenarios of the old baseline that were not run. */
export function writeBaseline({ machine, settings, ratios }) {
  const before = existsSync(BASELINE) ? readBaseline() : undefined;
  const kept = before !== undefined && isComparable(before.settings, settings) ? before.ratios : {};
  const baseline = { machine, settings, ratios: { ...kept, ...ratios } };
  writeFileSync(BASELINE, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

/** What got worse, in sentences. */
export function regressions({ settings, ratios }) {
  if (!existsSync(BASELINE)) throw new Error('There is no baseline.json: --write-baseline makes it.');
  const baseline = readBaseline();
  if (!isComparable(baseline.settings, settings)) {
    const sizes = JSON.stringify(baseline.settings);
    throw new Error(`The baseline is of other sizes, ${sizes}: only the same can be compared.`);
  }
  return Object.entries(ratios).flatMap(([scenario, contestants]) =>
    Object.entries(contestants).flatMap(([contestant, ratio]) => {
      const before = baseline.ratios[scenario]?.[contestant];
      if (before === undefined || ratio * MARGIN >= before) return [];
      return [`${scenario}, ${contestant}: ${ratio} × ours, and it was ${before} ×.`];
    }),
  );
}

function readBaseline() {
  return JSON.parse(readFileSync(BASELINE, 'utf8'));
}

function isComparable(before, now) {
  return isDeepStrictEqual(sizesOf(before), sizesOf(now));
}

/** More rounds make nothing larger; counts may be a list or, as on the command line, its text. */
function sizesOf({ rounds: _, memorySitemaps, ...sizes }) {
  return { ...sizes, memorySitemaps: String(memorySitemaps) };
}

function rounded(ratio) {
  return Number(ratio.toPrecision(3));
}
