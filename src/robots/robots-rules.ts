/**
 * Who may fetch what: a robots.txt as Google's parser reads it, and RFC 9309.
 *
 * - The groups of an agent are joined; without one, those of `*` apply. Googlebot-Image, -News and -Video fall back to
 *   Googlebot first. Google's crawlers for advertisers and APIs do not fall back to `*`.
 * - Of the rules that match, the one with the longest pattern wins; of two equal ones, Allow. `*` and a last `$` are
 *   special. `Allow: /a/index.html` allows `/a/` too (Google).
 * - Paths are compared as they are requested, and encoded: `/b/../a`, `/a`, `%7e` and `~`, `ü` and `%C3%BC` are the
 *   same, but not `*` and `%2A`, nor `$` and `%24` (Google; not so RFC 9309). What is not UTF-8 is compared by octets.
 * - Only the first 500 KiB are read. A byte order mark is ignored. Lines that are neither an agent nor a rule are as if
 *   they were not there: a Sitemap line between two agents does not divide their group. `Disallowed:` is `Disallow:`.
 *
 * The library robots-parser agrees on nearly everything (the tests compare). It is not used here, because it departs
 * from the above in the last points and in `%7E`, and takes some microseconds for each URL and rule; a site has
 * millions of URLs.
 */
import { clip } from '../text/wording.ts';
import { documentKey, parsedUrl } from '../url.ts';
import { type Pattern, PatternSet } from './pattern-set.ts';

/** Google reads this many bytes, and ignores the rest. */
export const ROBOTS_LIMIT_BYTES: number = 500 * 1024;

/** Where a robots.txt is on its origin. */
const ROBOTS_PATH = '/robots.txt';

/**
 * The origins that a robots.txt is for that was fetched: its own, and that to which it redirects, where that is the
 * robots.txt of another origin.
 */
export function robotsOrigins(url: string, declaredUrl: string = url): readonly string[] {
  const [robotsUrl, declared] = [new URL(url), new URL(declaredUrl)];
  return robotsUrl.pathname === ROBOTS_PATH ? [declared.origin, robotsUrl.origin] : [declared.origin];
}

/** Reads a robots.txt, chunk by chunk. */
export class RobotsText {
  #buffer = new Uint8Array(4096);
  #length = 0;

