/**
 * Verdicts of robots.txt by a program that is as simple as it can be, and knows nothing of ours: it looks at every rule,
 * octet by octet, with the set of all places in the path where a part of the pattern may end. And files to try it on.
 */
import type { Chance } from './random.ts';

export const AGENTS: readonly string[] = ['Googlebot', 'Googlebot-Image', 'AdsBot-Google', 'x', 'X/1.0 (y)'];

const KEYS = ['Allow', 'allow', 'Disallow', 'Disallowed', 'disalow', 'Sitemap', 'Crawl-delay', 'Host', ''];
const PIECES = [
  'a',
  'b',
  'aa',
  'ab',
  '/',
  '/',
  '*',
  '**',
  '$',
  '?',
  '%61',
  '%2a',
  '%24',
  '%',
  '\xc3\xbc',
  '\xe9',
  '.',
];

const several = (chance: Chance, most: number, piece: () => string): string =>
  Array.from({ length: chance.between(0, most) }, piece).join('');

/** Any octets. */
export function generatedRobots(chance: Chance, most = 14): Buffer {
  const agent = (): string =>
    chance.pick([...AGENTS, '*', '* y', 'googlebot*', 'adsbot-google-mobile', 'y', '']);
  const path = (): string => {
    const index = chance.happens(0.1) ? '/index.html' : '';
    return chance.pick(['', '/', '/', '/a']) + several(chance, 6, () => chance.pick(PIECES)) + index;
  };
  const line = (): string => {
    if (chance.happens(0.3)) return chance.pick(['User-agent: ', 'user agent:', 'Useragents :']) + agent();
    return (
      chance.pick(KEYS) + chance.pick([': ', ':', ' : ', ' ', '\t']) + path() + chance.pick(['', ' ', '#*'])
    );
  };
  const start = chance.pick([
    '',
    '',
    '\xef\xbb\xbf',
    'User-agent: *\n',
    'user-agent:x\nuser-agent:Googlebot\n',
  ]);
  return Buffer.from(
    start + several(chance, most, () => line() + chance.pick(['\n', '\r\n', '\r'])),
    'latin1',
  );
}

export function generatedPath(chance: Chance, most: number): string {
  return `/${several(chance, most, () => chance.pick([...PIECES, 'index.html']).replaceAll(/[^\0-\x7f]/g, 'ü'))}`;
}

/** The line that decides about a path as it is requested: whether it allows it, and its number. */
export function decidingLine(
  robots: string,
  agent: string,
  path: string,
): readonly [isAllowed: boolean, line: number] | undefined {
  const own = /^[a-z-]*/i.exec(agent)![0].toLowerCase();
  const names =
    own === 'googlebot-image' ? [own, 'googlebot', '*'] : own === 'adsbot-google' ? [own] : [own, '*'];
  const known = new Set<string>();
  const rules: { agents: string[]; isAllowed: boolean; line: number; pattern: string }[] = [];
  let agents: string[] = [];
  let isOpen = false;
  for (const [index, text] of robots
    .replace(/^\xef\xbb\xbf/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const bare = text.replace(/#.*/s, '').replaceAll(/^[ \t]+|[ \t]+$/g, '');
    const [, key = '', value = ''] =
      /^([^:]*?)[ \t]*:[ \t]*(.*)$/s.exec(bare) ?? /^([^ \t]+)[ \t]+([^ \t]+)$/.exec(bare) ?? [];
    if (/^user[- ]?agent/i.test(key)) {
      if (!isOpen) agents = [];
      isOpen = true;
      const name = /^\*(?:\s|$)/.test(value) ? '*' : /^[a-z-]*/i.exec(value)![0].toLowerCase();
      agents = [...agents, name];
      known.add(name);
    } else if (/^(?:allow|disallow|disalow)/i.test(key)) {
      isOpen = false;
      if (value !== '') rules.push({ agents, isAllowed: /^a/i.test(key), line: index + 1, pattern: value });
    }
  }
  const name = names.find((each) => known.has(each));
  if (name === undefined) return undefined;
  let best: readonly [number, number, number] | undefined;
  for (const { isAllowed, line, pattern } of rules.filter((rule) => rule.agents.includes(name))) {
    const folder = isAllowed ? /^.*\/(?=index\.htm[^/]*$)/s.exec(pattern)?.[0] : undefined;
    for (const each of folder === undefined ? [pattern] : [pattern, `${folder}$`]) {
      if (!matches(each, path)) continue;
      const rank = [octets(each).length, isAllowed ? 1 : 0, -line] as const;
      const difference = best === undefined ? 1 : rank[0] - best[0] || rank[1] - best[1] || rank[2] - best[2];
      if (difference > 0) best = rank;
    }
  }
  return best === undefined ? undefined : [best[1] === 1, -best[2]];
}

function matches(pattern: string, path: string): boolean {
  const read = compared(path);
  const isAnchored = pattern.endsWith('$');
  let places = [0];
  for (const sign of (isAnchored ? pattern.slice(0, -1) : pattern).split(/(\*)/)) {
    if (sign === '*')
      places = Array.from({ length: read.length - (places[0] ?? Infinity) + 1 }, (_, at) => places[0]! + at);
    else {
      const text = compared(sign);
      places = places.filter((at) => read.startsWith(text, at)).map((at) => at + text.length);
    }
    if (places.length === 0) return false;
  }
  return !isAnchored || places.includes(read.length);
}

/** What is not ASCII is encoded, octet by octet. */
function octets(text: string): string {
  return text.replaceAll(/[\x80-\xff]/g, (octet) => `%${octet.charCodeAt(0).toString(16)}`);
}

function compared(text: string): string {
  return octets(text).replaceAll(/%[0-9a-f]{2}/gi, (code) => {
    const sign = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[a-z0-9._~-]/i.test(sign) ? sign : code.toUpperCase();
  });
}
