/** §12: the formats of findings. */
import { describe, expect, test } from 'vitest';
import { SummaryCounter } from '../../src/check/check-summary.ts';
import type { CheckSummary, Finding } from '../../src/check/finding.ts';
import { byUrgency } from '../../src/check/findings-by-rule.ts';
import type { RuleName } from '../../src/check/rule.ts';
import { RULES } from '../../src/check/rule-table.ts';
import {
  FINDING_FORMATS,
  type FindingFormatName,
  type FormatOptions,
} from '../../src/cli/render/finding-formats.ts';
import { sarifErrors } from '../support/sarif-schema.ts';

const A = 'https://example.org/a.xml';
const B = 'https://example.org/b.xml';

function finding(rule: RuleName, more: Partial<Finding> = {}): Finding {
  return { rule, severity: RULES[rule].severity, message: `About ${rule}.`, document: A, ...more };
}

function summaryOf(findings: readonly Finding[], more: Partial<CheckSummary> = {}): CheckSummary {
  const counter = new SummaryCounter();
  counter.complete = true;
  counter.documents = 2;
  counter.pages = 1234;
  for (const each of findings) counter.add(each);
  return { ...counter.summary, ...more };
}

function written(
  name: FindingFormatName,
  findings: readonly Finding[],
  options: FormatOptions & { readonly summary?: Partial<CheckSummary>; readonly hidden?: number } = {},
): string {
  const writer = FINDING_FORMATS[name](options);
  const parts = findings.map((each) => writer.item(each, {}));
  const summary = summaryOf(findings, options.summary);
  return `${writer.begin?.({}) ?? ''}${parts.join('')}${writer.end?.({ summary, hidden: options.hidden }) ?? ''}`;
}

const SOME: readonly Finding[] = [
  finding('url-fragment', { line: 12, column: 34, page: 'https://example.org/x' }),
  finding('bare-ampersand', { line: 3, column: 5, offset: 99 }),
  finding('sitemap-redirected', { document: B }),
];

test.each([
  [1, 'About url-fragment. (https://example.org/x)'],
  [2, 'About url-fragment. (first: https://example.org/x)'],
])('a finding that stands for %s names its page, or the first of them', (count, message) => {
  const found = finding('url-fragment', { line: 1, column: 2, page: 'https://example.org/x', count });
  for (const name of ['unix', 'github'] as const) expect(written(name, [found])).toContain(message);
});

describe('a finding that stands for several entries', () => {
  const FOUND: readonly Finding[] = [
    finding('page-blocked', { message: '1,010 pages are disallowed.', count: 1010, line: 3, column: 1 }),
    ...Array.from({ length: 100 }, (_, at) =>
      finding('bare-ampersand', { document: B, line: at + 1, column: 1 }),
    ),
    finding('bare-ampersand', { document: B, line: 101, column: 1, count: 101 }),
  ];

  test('is one finding in the totals of all formats', () => {
    expect(JSON.parse(written('json', FOUND)).summary).toMatchObject({
      counts: { error: 202, warning: 0, info: 0 },
      entries: { error: 1211, warning: 0, info: 0 },
      rules: { 'page-blocked': 1, 'bare-ampersand': 201 },
    });
    for (const name of ['text', 'github', 'markdown'] as const)
      expect(written(name, FOUND)).toMatch(/\b202 errors \(1,211 entries\)\*{0,2} in 2 documents/);
  });

  test.each(['text', 'unix', 'github', 'markdown'] as const)('says so in its line of %s', (name) => {
    expect(written(name, FOUND)).toMatch(/1,010 pages are disallowed\. \(1,010 entries\)/);
  });

  test('decides where most are, and what is said of its rule', () => {
    const text = written('text', FOUND);
    expect(text).toContain(`Most are in:\n  ${A}  1 error (1,010 entries)\n  ${B}  201 errors\n`);
    expect(text).toContain('. page-blocked (1 error, 1,010 entries): ');
    expect(text).toContain('. bare-ampersand (201 errors): ');
    expect(text).toContain('  … 191 more bare-ampersand here');
    expect(written('markdown', FOUND)).toContain('196 more findings are not in this table.');
  });

  test('is counted with its entries in an annotation of several documents', () => {
    const two = [A, B].map((document) => finding('page-blocked', { document, count: 20 }));
    expect(written('github', two)).toContain('(2 findings, 40 entries, in 2 documents)');
  });
});