  /** Adds a chunk; returns whether more is read. */
  add(chunk: Uint8Array): boolean {
    const part = chunk.subarray(0, ROBOTS_LIMIT_BYTES - this.#length);
    const length = this.#length + part.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#buffer.length));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(part, this.#length);
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

/** A line of a robots.txt that is neither a rule nor an agent: `Crawl-delay`, `Content-Signal`. */
export interface RobotsDirective {
  /** Its number, from 1. */
  readonly line: number;
  /** As it is written; at most 200 characters. */
  readonly text: string;
  /** The agents of its group as they are written, with commas; empty where no agent is before it. */
  readonly agents: string;
}

/** A line as it is compared. */
interface Rule extends Pattern {
  readonly line: RobotsLine;
  readonly length: number;
}

const END_OF_LINE = /\r\n|\r|\n/;
// Google looks at how a key begins, and accepts these misspellings.
const USER_AGENT = /^user[- ]?agent/i;
const DISALLOW = /^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)/i;
const ALLOW = /^allow/i;
/** Lines that are kept as they are written: `Crawl-delay`, `Content-Signal`, `Content-Usage`, `AI-Train`… */
const DIRECTIVE = /^(?:crawl-?delay|content-signals?|content-usage|ai-[\w-]+)$/i;
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
  const names = agentNames(agent);
  // Only the lines for these names are kept: a file may have as many agents as rules.
  const groups = new Map<string, { readonly agent: string; readonly lines: RobotsLine[] }>();
  let current = new Set<string>();
  let isAgentList = false;
  for (const { key, value, number: line } of robotsLines(text)) {
    const isAllowed = ALLOW.test(key);
    if (USER_AGENT.test(key)) {
      if (!isAgentList) current = new Set();
      isAgentList = true;
      const name = agentToken(value);
      if (!names.includes(name)) continue;
      current.add(name);
      if (!groups.has(name)) groups.set(name, { agent: value, lines: [] });
    } else if (isAllowed || DISALLOW.test(key)) {
      isAgentList = false;
      // Without a path it says nothing, and still begins a group: nothing is disallowed for these agents.
      if (value === '') continue;
      for (const name of current) {
        const { agent, lines } = groups.get(name)!;
        lines.push({ isAllowed, pattern: value, line, agent });
      }
    }
  }
  const name = names.find((each) => groups.has(each));
  return new RobotsRules(name === undefined ? [] : groups.get(name)!.lines);
}

/** The lines that many ask for and no rule is made of, as they are written; the first hundred. */
export function readDirectives(text: string | Uint8Array): readonly RobotsDirective[] {
  const directives: RobotsDirective[] = [];
  let agents: string[] = [];
  let isAgentList = false;
  for (const { key, value, number: line, whole } of robotsLines(text)) {
    if (USER_AGENT.test(key)) {
      if (!isAgentList) agents = [];
      isAgentList = true;
      if (agents.length < MOST_SHOWN) agents.push(value.slice(0, MOST_SHOWN + 1));
    } else if (ALLOW.test(key) || DISALLOW.test(key)) {
      isAgentList = false;
    } else if (DIRECTIVE.test(key) && directives.length < MOST_DIRECTIVES) {
      const clippedRule = {
        text: clip(whole.trim(), MOST_SHOWN),
        agents: clip(agents.join(', '), MOST_SHOWN),
      };
      directives.push({ line, ...clippedRule });
    }
  }
  return directives;
}

/** Whether a text has a line of a robots.txt, or nothing but comments; not so an error message. */
export function isRobotsText(text: Uint8Array): boolean {
  const lines = robotsLines(text).filter(({ whole }) => !/^\s*(?:#|$)/.test(whole));
  const names = [USER_AGENT, ALLOW, DISALLOW, DIRECTIVE, OTHER];
  return lines.length === 0 || lines.some(({ key }) => names.some((name) => name.test(key)));
}

/** The names whose groups an agent obeys; the first that has one counts. Google documents what is special. */
function agentNames(agent: string): readonly string[] {
  const name = agentToken(agent);
  if (name === 'google-safety') return [];
  if (name === 'apis-google' || name === 'mediapartners-google') return [name];
  if (name.startsWith('adsbot-google')) return [name, 'adsbot-google'];
  if (/^googlebot-(?:image|news|video)$/.test(name)) return [name, 'googlebot', '*'];
  return [name, '*'];
}

/** `Googlebot/2.1 (+http://…)` → `googlebot`, and so is `Googlebot*`, as Google reads it. */
export function agentToken(text: string): string {
  return /^(?:\*(?![^\s/;,(])|[^\s/;,(:*]*)/.exec(text.trim())![0].toLowerCase();
}

/** Percent-encodes bytes that are not UTF-8, as Google does: a URL has them in this form. */
function decoded(text: string | Uint8Array): string {
  // No character takes more than three bytes of UTF-8 for one of its units.
  if (typeof text === 'string' && text.length * 3 <= ROBOTS_LIMIT_BYTES) return text.replace(/^\ufeff/, '');
  const all = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const bytes = all.subarray(0, ROBOTS_LIMIT_BYTES);
  const decodedText = new TextDecoder().decode(bytes);
  if (!decodedText.includes('\ufffd')) return decodedText;
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : percent(byte)))
    .join('')
    .replace(/^%EF%BB%BF/, '');
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase()}`;
}

interface KeyedLine {
  readonly key: string;
  readonly value: string;
  /** From 1. */
  readonly number: number;
  readonly whole: string;
}

function robotsLines(text: string | Uint8Array): readonly KeyedLine[] {
  return decoded(text)
    .split(END_OF_LINE)
    .map((whole, index) => ({ ...keyAndValue(whole), number: index + 1, whole }));
}

function keyAndValue(whole: string): Pick<KeyedLine, 'key' | 'value'> {
  const hash = whole.indexOf('#');
  const line = trimmed(hash === -1 ? whole : whole.slice(0, hash));
  const colon = line.indexOf(':');
  if (colon !== -1) return { key: trimmed(line.slice(0, colon)), value: trimmed(line.slice(colon + 1)) };
  // Google also reads two words without a colon.
  const [, key = '', value = ''] = /^([^ \t]+)[ \t]+([^ \t]+)$/.exec(line) ?? [];
  return { key, value };
}

/** The rules of a robots.txt for one agent. */
export class RobotsRules {
  /** In the order of the file. */
  readonly lines: readonly RobotsLine[];
  /** In their precedence, each pattern once. */
  readonly #rules: readonly Rule[];
  readonly #patterns: PatternSet;

  constructor(lines: readonly RobotsLine[]) {
    this.lines = lines;
    const byText = new Map<string, Rule>();
    for (const rule of lines.flatMap(rulesOf).sort(byPrecedence)) {
      const text = rule.texts.join('*') + (rule.isAnchored ? '$' : '');
      if (!byText.has(text)) byText.set(text, rule);
    }
    this.#rules = [...byText.values()];
    this.#patterns = new PatternSet(this.#rules);
  }

  /** The line that disallows a URL of the same origin; undefined where it may be fetched. `path` if it is known. */
  disallowing(url: string, path?: string): RobotsLine | undefined {
    const line = this.deciding(url, path);
    return line?.isAllowed === false ? line : undefined;
  }

  /** The line that decides about a URL of the same origin; undefined where none is about it, and it may be fetched. */
  deciding(url: string, path: string = pathOf(url)): RobotsLine | undefined {
    return this.#rules[this.#patterns.firstMatch(comparablePath(path))]?.line;
  }
}

/** Without the white space of ASCII at both ends. An expression would look at long white space again and again. */
function trimmed(text: string): string {
  const isBlank = (at: number): boolean => /[ \t-\r]/.test(text.charAt(at));
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return text.slice(start, end);
}

/** What a line says; Google lets one that allows the index file of a folder allow the folder itself. */
function rulesOf(line: RobotsLine): readonly Rule[] {
  const folder = line.isAllowed ? /^(.*\/)index\.htm[^/]*$/s.exec(line.pattern)?.[1] : undefined;
  return [line.pattern, ...(folder === undefined ? [] : [`${folder}$`])].map((text) => compiled(line, text));
}

function compiled(line: RobotsLine, text: string): Rule {
  const isAnchored = text.endsWith('$');
  const texts = (isAnchored ? text.slice(0, -1) : text).split('*').map(comparablePath);
  // As it is written, but for what is not ASCII: so Google measures it.
  const { length } = text.replace(/[^\0-\x7f]+/gu, inPercents);
  return { line, length, texts, isAnchored };
}

function byPrecedence(left: Rule, right: Rule): number {
  return (
    right.length - left.length ||
    Number(right.line.isAllowed) - Number(left.line.isAllowed) ||
    left.line.line - right.line.line
  );
}

/** Matches a text that is not a URL as it is requested: no origin and slash at its start, a fragment, dot segments. */
const UNUSUAL = /^(?!https?:\/\/[^/?#\\]+\/)|[#\\]|\/(?:\.|%2e)/i;

function pathOf(url: string): string {
  const requested = UNUSUAL.test(url) ? documentKey(url) : url;
  return requested.slice(requested.indexOf('/', 'https://'.length));
}

/** What paths and the texts of patterns are compared as: only what must be encoded is, and with capital letters. */
function comparablePath(path: string): string {
  if (!/[^\x21-\x7e]|["%<>\\^`{|}]/.test(path)) return path;
  return path
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    })
    .replace(/[^\x21-\x7e]+|["<>\\^`{|}]/gu, inPercents);
}

function inPercents(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Whether an agent may fetch a page, and the line of robots.txt that decides it. */
export interface RobotsVerdict {
  /** Absent where it is not known: robots.txt could not be read to its end, or the page is on another origin. */
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
  /** {@link origin} with a slash; empty where its rules may have changed. */
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

  of(page: string | URL): RobotsVerdict {
    const url = String(page);
    const rules = this.#rules.of(url);
    if (rules === undefined) return UNKNOWN;
    const line = rules.deciding(url);
    // The rest of a truncated robots.txt may disallow the page.
    if (line?.isAllowed !== false && this.#truncated.has(this.#rules.origin)) return UNKNOWN;
    if (line === undefined) return ALLOWED;
    const { isAllowed: allowed, pattern, line: ruleLine } = line;
    return { allowed, rule: clip(`${allowed ? 'Allow' : 'Disallow'}: ${pattern}`, MOST_SHOWN), ruleLine };
  }
}
