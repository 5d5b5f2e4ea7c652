/**
 * The configuration of a check, from the command line and from a file: the severities of rules for all documents or for
 * some, and when a check fails. An unknown name is refused, and the message suggests the nearest one.
 */

import { parsePattern, type UrlMatcher } from '../filter/filter-values.ts';
import { badOption, SitemapException } from '../problems/errors.ts';
import { isAgent } from '../robots/robots-rules.ts';
import { clip, list, nearestName } from '../text/wording.ts';
import { isRecord } from './baseline.ts';
import type { Finding, SeverityCounts } from './finding.ts';
import type { RuleName } from './rule.ts';
import { isRuleName, RULES } from './rule-table.ts';
import { RULE_SETTINGS, type RuleSetting, withSetting } from './site-check.ts';

export type FailOn = 'error' | 'warning' | 'info' | 'never';

export type RuleSettings = ReadonlyMap<RuleName, RuleSetting>;

interface RuleOverride {
  readonly matches: UrlMatcher;
  readonly rules: RuleSettings;
}

export interface Configuration {
  readonly rules: RuleSettings;
  /** Later overrides win. */
  readonly overrides: readonly RuleOverride[];
  readonly failOn?: FailOn | undefined;
  readonly maxWarnings?: number | undefined;
  readonly agent?: string | undefined;
}

const FAIL_ON: readonly FailOn[] = ['error', 'warning', 'info', 'never'];
const KEYS = ['$schema', 'rules', 'overrides', 'failOn', 'maxWarnings', 'agent'];
const OVERRIDE_KEYS = ['match', 'rules'];

/**
 * `NAME=off|info|warning|error`
 *
 * @throws SitemapException with code `bad-option`
 */
export function parseRuleSetting(text: string): readonly [RuleName, RuleSetting] {
  const equals = text.indexOf('=');
  if (equals === -1) throw bad(`"${text}" must be NAME=off, =info, =warning or =error.`);
  return [ruleNamed(text.slice(0, equals).trim()), setting(text.slice(equals + 1).trim(), text)];
}

/** The rule with a name. @throws SitemapException with code `bad-option` */
export function ruleNamed(name: string): RuleName {
  if (isRuleName(name)) return name;
  throw badOption(
    `There is no rule "${clip(name, 100)}"${didYouMean(name, Object.keys(RULES)) ?? '.'}`,
    'rules',
  );
}

function setting(text: unknown, where: string): RuleSetting {
  const ruleSetting = RULE_SETTINGS.find((each) => each === text);
  if (ruleSetting !== undefined) return ruleSetting;
  const nearest = typeof text === 'string' ? nearestName(text, RULE_SETTINGS) : undefined;
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  throw bad(`"${where}": a rule can be off, info, warning or error.${hint}`);
}

/**
 * Checks the content of a configuration file.
 *
 * @throws SitemapException with code `bad-option`
 */
export function parseConfiguration(text: string): Configuration {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw bad(`It is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, cause);
  }
  const content = object(json, 'the configuration', KEYS);
  const { failOn, maxWarnings, agent, overrides = [] } = content;
  const failing = FAIL_ON.find((each) => each === failOn);
  if (failOn !== undefined && failing === undefined)
    throw bad(`"failOn" must be ${FAIL_ON.join(', ')}, not ${JSON.stringify(failOn)}.`);
  if (maxWarnings !== undefined && !isWholeNumber(maxWarnings))
    throw bad(`"maxWarnings" must be a whole number, not ${JSON.stringify(maxWarnings)}.`);
  if (agent !== undefined && !isAgent(agent)) {
    throw bad('"agent" must be the name of a crawler, as "Googlebot".');
  }
  if (!Array.isArray(overrides)) throw bad('"overrides" must be a list.');
  return {
    rules: settings(content['rules']),
    overrides: overrides.map(override),
    failOn: failing,
    maxWarnings,
    agent,
  };
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function override(value: unknown, index: number): RuleOverride {
  const { match, rules } = object(value, `override ${index + 1}`, OVERRIDE_KEYS);
  const patterns = typeof match === 'string' ? [match] : match;
  if (
    !Array.isArray(patterns) ||
    patterns.length === 0 ||
    !patterns.every((each) => typeof each === 'string')
  ) {
    throw bad(`Override ${index + 1} needs "match": a pattern of URLs, or a list of them.`);
  }
  const matchers = patterns.map((pattern: string) => parsePattern(pattern));
  return { matches: (url) => matchers.some((matches) => matches(url)), rules: settings(rules) };
}

function settings(value: unknown): RuleSettings {
  if (value === undefined) return new Map();
  const rules = object(value, '"rules"');
  return new Map(Object.entries(rules).map(([name, each]) => [ruleNamed(name), setting(each, name)]));
}

function object(value: unknown, what: string, keys?: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw bad(`${what[0]!.toUpperCase()}${what.slice(1)} must be an object.`);
  for (const key of Object.keys(value)) {
    if (keys === undefined || keys.includes(key)) continue;
    throw bad(`"${key}" is unknown in ${what}${didYouMean(key, keys) ?? `; there are ${list(keys)}.`}`);
  }
  return value;
}

/**
 * Sets the severities of findings: that of the command line wins, then the last override that names the rule, then the
 * rules of the file.
 *
 * @returns a function that returns the finding with its severity, or undefined if its rule is off
 */
export function severities(
  settings: RuleSettings,
  configuration: Pick<Configuration, 'rules' | 'overrides'>,
): (finding: Finding) => Finding | undefined {
  const overrides = configuration.overrides.toReversed();
  return (finding) => {
    const { rule, document, page } = finding;
    const set =
      settings.get(rule) ??
      overrides
        .find(
          ({ rules, matches }) =>
            rules.has(rule) && (matches(document) || (page !== undefined && matches(page))),
        )
        ?.rules.get(rule) ??
      configuration.rules.get(rule);
    return withSetting(finding, set);
  };
}

/** Whether a check fails, by the numbers of its findings. */
export function isFailing(
  { error, warning, info }: SeverityCounts,
  {
    failOn = 'error',
    maxWarnings,
  }: { readonly failOn?: FailOn | undefined; readonly maxWarnings?: number | undefined },
): boolean {
  if (maxWarnings !== undefined && warning > maxWarnings) return true;
  switch (failOn) {
    case 'never':
      return false;
    case 'error':
      return error > 0;
    case 'warning':
      return error + warning > 0;
    default:
      return error + warning + info > 0;
  }
}

function bad(message: string, cause?: unknown): SitemapException {
  return new SitemapException(message, { code: 'bad-option', ...(cause !== undefined && { cause }) });
}

function didYouMean(name: string, names: readonly string[]): string | undefined {
  const nearest = nearestName(name, names);
  return nearest === undefined ? undefined : `; did you mean "${nearest}"?`;
}
