/**
 * Which rules fire how often on a folder of real documents, and some findings of each to look at by hand:
 *
 *     npm run build && node scripts/check-corpus.js FOLDER [findings of each rule]
 *
 * Each file is checked by itself, with an address that its own URLs suggest. Well-formed files and others are counted
 * apart: a rule that fires on many healthy files is wrong.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { argv, stdout } from 'node:process';
import { gunzipSync } from 'node:zlib';
import { checkSitemap, RULES } from '../dist/check/index.js';

const [, , folder, shown = '0'] = argv;
const BREAKING = new Set(['not-well-formed', 'xml-declaration-late', 'not-utf-8']);
const rules = new Map();
let wellFormed = 0;
let others = 0;

for (const name of readdirSync(folder, { recursive: true }).sort()) {
  const path = join(folder, name);
  if (!statSync(path).isFile() || !/\.(?:xml|txt|gz|rss|atom|html?)$/i.test(path)) continue;
  const bytes = contentOf(path);
  if (bytes === undefined) continue;
  const found = [...checkSitemap(bytes, { url: addressOf(bytes, name), name: relative('.', name) })];
  const isInvalid = found.some(({ rule }) => rule === 'sitemap-unreadable' || rule === 'sitemap-is-html');
  if (isInvalid) continue;
  const isBroken = found.some(
    ({ rule, severity }) => BREAKING.has(rule) || (severity === 'error' && RULES[rule].about === 'xml'),
  );
  if (isBroken) others++;
  else wellFormed++;
  for (const finding of found) {
    const known = rules.get(finding.rule) ?? {
      files: new Set(),
      findings: 0,
      examples: [],
      broken: new Set(),
    };
    rules.set(finding.rule, known);
    (isBroken ? known.broken : known.files).add(name);
    if (isBroken) continue;
    known.findings++;
    if (known.files.size > known.examples.length) known.examples.push(finding);
  }
}

stdout.write(`${wellFormed} well-formed documents, ${others} that are not\n\n`);
stdout.write(
  '| rule | severity | well-formed files | findings in them | other files |\n|---|---|--:|--:|--:|\n',
);
for (const [rule, { files, findings, broken }] of [...rules].sort(
  (a, b) => b[1].files.size - a[1].files.size,
)) {
  stdout.write(`| ${rule} | ${RULES[rule].severity} | ${files.size} | ${findings} | ${broken.size} |\n`);
}
for (const [rule, { examples }] of rules) {
  for (const { document, line, column, message } of examples.slice(0, Number(shown))) {
    stdout.write(`${rule}  ${document}:${line ?? ''}:${column ?? ''}  ${message.slice(0, 300)}\n`);
  }
}

function contentOf(path) {
  const bytes = readFileSync(path);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}

/** The root of the host that most of the first URLs are on. */
function addressOf(bytes, name) {
  if (/(?:^|\/)robots[^/]*\.txt$/i.test(name)) return 'https://example.org/robots.txt';
  const urls =
    bytes
      .subarray(0, 200_000)
      .toString('latin1')
      .match(/(?<=<loc>\s*|<link>\s*|^)https?:\/\/[^/<\s]+/gm) ?? [];
  const counts = new Map();
  for (const url of urls) counts.set(url, (counts.get(url) ?? 0) + 1);
  const [origin = 'https://example.org'] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  return URL.canParse(`${origin}/sitemap.xml`) ? `${origin}/sitemap.xml` : 'https://example.org/sitemap.xml';
}
