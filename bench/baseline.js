/** The guard against getting slower: this run's ratios beside those of a good day. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

const BASELINE = new URL('baseline.json', import.meta.url);
const RESULTS = new URL('results.json', import.meta.url);

/** What is worse by less may be another processor, another version of Node, or a neighbour's memory traffic. */
const MARGIN = 0.15;

/**
 * The ratios of a run with their quartiles, the higher the better for us: how many times our processor time others need;
 * of our own other ways of doing it, how many times theirs we need; in scenario memory, which part of a site's peak a
 * site of a fifth of the size needs. Other scenarios have none.
 */
export function ratiosOf(scenarios) {
  return Object.fromEntries(
    scenarios
      .filter(({ kind }) => kind in RATIOS)
      .map(({ name, kind, contestants }) => {
        const ratios = contestants
          .filter(({ id, isFloor }) => id !== 'ours' && !isFloor)
          .map((contestant) => [contestant.id, RATIOS[kind](contestant)])
          .filter(([, ratio]) => ratio !== undefined);
        return [name, Object.fromEntries(ratios)];
      }),
  );
}

/** Processor time, where it is known: it says more than time on a machine that does other things too. */
function ratioOf({ module = '', timesOurs, cpuTimesOurs = timesOurs }) {
  if (cpuTimesOurs === undefined || cpuTimesOurs.turns < 3) return undefined;
  const { median, low, high } = cpuTimesOurs;
  const isOurs = module.startsWith('our');
  return (isOurs ? [1 / high, 1 / median, 1 / low] : [low, median, high]).map(rounded);
}

/** Of a step that is compared with another one of ours. */
function ratioOfStep(step) {
  return step.cpuTimesOurs.median === 1 ? undefined : ratioOf({ ...step, module: 'our-archive.js' });
}

const RATIOS = {
  pages: ratioOf,
  'start-up': ratioOf,
  diff: ratioOf,
  write: ratioOf,
  archive: ratioOfStep,
  update: ratioOfStep,
  memory: ({ growth }) => [1, 1, 1].map((each) => rounded(each / growth)),
};

/** The scenarios that have ratios in the baseline. */
export function comparedScenarios() {
  return Object.keys(readBaseline().ratios);
}

export function writeResults(run) {
  writeFileSync(RESULTS, `${JSON.stringify(run, undefined, 2)}\n`);
}

/** Keeps the scenarios of the old baseline that were not run. */
export function writeBaseline({ machine, settings, ratios }) {
  const before = existsSync(BASELINE) ? readBaseline() : undefined;
  const kept = before !== undefined && isComparable(before.settings, settings) ? before.ratios : {};
  const baseline = { machine, settings, ratios: { ...kept, ...ratios } };
  const text = JSON.stringify(baseline, undefined, 2).replaceAll(/\[\s+([\d.,\s]+?)\s+\]/g, (_, numbers) => {
    return `[${numbers.split(/,\s*/).join(', ')}]`;
  });
  writeFileSync(BASELINE, `${text}\n`);
}

/** What got worse, in sentences: by more than the margin, and by more than chance, since the quartiles do not meet. */
export function regressions({ settings, ratios }) {
  const baseline = readBaseline();
  if (!isComparable(baseline.settings, settings)) {
    const sizes = JSON.stringify(baseline.settings);
    throw new Error(`The baseline is of other sizes, ${sizes}: only the same can be compared.`);
  }
  return Object.entries(ratios).flatMap(([scenario, contestants]) =>
    Object.entries(contestants).flatMap(([contestant, [low, median, high]]) => {
      const before = baseline.ratios[scenario]?.[contestant];
      if (before === undefined) return [];
      const [lowBefore, medianBefore] = before;
      if (median >= medianBefore * (1 - MARGIN) || high >= lowBefore) return [];
      return [`${scenario}, ${contestant}: ${median} × (${low}–${high}), and it was ${medianBefore} ×.`];
    }),
  );
}

function readBaseline() {
  if (!existsSync(BASELINE)) throw new Error('There is no baseline.json: --write-baseline makes it.');
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
