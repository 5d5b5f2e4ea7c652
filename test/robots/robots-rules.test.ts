/** §12: `page-blocked` says what RFC 9309 and Google's documentation say, and what robots-parser says. */
import * as robotsModule from 'robots-parser';
import { describe, expect, test } from 'vitest';
import {
  AgentVerdicts,
  agentToken,
  compileRobots,
  isAgent,
  isRobotsText,
  ROBOTS_LIMIT_BYTES,
  RobotsText,
  readDirectives,
} from '../../src/robots/robots-rules.ts';
import { seededRandom } from '../support/every-cut.ts';
import { CHANGING_SEED, Chance, seedsOf } from '../support/random.ts';
import { AGENTS, decidingLine, generatedPath, generatedRobots } from '../support/robots-oracle.ts';
import { sized } from '../support/tier.ts';

// It is CommonJS, and its types say otherwise.
const robotsParser = robotsModule.default as unknown as typeof robotsModule.default.default;

const ORIGIN = 'https://example.org';

/** What robots-parser decides otherwise, with the reason why it is not followed. */
const PARSER_DIFFERS = {
  group:
    'it lets a line of another kind divide a group (RFC 9309, sections 2.2.1 and 2.2.4: other records do not)',
  encoding: 'it does not decode unreserved characters (RFC 9309, section 2.2.2)',
  fallback: 'it does not know that an agent falls back to another one (Google: "common crawlers")',
  limit: 'it reads more than 500 KiB',
  empty: 'it does not see a group that has no line at all (RFC 9309, section 2.2: a group can have no rules)',
  star: 'it takes "Googlebot*" for another name (Google: it is equivalent to "googlebot")',
  spelling: 'it compares paths as they are written, not as they are requested',
  keys: 'it knows keys by the whole word (Google: by how they begin)',
  space: 'it trims white space that is not ASCII (Google does not)',
  index: 'it does not let an index file stand for its folder (Google does, for Allow)',
  words: 'it takes "Googlebot News" for one name (Google reads the first word)',
  colon: 'it needs the colon (Google does not)',
  special: 'it lets all agents fall back to * (Google: "special-case crawlers" ignore it)',
} as const;

interface Case {
  readonly title: string;
  readonly robots: string;
  readonly agent?: string;
  readonly allowed?: readonly string[];
  readonly blocked?: readonly string[];
  readonly differs?: keyof typeof PARSER_DIFFERS;
}

