/**
 * Runs the benchmark: every contestant in a process of its own, in turns, on the same work. README.md says why; `--help`
 * what there is.
 */
import process, { argv, exit, stderr } from 'node:process';
import { comparedScenarios, ratiosOf, regressions, writeBaseline, writeResults } from './baseline.js';
import { checkBuild } from './build.js';
import { measureArchive, measureUpdate } from './kinds/archive.js';
import { measureBroken } from './kinds/broken.js';
import { measureDiff } from './kinds/diff.js';
import { measureManySites } from './kinds/many-sites.js';
import { measureMemory } from './kinds/memory.js';
import { measurePages } from './kinds/pages.js';
import { measureStartUp } from './kinds/start-up.js';
import { measureTrouble } from './kinds/trouble.js';
import { measureWrite } from './kinds/write.js';
import { describeMachine, load } from './machine.js';
import { HELP, readOptions } from './options.js';
import { scenariosOf } from './scenarios.js';
import { reportOf } from './table.js';

const MEASURE = {
  pages: measurePages,
  memory: measureMemory,
  'many-sites': measureManySites,
  'start-up': measureStartUp,
  broken: measureBroken,
  trouble: measureTrouble,
  archive: measureArchive,
  update: measureUpdate,
  diff: measureDiff,
  write: measureWrite,
};

// An exit rather than an end, so that whoever is at work is ended too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => exit(130));

try {
  exit(await main(readOptions(argv.slice(2))));
} catch (error) {
  stderr.write(`${error.message}\n`);
  exit(2);
}

async function main({ names, settings, json, check, writeBaseline: isNewBaseline, list, help }) {
  const all = scenariosOf(settings);
  if (help || list) {
    console.log(help ? HELP : all.map(({ name, title }) => `${name.padEnd(18)}${title}`).join('\n'));
    return 0;
  }
  const note = checkBuild();
  if (note !== undefined) stderr.write(`${note}\n`);

  const machine = describeMachine();
  if (!json) {
    console.log(
      `${machine.date}, ${machine.cpu}, ${machine.memory}, Node ${machine.node} on ${machine.platform}`,
    );
  }
  const scenarios = [];
  for (const scenario of chosen(all, names.length === 0 && check ? comparedScenarios() : names)) {
    const loadBefore = load();
    const measured = await MEASURE[scenario.kind](scenario, settings.rounds);
    const result = { ...scenario, ...measured, load: [loadBefore, load()] };
    scenarios.push(result);
    // As they come: a whole run takes half an hour.
    if (!json) console.log(`\n${reportOf(result)}\n\nLoad average ${result.load.join(' to ')}.`);
  }

  const ratios = ratiosOf(scenarios);
  writeResults({ machine, settings, ratios });
  if (isNewBaseline) writeBaseline({ machine, settings, ratios });
  if (json) console.log(JSON.stringify({ machine, settings, ratios, scenarios }, undefined, 2));
  return verdict(scenarios, check ? regressions({ settings, ratios }) : []);
}

function chosen(all, names) {
  const unknown = names.find((name) => !all.some((scenario) => isNamed(scenario, name)));
  if (unknown !== undefined) {
    const known = new Set(all.flatMap(({ name, group }) => [name, group ?? name]));
    throw new Error(`There is no scenario "${unknown}", but ${[...known].join(', ')}.`);
  }
  return all.filter((scenario) => names.length === 0 || names.some((name) => isNamed(scenario, name)));
}

function isNamed({ name, group }, wanted) {
  return wanted === name || wanted === group;
}

/** The exit code: 1 if somebody found other pages, or if we got slower. */
function verdict(scenarios, worse) {
  const disagreeing = scenarios.filter(({ disagreements }) => disagreements.length > 0);
  for (const { name, disagreements } of disagreeing) {
    stderr.write(`${name} compares nothing: ${disagreements.join(' ')}\n`);
  }
  for (const sentence of worse) stderr.write(`Worse than the baseline: ${sentence}\n`);
  return disagreeing.length === 0 && worse.length === 0 ? 0 : 1;
}
