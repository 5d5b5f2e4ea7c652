/** Files robots.txt that are much work for their size, each with a path to judge. */

interface RobotsBomb {
  /** Its lines behind the agent's, by their number from 0; as many as fit are taken. */
  readonly line: (index: number) => string;
  /** What its paths repeat. */
  readonly path: string;
  /** Lines before those of the agent. */
  readonly agents?: (index: number) => string;
}

const letter = (index: number): string => String.fromCharCode(98 + (index % 24));

export const ROBOTS_BOMBS: Readonly<Record<string, RobotsBomb>> = {
  'agents before rules': {
    agents: (index) => `useragent:a${index}`,
    line: () => 'allow:a',
    path: 'a',
  },
  'agents between rules': { line: (index) => `user-agent:x\nuser-agent:*\nallow:/${index}`, path: '1' },
  'the same rule': { line: () => 'Allow:*aaaa*z', path: 'a' },
  'two stars': { line: (index) => `Allow:*aaaa*z${index}`, path: 'a' },
  'the last word of many': { line: (index) => `Allow:*${index}*a`, path: 'a' },
  'a word that many wait for': { line: (index) => `Allow:/a*a*b${index}*a`, path: 'ab1' },
  'three stars and an end': { line: (index) => `Allow:*a*b*c${index}$`, path: 'abc1' },
  'ends alone': { line: (index) => `Disallow:*a${index}$`, path: 'a1' },
  'whole paths': { line: (index) => `Disallow:/aaaa${index}$`, path: 'a' },
  'long words': { line: (index) => `Allow:*${letter(index)}${'a'.repeat(990)}${index}`, path: 'a' },
  'long words that begin alike': { line: (index) => `Allow:*${'a'.repeat(990)}${index}`, path: 'a' },
  'words that overlap': { line: (index) => `Allow:*${'a'.repeat(90)}*${'a'.repeat(91)}${index}`, path: 'a' },
  'equal prefixes': { line: (index) => `Disallow:/${'a'.repeat(index % 500)}`, path: 'a' },
  'one rule of stars': { line: () => 'Disallow:/*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b', path: 'a' },
  'many stars in a row': { line: (index) => `Disallow:${'*'.repeat(200)}${index}`, path: '*' },
  'percent escapes': { line: (index) => `Allow:*\u00e9*%7e%c3${index}`, path: '%C3%A9' },
  'escapes that are cut': { line: (index) => `Allow:*%${index}*%2`, path: '%2' },
  'index files': { line: (index) => `Allow:*/${index}/index.html`, path: '/index.htm' },
  'white space': { line: (index) => `Allow:${' '.repeat(index % 5000)}/a`, path: 'a' },
  'words without a colon': { line: () => `${'allow '.repeat(500)}x`, path: 'a' },
  'comments and nothing': { line: (index) => '#'.repeat(index % 3), path: 'a' },
  'endings of each other': { line: (index) => `Allow:*${'a'.repeat(index + 1)}*z`, path: 'a' },
};

export function robotsBomb(name: string, size: number): string {
  const { line, agents } = ROBOTS_BOMBS[name]!;
  const lines: string[] = [];
  let left = size;
  const fill = (next: (index: number) => string, least: number): void => {
    for (let index = 0; ; index++) {
      const text = next(index);
      if (left - text.length - 1 < least) return;
      left -= text.length + 1;
      lines.push(text);
    }
  };
  if (agents !== undefined) fill(agents, size / 2);
  lines.push('user-agent:*');
  left -= 13;
  fill(line, 0);
  return lines.join('\n');
}