const CASES: readonly Case[] = [
  {
    title: 'what is behind a * begins behind what is before it',
    robots: 'User-agent: *\nDisallow: /ab*b$\nDisallow: /cdc*cdc\nDisallow: /e*e*e$',
    blocked: ['/abb', '/ab/b', '/cdccdc', '/eee', '/e/e/e'],
    allowed: ['/ab', '/cdcdc', '/ee', '/abbc'],
  },
  { title: 'an empty file allows everything', robots: '', allowed: ['/', '/a?b'] },
  {
    title: 'the group of the agent applies',
    robots: 'User-agent: Googlebot\nDisallow: /a',
    blocked: ['/a', '/ab', '/a/b?c'],
    allowed: ['/', '/b', '/A'],
  },
  {
    title: 'without a group of its own an agent has that of *',
    robots: 'User-agent: *\nDisallow: /a',
    blocked: ['/a'],
  },
  {
    title: 'with a group of its own an agent does not have that of *',
    robots: 'User-agent: *\nDisallow: /\nUser-agent: googlebot\nDisallow: /a',
    blocked: ['/a'],
    allowed: ['/b'],
  },
  {
    title: 'a group without rules allows everything',
    robots: 'User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:',
    allowed: ['/', '/a'],
  },
  {
    title: 'so does one at the end of the file, without any line',
    robots: 'User-agent: *\nDisallow: /\nUser-agent: Googlebot',
    allowed: ['/a'],
    differs: 'empty',
  },
  {
    title: 'groups of another agent do not apply',
    robots: 'User-agent: Bingbot\nDisallow: /',
    allowed: ['/'],
  },
  { title: 'names of agents have no case', robots: 'USER-AGENT: gOOgleBOT\nDISALLOW: /a', blocked: ['/a'] },
  {
    title: 'several groups of one agent are joined',
    robots:
      'User-agent: Googlebot\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: googlebot\nDisallow: /c',
    blocked: ['/a', '/c'],
    allowed: ['/b'],
  },
  {
    title: 'a group can have several agents',
    robots: 'User-agent: a\nUser-agent: Googlebot\nUser-agent: b\nDisallow: /x',
    blocked: ['/x'],
  },
  {
    title: 'a version behind the name does not count',
    robots: 'User-agent: Googlebot/2.1\nDisallow: /x',
    blocked: ['/x'],
  },
  {
    title: 'nor does a * or a colon',
    robots:
      'User-agent: *\nDisallow: /\nUser-agent: Googlebot*\nDisallow: /x\nUser-agent: googlebot:\nDisallow: /y',
    blocked: ['/x', '/y'],
    allowed: ['/z'],
    differs: 'star',
  },
  {
    title: 'a * that begins a name is not for all',
    robots: 'User-agent: *bot\nDisallow: /x\nUser-agent: * # all\nDisallow: /y',
    blocked: ['/y'],
    allowed: ['/x'],
  },
  {
    title: 'a whole User-Agent header is known by its first word',
    agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)',
    robots: 'User-agent: Googlebot\nDisallow: /x',
    blocked: ['/x'],
  },
  {
    title: 'a prefix of a name is another agent',
    robots: 'User-agent: Google\nDisallow: /x\nUser-agent: Googlebot-Image\nDisallow: /y',
    allowed: ['/x', '/y'],
  },
  {
    title: 'rules before any agent are ignored',
    robots: 'Disallow: /x\nUser-agent: Googlebot\nDisallow: /y',
    blocked: ['/y'],
    allowed: ['/x'],
  },
  {
    title: 'the longest pattern wins',
    robots: 'User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c',
    blocked: ['/a', '/a/x', '/a/b/c'],
    allowed: ['/a/b', '/a/bx'],
  },
  {
    title: 'of two patterns of one length, Allow wins',
    robots: 'User-agent: *\nDisallow: /a\nAllow: /a',
    allowed: ['/a'],
  },
  {
    title: 'the order of rules does not matter',
    robots: 'User-agent: *\nAllow: /a/b\nDisallow: /a',
    allowed: ['/a/b'],
    blocked: ['/a/c'],
  },
  {
    title: 'a star matches any characters',
    robots: 'User-agent: *\nDisallow: /a*b',
    blocked: ['/ab', '/axb', '/a/x/bc'],
    allowed: ['/a', '/xab'],
  },
  {
    title: 'stars at both ends change nothing',
    robots: 'User-agent: *\nDisallow: *private*',
    blocked: ['/private', '/x/privately?y'],
    allowed: ['/x'],
  },
  {
    title: 'a word behind /* begins behind the first slash',
    robots: 'User-agent: *\nDisallow: /*/foo\nDisallow: /*q*z$\nDisallow: /*/',
    blocked: ['/a/foo', '//foo', '/q-z', '/aqbz', '/a/'],
    allowed: ['/foo', '/foobar', '/qz-', '/zq'],
  },
  {
    title: 'a dollar sign is the end',
    robots: 'User-agent: *\nDisallow: /*.php$',
    blocked: ['/x.php', '/a/b.php'],
    allowed: ['/x.php?y', '/x.php5', '/x.PHP'],
  },
  {
    title: 'a dollar sign elsewhere is itself',
    robots: 'User-agent: *\nDisallow: /a$b',
    blocked: ['/a$b', '/a$bc'],
    allowed: ['/a', '/ab'],
  },
  {
    title: 'a slash and a dollar sign are the homepage alone',
    robots: 'User-agent: *\nDisallow: /\nAllow: /$',
    allowed: ['/', ''],
    blocked: ['/a', '/?a'],
  },
  {
    title: 'an anchored pattern with stars ends at the end',
    robots: 'User-agent: *\nDisallow: /a*b*c$',
    blocked: ['/abc', '/abcbc', '/axbxc'],
    allowed: ['/abcd', '/acb'],
  },
  {
    title: 'the query belongs to the path',
    robots: 'User-agent: *\nDisallow: /*?\nAllow: /s?q=1',
    blocked: ['/a?b', '/?x'],
    allowed: ['/a', '/s?q=12'],
  },
  { title: 'the fragment does not', robots: 'User-agent: *\nDisallow: /a$', blocked: ['/a#x'] },
  {
    title: 'characters outside ASCII are compared encoded',
    robots: 'User-agent: *\nDisallow: /ü\nDisallow: /%E3%83%84',
    blocked: ['/%C3%BC', '/%c3%bcx', '/%e3%83%84'],
  },
  {
    title: 'a pattern is as long as it is when it is encoded',
    robots: 'User-agent: *\nDisallow: /*xyz\nAllow: /ü',
    allowed: ['/%C3%BCxyz'],
    blocked: ['/axyz'],
  },
  {
    title: 'encoded letters are letters',
    robots: 'User-agent: *\nDisallow: /foo/%62%61%7A',
    blocked: ['/foo/baz', '/foo/%62az'],
    differs: 'encoding',
  },
  {
    title: 'an encoded slash is not a slash',
    robots: 'User-agent: *\nDisallow: /a%2fb',
    blocked: ['/a%2Fb'],
    allowed: ['/a/b'],
  },
  {
    title: 'an encoded star is itself',
    robots: 'User-agent: *\nDisallow: /a%2A',
    blocked: ['/a%2a'],
    allowed: ['/ab'],
  },
  {
    title: 'a sign and the encoded sign are two',
    robots: 'User-agent: *\nDisallow: /file-with-a-%2A.html\nDisallow: /foo-%24\nDisallow: /x$y',
    blocked: ['/file-with-a-%2A.html', '/foo-%24a', '/x$y'],
    allowed: ['/file-with-a-*.html', '/file-with-a-b.html', '/foo-$', '/foo-', '/foo-a', '/x%24y'],
  },
  {
    title: 'a * and a $ of a URL are compared as they are',
    robots: 'User-agent: *\nDisallow: /*A$\nDisallow: /*4$\nDisallow: /b*%',
    allowed: ['/x*', '/price$', '/b*', '/b$'],
    blocked: ['/xA', '/x*A', '/$4', '/b*%20'],
  },
  {
    title: 'a key is known by how it begins',
    robots: 'User-agents: *\nDisallowed: /a\nAllowed-here: /a/b\nDisallow-: /c',
    blocked: ['/a', '/a/c', '/c'],
    allowed: ['/a/b', '/b'],
    differs: 'keys',
  },
  {
    title: 'the misspellings that Google accepts are accepted',
    robots:
      'Useragent: *\nDissallow: /a\nDissalow: /b\nDisalow: /c\nDiasllow: /d\nDisallaw: /e\nUser agent: x\nDisallow: /f',
    blocked: ['/a', '/b', '/c', '/d', '/e'],
    allowed: ['/f'],
    differs: 'keys',
  },
  ...['Disallow:', 'Allow:', 'Disallow: # nothing'].map((line) => ({
    title: `"${line}" without a path ends the list of agents`,
    robots: `User-agent: Googlebot\n${line}\nUser-agent: b\nDisallow: /x`,
    allowed: ['/x'],
  })),
  {
    title: 'a key that only ends like another is another',
    robots: 'User-agent: *\nNoDisallow: /a\nX-User-agent: b\nDisallow: /c',
    blocked: ['/c'],
    allowed: ['/a'],
  },
  {
    title: 'white space that is not ASCII belongs to a path',
    robots: 'User-agent: *\nDisallow: /a\u00a0\nDisallow: /b \t\v\f',
    blocked: ['/a%C2%A0', '/b'],
    allowed: ['/a'],
    differs: 'space',
  },
  {
    title: 'what a URL may not have is compared encoded',
    robots: 'User-agent: *\nDisallow: /a%3cd\nDisallow: /"b"\nDisallow: /{c} d',
    blocked: ['/a<d', '/a%3Cd', '/%22b%22', '/%7Bc%7D%20d', '/{c} d'],
  },
  {
    title: 'a path is compared as it is requested',
    robots: 'User-agent: *\nDisallow: /b/c\nDisallow: /d?\nDisallow: /e$',
    blocked: ['/a/../b/c', '/./b/c', '/b\\c', '/x/%2e%2e/b/c', '/a/../d?#e', '/e#f', '/e#'],
    allowed: ['/a/b/c', '/b/../c', '/b/c/../d'],
    differs: 'spelling',
  },
  {
    title: 'dot segments that are encoded in capital letters are dot segments',
    robots: 'User-agent: *\nDisallow: /b/c',
    blocked: ['/x/%2E%2E/b/c', '/x/%2E./b/c', '/%2E/b/c'],
  },
  {
    title: 'a URL without a path has that of the homepage',
    robots: 'User-agent: *\nDisallow: /?a',
    blocked: ['?a', '?ab', '?a/b', '/?a'],
    allowed: ['', '#?a', '?b'],
  },
  {
    title: 'all characters that need no encoding are the same when they are encoded',
    robots: 'User-agent: *\nDisallow: /%7Ea%2Db%2ec%5Fd%30',
    blocked: ['/~a-b.c_d0', '/%7ea-b.c%5fd%30'],
    differs: 'encoding',
  },
  {
    title: 'each character that a URL may not have is the same when it is encoded',
    robots: 'User-agent: *\nDisallow: /a^\nDisallow: /b|\nDisallow: /c`\nDisallow: /d>\nDisallow: /e}',
    blocked: ['/a^', '/a%5E', '/b|', '/b%7C', '/c`', '/c%60', '/d>', '/d%3e', '/e}', '/e%7D'],
    differs: 'spelling',
  },
  {
    title: 'who allows the index file of a folder allows the folder',
    robots: 'User-agent: *\nDisallow: /\nAllow: /a/index.html\nAllow: /b/index.htm',
    allowed: ['/a/', '/a/index.html', '/b/', '/b/index.html'],
    blocked: ['/', '/a', '/a/b', '/a/?b'],
    differs: 'index',
  },
  {
    title: 'an index file may have any ending behind .htm, and nothing else is one',
    robots:
      'User-agent: *\nDisallow: /\nAllow: /a/index.html?b\nAllow: /c/index.htmx\nAllow: /index.html\n' +
      'Allow: /d/indexxhtml\nAllow: /e/index.html/x\nAllow: /f/index.php\nAllow: /g/an-index.html',
    allowed: ['/a/', '/c/', '/'],
    blocked: ['/a/x', '/d/', '/e/', '/e/index.html', '/f/', '/g/'],
    differs: 'index',
  },
  {
    title: 'who disallows it does not disallow the folder',
    robots: 'User-agent: *\nDisallow: /a/index.html',
    allowed: ['/a/'],
    blocked: ['/a/index.html'],
  },
  {
    title: 'comments and white space do not count',
    robots: ' User-agent : * # all\n\tDisallow :  /a  # not this\n#Disallow: /b',
    blocked: ['/a'],
    allowed: ['/b'],
  },
  {
    title: 'lines may end with CR, LF or both',
    robots: 'User-agent: *\r\nDisallow: /a\rDisallow: /b\nDisallow: /c',
    blocked: ['/a', '/b', '/c'],
  },
  {
    title: 'a pattern without a slash matches nothing',
    robots: 'User-agent: *\nDisallow: a',
    allowed: ['/a'],
  },
  {
    title: 'a byte order mark is ignored',
    robots: '\ufeffUser-agent: *\nDisallow: /a',
    blocked: ['/a'],
  },
  {
    title: 'a Sitemap line does not divide a group',
    robots: 'User-agent: Googlebot\nSitemap: https://example.org/s.xml\nUser-agent: b\nDisallow: /a',
    blocked: ['/a'],
    differs: 'group',
  },
  {
    title: 'a Crawl-delay line does not divide a group',
    robots: 'User-agent: Googlebot\nCrawl-delay: 1\nUser-agent: b\nDisallow: /a',
    blocked: ['/a'],
    differs: 'group',
  },
  {
    title: 'Googlebot-Image falls back to Googlebot',
    agent: 'Googlebot-Image',
    robots: 'User-agent: *\nDisallow: /a\nUser-agent: Googlebot\nDisallow: /b',
    blocked: ['/b'],
    allowed: ['/a'],
    differs: 'fallback',
  },
  ...['Googlebot-News', 'Googlebot-Video'].map((agent) => ({
    title: `so does ${agent}, and then to *`,
    agent,
    robots: 'User-agent: *\nDisallow: /a\nUser-agent: Googlebot\nDisallow: /b',
    blocked: ['/b'],
    allowed: ['/a'],
    differs: 'fallback' as const,
  })),
  ...['Googlebot-Images', 'X-Googlebot-Image', 'Googlebot-Other'].map((agent) => ({
    title: `${agent} does not fall back to Googlebot`,
    agent,
    robots: 'User-agent: *\nDisallow: /a\nUser-agent: Googlebot\nDisallow: /b',
    blocked: ['/a'],
    allowed: ['/b'],
  })),
  {
    title: 'AdsBot-Google does not fall back to *',
    agent: 'AdsBot-Google',
    robots: 'User-agent: *\nDisallow: /',
    allowed: ['/a'],
    differs: 'special',
  },
  ...['AdsBot-Google-Mobile', 'Mediapartners-Google', 'APIs-Google', 'Google-Safety'].map((agent) => ({
    title: `nor does ${agent}`,
    agent,
    robots: 'User-agent: *\nDisallow: /',
    allowed: ['/a'],
    differs: 'special' as const,
  })),
  ...['AdsBot-Google-Mobile', 'Mediapartners-Google', 'APIs-Google'].map((agent) => ({
    title: `${agent} obeys a group of its own`,
    agent,
    robots: `User-agent: ${agent}\nDisallow: /a\nUser-agent: *\nDisallow: /`,
    blocked: ['/a'],
    allowed: ['/b'],
  })),
  {
    title: 'Google-Safety obeys none',
    agent: 'Google-Safety',
    robots: 'User-agent: Google-Safety\nDisallow: /',
    allowed: ['/a'],
    differs: 'special',
  },
  {
    title: 'AdsBot-Google-Mobile falls back to AdsBot-Google',
    agent: 'AdsBot-Google-Mobile',
    robots: 'User-agent: AdsBot-Google\nDisallow: /a',
    blocked: ['/a'],
    differs: 'fallback',
  },
  {
    title: 'the first word of an agent line is its name',
    robots: 'User-agent: Googlebot News\nDisallow: /a',
    blocked: ['/a'],
    differs: 'words',
  },
  {
    title: 'a missing colon is read as Google reads it',
    robots: 'User-agent *\nDisallow /a',
    blocked: ['/a'],
    differs: 'colon',
  },
  {
    title: 'what is behind 500 KiB is ignored',
    robots: `User-agent: *\nDisallow: /a\n${'#'.repeat(512_000)}\nDisallow: /b`,
    blocked: ['/a'],
    allowed: ['/b'],
    differs: 'limit',
  },
  {
    title: 'the 500 KiB are bytes, and not characters',
    robots: `\ufeffUser-agent: *\nDisallow: /a\n#${'ü'.repeat(256_000)}\nDisallow: /b`,
    blocked: ['/a'],
    allowed: ['/b'],
    differs: 'limit',
  },
];

