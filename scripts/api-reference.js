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

/** The sections of the page, by the files (or folders) that the declarations stand in. */
const SECTIONS = [
  ['Where to begin', ['tree', 'stream', 'local', 'crawl/sitemap-fetcher', 'read/streaming-reader']],
  ['Archives', ['sitemap/archive/', 'warc/']],
  ['Differences', ['diff/']],
  ['Checks', ['check/']],
  ['Reports', ['report/', 'summary/']],
  ['The tree', ['sitemap/']],
  ['Pages', ['parse/model/page', 'parse/extensions/', 'filter/']],
  ['Options', ['options/', 'fetch/client/web-client', 'crawl/known-paths']],
  ['Problems and exceptions', ['errors', 'problems/']],
  ['One document, anywhere', ['parse/']],
  ['More', ['']],
];

/** The entries besides the main one and the core, with the titles of their sections. */
const OTHER_ENTRIES = [
  ['check', 'Checks, anywhere', 'It has no network, no files and nothing of Node, and runs in a browser.'],
  ['write', 'Writing sitemaps', 'It runs in a browser as it is, but for what writes files.'],
  ['batch', 'Many sites', ''],
  ['mcp', 'For agents', ''],
];
/** What is called comes before what is passed. */
const KINDS = ['function', 'class', 'const', 'interface', 'type'];

/** Types of the language itself. */
const GLOBAL_TYPES = /^(?:Partial|Readonly|Record|Promise|URL|Iterable|Date|Symbol|Uint8Array)$/;

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
    const [main, core, ...others] = [
      'index',
      'parse/index',
      ...OTHER_ENTRIES.map(([name]) => `${name}/index`),
    ].map((file) => exportsOf(declarations, file));
    return rendered(main, core, others, internal);
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

function rendered(main, core, others, internal) {
  const sections = SECTIONS.map(([title, files]) => ({ title, files, entries: [] }));
  for (const entry of main.values()) {
    sections.find(({ files }) => placeOf(entry, files) !== -1).entries.push(entry);
  }
  const body = sections
    .filter(({ entries }) => entries.length > 0)
    .map(({ title, files, entries }) => {
      const rank = (entry) => KINDS.indexOf(kindOf(entry)) * 100 + placeOf(entry, files);
      const ordered = entries.sort((a, b) => rank(a) - rank(b));
      return `## ${title}\n\n${ordered.map((entry) => section(entry, main, core)).join('\n')}`;
    });
  const all = new Map([...main, ...others.flatMap((exported) => [...exported])]);
  const seen = new Set([...main.keys(), ...core.keys()]);
  for (const [index, [name, title, note]] of OTHER_ENTRIES.entries()) {
    const own = [...others[index].values()]
      .filter((entry) => !seen.has(entry.name))
      .sort((a, b) => KINDS.indexOf(kindOf(a)) - KINDS.indexOf(kindOf(b)));
    const shared = [...others[index].keys()].filter((each) => seen.has(each)).map((each) => `\`${each}\``);
    const also = shared.length === 0 ? '' : `, which also exports ${shared.join(', ')}`;
    const about = `Exported by \`${PACKAGE}/${name}\`${also}. ${note}`.trimEnd();
    body.push([`## ${title}\n\n${about}\n`, ...own.map((entry) => section(entry, all, core))].join('\n'));
    for (const entry of own) seen.add(entry.name);
  }
  return [
    '# API reference',
    '',
    '<!-- Written by scripts/api-reference.js from the declarations and their TSDoc. Do not edit by hand. -->',
    '',
    `Every export of \`${PACKAGE}\`. What is marked **core** is also exported by`,
    `\`${PACKAGE}/parse\`, which has no network, no files and nothing of Node, and runs in a browser.`,
    '',
    'A constructor that needs something internal is left out: the functions make these objects for you. What is optional may',
    'also be `undefined`.',
    '',
    ...body,
    ...mentioned(body.join('\n'), all, internal),
  ].join('\n');
}

/** Types that signatures name and that are not exported: shown, since one has to know them to read the rest. */
function mentioned(body, main, internal) {
  const entries = [];
  const seen = new Set(main.keys());
  let text = body;
  for (;;) {
    const code = [...text.matchAll(/```typescript\n([\s\S]*?)\n```/g)].map(([, block]) => block).join('\n');
    const names = new Set(code.replace(/\/\*\*[\s\S]*?\*\//g, '').match(/\b[A-Z]\w+/g));
    const found = [...names].filter((name) => !seen.has(name) && internal.has(name));
    if (found.length === 0) break;
    for (const name of found) seen.add(name);
    const shown = found.map((name) => section(internal.get(name), main, new Map()));
    entries.push(...shown);
    text = shown.join('\n');
  }
  if (entries.length === 0) return [];
  return [
    `## Types that have no export\n\nNamed above, to be read and not to be imported.\n\n${entries.join('\n')}`,
  ];
}

function placeOf({ file }, files) {
  return files.findIndex((name) =>
    name === '' || name.endsWith('/') ? file.startsWith(name) : file === name,
  );
}

function section(entry, main, core) {
  const { name, statements } = entry;
  const comments = statements.map(({ comment }) => comment).filter((comment) => comment !== '');
  const doc = docOf(comments[0] ?? '', main);
  const signature = statements.map(({ text }) => signatureOf(text, main)).join('\n');
  const parts = [
    `### \`${name}\``,
    ...(core.has(name) ? ['**core**'] : []),
    // A type that is only named in others may have nothing to say beside its name; a test holds every export to a sentence.
    ...(doc.summary === '' ? [] : [doc.summary]),
    `\`\`\`typescript\n${signature}\n\`\`\``,
    ...(doc.params.length > 0 ? [doc.params.map((param) => `- ${param}`).join('\n')] : []),
    ...doc.returns.map((text) => `**Returns** ${text}`),
    ...doc.throws.map((text) => `**Throws** ${text}`),
    ...doc.examples,
  ];
  return `${parts.join('\n\n')}\n`;
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
    .map(withoutUndefined)
    .join('\n')
    .replace(/ \{\n\}$/, ' {}');
  if (declaration.startsWith('const ') && lines.length > 3) {
    return `${lines[0]}\n  // ${lines.length - 2} codes: see problem-codes.md\n${lines.at(-1)}`;
  }
  return shown;
}

/** An optional member without `| undefined`, which the top of the page says of all. That of a function's result stays. */
function withoutUndefined(member) {
  return member.replace(/(\?: (?:[^;=]|=(?!>))*| \)| => [^;]*\)) \| undefined;$/, '$1;');
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
  const [summary = '', ...tags] = text.split(/^@(?=[a-z])/m);
  const tagged = (tag) =>
    tags
      .filter((each) => each.startsWith(`${tag} `) || each.startsWith(`${tag}\n`))
      .map((each) => each.slice(tag.length));
  const inline = (each) => each.trim().replace(/\s*\n\s*/g, ' ');
  return {
    summary: summary.trim(),
    params: tagged('param').map((each) => inline(each).replace(/^(\w+) - /, '`$1`: ')),
    returns: tagged('returns').map(inline),
    throws: tagged('throws').map(inline),
    examples: tagged('example').map((each) => each.trim()),
  };
}
