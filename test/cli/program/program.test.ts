/** §10: what each command makes of its flags: how values are read, defaults, and which flags exclude each other. */
import type { Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/program/program.ts';

type Options = Readonly<Record<string, unknown>>;

interface Parsed {
  readonly argument: unknown;
  readonly options: Options;
}

const programs = new Map<string, Command>();
let runs: Parsed[] = [];

/** A program by its first word: commander resets it before each command line. */
function programOf(name: string): Command {
  const existing = programs.get(name);
  if (existing !== undefined) return existing;
  const program = createProgram(
    '1.2.3',
    async (_row, argument, options) => {
      runs.push({ argument, options: { ...options } });
    },
    name,
  );
  for (const command of [program, ...program.commands])
    command.exitOverride().configureOutput({ writeErr() {}, writeOut() {} });
  programs.set(name, program);
  return program;
}

/** What a command is run with. @throws where the command line is refused */
async function parsed(argv: readonly string[]): Promise<Parsed> {
  runs = [];
  await programOf(argv[0] ?? '').parseAsync([...argv], { from: 'user' });
  expect(runs).toHaveLength(1);
  return runs[0]!;
}

/** The least that each command needs. */
const LEAST: Readonly<Record<string, readonly string[]>> = {
  ls: ['a.example'],
  update: ['a.warc.gz'],
  diff: ['a.xml', 'b.xml'],
  check: ['a.xml'],
  fix: ['a.xml', '-o', 'out'],
  write: ['a.csv', '-o', 'out', '--base', 'https://a.example/'],
  report: ['a.xml'],
  crawl: ['sites.txt', '-o', 'out'],
  worker: ['--queue', 'redis://h'],
  mcp: [],
};

const optionsOf = (name: string): readonly Option[] => programOf(name).commands[0]?.options ?? [];

/** A file or a folder has a name. */
const PATH = { values: [['x y', 'x y']], refused: [''] } as const;
const TEXT = {
  values: [
    ['x', 'x'],
    ['', ''],
  ],
  refused: [],
} as const;
const FROM_ONE = {
  values: [
    ['1', 1],
    ['50,000', 50_000],
  ],
  refused: ['0', '-1', '1.5', 'x', ''],
} as const;
const FROM_ZERO = {
  values: [
    ['0', 0],
    ['7', 7],
  ],
  refused: ['-1', '0.5', 'x'],
} as const;
const LISTS = { values: [['/a', ['/a']]], refused: [] } as const;
const SHOWN = { values: [['https://u:p@a.example/', 'https://a.example/']], refused: [] } as const;
/** Seconds above zero, for what may not end at once; others may be zero. */
const SOME_SECONDS = {
  values: [
    ['0.001', 0.001],
    ['2m', 120],
  ],
  refused: ['0', '0s', '0.0005', '-1', 'x'],
} as const;
const PATTERNS = { values: [['/a*', ['/a*']]], refused: ['re:('] } as const;

interface Row {
  /** Texts, and the values that they are read as; of a `Date`, that in JSON. */
  readonly values: readonly (readonly [string, unknown])[];
  readonly refused: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  '--agent': TEXT,
  '--also': LISTS,
  '--archive-dir': PATH,
  '--base': SHOWN,
  '--baseline': PATH,
  '--before': PATH,
  '--cacert': PATH,
  '--call-time': SOME_SECONDS,
  '--calls-at-once': FROM_ONE,
  '--cert': PATH,
  '--compare': { values: [['lastmod,news', ['lastModified', 'newsStory']]], refused: ['x', ''] },
  '--concurrency': FROM_ONE,
  '--config': PATH,
  '--connect-timeout': SOME_SECONDS,
  '--exclude': PATTERNS,
  '--from-warc': LISTS,
  '--gone-after': FROM_ONE,
  '--header': { values: [['A: 1', { A: '1' }]], refused: ['A', 'Host: x'] },
  '--idle-timeout': SOME_SECONDS,
  '--include': PATTERNS,
  '--index': TEXT,
  '--keep': {
    values: [
      ['0', 0],
      ['1.5', 1.5],
      ['30s', 0.5],
      ['2h', 120],
    ],
    refused: ['-1', 'x'],
  },
  '--key': PATH,
  '--known-path': { values: [['/a', ['/a']]], refused: [''] },
  '--log-file': PATH,
  '--logo': PATH,
  '--map-host': { values: [['a.example=b.example', { 'a.example': 'b.example' }]], refused: ['a.example'] },
  '--max-bytes': FROM_ONE,
  '--max-depth': FROM_ZERO,
  '--max-pages': FROM_ONE,
  '--max-sitemaps': FROM_ONE,
  '--max-stale': {
    values: [
      ['0', 0],
      ['2', 2],
      ['36h', 1.5],
    ],
    refused: ['-1', 'x'],
  },
  '--max-urls': FROM_ONE,
  '--max-warnings': FROM_ZERO,
  '--names': TEXT,
  '--now': { values: [['2014-05-06', '2014-05-06T00:00:00.000Z']], refused: ['soon'] },
  '--only': { values: [['added,removed', ['added', 'removed']]], refused: ['new', ''] },
  '--output': PATH,
  '--previous': PATH,
  '--processes': FROM_ONE,
  '--proxy': {
    values: [
      ['none', false],
      ['http://p:1', 'http://p:1'],
    ],
    refused: ['x'],
  },
  '--publish-every': SOME_SECONDS,
  '--queue': TEXT,
  '--request-pages': {
    values: [
      ['all', 'all'],
      ['1', 1],
    ],
    refused: ['0', 'x'],
  },
  '--result-bytes': FROM_ONE,
  '--retries': FROM_ZERO,
  '--rule': LISTS,
  '--sample': FROM_ONE,
  '--save': PATH,
  '--separator': {
    values: [
      [';', ';'],
      ['tab', '\t'],
    ],
    refused: ['x', ''],
  },
  '--since': { values: [['2014-05-06', '2014-05-06T00:00:00.000Z']], refused: ['soon'] },
  '--sitemap-exclude': PATTERNS,
  '--sitemap-include': PATTERNS,
  '--sites-at-once': FROM_ONE,
  '--timeout': SOME_SECONDS,
  '--title': TEXT,
  '--until': { values: [['2014-05-06', '2014-05-06T00:00:00.000Z']], refused: ['soon'] },
  '--url': SHOWN,
  '--user-agent': TEXT,
  '--wait': {
    values: [
      ['0', 0],
      ['0.5', 0.5],
      ['1m', 60],
    ],
    refused: ['-1', 'x'],
  },
  '--write-baseline': PATH,
};

/** `--column` is repeatable for rows, and one name for a list of sites. */
function rowOf(name: string, { long, argChoices }: Option): Row {
  if (argChoices !== undefined)
    return { values: argChoices.map((word) => [word, word]), refused: ['', `${argChoices[0]}x`] };
  if (long === '--column') return name === 'write' ? LISTS : TEXT;
  const row = ROWS[long ?? ''];
  if (row === undefined) throw new Error(`${long} has no row`);
  return row;
}

describe('the value of', () => {
  test.each(Object.keys(LEAST))('each flag of usp %s is read, and a bad one is refused', async (name) => {
    // Those that --from-warc excludes would be refused: it has a test of its own.
    const options = optionsOf(name).filter(({ required, long }) => required && long !== '--from-warc');
    const rows = options.map((option) => ({ option, ...rowOf(name, option) }));
    const most = Math.max(...rows.map(({ values }) => values.length));
    for (let round = 0; round < most; round++) {
      const given = rows.map(
        ({ option, values }) => [option, ...values[Math.min(round, values.length - 1)]!] as const,
      );
      const line = given.flatMap(([{ long }, text]) => [long ?? '', text]);
      const read = (await parsed([name, ...LEAST[name]!, ...line])).options;
      expect(JSON.parse(JSON.stringify(read))).toEqual({
        verbose: 0,
        ...Object.fromEntries(given.map(([option, _text, value]) => [option.attributeName(), value])),
      });
    }
    const taken: string[] = [];
    for (const { option, refused } of rows)
      for (const text of refused)
        await parsed([name, ...LEAST[name]!, option.long ?? '', text]).then(
          () => taken.push(`${option.long} ${text}`),
          () => {},
        );
    expect(taken).toEqual([]);
  });

  test.each([
    ['write', '--column', ['url=a', 'lastmod=b'], ['url=a', 'lastmod=b']],
    ['crawl', '--column', ['a', 'b'], 'b'],
    ['check', '--also', ['csv=a', 'json=b'], ['csv=a', 'json=b']],
    ['ls', '--known-path', ['/a', '/b'], ['/a', '/b']],
    ['ls', '--max-pages', ['1', '2'], 2],
    ['ls', '--from-warc', ['a', 'b'], ['a', 'b']],
    ['ls', '-H', ['A: 1', 'B: 2'], { A: '1', B: '2' }],
  ])('usp %s %s that is given twice', async (name, flag, texts, value) => {
    const { options } = await parsed([name, ...LEAST[name]!, ...texts.flatMap((text) => [flag, text])]);
    expect(Object.values(options)).toContainEqual(value);
  });
});

describe('a flag without a value', () => {
  test.each(Object.keys(LEAST))('of usp %s says yes or no, by its long and its short name', async (name) => {
    const switches = optionsOf(name).filter(({ required, short }) => !required && short !== '-v');
    const isOf = (negate: boolean, names: 'long' | 'short') => (option: Option) =>
      option.negate === negate && option[names] != null;
    for (const negate of [true, false])
      for (const names of ['long', 'short'] as const) {
        const options = switches.filter(isOf(negate, names));
        const { options: read } = await parsed([
          name,
          ...LEAST[name]!,
          ...options.map((each) => each[names]!),
        ]);
        const expected = Object.fromEntries(options.map((option) => [option.attributeName(), !negate]));
        expect(
          Object.fromEntries(Object.entries(read).filter(([, value]) => typeof value === 'boolean')),
        ).toEqual(expected);
      }
  });
});

describe('without flags', () => {
  test.each([
    ['ls', { format: 'tabtree' }],
    ['update', { format: 'changes' }],
    ['diff', { format: 'changes' }],
    ['check', { format: 'text' }],
    ['fix', { format: 'text', output: 'out' }],
    ['write', { format: 'text', output: 'out', base: 'https://a.example/' }],
    ['report', {}],
    ['crawl', { format: 'parquet', output: 'out' }],
    ['worker', { queue: 'redis://h' }],
    ['mcp', {}],
  ])('usp %s has the defaults of its own flags, and none of the library', async (name, options) => {
    expect((await parsed([name, ...LEAST[name]!])).options).toEqual({ ...options, verbose: 0 });
  });

  test.each([
    ['ls', ['a', 'b'], ['a', 'b']],
    ['update', ['a.warc'], ['a.warc', undefined]],
    ['diff', ['a', 'b'], ['a', 'b']],
    ['check', ['a', 'b'], ['a', 'b']],
    ['report', ['a', 'b'], ['a', 'b']],
    ['fix', ['a', 'b', '-o', 'out'], ['a', 'b']],
    ['crawl', ['sites.txt', '-o', 'out'], 'sites.txt'],
    ['rules', [], []],
    ['rules', ['a', 'b'], ['a', 'b']],
    ['completion', ['zsh'], 'zsh'],
    ['mcp', [], undefined],
  ])('usp %s %j has its inputs', async (name, argv, argument) => {
    expect((await parsed([name, ...argv])).argument).toEqual(argument);
  });

  test('usp update reads the address of the site', async () => {
    const { argument } = await parsed(['update', 'a.warc', 'a.example']);
    expect(argument).toEqual(['a.warc', new URL('https://a.example/')]);
    await expect(parsed(['update', 'a.warc', 'ftp://a.example'])).rejects.toThrow(
      'is not an http or https URL',
    );
  });
});

test.each([
  ['fix', ['a.xml'], "'-o, --output <dir>'"],
  ['write', ['a.csv', '-o', 'out'], "'--base <url>'"],
  ['write', ['a.csv', '--base', 'https://a.example/'], "'-o, --output <dir>'"],
  ['crawl', ['sites.txt'], "'-o, --output <dir>'"],
  ['worker', [], "'--queue <url>'"],
])('usp %s %j lacks a flag', async (name, argv, flag) => {
  await expect(parsed([name, ...argv])).rejects.toThrow(`required option ${flag} not specified`);
});

test.each([
  ['ls', []],
  ['update', []],
  ['diff', ['a.xml']],
  ['diff', ['a.xml', 'b.xml', 'c.xml']],
  ['update', ['a', 'a.example', 'b.example']],
  ['check', []],
  ['fix', ['-o', 'out']],
  ['write', ['-o', 'out', '--base', 'https://a.example/']],
  ['report', []],
  ['crawl', ['-o', 'out']],
  ['crawl', ['a', 'b', '-o', 'out']],
  ['worker', ['a', '--queue', 'redis://h']],
  ['mcp', ['a']],
  ['completion', []],
])('usp %s %j has too few inputs, or too many', async (name, argv) => {
  await expect(parsed([name, ...argv])).rejects.toThrow(/missing required argument|too many arguments/);
});

describe('flags that exclude each other', () => {
  const of = (flag: string): readonly string[] =>
    Object.keys(LEAST).filter((name) => optionsOf(name).some(({ long }) => long === flag));

  const ofNetwork: readonly (readonly string[])[] = [
    ['--connect-timeout', '1'],
    ['--proxy', 'none'],
    ['--cookies'],
    ['--cacert', 'a'],
    ['--cert', 'a'],
    ['--key', 'a'],
    ['--insecure'],
    ['--allow-private'],
  ];

  test.each(of('--from-warc'))('usp %s --from-warc, and those of the network', async (name) => {
    const argv = [name, ...LEAST[name]!, '--from-warc', 'a.warc'];
    for (const flag of ofNetwork)
      await expect(parsed([...argv, ...flag]), flag[0]).rejects.toThrow('cannot be used with');
    const others = ['-H', 'A: 1', '--retries', '0', '--wait', '0', '--user-agent', 'x', '--timeout', '1'];
    expect((await parsed([...argv, ...others])).options).toMatchObject({ fromWarc: ['a.warc'], retries: 0 });
  });

  test.each(of('--quiet'))('usp %s -q and -v', async (name) => {
    const argv = [name, ...LEAST[name]!];
    for (const flags of [
      ['-q', '-v'],
      ['-vv', '--quiet'],
    ])
      await expect(parsed([...argv, ...flags])).rejects.toThrow('cannot be used with');
    expect((await parsed([...argv, '-v', '--verbose'])).options['verbose']).toBe(2);
    expect((await parsed([...argv, '-vvv'])).options['verbose']).toBe(3);
  });

  test('usp update: of a flag and its opposite, the last one counts', async () => {
    const last = async (...flags: readonly string[]) => (await parsed(['update', 'a', ...flags])).options;
    for (const [flag, attribute] of [
      ['robots', 'robots'],
      ['normalize', 'normalize'],
      ['homepage-links', 'homepageLinks'],
      ['follow-listed', 'followListed'],
      ['only-allowed', 'onlyAllowed'],
    ] as const) {
      expect((await last(`--no-${flag}`, `--${flag}`))[attribute]).toBe(true);
      expect((await last(`--${flag}`, `--no-${flag}`))[attribute]).toBe(false);
    }
    expect(await last('--known', 'always', '-k')).toMatchObject({ known: false });
    expect(await last('-k', '--known', 'if-none-declared')).toMatchObject({ known: 'if-none-declared' });
  });
});

test('the help of a command says which exit code counts, where it has one for each of several inputs', async () => {
  const told = createProgram('1.2.3', async () => {}).commands.filter((command) => {
    let help = '';
    command.configureOutput({
      writeOut(text) {
        help += text;
      },
    });
    command.outputHelp();
    expect(help).toContain('Exit codes:');
    return help.includes('With several inputs it is the first of');
  });
  expect(told.map((command) => command.name())).toEqual(['ls', 'check', 'fix']);
});