describe('RFC 9309 and the documentation of Google', () => {
  test('there are 30 cases and more', () => expect(CASES.length).toBeGreaterThanOrEqual(30));

  test.each(CASES)('$title', ({ robots, agent = 'Googlebot', allowed = [], blocked = [], differs }) => {
    for (const text of [robots, Buffer.from(robots)]) {
      const rules = compileRobots(text, agent);
      for (const path of allowed) expect([path, rules.disallowing(ORIGIN + path)]).toEqual([path, undefined]);
      for (const path of blocked)
        expect([path, rules.disallowing(ORIGIN + path)?.isAllowed]).toEqual([path, false]);
    }
    const peer = robotsParser(`${ORIGIN}/robots.txt`, robots);
    const isSame =
      allowed.every((path) => peer.isAllowed(ORIGIN + path, agent) !== false) &&
      blocked.every((path) => peer.isAllowed(ORIGIN + path, agent) === false);
    // A reason may not outlive its cause.
    expect(isSame ? 'the same' : 'differs').toBe(differs === undefined ? 'the same' : 'differs');
  });
});

test('of lines that are shown as they are, the first hundred are kept, with the agents of their group', () => {
  const many = 'Crawl-delay: 1\n'.repeat(150);
  const found = readDirectives(`User-agent: a\nUser-agent: b\n${many}Disallow: /x\nUser-agent: c\n${many}`);
  expect(found).toHaveLength(100);
  expect(found.at(-1)).toEqual({ line: 102, text: 'Crawl-delay: 1', agents: 'a, b' });
});

