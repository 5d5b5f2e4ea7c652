/**
 * Contestants take turns. All of them live in processes of their own at the same time, and one pass is made at a time:
 * a contestant's, and beside it one of that which it is compared with. What disturbs the machine for longer than two
 * passes disturbs both alike, so the ratio of the two says more than the times do. In every second round everything is in
 * the opposite order: who comes second, or last, does not always do so.
 */
import { stderr } from 'node:process';
import { startContestant } from './processes.js';
import { medianOf, spreadOf } from './spread.js';

/** Passes before the first turn, for so long: what is compiled late is compiled by then. */
const WARM_SECONDS = 2;
/** Who has used so much time takes no further turns, but these at least. */
const ENOUGH_SECONDS = 120;
const FEWEST_TURNS = 3;
/** Who fails so often in a row does not try again. */
const MOST_FAILURES = 2;

/**
 * @typedef {{ id: string, versus?: string, maxTurns?: number, job: object, checkedWork?: object }} Contestant `versus` is
 * the id of who it is compared with; the first one, if it is absent
 * @param {string} name for messages
 * @param {Contestant[]} contestants
 * @param {number} rounds
 * @returns {Promise<object[]>} for each contestant: what its passes gave, its ratios with their spread, and `failure`
 */
export async function takeTurns(name, contestants, rounds) {
  const rows = contestants.map((contestant) => ({
    contestant,
    living: startContestant(contestant.job),
    passes: [],
    failures: [],
    ratios: [],
  }));
  const others = rows.length === 1 ? rows : rows.slice(1);
  try {
    for (const row of rows) await warmUp(row);
    for (let round = 1; round <= rounds; round++) {
      const isReversed = round % 2 === 0;
      for (const row of isReversed ? [...others].reverse() : others) {
        if (isDone(row)) continue;
        stderr.write(`${name}, round ${round} of ${rounds}: ${row.contestant.id}\n`);
        await turnOf(row, referenceOf(row, rows), isReversed);
      }
    }
    for (const row of rows) await check(row);
  } finally {
    for (const { living } of rows) living.end();
  }
  return rows.map(resultOf);
}

/** Who needs minutes for a pass is warm enough by it. */
async function warmUp(row) {
  if (row.contestant.maxTurns === 1) return;
  row.first = await row.living.pass({ warmSeconds: WARM_SECONDS });
}

async function turnOf(row, reference, isReversed) {
  const pair = row === reference ? [row] : isReversed ? [row, reference] : [reference, row];
  const made = new Map();
  for (const each of pair) made.set(each, await each.living.pass());
  for (const [each, pass] of made) {
    if (pass.failure === undefined) each.passes.push(pass);
    else if (each === row) each.failures.push(pass.failure);
  }
  const [own, theirs] = [made.get(row), made.get(reference)];
  if (own.failure !== undefined || theirs.failure !== undefined) return;
  row.ratios.push({
    time: own.seconds / theirs.seconds,
    cpu: own.cpuSeconds / theirs.cpuSeconds,
  });
}

function referenceOf({ contestant }, rows) {
  return rows.find(({ contestant: { id } }) => id === contestant.versus) ?? rows[0];
}

function isDone({ contestant: { maxTurns = Number.POSITIVE_INFINITY }, passes, failures, ratios }) {
  if (passes.length === 0 && failures.length >= MOST_FAILURES) return true;
  if (ratios.length + failures.length >= maxTurns) return true;
  const spent = passes.reduce((sum, { seconds }) => sum + seconds, 0);
  return spent >= ENOUGH_SECONDS && ratios.length >= FEWEST_TURNS;
}

/** A pass behind the others: hashing costs more than parsing does, and must not disturb what is timed. */
async function check(row) {
  const { checkedWork } = row.contestant;
  if (checkedWork === undefined || row.passes.length === 0) return;
  row.checked = await row.living.pass({ mode: 'checked', work: checkedWork });
}

function resultOf({ contestant, first, passes, failures, ratios, checked }) {
  const { job, checkedWork: _, ...about } = contestant;
  const [pass] = passes;
  const { name, version } = pass ?? first ?? {};
  if (pass === undefined) return { ...about, ...job, name, version, failure: failures[0] ?? first?.failure };
  const { count, sum, found, isIncomplete } = pass;
  const notes = [
    about.note,
    pass.note,
    failures.length > 0 && `failed in ${failures.length} turns: ${failures[0]}`,
  ];
  const isSame = (other) => other.count === count && other.sum === sum;
  return {
    ...about,
    ...{ module: job.module, task: job.task, name, version, count, sum, found, isIncomplete },
    note: notes.filter(Boolean).join('; ') || undefined,
    seconds: medianOf(passes.map(({ seconds }) => seconds)),
    cpuSeconds: medianOf(passes.map(({ cpuSeconds }) => cpuSeconds)),
    // Of the first pass: what a program needs that does the work once.
    peakBytes: (first ?? pass).peakBytes,
    timesOurs: spreadOf(ratios.map(({ time }) => time)),
    cpuTimesOurs: spreadOf(ratios.map(({ cpu }) => cpu)),
    isStable: passes.every(isSame),
    checkedCount: checked?.count,
    checksum: checked?.checksum,
    checkFailure: checked?.failure,
  };
}
