/** What one agent may fetch, by the robots.txt of each origin. */

import { parsedUrl } from '../url.ts';
import { compileRobots, type RobotsRules, shortened } from './robots-rules.ts';

/** Whether an agent may fetch a page, and the line of robots.txt that decides it. */
export interface RobotsVerdict {
  /** Absent where it is not known: robots.txt could not be read, or the page is on another origin. */
  readonly allowed?: boolean | undefined;
  /** The rule that decides, as `Disallow: /drafts/`; absent where no rule is about the page. */
  readonly rule?: string | undefined;
  /** The number of its line, from 1. */
  readonly ruleLine?: number | undefined;
}

const UNKNOWN: RobotsVerdict = Object.freeze({});
const ALLOWED: RobotsVerdict = Object.freeze({ allowed: true });

/** No rules: what a site without a robots.txt has. */
export const NO_RULES: Uint8Array = new Uint8Array(0);

/** Whether the response for a robots.txt says that there is none: then everything may be fetched. */
export function isMissingRobots({
  code,
  status,
}: {
  code?: string | undefined;
  status?: number | undefined;
}): boolean {
  return code === 'http-status' && (status === 404 || status === 410);
}

export class AgentVerdicts {
  readonly #agent: string;
  readonly #rules = new Map<string, RobotsRules>();
  #lastOrigin = '';
  #lastRules: RobotsRules | undefined;

  constructor(agent: string) {
    this.#agent = agent;
  }

  /**
   * Takes in a robots.txt. One that is not at the root of its origin is not one of that origin.
   *
   * @param urls - where it is, and where that redirects to
   */
  add(urls: readonly [string, ...string[]], text: Uint8Array): void {
    const [first, ...others] = urls.map((url) => new URL(url));
    if (first?.pathname !== '/robots.txt') return;
    const rules = compileRobots(text, this.#agent);
    this.#rules.set(first.origin, rules);
    for (const { pathname, origin } of others) if (pathname === '/robots.txt') this.#rules.set(origin, rules);
    this.#lastOrigin = '';
  }

  /** What they are made of: those with the same text are the same. */
  get text(): string {
    return JSON.stringify(
      Array.from(this.#rules, ([origin, { lines }]) => [
        origin,
        lines.map(({ isAllowed, pattern }) => [isAllowed, pattern]),
      ]),
    );
  }

  of(url: string): RobotsVerdict {
    const rules = this.#rulesFor(url);
    if (rules === undefined) return UNKNOWN;
    const line = rules.deciding(url);
    if (line === undefined) return ALLOWED;
    const { isAllowed: allowed, pattern, line: ruleLine } = line;
    return { allowed, rule: shortened(`${allowed ? 'Allow' : 'Disallow'}: ${pattern}`), ruleLine };
  }

  #rulesFor(url: string): RobotsRules | undefined {
    // Of millions of pages nearly all are on the origin of the page before.
    if (this.#lastOrigin !== '' && url.startsWith(this.#lastOrigin)) return this.#lastRules;
    const origin = parsedUrl(url)?.origin ?? '';
    this.#lastOrigin = `${origin}/`;
    this.#lastRules = this.#rules.get(origin);
    return this.#lastRules;
  }
}