test.each([
  [199, false],
  [200, true],
  [5_000, true],
])(
  'of a line of %i characters at most 200 are shown, with those of an agent and of a rule',
  (length, isCut) => {
    const shown = (text: string): string => (isCut ? `${text.slice(0, 199)}…` : text);
    const [agent, delay, rule] = ['Bot', 'Crawl-delay: ', 'Disallow: /'].map((text) =>
      text.padEnd(length, '1'),
    );
    const robots = `User-agent: ${agent}\n${delay}\n${rule}`;
    expect(readDirectives(robots)).toEqual([{ line: 2, text: shown(delay!), agents: shown(agent!) }]);
    const verdicts = new AgentVerdicts('Bot');
    verdicts.add(Buffer.from(robots.replace(agent!, 'Bot')), { url: `${ORIGIN}/robots.txt` });
    expect(verdicts.of(ORIGIN + rule!.slice('Disallow: '.length)).rule).toBe(shown(rule!));
  },
);

test.each([
  ['Crawl-delay: 1', true],
  ['crawldelay: 1', true],
  ['CONTENT-SIGNAL: search=yes', true],
  ['Content-Signals: search=yes', true],
  ['Content-Usage: train-ai=n', true],
  ['AI-Train-Data: no', true],
  ['  Crawl-delay : 1 # second', true],
  ['X-Crawl-delay: 1', false],
  ['Crawl-delays: 1', false],
  ['AI: no', false],
  ['AI-Train too: no', false],
  ['Sitemap: https://example.org/s.xml', false],
  ['# Crawl-delay: 1', false],
])('whether %j is shown as it is: %j', (line, isShown) => {
  const expected = isShown ? [{ line: 1, text: line.trim(), agents: '' }] : [];
  expect(readDirectives(`${line}\nDisallow: /x`)).toEqual(expected);
});

