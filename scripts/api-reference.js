/**
 * Writes docs/api.md: every export of `ultimate-sitemap-parser`, and of its entries `/parse`, `/check`, `/write`, `/batch` and `/mcp`,
 * with its signature and what its TSDoc says. A test runs this and compares, so the page is always that of the code.
 *
 *     node scripts/api-reference.js            prints the page
 *     node scripts/api-reference.js --write    writes docs/api.md
 *
 * TypeDoc does not take TypeScript 7, and its JavaScript API is not stable yet. But the compiler writes declaration
 * files in one form only: a statement starts at the left margin and its inside is indented. That is easy to read.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { argv, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { deliver } from './deliver.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGE = 'ultimate-sitemap-parser';

/** What most programs need: at the top of the page, in this order. */
const FIRST = [
  'sitemapTreeForHomepage',
  'collectPages',
  'streamPages',
  'sitemapFromUrl',
  'parseSitemap',
  'saveTree',
  'loadTree',
  'diffPages',
  'checkSite',
  'writeSitemaps',
  'SitemapPage',
  'SitemapException',
];

/** The subjects, by the files (or folders) that the declarations are in. */
const SUBJECTS = [
  ['Sites and sitemaps', ['tree', 'stream', 'local', 'read/']],
  ['The tree', ['sitemap/sitemap', 'sitemap/', 'robots/']],
  ['Pages', ['parse/model/page', 'parse/extensions/', 'filter/filter-pages']],
  ['Options', ['options/', 'filter/filter-options', 'crawl/']],
  ['Archives', ['sitemap/archive/', 'warc/']],
  ['Differences', ['diff/']],
  ['Checks', ['check/']],
  ['Reports and summaries', ['report/', 'summary/']],
  ['Writing', ['write/']],
  ['Many sites', ['batch/']],
  ['Agents', ['mcp/']],
  ['Problems and exceptions', ['errors', 'problems/']],
  ['One document', ['parse/']],
];

const ENTRIES = ['index', 'parse/index', 'check/index', 'write/index', 'batch/index', 'mcp/index'];
/** What is called comes before what is passed. */
const KINDS = ['function', 'class', 'const', 'interface', 'type'];
/** Types with a heading of their own: other pages link to them. */
const HEADED_TYPES = ['WebClient', 'WebResponse', 'WritablePage'];
/** Their members are explained by another page. */
const EXPLAINED = {
  SitemapOptions: 'options.md',
  StreamOptions: 'options.md',
  PageFilterOptions: 'filtering.md#filters',
  SitemapFilterOptions: 'filtering.md#filters',
};

/** Types of the language itself. */
const GLOBAL_TYPES = /^(?:Partial|Readonly|Record|Promise|URL|Iterable|Date|Symbol|Uint8Array)$/;
const COLUMNS = 120;

deliver('api.md', page(), argv);

