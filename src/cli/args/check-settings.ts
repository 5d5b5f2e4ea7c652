/** The configuration and the baseline of `usp check`, which are files. */
import { Baseline, BaselineWriter } from '../../check/baseline.ts';
import {
  type Configuration,
  type FailOn,
  parseConfiguration,
  parseRuleSetting,
  type RuleSettings,
  severities,
} from '../../check/configuration.ts';
import type { Finding } from '../../check/index.ts';
import { SitemapException } from '../../index.ts';
import { readWhole } from '../../runtime/file-input.ts';
import { fileTrouble } from '../../runtime/files.ts';
import { UsageError } from '../endings.ts';
import type { CliIO } from '../io.ts';
import type { CHECK, FlagsOf, JUDGING } from '../program/flags.ts';
import { namingFlag } from './option-flags.ts';

export type RuleFlags = FlagsOf<typeof JUDGING> & Pick<FlagsOf<typeof CHECK>, 'writeBaseline'>;

export interface CheckSettings {
  readonly agent: string | undefined;
  readonly failOn: FailOn | undefined;
  readonly maxWarnings: number | undefined;
  readonly baseline: Baseline | undefined;
  readonly writer: BaselineWriter | undefined;
  /** The finding with its severity; undefined where it is not shown. */
  adjust(finding: Finding): Finding | undefined;
}

/** Most bytes of a configuration or a baseline. */
const MOST_BYTES = 256 * 1024 * 1024;

const NOTHING: Configuration = { rules: new Map(), overrides: [] };

/** @throws UsageError for a file that cannot be read, or is not what it should be */
export async function checkSettings(
  flags: RuleFlags,
  { signal }: Pick<CliIO, 'signal'>,
): Promise<CheckSettings> {
  const { rule = [], config, baseline: file, writeBaseline } = flags;
  const settings = ruleSettings(rule);
  const configuration = config === undefined ? NOTHING : await readFile(config, signal, parseConfiguration);
  const baseline =
    file === undefined ? undefined : await readFile(file, signal, (text) => new Baseline(text));
  const writer = writeBaseline === undefined ? undefined : new BaselineWriter();
  const adjusted = severities(settings, configuration);
  return {
    agent: flags.agent ?? configuration.agent,
    failOn: flags.failOn ?? configuration.failOn,
    maxWarnings: flags.maxWarnings ?? configuration.maxWarnings,
    baseline,
    writer,
    adjust(finding) {
      const adjustedFinding = adjusted(finding);
      if (adjustedFinding === undefined) return undefined;
      writer?.add(adjustedFinding);
      const newFinding = baseline === undefined ? adjustedFinding : baseline.newPart(adjustedFinding);
      return newFinding === undefined ? undefined : namingFlag(newFinding);
    },
  };
}

/** The later wins. */
function ruleSettings(texts: readonly string[]): RuleSettings {
  try {
    return new Map(texts.map(parseRuleSetting));
  } catch (cause) {
    throw wrongSetting('--rule: ', cause);
  }
}

/**
 * The error for a setting that the library refuses, with the library's message, and a hint if a rule's name is wrong.
 */
export function wrongSetting(before: string, cause: unknown): UsageError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isRule = cause instanceof SitemapException && cause.option === 'rules';
  return new UsageError(before + message, { hint: isRule ? 'usp rules lists all rules.' : undefined, cause });
}

async function readFile<Value>(
  file: string,
  signal: AbortSignal,
  parse: (text: string) => Value,
): Promise<Value> {
  try {
    const bytes = await readWhole(file, MOST_BYTES, signal);
    return parse(bytes.toString());
  } catch (cause) {
    if (signal.aborted) throw cause;
    if (cause instanceof SitemapException) throw wrongSetting(`${file}: `, cause);
    throw new UsageError(`${file} cannot be read: ${fileTrouble(cause)}.`, { cause });
  }
}