test('the agents of a line are those since the last rule, whether that allows or disallows', () => {
  const delay = 'Crawl-delay: 1';
  const robots = [
    ...['User-agent: a', delay, 'User-agent: b/2 # b', delay, 'Disallow: /x', delay],
    ...['User-agent: c', delay, 'Allow: /', 'User-agent: d', 'Sitemap: /s.xml', 'User-agent: e', delay],
  ];
  const shown = readDirectives(robots.join('\r\n')).map(({ line, agents }) => [line, agents]);
  expect(shown).toEqual([
    [2, 'a'],
    [4, 'a, b/2'],
    [6, 'a, b/2'],
    [8, 'c'],
    [13, 'd, e'],
  ]);
});

test('of many agents of a line 200 characters are shown', () => {
  const names = Array.from({ length: 300 }, (_, at) => `bot-${at}`);
  const robots = [...names.map((name) => `User-agent: ${name}`), 'Crawl-delay: 1'].join('\n');
  expect(readDirectives(robots)[0]?.agents).toBe(`${names.join(', ').slice(0, 199)}…`);
});

test.each([
  ['Googlebot', 'googlebot'],
  [' Googlebot/2.1', 'googlebot'],
  ['Googlebot;x', 'googlebot'],
  ['Googlebot,x', 'googlebot'],
  ['Googlebot(x)', 'googlebot'],
  ['Googlebot:x', 'googlebot'],
  ['Googlebot*', 'googlebot'],
  ['Googlebot\tx', 'googlebot'],
  ['Google_Bot-1.0', 'google_bot-1.0'],
  ['*', '*'],
  ['* x', '*'],
  ['*/2', '*'],
  ['*;x', '*'],
  ['*,x', '*'],
  ['*(x)', '*'],
  ['*x', ''],
  ['(x)', ''],
  ['/x', ''],
  [' ', ''],
])('the name of the agent %j is %j', (text, name) => {
  expect([agentToken(text), isAgent(text)]).toEqual([name, name !== '']);
});