function page() {
  const declarations = mkdtempSync(join(tmpdir(), 'usp-api-'));
  try {
    const tsc = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
    execFileSync(
      execPath,
      [
        tsc,
        '-p',
        join(ROOT, 'tsconfig.build.json'),
        '--emitDeclarationOnly',
        '--noCheck',
        '--outDir',
        declarations,
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const internal = new Map();
    for (const name of readdirSync(declarations, { recursive: true })) {
      const file = name.replaceAll('\\', '/').replace(/\.d\.ts$/, '');
      if (file === name || file.startsWith('cli/')) continue;
      for (const statement of statementsOf(readFileSync(join(declarations, name), 'utf8'))) {
        const type = /^(?:export )?(?:interface|type) (\w+)/.exec(statement.text)?.[1];
        if (type !== undefined) internal.set(type, { name: type, file, statements: [statement] });
      }
    }
    return rendered(
      ENTRIES.map((file) => [file.replace(/(?:^|\/)index$/, ''), exportsOf(declarations, file)]),
      internal,
    );
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
}

/** The exports of a module: name → {file, statements}. Re-exports are followed to where they are declared. */
function exportsOf(folder, file) {
  const found = new Map();
  const statements = statementsOf(readFileSync(join(folder, `${file}.d.ts`), 'utf8'));
  for (const { text, comment } of statements) {
    const reExport = /^export (?:type )?(\*|\{[\s\S]*\}) from '(.+)\.ts';$/.exec(text);
    if (reExport !== null) {
      const [, names, from] = reExport;
      const there = exportsOf(folder, posix.join(posix.dirname(file), from));
      if (names === '*') for (const entry of there) found.set(...entry);
      else for (const name of names.match(/\w+(?=\s*[,}])/g) ?? []) found.set(name, there.get(name));
      continue;
    }
    const name = /^export (?:declare )?(?:abstract )?(?:function|class|interface|type|const|let) (\w+)/.exec(
      text,
    )?.[1];
    if (name === undefined) continue;
    const entry = found.get(name) ?? { name, file, statements: [] };
    entry.statements.push({ text, comment });
    found.set(name, entry);
  }
  return found;
}

/** Cuts a declaration file into statements, each with the doc comment that stands before it. */
function statementsOf(source) {
  const statements = [];
  let comment = '';
  for (const block of source.match(/^\/\*\*[\s\S]*?\*\/$|^\S.*(?:\n(?:[ \t}\])].*)?)*/gm) ?? []) {
    if (block.startsWith('/**')) comment = block;
    else {
      statements.push({ text: block.trimEnd(), comment });
      comment = '';
    }
  }
  return statements;
}

function rendered(entries, internal) {
  const all = new Map(entries.toReversed().flatMap(([, exported]) => [...exported]));
  const entriesOf = ({ name }) => entries.filter(([, exported]) => exported.has(name)).map(([each]) => each);
  const shown = (entry) => ({ ...entry, entries: entriesOf(entry) });
  const first = FIRST.map((name) => section(shown(all.get(name)), all));
  const rest = [...all.values()].filter(({ name }) => !FIRST.includes(name)).map(shown);
  const subjects = SUBJECTS.map(([title, files]) => {
    const own = rest.filter((entry) => subjectOf(entry) === title);
    const rank = (entry) => KINDS.indexOf(kindOf(entry)) * 100 + placeOf(entry, files);
    const [headed, types] = [own.filter(isHeaded), own.filter((entry) => !isHeaded(entry))].map((list) =>
      list.sort((a, b) => rank(a) - rank(b)),
    );
    return [`## ${title}\n`, ...headed.map((entry) => section(entry, all)), typesOf(title, types, all)].join(
      '\n',
    );
  });
  const body = [`## The twelve names that most programs need\n`, ...first, ...subjects].join('\n');
  return [
    '# API reference',
    '',
    '<!-- Written by scripts/api-reference.js from the declarations and their TSDoc. Do not edit by hand. -->',
    '',
    `Everything that \`${PACKAGE}\` exports. What another entry exports is marked with its name: **/parse**, **/check** and **/write**`,
    'run in a browser (all but `writeSitemaps`), **/batch** and **/mcp** are for servers. **only** means that the main entry does not have it.',
    '',
    'Every member is read-only, which is not repeated below. A constructor that needs something internal is left out: the functions',
    'make these objects for you.',
    '',
    body,
    mentioned(body, all, internal),
  ].join('\n');
}

