/**
 * Who may fetch what: a robots.txt as RFC 9309 and Google read it.
 *
 * - The groups of an agent are joined; without one, those of `*` apply. Googlebot-Image, -News and -Video fall back to
 *   Googlebot first. AdsBot-Google does not fall back to `*`.
 * - Of the rules that match, the one with the longest pattern wins; of two equal ones, Allow. `*` and a last `$` are
 *   special; `%2A` and `%24` stand for the signs themselves. `Allow: /a/index.html` allows `/a/` too (Google).
 * - Paths are compared as they are requested, and encoded: `/b/../a`, `/a`, `%7e` and `~`, `ü` and `%C3%BC` are the same.
 * - Only the first 500 KiB are read. A byte order mark is ignored. Lines that are neither an agent nor a rule are as if
 *   they were not there: a Sitemap line between two agents does not divide their group.
 *
 * The library robots-parser agrees on nearly everything (the tests compare). It is not used here, because it departs
 * from the above in the last two points and in `%7E`, and takes some microseconds for each URL and rule; a site has
 * millions of URLs.
 */
import { clip } from '../problems/wording.ts';
import { documentKey, parsedUrl } from '../url.ts';

/** Google reads this many bytes, and ignores the rest. */
export const ROBOTS_LIMIT_BYTES: number = 500 * 1024;

/** Where a robots.txt is on its origin. */
const ROBOTS_PATH = '/robots.txt';

/**
 * The origins that a robots.txt is for that was fetched: its own, and that to which it redirects, where that is the
 * robots.txt of another origin.
 */
export function robotsOrigins(url: string, declaredUrl: string = url): readonly string[] {
  const [own, declared] = [new URL(url), new URL(declaredUrl)];
  return own.pathname === ROBOTS_PATH ? [declared.origin, own.origin] : [declared.origin];
}

/** What is read of a robots.txt, chunk by chunk. */
export class RobotsText {
  #buffer = new Uint8Array(4096);
  #length = 0;