test.each([undefined, null, 5, ['a']])('%j is not the name of an agent', (value) => {
  expect(isAgent(value)).toBe(false);
});

test('a host of one letter has paths, too', () => {
  const rules = compileRobots('User-agent: *\nDisallow: /b', 'Googlebot');
  const urls = ['http://a/b', 'http://a/c', 'https://a/b/', 'https://a/c/b'];
  expect(urls.map((each) => rules.disallowing(each)?.line)).toEqual([2, undefined, 2, undefined]);
});

test('the line that disallows is named', () => {
  const rules = compileRobots(
    'User-agent: *\nDisallow: /a\nUser-agent: GoogleBot/2.1\n\nDisallow: /b*',
    'googlebot',
  );
  expect(rules.disallowing('https://example.org/bc')).toEqual({
    isAllowed: false,
    pattern: '/b*',
    line: 5,
    agent: 'GoogleBot/2.1',
  });
});

test.each([
  ['a path', Buffer.from('User-agent: *\nDisallow: /caf\xe9', 'latin1'), '/caf%E9', '/caf%C3%A9'],
  ['a path that is encoded', Buffer.from('User-agent: *\nDisallow: /caf%e9'), '/caf%E9', '/caf%C3%A9'],
  ['UTF-8', Buffer.from('User-agent: *\nDisallow: /caf\u00e9'), '/caf%C3%A9', '/caf%E9'],
  [
    'UTF-8 beside it',
    Buffer.from('\xef\xbb\xbfUser-agent: *\nDisallow: /caf\xc3\xa9\nDisallow: /\xe9', 'latin1'),
    '/caf%c3%a9',
    '/caf%E9',
  ],
  ['a cut character', Buffer.from('User-agent: *\nDisallow: /\xe3\x83/', 'latin1'), '/%E3%83/', '/%E3%83%84'],
])('octets that are not UTF-8 are compared as they are encoded: %s', (_, robots, blocked, allowed) => {
  const rules = compileRobots(robots, 'Googlebot');
  expect(rules.disallowing(ORIGIN + blocked)?.isAllowed).toBe(false);
  expect(rules.disallowing(ORIGIN + allowed)).toBeUndefined();
});

test.each([
  ['as large as the first buffer', [4_096], false],
  ['one byte larger', [4_096, 1], false],
  ['of one chunk that is more than twice as large', [10_000], false],
  ['of a small chunk and a large one', [5_000, 20_000], false],
  ['one byte smaller than the limit', [ROBOTS_LIMIT_BYTES - 1], false],
  ['as large as the limit', [4_096, ROBOTS_LIMIT_BYTES - 4_096], true],
  ['larger than the limit within a chunk', [ROBOTS_LIMIT_BYTES - 3, 10], true],
])('a robots.txt is kept up to the limit, in whatever chunks: %s', (_, sizes, isFull) => {
  const all = Buffer.from(
    Uint8Array.from({ length: sizes.reduce((sum, size) => sum + size) }, (_, at) => at % 251),
  );
  const text = new RobotsText();
  let isMoreRead = true;
  let at = 0;
  for (const size of sizes) {
    isMoreRead = text.add(all.subarray(at, at + size));
    at += size;
  }
  expect(Buffer.compare(text.bytes, all.subarray(0, ROBOTS_LIMIT_BYTES))).toBe(0);
  expect(isMoreRead).toBe(!isFull);
});

const KINDS: Readonly<Record<string, (index: number) => readonly [rule: string, path: string]>> = {
  'a plain rule': (index) => [`/p${index}/`, `/p${index}/x`],
  'a rule with a star': (index) => [`/p*/q${index}/`, `/p/x/q${index}/y`],
  'a rule that begins with a star': (index) => [`*q${index}/`, `/p/q${index}/y`],
  'a rule with an end': (index) => [`/*.x${index}$`, `/p.x${index}`],
};