/** Types that signatures name and that are not exported: shown, since one has to know them to read the rest. */
function mentioned(body, all, internal) {
  const entries = [];
  const seen = new Set(all.keys());
  let text = body;
  for (;;) {
    const code = [...text.matchAll(/```typescript\n([\s\S]*?)\n```/g)].map(([, block]) => block).join('\n');
    const names = new Set(code.replace(/\/\/.*$/gm, '').match(/\b[A-Z]\w+/g));
    // `[Field in keyof Fields]` names no type.
    for (const [, bound] of code.matchAll(/\[(\w+) in /g)) names.delete(bound);
    const found = [...names].filter((name) => !seen.has(name) && internal.has(name));
    if (found.length === 0) break;
    for (const name of found) seen.add(name);
    entries.push(...found.map((name) => internal.get(name)));
    text = codeOf(found.map((name) => signatureOf(internal.get(name).statements[0].text, all)));
  }
  const types = entries.map(({ statements }) => signatureOf(withoutComments(statements[0].text), all));
  return `## Types that have no export\n\nNamed above, to be read and not to be imported.\n\n${codeOf(types)}\n`;
}

function withoutComments(text) {
  return text.replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '');
}

function codeOf(signatures) {
  return `\`\`\`typescript\n${signatures.join('\n\n')}\n\`\`\``;
}

function subjectOf(entry) {
  // The longest name wins: sitemap/archive/ is not the tree.
  const [title] = SUBJECTS.map(([name, files]) => [
    name,
    Math.max(...files.map((file) => (placeOf(entry, [file]) === -1 ? -1 : file.length))),
  ]).sort(([, a], [, b]) => b - a)[0];
  return title;
}

function placeOf({ file }, files) {
  return files.findIndex((name) => `${file}/`.startsWith(name) && (name.endsWith('/') || file === name));
}

function isHeaded(entry) {
  return !['interface', 'type'].includes(kindOf(entry)) || HEADED_TYPES.includes(entry.name);
}

/** Which entries besides the main one export it. */
function entryNames({ entries }) {
  const others = entries.filter((name) => name !== '').map((name) => `**/${name}**`);
  return others.join(' ') + (entries.includes('') ? '' : ' **only**');
}

