/** What every check takes. */
import type { SitemapException } from '../errors.ts';
import { badOption, checkNames } from '../options/names.ts';
import type { Finding } from './finding.ts';
import type { RuleName, Severity } from './rule.ts';
import { isRuleName } from './rule-table.ts';

/** What a rule is set to: a severity, or not applied at all. */
export type RuleSetting = Severity | 'off';

/** What every check takes. */
export interface CheckOptions {
  /**
   * The time that dates are compared with, where the time of fetching is not known: a `Date`, or milliseconds since the
   * epoch.
   * @default now
   */
  readonly now?: Date | number | undefined;
  /** Whose rules of robots.txt count; where it has none, those of `*`. @default 'Googlebot' */
  readonly agent?: string | undefined;
  /** The severities of rules where they are not the default, or `'off'`. @default {} */
  readonly rules?: Readonly<Partial<Record<RuleName, RuleSetting>>> | undefined;
  /**
   * Called with each finding before it is counted: returns it, another one in its place, or `undefined` to leave it
   * out.
   * @default none
   */
  readonly adjust?: ((finding: Finding) => Finding | undefined) | undefined;
}

export interface CheckParts {
  /** Undefined where the caller gave none. */
  readonly now: number | undefined;
  readonly agent: string;
  readonly adjust: (finding: Finding) => Finding | undefined;
}

const SETTINGS: ReadonlySet<unknown> = new Set(['error', 'warning', 'info', 'off']);

/**
 * What a check does with its options, once their names are known to exist.
 *
 * @param more - the names that only some checks have
 * @throws SitemapException with code `bad-option`
 */
export function checkParts<Options extends CheckOptions>(
  options: Options,
  more: readonly Exclude<keyof Options & string, keyof CheckOptions>[] = [],
): CheckParts {
  checkNames(options, ['now', 'agent', 'rules', 'adjust', ...more]);
  const { now, agent = 'Googlebot', rules = {}, adjust } = options;
  const time = now instanceof Date ? now.getTime() : now;
  if (time !== undefined && !Number.isFinite(time)) {
    throw mustBe('now', 'a Date or a number of milliseconds since the epoch');
  }
  if (typeof agent !== 'string' || agent.trim() === '') {
    throw mustBe('agent', 'the name of a crawler, as "Googlebot"');
  }
  if (adjust !== undefined && typeof adjust !== 'function') throw mustBe('adjust', 'a function');
  const settings = settingsOf(rules);
  return {
    now: time,
    agent,
    adjust(finding) {
      const setting = settings.get(finding.rule);
      if (setting === 'off') return undefined;
      const set = setting === undefined ? finding : { ...finding, severity: setting };
      return adjust === undefined ? set : adjust(set);
    },
  };
}

function settingsOf(rules: Readonly<Record<string, unknown>>): ReadonlyMap<RuleName, RuleSetting> {
  if (typeof rules !== 'object' || rules === null)
    throw mustBe('rules', 'an object, as {"url-fragment": "off"}');
  const settings = new Map<RuleName, RuleSetting>();
  for (const [name, setting] of Object.entries(rules)) {
    if (setting === undefined) continue;
    if (!isRuleName(name)) throw mustBe('rules', `an object with names of rules; there is no rule "${name}"`);
    if (!SETTINGS.has(setting)) {
      throw mustBe(
        'rules',
        `"error", "warning", "info" or "off" for each rule, not ${JSON.stringify(setting)}`,
      );
    }
    settings.set(name, setting as RuleSetting);
  }
  return settings;
}

function mustBe(option: string, what: string): SitemapException {
  return badOption(`The option "${option}" must be ${what}.`, option);
}