describe.each(Object.entries(KINDS))('%s', (_, of) => {
  test.each([1, 33, 501, sized({ fast: 5_000, full: 20_000 })])(
    'is found among %i, wherever it is',
    (count) => {
      const lines = Array.from({ length: count }, (_, index) => `Disallow: ${of(index)[0]}`);
      const rules = compileRobots(`User-agent: *\n${lines.join('\n')}`, 'Googlebot');
      for (const index of [0, count >> 1, count - 1])
        expect(rules.disallowing(ORIGIN + of(index)[1])?.line).toBe(index + 2);
      expect(rules.disallowing(ORIGIN + of(count)[1])).toBeUndefined();
    },
  );
});

const SEED = Number(process.env['ROBOTS_SEED'] ?? sized({ fast: 9309, full: CHANGING_SEED }));
test(`generated files are read as robots-parser reads them, from seed ${SEED}`, () => {
  const random = seededRandom(SEED);
  const among = <Each>(list: readonly Each[]): Each => list[Math.floor(random() * list.length)]!;
  const piece = () => among(['a', 'b', 'ab', '/', '/', '*', '$', '?', 'ü', '%2F', '.']);
  const text = (most: number) => Array.from({ length: Math.floor(random() * most) }, piece).join('');
  const line = () =>
    among([
      () => `User-agent: ${among(['*', 'googlebot', 'Bingbot'])}`,
      () => `Disallow: /${text(5)}`,
      () => `Disallow: ${text(5)}`,
      () => `Allow: /${text(6)}`,
      () => 'Disallow:',
      () => `# ${text(3)}`,
    ])();
  let blocked = 0;
  for (let run = 0; run < sized({ fast: 2000, full: 3_000, strong: 60_000 }); run++) {
    // Without a rule behind it, robots-parser does not see the last group ("empty" above).
    const robots = [...Array.from({ length: Math.floor(random() * 12) }, line), 'Disallow:'].join('\n');
    const rules = compileRobots(robots, 'Googlebot');
    const peer = robotsParser(`${ORIGIN}/robots.txt`, robots);
    // It drops a "?" with nothing behind it.
    const url = new URL(`${ORIGIN}/${text(8)}`).href.replace(/\?+$/, '');
    const isBlocked = rules.disallowing(url) !== undefined;
    if (isBlocked) blocked++;
    const isSame = isBlocked === (peer.isAllowed(url, 'Googlebot') === false);
    if (!isSame) expect.fail(`${url} and ${JSON.stringify(robots)}`);
  }
  expect(blocked).toBeGreaterThan(100);
});

test('generated files are read as a simple program reads them', () => {
  for (const seed of seedsOf({ variable: 'ROBOTS', chosen: [1, 600], seconds: 1 })) {
    const chance = new Chance(seed);
    const robots = generatedRobots(chance);
    const agent = chance.pick(AGENTS);
    const rules = compileRobots(robots, agent);
    for (let url = 0; url < 5; url++) {
      const path = new URL(ORIGIN + generatedPath(chance, 12)).href.slice(ORIGIN.length);
      const line = rules.deciding(ORIGIN + path);
      const found = line === undefined ? undefined : [line.isAllowed, line.line];
      const expected = decidingLine(robots.toString('latin1'), agent, path);
      if (found?.join() !== expected?.join())
        expect.fail(
          `${seed}: ${path}, ${agent}, ${JSON.stringify(robots.toString('latin1'))}: ${found}, ${expected}`,
        );
    }
  }
});