function section(entry, all) {
  const { name, statements } = entry;
  const doc = docOf(commentOf(entry), all);
  const where = entryNames(entry);
  const parts = [
    `### \`${name}\``,
    ...(where === '' ? [] : [where]),
    doc.summary,
    codeOf(statements.map(({ text }) => signatureOf(text, all))).replaceAll('\n\n', '\n'),
    ...(doc.params.length > 0 ? [doc.params.map((param) => `- ${param}`).join('\n')] : []),
    ...doc.returns.map((text) => `**Returns** ${text}`),
    ...doc.throws.map((text) => `**Throws** ${text}`),
    ...doc.examples,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The types of a subject, in one block: what each is, and where it is exported, in a comment. */
function typesOf(title, types, all) {
  if (types.length === 0) return '';
  const shown = types.map((entry) => {
    const { summary, isExperimental } = docOf(commentOf(entry), new Map());
    const page = EXPLAINED[entry.name];
    const explained = page === undefined ? '' : ` Its members: ${page}.`;
    const where = entryNames(entry).replaceAll('**', '');
    const about = `${isExperimental ? 'Experimental. ' : ''}${summary.replaceAll(/\s*\n\s*/g, ' ')}${explained}`;
    const [{ text }] = entry.statements;
    const signature = signatureOf(page === undefined ? text : withoutComments(text), all);
    return `${commented(where === '' ? about : `${about} (${where})`, '')}\n${signature}`;
  });
  return `### Types: ${title.toLowerCase()}\n\n${codeOf(shown)}\n`;
}

/** A text as lines of comment. */
function commented(text, indent) {
  const lines = [];
  let line = `${indent}//`;
  for (const word of text.split(' ')) {
    if (line.length + word.length >= COLUMNS) {
      lines.push(line);
      line = `${indent}//`;
    }
    line += ` ${word}`;
  }
  return [...lines, line].join('\n');
}

function commentOf({ statements }) {
  return statements.map(({ comment }) => comment).find((comment) => comment !== '') ?? '';
}

function kindOf({ statements }) {
  return /^(?:export )?(?:declare )?(?:abstract )?(\w+)/.exec(statements[0].text)[1];
}

/** A declaration as it is shown: public members only, and no tables that have a page of their own. */
function signatureOf(text, main) {
  const declaration = text.replace(/^export (?:declare )?/, '').replaceAll('    ', '  ');
  const lines = membersOf(declaration)
    .filter((member) => !/^\s*#private;$/m.test(member) && !/^\s*(?:private|protected) /m.test(member))
    .filter((member) => !needsInternals(member, main));
  const shown = lines
    .map((member) => withShortComment(member.replaceAll(/\breadonly (?=\w+\??:|\[)/g, '')))
    .join('\n')
    .replace(/ \{\n\}$/, ' {}');
  if (declaration.startsWith('const ') && lines.length > 3) {
    return `${lines[0]}\n  // ${lines.length - 2} codes: see problem-codes.md\n${lines.at(-1)}`;
  }
  return shown;
}

/** A member with its comment behind it where both fit into a line, and above it where they do not. */
function withShortComment(member) {
  return member.replace(/^( *)\/\*\*([\s\S]*?)\*\/\n([^\n]*)/gm, (_, indent, comment, line) => {
    const text = docOf(comment, new Map())
      .text.replaceAll(/@example\s*```[\s\S]*?```/g, '')
      .replaceAll(
        /(^|\.|[^.\s])\s*@throws /g,
        (_, last) => `${last === '' || last === '.' ? last : `${last}.`} Throws `,
      )
      .replaceAll(/@param (\w+) - /g, '`$1`: ')
      .replaceAll(/\s*\n\s*/g, ' ')
      .trim();
    const one = `${line} // ${text}`;
    return one.length <= COLUMNS && /[;{,]$/.test(line) ? one : `${commented(text, indent)}\n${line}`;
  });
}

/** The lines of a declaration, with each comment joined to what it is about, and each member in one piece. */
function membersOf(declaration) {
  const members = [];
  let open = '';
  for (const line of declaration.split('\n')) {
    open += open === '' ? line : `\n${line}`;
    const isInside = /^ {2}/.test(line);
    const isDone = !isInside || /^ {2}\S.*[;,{]$/.test(line) || /^ {2}[}\])].*$/.test(line);
    const isComment = /^ {2}\s*(?:\/\*\*|\*)/.test(line);
    if (isDone && !isComment) {
      members.push(open);
      open = '';
    }
  }
  if (open !== '') members.push(open);
  return members;
}

function needsInternals(member, main) {
  const parameters = /^ {2}constructor\(([\s\S]*)\);$/m.exec(member)?.[1];
  if (parameters === undefined) return false;
  return (parameters.match(/\b[A-Z]\w+/g) ?? []).some((type) => !main.has(type) && !GLOBAL_TYPES.test(type));
}

/** The parts of a doc comment, in Markdown. */
function docOf(comment, main) {
  const text = comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/^[ \t]*\* ?/gm, '')
    .replace(/\{@link (\w+)\}/g, (_, name) =>
      main.has(name) ? `[\`${name}\`](#${name.toLowerCase()})` : `\`${name}\``,
    )
    .replace(/\{@link ([^}]+)\}/g, '`$1`')
    .trim();
  const isExperimental = text.includes('@experimental');
  const [summary = '', ...tags] = text.replace(/\s*@experimental/, '').split(/^@(?=[a-z])/m);
  const tagged = (tag) =>
    tags
      .filter((each) => each.startsWith(`${tag} `) || each.startsWith(`${tag}\n`))
      .map((each) => each.slice(tag.length));
  const inline = (each) => each.trim().replace(/\s*\n\s*/g, ' ');
  return {
    text,
    isExperimental,
    summary: summary.trim(),
    params: tagged('param').map((each) => inline(each).replace(/^(\w+) - /, '`$1`: ')),
    returns: tagged('returns').map(inline),
    throws: tagged('throws').map(inline),
    examples: tagged('example').map((each) => each.trim()),
  };
}