  /** Adds a chunk; returns whether more is read. */
  add(chunk: Uint8Array): boolean {
    const taken = chunk.subarray(0, ROBOTS_LIMIT_BYTES - this.#length);
    const length = this.#length + taken.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#buffer.length));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(taken, this.#length);
    this.#length = length;
    return length < ROBOTS_LIMIT_BYTES;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  static async of(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
    const text = new RobotsText();
    for await (const chunk of chunks) if (!text.add(chunk)) break;
    return text.bytes;
  }
}

interface RobotsLine {
  readonly isAllowed: boolean;
  /** As written. */
  readonly pattern: string;
  /** From 1. */
  readonly line: number;
  /** The agent of its group, as written: `*` or a name. */
  readonly agent: string;
}

/** A line of a robots.txt that is neither a rule nor an agent, and that many ask for: `Crawl-delay`, `Content-Signal`. */
export interface RobotsDirective {
  /** Its number, from 1. */
  readonly line: number;
  /** As it is written; at most 200 characters. */
  readonly text: string;
  /** The agents of its group as they are written, with commas; empty where no agent is before it. */
  readonly agents: string;
}

interface Group {
  readonly agent: string;
  readonly lines: RobotsLine[];
}

interface Rule {
  readonly line: RobotsLine;
  /** Encoded, without the last `$`. */
  readonly pattern: string;
  readonly length: number;
  /** What is between the `*`; undefined where there is none. */
  readonly parts: readonly string[] | undefined;
  readonly isAnchored: boolean;
}

/** More rules with a `*` than this are not asked one after the other. */
const MOST_IN_TURN = 32;
/** How many characters rules with a `*` are looked up by. */
const FOUR = 4;

const END_OF_LINE = /\r\n|\r|\n/;
const USER_AGENT = /^user[- ]?agent$/i;
// Google accepts these misspellings.
const DISALLOW = /^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)$/i;
const ALLOW = /^allow$/i;
/** What is shown as it is: `Crawl-delay`, `Content-Signal`, `Content-Usage`, `AI-Train`… */
const SHOWN = /^(?:crawl-?delay|content-signals?|content-usage|ai-[\w-]+)$/i;
/** Other lines that are in use; not `Host`, which is in error messages, too. */
const OTHER = /^(?:site-?maps?|noindex|clean-param|request-rate|visit-time)$/i;
const MOST_DIRECTIVES = 100;
/** A line may have half a megabyte, and is repeated for every page that it is about. With its `…` it has 200. */
const MOST_SHOWN = 199;

/** Whether a text begins with the name of an agent. */
export function isAgent(text: unknown): text is string {
  return typeof text === 'string' && agentToken(text) !== '';
}

/** Reads a robots.txt for an agent, such as `Googlebot` or a whole User-Agent header that starts with its name. */
export function compileRobots(text: string | Uint8Array, agent: string): RobotsRules {
  const { groups } = readRobots(decoded(text));
  const lines = agentNames(agent)
    .map((name) => groups.get(name))
    .find((group) => group !== undefined)?.lines;
  return new RobotsRules(lines ?? []);
}

/** The lines that many ask for and no rule is made of, as they are written; the first hundred. */
export function readDirectives(text: string | Uint8Array): readonly RobotsDirective[] {
  return readRobots(decoded(text)).directives;
}

/** Whether a text has a line of a robots.txt, or nothing but comments; not so an error message. */
export function isRobotsText(text: Uint8Array): boolean {
  const lines = decoded(text)
    .split(END_OF_LINE)
    .filter((line) => !/^\s*(?:#|$)/.test(line));
  const names = [USER_AGENT, ALLOW, DISALLOW, SHOWN, OTHER];
  return lines.length === 0 || lines.some((line) => names.some((name) => name.test(keyAndValue(line)[0])));
}

function agentNames(agent: string): readonly string[] {
  const name = agentToken(agent);
  if (/^adsbot-google/.test(name)) return [name, 'adsbot-google'];
  if (/^googlebot-(?:image|news|video)$/.test(name)) return [name, 'googlebot', '*'];
  return [name, '*'];
}

/** `Googlebot/2.1 (+http://…)` → `googlebot`, and so is `Googlebot*`, as Google reads it. */
export function agentToken(text: string): string {
  return /^(?:\*(?![^\s/;,(])|[^\s/;,(:*]*)/.exec(text.trim())![0].toLowerCase();
}

function decoded(text: string | Uint8Array): string {
  // No character takes more than three bytes of UTF-8 for one of its units.
  if (typeof text === 'string' && text.length * 3 <= ROBOTS_LIMIT_BYTES) return text.replace(/^\ufeff/, '');
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return new TextDecoder().decode(bytes.subarray(0, ROBOTS_LIMIT_BYTES));
}

interface ReadRobots {
  readonly groups: ReadonlyMap<string, Group>;
  readonly directives: readonly RobotsDirective[];
}

function readRobots(text: string): ReadRobots {
  const groups = new Map<string, Group>();
  const directives: RobotsDirective[] = [];
  let current: Group[] = [];
  let isAgentList = false;
  let number = 0;
  for (const whole of text.split(END_OF_LINE)) {
    number++;
    const [key, value] = keyAndValue(whole);
    if (USER_AGENT.test(key)) {
      if (!isAgentList) current = [];
      isAgentList = true;
      const name = agentToken(value);
      const group = groups.get(name) ?? { agent: value, lines: [] };
      groups.set(name, group);
      current.push(group);
      continue;
    }
    if (SHOWN.test(key) && directives.length < MOST_DIRECTIVES) {
      const agents = current.slice(0, MOST_SHOWN).map(({ agent }) => agent);
      directives.push({
        line: number,
        text: clip(whole.trim(), MOST_SHOWN),
        agents: clip(agents.join(', '), MOST_SHOWN),
      });
    }
    const isAllowed = ALLOW.test(key);
    if (!isAllowed && !DISALLOW.test(key)) continue;
    isAgentList = false;
    // Without a path it says nothing, and still begins a group: nothing is disallowed for these agents.
    if (value === '') continue;
    for (const { agent, lines } of new Set(current))
      lines.push({ isAllowed, pattern: value, line: number, agent });
  }
  return { groups, directives };
}

function keyAndValue(whole: string): readonly [key: string, value: string] {
  const hash = whole.indexOf('#');
  const line = (hash === -1 ? whole : whole.slice(0, hash)).trim();
  const colon = line.indexOf(':');
  if (colon !== -1) return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  // Google also reads two words without a colon.
  const [, key = '', value = ''] = /^(\S+)\s+(\S+)$/.exec(line) ?? [];
  return [key, value];
}

/** The rules without a `*` that are the same text; the first in their precedence first. */
interface Prefix {
  readonly text: string;
  readonly rules: Rule[];
  /** The longest other one that this one begins with. */
  parent: Prefix | undefined;
}

/** The rules of a robots.txt for one agent. */
export class RobotsRules {
  /** In the order of the file. */
  readonly lines: readonly RobotsLine[];
  /** The rules without a `*`, in the order of their texts. */
  readonly #prefixes: readonly Prefix[];
  /** The rules with a `*`: where they are many, by four characters that a path must have; and those that have no four. */
  readonly #byFour = new Map<string, Rule[]>();
  readonly #short: Rule[] = [];

  constructor(lines: readonly RobotsLine[]) {
    this.lines = lines;
    const rules = lines.flatMap(rulesOf).sort(byPrecedence);
    this.#prefixes = prefixesOf(rules.filter(({ parts }) => parts === undefined));
    const wild = rules.filter(({ parts }) => parts !== undefined);
    if (wild.length <= MOST_IN_TURN) this.#short.push(...wild);
    for (const rule of wild.length <= MOST_IN_TURN ? [] : wild) {
      // The last part differs most: `/shop/*?sort=`, `/shop/*?page=`.
      const four = rule.parts!.findLast((part) => part.length >= FOUR)?.slice(0, FOUR);
      const known = four === undefined ? this.#short : this.#byFour.get(four);
      if (known !== undefined) known.push(rule);
      else this.#byFour.set(four!, [rule]);
    }
  }

  /** The line that disallows a URL of the same origin; undefined where it may be fetched. */
  disallowing(url: string): RobotsLine | undefined {
    const line = this.deciding(url);
    return line?.isAllowed === false ? line : undefined;
  }

  /** The line that decides about a URL of the same origin; undefined where none is about it, and it may be fetched. */
  deciding(url: string): RobotsLine | undefined {
    const path = encoded(pathOf(url));
    let best: Rule | undefined;
    for (let prefix = this.#longestPrefix(path); prefix !== undefined; prefix = prefix.parent) {
      best = better(best, prefix.rules, path);
    }
    best = better(best, this.#short, path);
    if (this.#byFour.size > 0) {
      for (let at = 0; at <= path.length - FOUR; at++) {
        const rules = this.#byFour.get(path.slice(at, at + FOUR));
        if (rules !== undefined) best = better(best, rules, path);
      }
    }
    return best?.line;
  }

  /**
   * The longest prefix that a path begins with; its parents are the others. All of them are beginnings of the last
   * prefix that is not behind the path in the order of texts, so that thousands of rules cost a search and few steps.
   */
  #longestPrefix(path: string): Prefix | undefined {
    const prefixes = this.#prefixes;
    let low = 0;
    let high = prefixes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (prefixes[middle]!.text <= path) low = middle + 1;
      else high = middle;
    }
    let found = prefixes[low - 1];
    while (found !== undefined && !path.startsWith(found.text)) found = found.parent;
    return found;
  }
}

/** The first of the rules, which are in the order of their precedence, that matches a path and goes before the best. */
function better(best: Rule | undefined, rules: readonly Rule[], path: string): Rule | undefined {
  for (const rule of rules) {
    if (best !== undefined && byPrecedence(best, rule) <= 0) return best;
    if (matches(rule, path)) return rule;
  }
  return best;
}

/** @param rules - in the order of their precedence */
function prefixesOf(rules: readonly Rule[]): readonly Prefix[] {
  const byText = new Map<string, Prefix>();
  for (const rule of rules) {
    const text = rule.pattern;
    const known = byText.get(text);
    if (known === undefined) byText.set(text, { text, rules: [rule], parent: undefined });
    else known.rules.push(rule);
  }
  const prefixes = [...byText.values()].sort((a, b) => (a.text < b.text ? -1 : 1));
  for (const [index, prefix] of prefixes.entries()) {
    let parent = prefixes[index - 1];
    while (parent !== undefined && !prefix.text.startsWith(parent.text)) parent = parent.parent;
    prefix.parent = parent;
  }
  return prefixes;
}

/** What a line says; Google lets one that allows the index file of a folder allow the folder itself. */
function rulesOf(line: RobotsLine): readonly Rule[] {
  const folder = line.isAllowed ? /^(.*\/)index\.htm[^/]*$/s.exec(line.pattern)?.[1] : undefined;
  return [line.pattern, ...(folder === undefined ? [] : [`${folder}$`])].map((text) => compiled(line, text));
}

function compiled(line: RobotsLine, text: string): Rule {
  const isAnchored = text.endsWith('$');
  const between = (isAnchored ? text.slice(0, -1) : text).split('*').map(encoded);
  const pattern = between.join('*');
  const parts = between.length > 1 ? between : undefined;
  // As it is written, but for what is not ASCII: so Google measures it.
  const { length } = text.replace(/[^\0-\x7f]+/gu, inPercents);
  return { line, pattern, length, parts, isAnchored };
}

function byPrecedence(left: Rule, right: Rule): number {
  return (
    right.length - left.length ||
    Number(right.line.isAllowed) - Number(left.line.isAllowed) ||
    left.line.line - right.line.line
  );
}

function matches({ pattern, parts, isAnchored }: Rule, path: string): boolean {
  if (parts === undefined) return isAnchored ? path === pattern : path.startsWith(pattern);
  // The leftmost place of each part leaves the most for the next; the last part of an anchored pattern is at the end.
  const last = parts.length - 1;
  if (!path.startsWith(parts[0]!)) return false;
  let at = parts[0]!.length;
  for (let index = 1; index < (isAnchored ? last : last + 1); index++) {
    const found = path.indexOf(parts[index]!, at);
    if (found === -1) return false;
    at = found + parts[index]!.length;
  }
  return !isAnchored || (path.length - parts[last]!.length >= at && path.endsWith(parts[last]!));
}

/** What is not in a URL as it is requested: another opening than an origin and a slash, a fragment, dot segments. */
const UNUSUAL = /^(?!https?:\/\/[^/?#\\]+\/)|[#\\]|\/(?:\.|%2e)/i;

function pathOf(url: string): string {
  const requested = UNUSUAL.test(url) ? documentKey(url) : url;
  return requested.slice(requested.indexOf('/', 'https://'.length));
}

/** What paths and the texts of patterns are compared as: only what must be encoded is, and with capital letters. */
function encoded(path: string): string {
  if (!/[^\x21-\x7e]|["$%*<>\\^`{|}]/.test(path)) return path;
  return path
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    })
    .replace(/[^\x21-\x7e]+|["$<>\\^`{|}]/gu, inPercents)
    .replaceAll('*', '%2A');
}

function inPercents(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Whether an agent may fetch a page, and the line of robots.txt that decides it. */
export interface RobotsVerdict {
  /** Absent where it is not known: robots.txt (or the end of it) could not be read, or the page is on another origin. */
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

/** The rules for one agent, by the robots.txt of each origin. */
export class AgentRules {
  readonly agent: string;
  /** The origin of the URL that was asked about last. */
  origin = '';
  readonly #rules = new Map<string, RobotsRules>();
  /** The same with a slash; empty where its rules may have changed. */
  #lastStart = '';
  #lastRules: RobotsRules | undefined;

  constructor(agent: string) {
    this.agent = agent;
  }

  /** Takes in the robots.txt of some origins. */
  add(origins: readonly string[], text: Uint8Array): void {
    const rules = compileRobots(text, this.agent);
    for (const origin of origins) this.#rules.set(origin, rules);
    this.#lastStart = '';
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

  /** The rules for a URL; undefined where the robots.txt of its origin was not read. */
  of(url: string): RobotsRules | undefined {
    // Of millions of pages nearly all are on the origin of the page before.
    if (this.#lastStart !== '' && url.startsWith(this.#lastStart)) return this.#lastRules;
    this.origin = parsedUrl(url)?.origin ?? '';
    this.#lastStart = `${this.origin}/`;
    this.#lastRules = this.#rules.get(this.origin);
    return this.#lastRules;
  }
}

interface RobotsPlace {
  readonly url: string;
  readonly declaredUrl?: string | undefined;
  readonly truncated?: boolean | undefined;
}

/** What one agent may fetch. */
export class AgentVerdicts {
  readonly #rules: AgentRules;
  /** The origins whose robots.txt was not read as far as it counts. */
  readonly #truncated = new Set<string>();

  constructor(agent: string) {
    this.#rules = new AgentRules(agent);
  }

  /**
   * Takes in a robots.txt. One that is not at the root of its origin is not one of that origin.
   *
   * @param place - where it is, and where it was declared, if that redirects to it; whether its end is missing
   */
  add(text: Uint8Array, { url, declaredUrl = url, truncated }: RobotsPlace): void {
    if (new URL(declaredUrl).pathname !== ROBOTS_PATH) return;
    const origins = robotsOrigins(url, declaredUrl);
    this.#rules.add(origins, text);
    if (truncated && text.length < ROBOTS_LIMIT_BYTES)
      for (const origin of origins) this.#truncated.add(origin);
  }

  /** What they are made of: those with the same text are the same. */
  get text(): string {
    return this.#rules.text;
  }

  of(asked: string | URL): RobotsVerdict {
    const url = String(asked);
    const rules = this.#rules.of(url);
    if (rules === undefined) return UNKNOWN;
    const line = rules.deciding(url);
    // What is missing of a robots.txt may disallow it.
    if (line?.isAllowed !== false && this.#truncated.has(this.#rules.origin)) return UNKNOWN;
    if (line === undefined) return ALLOWED;
    const { isAllowed: allowed, pattern, line: ruleLine } = line;
    return { allowed, rule: clip(`${allowed ? 'Allow' : 'Disallow'}: ${pattern}`, MOST_SHOWN), ruleLine };
  }
}