describe('what an agent may fetch', () => {
  const url = `${ORIGIN}/robots.txt`;
  const page = `${ORIGIN}/a`;
  const robots = Buffer.from('User-agent: *\nDisallow: /a');

  test('is not known before the robots.txt of the origin is read, and known from then on', () => {
    const verdicts = new AgentVerdicts('Googlebot');
    expect(verdicts.of(page)).toEqual({});
    verdicts.add(robots, { url });
    expect(verdicts.of(page)).toEqual({ allowed: false, rule: 'Disallow: /a', ruleLine: 2 });
    verdicts.add(Buffer.from('User-agent: *\nAllow: /a'), { url });
    expect(verdicts.of(page)).toMatchObject({ allowed: true, rule: 'Allow: /a' });
  });

  test.each([
    ['https://example.org.evil.test/a', {}],
    ['https://example.org:8443/a', {}],
    ['http://example.org/a', {}],
    ['https://www.example.org/a', {}],
    ['not a URL', {}],
    ['https://example.org:443/a', { allowed: false }],
    ['https://EXAMPLE.org/a', { allowed: false }],
    ['https://user@example.org/a', { allowed: false }],
  ])('is for one origin: %s', (other, expected) => {
    const verdicts = new AgentVerdicts('Googlebot');
    verdicts.add(robots, { url });
    for (const _ of [1, 2]) {
      expect(verdicts.of(page)).toMatchObject({ allowed: false });
      expect(verdicts.of(other)).toMatchObject(expected);
      if (!('allowed' in expected)) expect(verdicts.of(other)).toEqual({});
    }
  });

  const no = { allowed: false, rule: 'Disallow: /a', ruleLine: 2 };
  test.each([
    ['/robots.txt', 'https://other.test/robots.txt', no, no],
    ['/robots.txt', 'https://other.test/x/robots.txt', no, {}],
    ['/robots.txt', 'https://other.test/robots.txt?x', no, no],
    ['/robots.txt', 'https://example.org/rules.txt', no, {}],
    ['/x/robots.txt', 'https://other.test/robots.txt', {}, {}],
    ['/ROBOTS.TXT', 'https://other.test/rules', {}, {}],
  ])('of %s that redirects to %s', (declared, target, here, there) => {
    const verdicts = new AgentVerdicts('Googlebot');
    verdicts.add(robots, { url: target, declaredUrl: ORIGIN + declared });
    expect([verdicts.of(page), verdicts.of('https://other.test/a')]).toEqual([here, there]);
  });

  test('is not known of both origins of a robots.txt whose end is missing, and of no other', () => {
    const verdicts = new AgentVerdicts('Googlebot');
    const other = 'https://other.test';
    const allowing = Buffer.from('User-agent: *\nAllow: /b');
    verdicts.add(allowing, { url: 'https://third.test/robots.txt' });
    verdicts.add(allowing, { url: `${other}/robots.txt`, declaredUrl: url, truncated: true });
    const origins = [ORIGIN, other, 'https://third.test'];
    expect(origins.map((origin) => verdicts.of(`${origin}/a`))).toEqual([{}, {}, { allowed: true }]);
    expect(origins.map((origin) => verdicts.of(`${origin}/b`).allowed)).toEqual([undefined, undefined, true]);
  });

  test('depends on the origin, on what is allowed and on the pattern, and on no number of a line', () => {
    const textOf = (text: string, at = url): string => {
      const verdicts = new AgentVerdicts('Googlebot');
      verdicts.add(Buffer.from(text), { url: at });
      return verdicts.text;
    };
    const text = textOf('User-agent: *\nDisallow: /a');
    expect(textOf('# rules\n\nuser-agent: googlebot\nDisallow: /a # a')).toBe(text);
    expect(textOf('User-agent: *\nAllow: /a')).not.toBe(text);
    expect(textOf('User-agent: *\nDisallow: /b')).not.toBe(text);
    expect(textOf('User-agent: *\nDisallow: /a\nDisallow: /b')).not.toBe(text);
    expect(textOf('User-agent: *\nDisallow: /a', 'https://other.test/robots.txt')).not.toBe(text);
  });

  test.each([
    ['one byte less than 500 KiB', ROBOTS_LIMIT_BYTES - 1, {}],
    ['500 KiB, which is all that counts', ROBOTS_LIMIT_BYTES, { allowed: true }],
  ])('where the end of a robots.txt is missing behind %s', (_size, bytes, expected) => {
    const verdicts = new AgentVerdicts('Googlebot');
    const text = Buffer.alloc(bytes, '#');
    text.write('User-agent: *\nDisallow: /a\n');
    verdicts.add(text, { url, truncated: true });
    expect(verdicts.of(`${ORIGIN}/b`)).toEqual(expected);
    expect(verdicts.of(page)).toMatchObject({ allowed: false });
  });
});

test.each([
  ['User-agent: *\nDisallow:', true],
  ['Allow: /', true],
  ['\uFEFFSitemap: https://example.org/s.xml', true],
  ['Crawl-delay: 5', true],
  ['Content-Signal: ai-train=no', true],
  ['Clean-param: id /a', true],
  ['Content-Usage: train-ai=n', true],
  ['Noindex: /a', true],
  ['Sitemaps: https://example.org/s.xml', true],
  ['site-map: https://example.org/s.xml', true],
  ['Request-rate: 1/5', true],
  ['Visit-time: 0100-0200', true],
  ['Useragent: *', true],
  ['Our sitemap: https://example.org/s.xml', false],
  ['Noindexed: /a', false],
  ['Too many requests.\nUser-agent: *', true],
  ['', true],
  ['\n # nothing is forbidden\n\n', true],
  ['Too many requests.', false],
  ['Error: not found\nHost: example.org', false],
  ['# 503\nService unavailable', false],
])('%j is a robots.txt, and not an error message: %s', (text, expected) => {
  expect(isRobotsText(new TextEncoder().encode(text))).toBe(expected);
});
