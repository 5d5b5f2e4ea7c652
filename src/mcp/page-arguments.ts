/** The arguments that choose pages, as `list_pages` and `changes_since` take them. */
import { createContext, Script } from 'node:vm';
import type { SitePageOptions } from '../index.ts';
import { OPTIONS } from '../options/option-table.ts';
import { Refusal } from './tool-call.ts';

export interface PageArguments extends Pick<SitePageOptions, 'hosts'> {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly agent?: string;
  readonly onlyAllowed?: boolean;
}

/** @throws Refusal */
export function checkAgent({ agent, onlyAllowed = false }: PageArguments): void {
  if (agent !== undefined && !OPTIONS.robotsAgent.test(agent))
    throw new Refusal('The agent must be the name of a crawler, such as Googlebot or GPTBot.');
  if (onlyAllowed && agent === undefined)
    throw new Refusal('onlyAllowed needs an agent: the crawler that robots.txt allows or disallows.');
}

/** Runs a filter over some pages or sitemaps. */
export type FilterRun = <Result>(filter: () => Result) => Result;

/** A regular expression of a caller may never end, and only a script can be stopped. Globs take linear time. */
export function filterRun(patterns: readonly string[]): FilterRun {
  return patterns.some((pattern) => pattern.startsWith('re:')) ? withTimeLimit : (filter) => filter();
}

const MOST_MS_OF_EXPRESSIONS = 2000;
const timed = createContext({});
const runTimed = new Script('run()');

function withTimeLimit<Result>(filter: () => Result): Result {
  let result: Result | undefined;
  timed['run'] = () => {
    result = filter();
  };
  try {
    runTimed.runInContext(timed, { timeout: MOST_MS_OF_EXPRESSIONS });
    // The script has run to its end, so there is a result.
    return result as Result;
  } catch (error) {
    // Not by its class, which belongs to the script's realm.
    if (Reflect.get(Object(error), 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Refusal(
      'A regular expression takes too long. Write it without nested repetition, or as a part of the URL or a glob ' +
        'with *.',
    );
  }
}