// The others are made harmless by what writes them: test/cli/hostile-text.test.ts.
describe('what a document says does no harm in lines for people and for GitHub Actions', () => {
  const EVIL = 'a\u001b[31m\u009b\u202e\u2028\u200b\n::error::b';
  const HARMFUL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
  const hostile = finding('bare-ampersand', {
    message: EVIL,
    document: EVIL,
    page: EVIL,
    related: [{ document: EVIL, message: EVIL, line: 1 }],
  });

  test.each(['text', 'unix', 'github', 'markdown'] as const)('%s', (name) => {
    const output = written(name, [hostile]);
    expect(output.replaceAll('\n', '')).not.toMatch(HARMFUL);
    expect(output).not.toMatch(/^\s*::error::/m);
  });

  test('json and ndjson keep every value as it is', () => {
    expect(JSON.parse(written('ndjson', [hostile]))).toEqual(hostile);
    expect(JSON.parse(written('json', [hostile])).findings).toEqual([hostile]);
  });
});

describe('text', () => {
  test('findings are below their document, in the order of lines, and a verdict follows', () => {
    expect(written('text', SOME)).toBe(`https://example.org/a.xml
    3:5  error    About bare-ampersand.  bare-ampersand
  12:34  warning  About url-fragment. (https://example.org/x)  url-fragment

https://example.org/b.xml
  -  warning  About sitemap-redirected.  sitemap-redirected

1 error, 2 warnings in 2 documents with 1,234 pages.

Most are in:
  https://example.org/a.xml  1 error, 1 warning
  https://example.org/b.xml  1 warning

Fix first:
  1. bare-ampersand (1 error): Write &amp; instead of &; most programs that build XML do it for you.
     at https://example.org/a.xml:3:5
  2. sitemap-redirected (1 warning): ${RULES['sitemap-redirected'].explanation.fix.replaceAll('`', '')}
     at https://example.org/b.xml
  3. url-fragment (1 warning): ${RULES['url-fragment'].explanation.fix.replaceAll('`', '')}
     at https://example.org/a.xml:12:34
usp rules NAME explains a rule.
`);
  });

  const many = Array.from({ length: 25 }, (_, index) =>
    finding('url-fragment', { line: index + 1, column: 1 }),
  );

  test('shows the first 10 of a rule in a document and how many more, and with --all all that there are', () => {
    const text = written('text', [...many, finding('url-fragment', { document: B, line: 1, column: 1 })]);
    expect(text.match(/About url-fragment/g)).toHaveLength(11);
    expect(text).toContain('  … 15 more url-fragment here (--all shows the first 100)\n');
    expect(text).toContain('26 warnings in 2 documents');
    expect(written('text', many, { all: true }).match(/About url-fragment/g)).toHaveLength(25);
  });

  test('counts what is not shown where one finding has the rest of a rule', () => {
    const rest = finding('url-fragment', { line: 101, column: 1, count: 40 });
    expect(written('text', [...many, rest])).toContain('  … 55 more url-fragment here');
    // As a baseline leaves it, which knows the first hundred.
    expect(written('text', [rest])).not.toContain('more url-fragment here');
  });

  test('a site without findings gets one line', () => {
    expect(written('text', [])).toBe('Nothing found in 2 documents with 1,234 pages.\n');
  });

  test('says that no document could be read', () => {
    const text = written('text', [finding('sitemap-unreadable')], {
      summary: { documents: 0, pages: 0, complete: false },
    });
    expect(text).toContain('\n1 error; no document could be read.\n');
  });

  test('says that a check is not complete, and what a baseline has hidden', () => {
    const summary = { complete: false, stopped: { limit: 'maxTimeMs', message: 'It took too long.' } };
    expect(written('text', [], { summary, hidden: 3 })).toBe(
      'Nothing new in 2 documents with 1,234 pages. The check was stopped (maxTimeMs), so there may be more. 3 findings of the baseline are not shown.\n',
    );
  });

  test('what costs whole sitemaps is fixed first, and what is left is named', () => {
    const rules = [
      'url-fragment',
      'page-blocked',
      'hreflang-bad-code',
      'bare-ampersand',
      'sitemap-unreadable',
      'over-50-mib',
      'lastmod-future',
    ] as const;
    const text = written(
      'text',
      rules.map((rule) => finding(rule)),
    );
    const ranked = Array.from(text.matchAll(/^ {2}\d\. (\S+)/gm), ([, rule]) => rule);
    expect(ranked).toEqual([
      'sitemap-unreadable',
      'bare-ampersand',
      'over-50-mib',
      'page-blocked',
      'hreflang-bad-code',
    ]);
    expect(text).toContain('  Then: url-fragment, lastmod-future.\n');
  });

  test('infos alone are not called something to fix', () => {
    expect(written('text', [finding('no-robots-txt')])).not.toContain('Fix first');
  });
});

test('unix: one line each, with a place that editors understand', () => {
  expect(
    written('unix', SOME),
  ).toBe(`${A}:12:34: warning: About url-fragment. (https://example.org/x) [url-fragment]
${A}:3:5: error: About bare-ampersand. [bare-ampersand]
${B}:1:1: warning: About sitemap-redirected. [sitemap-redirected]
`);
});

test('ndjson: each finding as it is', () => {
  const lines = written('ndjson', SOME).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(SOME);
});

test('json: findings and summary in one document, also without findings', () => {
  expect(JSON.parse(written('json', SOME))).toEqual({ findings: SOME, summary: summaryOf(SOME) });
  expect(JSON.parse(written('json', [], { hidden: 2 }))).toMatchObject({
    findings: [],
    summary: { hidden: 2 },
  });
});

test('csv: quoted where it must be, and no formula for a spreadsheet', () => {
  const odd = finding('url-fragment', {
    message: 'a "b", c',
    document: '=cmd()',
    line: 1,
    column: 2,
    count: 7,
  });
  expect(written('csv', [odd])).toBe(
    `severity,rule,message,document,line,column,offset,page,count\nwarning,url-fragment,"a ""b"", c",'=cmd(),1,2,,,7\n`,
  );
});

describe('sarif', () => {
  interface Log {
    readonly runs: readonly [
      {
        readonly columnKind: string;
        readonly invocations: readonly [{ readonly toolExecutionNotifications: readonly unknown[] }];
        readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
        readonly results: readonly {
          readonly ruleId: string;
          readonly ruleIndex: number;
          readonly level: string;
          readonly partialFingerprints: Readonly<Record<string, string>>;
          readonly locations: readonly [
            { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } },
          ];
        }[];
      },
    ];
  }

  function log(findings: readonly Finding[], summary: Partial<CheckSummary> = {}): Log {
    const json = JSON.parse(written('sarif', findings, { version: '1.2.3', summary })) as Log;
    expect(sarifErrors(json)).toEqual([]);
    return json;
  }

  test('every rule gives a log that is valid', () => {
    const all = (Object.keys(RULES) as RuleName[]).map((rule) => finding(rule, { line: 1, column: 1 }));
    const [run] = log(all).runs;
    expect(run.columnKind).toBe('utf16CodeUnits');
    for (const { ruleId, ruleIndex } of run.results)
      expect(run.tool.driver.rules[ruleIndex]!.id).toBe(ruleId);
  });

  test('findings without a place, with related places, with odd names of files are valid; info is a note', () => {
    const related = [{ document: B, line: 2, column: 1, message: 'there' }, { document: 'a b/ü:1.xml' }];
    const [run] = log([
      finding('no-robots-txt', { document: '', related, page: 'https://example.org/', count: 3 }),
      finding('url-fragment', { document: 'C:\\maps\\a b.xml' }),
      finding('url-fragment', { document: 'https://example.org/a b.xml?ü' }),
    ]).runs;
    expect(run.results.map(({ level }) => level)).toEqual(['warning', 'warning', 'note']);
    expect(run.results.map(({ locations }) => locations[0].physicalLocation.artifactLocation.uri)).toEqual([
      'C%3A/maps/a%20b.xml',
      'https://example.org/a%20b.xml?%C3%BC',
      'stdin',
    ]);
  });

  test('the worst 5,000 are listed, and a notification says what is left out', () => {
    const infos = Array.from({ length: 6000 }, () => finding('no-robots-txt'));
    const errors = Array.from({ length: 3000 }, (_, line) =>
      finding('bare-ampersand', { line: line + 1, column: 1 }),
    );
    const [run] = log([...infos, ...errors]).runs;
    expect(run.results).toHaveLength(5000);
    expect(run.results.filter(({ level }) => level === 'error')).toHaveLength(3000);
    expect(JSON.stringify(run.invocations[0].toolExecutionNotifications)).toContain(
      '4,000 findings are left out',
    );
    const notes = (many: number): readonly unknown[] =>
      JSON.parse(written('sarif', infos.slice(0, many))).runs[0].invocations[0].toolExecutionNotifications;
    expect(notes(5000)).toEqual([]);
    expect(notes(5001)).toMatchObject([
      { message: { text: '1 finding is left out: the worst 5,000 are listed.' } },
    ]);
  });

  test('a fingerprint does not change with the line, and several of a kind have different ones', () => {
    const prints = (findings: readonly Finding[]): string[] =>
      log(findings).runs[0].results.map((each) => each.partialFingerprints['finding/v1']!);
    const [one, two] = prints([
      finding('url-fragment', { line: 1, column: 1 }),
      finding('url-fragment', { line: 2, column: 1 }),
    ]);
    expect(one).not.toBe(two);
    expect(prints([finding('url-fragment', { line: 70, column: 3 })])).toEqual([one]);
    expect(prints([finding('url-fragment', { document: B })])).not.toEqual([one]);
  });

  test('a fingerprint of an aggregated rule does not change with the page that comes first', () => {
    const print = (page: string): string | undefined =>
      log([finding('page-blocked', { page, count: 3 })]).runs[0].results[0]!.partialFingerprints[
        'finding/v1'
      ];
    expect(print('https://example.org/a')).toBe(print('https://example.org/b'));
  });

  test('an incomplete check has a notification', () => {
    const [run] = log([], { complete: false }).runs;
    expect(run.invocations[0].toolExecutionNotifications).toHaveLength(1);
  });
});

describe('markdown', () => {
  test('the counts, then a row for what to fix first, with its place and advice', () => {
    const text = written('markdown', [
      finding('url-fragment', {
        line: 3,
        column: 5,
        message: 'The URL has a fragment: https://example.org/#a',
      }),
      finding('bare-ampersand', { document: B, line: 12, column: 34, message: 'This "&" must be "&amp;".' }),
    ]);
    expect(text).toBe(`## Check of sitemaps

**1 error, 1 warning** in 2 documents with 1,234 pages.

| | Where | What is wrong | How to fix it | Rule |
| --- | --- | --- | --- | --- |
| error | \`${B}:12:34\` | This "&amp;" must be "&amp;amp;". | ${RULES['bare-ampersand'].explanation.fix} | \`bare-ampersand\` |
| warning | \`https://example.org/a.xml:3:5\` | The URL has a fragment\\: \`https://example.org/#a\` | ${RULES['url-fragment'].explanation.fix} | \`url-fragment\` |
`);
  });

  test('nothing found is one sentence, and nothing new where a baseline hides something', () => {
    expect(written('markdown', [])).toBe(
      '## Check of sitemaps\n\n**Nothing found** in 2 documents with 1,234 pages.\n',
    );
    expect(written('markdown', [], { hidden: 1 })).toContain('**Nothing new** in 2 documents');
  });

  test('a text of a document is neither Markdown nor HTML, nor the end of a cell', () => {
    const message = '|a| <img src=x> [b](http://c/`|`) **d** `e` www.f.org :g: @h';
    const text = written('markdown', [finding('url-fragment', { message, document: 'a|`b.xml' })]);
    const row = text.split('\n').find((line) => line.startsWith('| warning')) ?? '';
    expect(row.replaceAll('\\|', '').split('|')).toHaveLength(7);
    expect(row).toContain(
      "\\|a\\| &lt;img src=x&gt; \\[b\\](`http://c/'\\|'`) \\*\\*d\\*\\* \\`e\\` `www.f.org` \\:g\\: \\@h",
    );
    expect(row).toContain("`a\\|'b.xml`");
  });

  test.each([
    ['https://example.org/a.xml: the server', '`https://example.org/a.xml`\\: the server'],
    ['See https://example.org/a.', 'See `https://example.org/a`.'],
    ['https://example.org/a:b?c=d, or', '`https://example.org/a:b?c=d`, or'],
    ['https://example.org', '`https://example.org`'],
    ['At fault (https://example.org/a)', 'At fault (`https://example.org/a`)'],
  ])('the punctuation behind a URL is not a part of it: %s', (message, shown) => {
    expect(written('markdown', [finding('url-fragment', { message })])).toContain(`| ${shown} |`);
  });

  test('any number of findings fits into the 1 MiB that GitHub takes, and the rest are counted', () => {
    const long = '<&|\u{1f389}'.repeat(20_000);
    const rules = Object.keys(RULES) as RuleName[];
    const many = rules.flatMap((rule) =>
      Array.from({ length: 20 }, () => finding(rule, { message: long, document: long, page: long })),
    );
    const text = written('markdown', many);
    expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
    expect(text.match(/^\| (?:error|warning|info) \|/gm)).toHaveLength(100);
    expect(text).toContain(
      `${(many.length - 100).toLocaleString('en')} more findings are not in this table.`,
    );
  });
});

describe('github', () => {
  test('a file is named with its place, one annotation for a rule', () => {
    const text = written('github', [
      finding('bare-ampersand', { document: 'maps/a,b.xml', line: 3, column: 5 }),
      finding('bare-ampersand', { document: 'maps/a,b.xml', line: 4, column: 5 }),
    ]);
    expect(text).toBe(
      '::error file=maps/a%2Cb.xml,line=3,col=5,title=bare-ampersand::About bare-ampersand. (2 findings)\n2 errors in 2 documents.\n',
    );
  });

  test('a document of a site is in the text, and there is one annotation for all documents', () => {
    const text = written('github', [
      finding('url-fragment', { line: 1, column: 2, message: '100 % wrong' }),
      finding('url-fragment', { document: B }),
    ]);
    expect(text).toContain(
      '::warning title=url-fragment::100 %25 wrong (2 findings, in 2 documents) https://example.org/a.xml:1:2\n',
    );
  });

  test('ten of each level at most: the last names the rest', () => {
    const rules = (Object.keys(RULES) as RuleName[]).filter((rule) => RULES[rule].severity === 'error');
    const lines = written(
      'github',
      rules.map((rule) => finding(rule)),
    ).split('\n');
    expect(lines.filter((line) => line.startsWith('::error'))).toHaveLength(10);
    for (const rule of rules) expect(lines.join('\n')).toContain(rule);
  });
});

test('a message from a document cannot begin a line of its own', () => {
  const hostile = finding('url-fragment', { message: 'x\n::error::y\r\nz', document: 'a\nb' });
  for (const name of ['text', 'unix', 'github'] as const) {
    expect(written(name, [hostile])).not.toMatch(/^(?:::error|z|b)/m);
  }
});

test('one order says what to fix first: severity, subject, then how often', () => {
  const broken = (
    [
      ['lastmod-future', 'warning', 900],
      ['url-repeated', 'warning', 5],
      ['url-fragment', 'warning', 70],
      ['page-blocked', 'error', 400],
      ['bare-ampersand', 'error', 1],
      ['sitemap-unreadable', 'error', 1],
      ['no-sitemap', 'error', 1],
      ['content-type', 'info', 9],
    ] as const
  ).map(([rule, severity, entries]) => ({ rule, severity, entries }));
  expect(broken.sort(byUrgency).map(({ rule }) => rule)).toEqual([
    'no-sitemap',
    'sitemap-unreadable',
    'bare-ampersand',
    'page-blocked',
    'url-fragment',
    'url-repeated',
    'lastmod-future',
    'content-type',
  ]);
});

describe('the borders of the formats', () => {
  const at = (line: number, more: Partial<Finding> = {}): Finding =>
    finding('url-fragment', { line, column: 1, ...more });
  const lines = (many: number, more: Partial<Finding> = {}): readonly Finding[] =>
    Array.from({ length: many }, (_, index) => at(index + 1, more));

  test('text: the tenth finding of a rule is shown, the eleventh is counted', () => {
    expect(written('text', lines(10))).not.toContain('more url-fragment');
    expect(written('text', lines(11))).toContain(
      '  … 1 more url-fragment here (--all shows the first 100)\n',
    );
    expect(written('text', lines(11), { all: true })).not.toContain(' more ');
    // Of each rule, in each document.
    const both = [...lines(10), ...lines(10, { document: B }), finding('bare-ampersand', { document: B })];
    expect(written('text', both)).not.toContain(' more ');
  });

  test('text: findings of a line are in the order of columns, and those without a line are first', () => {
    const found = [
      at(2, { column: 9 }),
      at(2, { column: 3 }),
      at(1, { column: 20 }),
      finding('url-fragment'),
    ];
    const places = [...written('text', found).matchAll(/^ +(\d+:\d+|-) /gm)].map(([, place]) => place);
    expect(places).toEqual(['-', '1:20', '2:3', '2:9']);
  });

  test('text: a document that comes again has its name again, and its own count', () => {
    const text = written('text', [...lines(6), at(1, { document: B }), ...lines(6)]);
    expect(text.match(/^https:\/\/example\.org\/a\.xml$/gm)).toHaveLength(2);
    expect(text).not.toContain('more url-fragment');
  });

  test('text: a document with more findings than are sorted together has its name once', () => {
    const text = written('text', [...lines(2001).toReversed(), at(1, { document: B })], { all: true });
    expect(text.match(/^https:.*$/gm)).toEqual([A, B]);
    expect(text.match(/About url-fragment/g)).toHaveLength(2002);
    // The first 2,000 are sorted, and printed before the rest is known.
    const places = [...text.matchAll(/^ +(\d+):1 /gm)].map(([, line]) => line);
    expect([places[0], places[1999], places[2000], places[2001]]).toEqual(['2', '2001', '1', '1']);
  });

  test('text: a rule with two severities is counted by them, and is fixed at the first of the worst', () => {
    const found = [at(1), at(2, { severity: 'error' }), at(3, { severity: 'error' }), at(4)];
    expect(written('text', found)).toMatch(
      /Fix first:\n {2}1\. url-fragment \(2 errors, 2 warnings\): .*\n {5}first at https:\/\/example\.org\/a\.xml:2:1\n/,
    );
  });

  test('text: the sixth rule is named behind the five that are fixed first, and an info is not', () => {
    const rules = [
      'page-blocked',
      'hreflang-bad-code',
      'bare-ampersand',
      'sitemap-unreadable',
      'over-50-mib',
      'url-fragment',
      'no-robots-txt',
    ] as const;
    const text = written(
      'text',
      rules.map((rule) => finding(rule)),
    );
    expect(text).toContain('\n  Then: url-fragment.\n');
  });

  test('text: the pages that were requested are below the verdict', () => {
    const requestedPages = { listed: 3, requested: 2, results: [] };
    expect(written('text', [], { summary: { requestedPages } })).toBe(
      'Nothing found in 2 documents with 1,234 pages.\n2 of 3 pages were requested.\n',
    );
  });

  test('text: each part of a line has its colour', () => {
    const found = [at(1), finding('bare-ampersand', { line: 20, column: 1 }), finding('no-robots-txt')];
    const text = written('text', [...found, ...lines(10)], {
      paint: (colour, words) => `<${colour}>${words}</>`,
    });
    const [heading, ...rest] = text.split('\n');
    expect(heading).toBe(`<bold>${A}</>`);
    for (const line of [
      '  <dim>   -</>  <blue>info   </>  About no-robots-txt.  <dim>no-robots-txt</>',
      '  <dim> 1:1</>  <yellow>warning</>  About url-fragment.  <dim>url-fragment</>',
      '  <dim>20:1</>  <red>error  </>  About bare-ampersand.  <dim>bare-ampersand</>',
      '<dim>  … 1 more url-fragment here (--all shows the first 100)',
      `<dim>     at ${A}:20:1`,
    ])
      expect(rest).toContain(line);
    expect(text).toContain('  1. <red>bare-ampersand</> (1 error): ');
    expect(text).toContain('  2. <yellow>url-fragment</> (11 warnings): ');
    expect(text).toContain('</><dim>usp rules NAME explains a rule.</>\n');
  });

  test('text: stdin has a name, and one document has no places where most are', () => {
    const text = written('text', [at(3, { document: '' })], { summary: { documents: 1 } });
    expect(text).toMatch(/^stdin\n {2}3:1 {2}warning/);
    expect(text).not.toMatch(/Most are in|at stdin/);
    expect(written('text', [at(3)])).not.toContain('Most are in');
    expect(written('text', [at(3), finding('no-robots-txt', { document: B })])).not.toContain('Most are in');
  });

  test('text: the five documents with most findings, without their infos', () => {
    const documents = Array.from({ length: 6 }, (_, index) => `https://example.org/${index}.xml`);
    const found = documents.flatMap((document, index) => [
      ...lines(6 - index, { document }),
      finding('no-robots-txt', { document }),
    ]);
    const [, most = ''] = written('text', found, { summary: { documents: 6 } }).split('Most are in:\n');
    expect(most.split('\n\n')[0]?.split('\n')).toEqual(
      documents
        .slice(0, 5)
        .map((document, index) => `  ${document}  ${6 - index} warning${index === 5 ? '' : 's'}`),
    );
  });

  test('text: what is fixed first is at its first place', () => {
    expect(written('text', [at(1)])).toContain('     at https://example.org/a.xml:1:1\n');
    expect(written('text', lines(2))).toContain('     first at https://example.org/a.xml:1:1\n');
    const many = finding('page-blocked', { line: 1, column: 1, count: 20 });
    expect(written('text', [many])).toContain('     at https://example.org/a.xml:1:1\n');
    expect(written('text', [finding('url-fragment')])).toContain('     at https://example.org/a.xml\n');
    const rules = [
      'page-blocked',
      'hreflang-bad-code',
      'bare-ampersand',
      'sitemap-unreadable',
      'over-50-mib',
    ] as const;
    expect(
      written(
        'text',
        rules.map((rule) => finding(rule)),
      ),
    ).not.toContain('Then:');
  });

  test('text: the verdict has the colour of the worst', () => {
    const colours = (found: readonly Finding[]): string | undefined =>
      /^<(\w+)>(?=\d|Nothing)/m.exec(
        written('text', found, { paint: (colour, text) => `<${colour}>${text}` }),
      )?.[1];
    expect(colours([finding('bare-ampersand'), at(1)])).toBe('red');
    expect(colours([at(1), finding('no-robots-txt')])).toBe('yellow');
    expect(colours([finding('no-robots-txt')])).toBe('green');
    expect(colours([])).toBe('green');
  });

  test('unix: stdin has a name, and a finding without a place is at the beginning', () => {
    const found = [finding('url-fragment', { document: '' }), at(7, { column: 8, message: 'a\nb' })];
    expect(written('unix', found)).toBe(
      `stdin:1:1: warning: About url-fragment. [url-fragment]\n${A}:7:8: warning: a b [url-fragment]\n`,
    );
  });

  test('csv: each value is in its column', () => {
    const found = at(1, { column: 2, offset: 3, page: 'P', count: 4, message: 'M' });
    expect(written('csv', [found]).split('\n')[1]).toBe(`warning,url-fragment,M,${A},1,2,3,P,4`);
    expect(written('csv', [finding('url-fragment', { message: 'M' })]).split('\n')[1]).toBe(
      `warning,url-fragment,M,${A},,,,,`,
    );
  });

  test('github: ten annotations of a level are all shown; of eleven, nine and the names of the others', () => {
    const rules = (Object.keys(RULES) as RuleName[]).filter((rule) => RULES[rule].severity === 'error');
    const annotations = (many: number): string[] =>
      written(
        'github',
        rules.slice(0, many).map((rule, index) => finding(rule, { count: many - index })),
      )
        .split('\n')
        .filter((line) => line.startsWith('::'));
    expect(annotations(10).join('')).not.toContain('Also: ');
    expect(annotations(10)).toHaveLength(10);
    expect(annotations(11)).toHaveLength(10);
    expect(annotations(11).at(-1)).toBe(`::error title=usp check::Also: ${rules[9]}, ${rules[10]}.`);
    // Those of another level are counted by themselves.
    const both = written('github', [...rules.slice(0, 10).map((rule) => finding(rule)), at(1)]);
    expect(both.match(/^::error/gm)).toHaveLength(10);
    expect(both).not.toContain('Also: ');
    // A rule is named once, in however many files it is.
    const files = Array.from({ length: 12 }, (_, index) => at(1, { document: `${index}.xml` }));
    expect(written('github', files)).toContain('\n::warning title=usp check::Also: url-fragment.\n');
    // The one with most entries is the first.
    expect(annotations(11)[0]).toContain(`title=${rules[0]}::`);
  });

  test('github: severities, files and what a baseline hides', () => {
    const found = [
      finding('no-robots-txt', { document: 'a.xml', line: 2, column: 3 }),
      finding('no-robots-txt', { document: 'b.xml' }),
      finding('url-fragment', { severity: 'error', document: B, line: 4, column: 5 }),
      finding('url-fragment', { severity: 'warning', document: B }),
    ];
    expect(written('github', found, { hidden: 1 })).toBe(
      `::error title=url-fragment::About url-fragment. ${B}:4:5
::warning title=url-fragment::About url-fragment. ${B}
::notice file=a.xml,line=2,col=3,title=no-robots-txt::About no-robots-txt.
::notice file=b.xml,title=no-robots-txt::About no-robots-txt.
1 error, 1 warning, 2 info in 2 documents (1 known finding not shown).
`,
    );
    expect(written('github', [], { hidden: 2000, summary: { documents: 1 } })).toBe(
      'Nothing new in 1 document (2,000 known findings not shown).\n',
    );
  });

  test('github: what is local decides the caller, and a URL is not', () => {
    const found = [finding('url-fragment', { document: 'x.example', line: 1, column: 2 })];
    expect(written('github', found)).toContain('file=x.example,line=1,col=2,');
    expect(written('github', found, { isLocal: () => false })).toContain(
      '::About url-fragment. x.example:1:2\n',
    );
  });

  test('markdown: five findings of a rule are rows, and the others are counted', () => {
    const rows = (text: string): number => text.match(/^\| warning/gm)?.length ?? 0;
    expect(rows(written('markdown', lines(5)))).toBe(5);
    expect(written('markdown', lines(5))).not.toContain('not in this table');
    const six = written('markdown', lines(6));
    expect([rows(six), six.includes('\n\n1 more finding is not in this table.\n')]).toEqual([5, true]);
    expect(written('markdown', lines(7))).toContain('2 more findings are not in this table.');
  });

  test('markdown: what is longer than 500 characters is cut, and its place is not', () => {
    const of = (length: number): string => 'x'.repeat(length);
    const row = (length: number): string =>
      written('markdown', [at(3, { document: of(length), message: of(length) })]);
    expect(row(500)).toContain(`| warning | \`${of(500)}:3:1\` | ${of(500)} |`);
    expect(row(501)).toContain(`| warning | \`${of(500)}…:3:1\` | ${of(500)}… |`);
  });

  test('markdown: a row that stands for several findings leaves none of them out', () => {
    expect(written('markdown', [finding('bare-ampersand', { count: 7 })])).not.toContain('not in this table');
  });

  test('github: the rule with most entries is first, not that with most findings', () => {
    const found = [
      finding('bare-ampersand'),
      finding('bare-ampersand'),
      finding('page-blocked', { count: 50 }),
    ];
    const titles = [...written('github', found).matchAll(/title=([\w-]+)::/g)].map(([, title]) => title);
    expect(titles).toEqual(['page-blocked', 'bare-ampersand']);
  });

  test('sarif: rules are in the order of their names', () => {
    const found = [finding('sitemap-unreadable'), finding('bare-ampersand'), finding('hreflang-bad-code')];
    const [{ tool, results }] = JSON.parse(written('sarif', found)).runs;
    const names = tool.driver.rules.map(({ id }: { id: string }) => id);
    expect(names).toEqual(['bare-ampersand', 'hreflang-bad-code', 'sitemap-unreadable']);
    for (const { ruleId, ruleIndex } of results) expect(names[ruleIndex]).toBe(ruleId);
  });

  test('markdown: stdin, a document without a place, and the pages that were requested', () => {
    const requestedPages = { listed: 3, requested: 2, results: [] };
    const text = written('markdown', [finding('url-fragment', { document: '' })], {
      hidden: 1,
      summary: { requestedPages, complete: false },
    });
    expect(text).toContain('| warning | `stdin` | About url-fragment. |');
    expect(text).toContain(
      '\n\n**1 warning** in 2 documents with 1,234 pages. Not everything could be read, so there may be more. ' +
        '1 finding of the baseline is not shown.\n\n2 of 3 pages were requested.\n\n| | Where |',
    );
  });

  test('sarif: places, related places, counts and pages are where the format has them', () => {
    const related = [
      { document: B, line: 2, column: 1, message: 'there\nor here' },
      { document: B, line: 3 },
    ];
    const found = at(7, { column: 8, page: 'https://example.org/p', count: 3, related });
    const [run] = JSON.parse(written('sarif', [found, finding('bare-ampersand')], { version: '1.2.3' })).runs;
    const place = (uri: string, region?: object) => ({
      artifactLocation: { uri },
      ...(region && { region }),
    });
    expect(run.results[1]).toMatchObject({
      ruleId: 'url-fragment',
      level: 'warning',
      locations: [{ physicalLocation: place(A, { startLine: 7, startColumn: 8 }) }],
      relatedLocations: [
        {
          id: 0,
          physicalLocation: place(B, { startLine: 2, startColumn: 1 }),
          message: { text: 'there or here' },
        },
        { id: 1, physicalLocation: place(B, { startLine: 3 }) },
      ],
      occurrenceCount: 3,
      properties: { page: 'https://example.org/p' },
    });
    expect(run.results[1].message.text).toBe('About url-fragment. (first: https://example.org/p)');
    expect(run.results[0]).toMatchObject({ ruleId: 'bare-ampersand', level: 'error' });
    expect(run.results[0].locations).toEqual([{ physicalLocation: place(A) }]);
    for (const absent of ['relatedLocations', 'occurrenceCount', 'properties'])
      expect(run.results[0]).not.toHaveProperty(absent);
    expect(run.tool.driver).toMatchObject({ name: 'usp check', version: '1.2.3', semanticVersion: '1.2.3' });
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual([
      'bare-ampersand',
      'url-fragment',
    ]);
    expect(run.tool.driver.rules[0].defaultConfiguration).toEqual({ level: 'error' });
    expect(run.invocations[0].toolExecutionNotifications).toEqual([]);
  });

  test('sarif: what keeps a check from being complete is named', () => {
    const notes = (summary: Partial<CheckSummary>): string[] =>
      JSON.parse(written('sarif', [], { summary })).runs[0].invocations[0].toolExecutionNotifications.map(
        ({ message }: { message: { text: string } }) => message.text,
      );
    expect(notes({ complete: true })).toEqual([]);
    expect(notes({ complete: false })).toEqual(['The check is not complete.']);
    const stopped = { limit: 'maxTimeMs', message: '' };
    expect(notes({ complete: false, stopped })).toEqual(['The check is not complete (maxTimeMs).']);
  });

  test('sarif: a page is a part of a fingerprint, and the severity is not', () => {
    const print = (more: Partial<Finding>): string =>
      JSON.parse(written('sarif', [at(1, more)])).runs[0].results[0].partialFingerprints['finding/v1'];
    expect(print({ page: 'p' })).not.toBe(print({ page: 'q' }));
    expect(print({ severity: 'error' })).toBe(print({}));
    expect(print({})).toMatch(/^[\da-f]{16}:1$/);
    // It is compared with that of another version: it may not change.
    expect(print({ page: 'https://example.org/ü' })).toBe('f7f730b557a9e62f:1');
  });

  test('json: what is hidden is there where there is a baseline', () => {
    expect(JSON.parse(written('json', [])).summary).not.toHaveProperty('hidden');
    expect(JSON.parse(written('json', [], { hidden: 0 })).summary.hidden).toBe(0);
  });
});
