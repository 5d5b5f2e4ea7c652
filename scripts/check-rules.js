/**
 * Fills in docs/check-rules.md from the table of rules: what each means, why it matters, how to fix it.
 *
 *     node scripts/check-rules.js [--write]
 */
import { argv } from 'node:process';
import { deliver, filled, table } from './deliver.js';
import { importSource } from './source.js';

const { RULES } = await importSource('check/rule-table.ts');

/** The subjects in the order of the page, with their headings. */
const SUBJECTS = {
  xml: 'XML',
  limits: 'Limits',
  urls: 'URLs',
  lastmod: 'Dates',
  hreflang: 'Languages (hreflang)',
  extensions: 'Extensions',
  news: 'News',
  images: 'Images',
  video: 'Videos',
  site: 'The site',
  pages: 'Pages',
};

const KINDS = {
  'pages-xml': 'sitemaps',
  'index-xml': 'indexes',
  'pages-rss': 'RSS',
  'pages-atom': 'Atom',
  'pages-text': 'text sitemaps',
  'robots-txt': 'robots.txt',
  site: 'the whole site',
};

const rules = Object.entries(RULES);
for (const [name, { about }] of rules)
  if (!(about in SUBJECTS)) throw new Error(`${name} is about ${about}.`);

deliver(
  'check-rules.md',
  filled('check-rules.md', {
    'all rules': table(
      ['About', 'Rules'],
      Object.entries(SUBJECTS).map(([subject, heading]) => [heading, namesOf(subject)]),
    ),
    rules: Object.entries(SUBJECTS).map(section).join('\n\n'),
  }),
  argv,
);

function namesOf(subject) {
  const own = rulesAbout(subject);
  const bySeverity = ['error', 'warning', 'info'].map((severity) => {
    const names = own
      .filter(([, row]) => row.severity === severity)
      .map(([name]) => `[\`${name}\`](#${name})`);
    return names.length === 0 ? '' : `*${severity}*: ${names.join(', ')}`;
  });
  return bySeverity.filter(Boolean).join('; ');
}

function section([subject, heading]) {
  return [`## ${heading}`, ...rulesAbout(subject).map(paragraph)].join('\n\n');
}

function rulesAbout(subject) {
  return rules.filter(([, { about }]) => about === subject);
}

function paragraph([name, { severity, documents, explanation, bad, good, source, aggregated }]) {
  const looksAt = documents.map((kind) => KINDS[kind]).join(', ');
  const facts = [
    `*${severity}*`,
    `looks at ${looksAt}`,
    ...(aggregated ? ['one finding per document and cause, with a count'] : []),
  ];
  return [
    `### \`${name}\``,
    `${facts.join('; ')}.`,
    explanation.what,
    `**Why:** ${explanation.why}`,
    `**Fix:** ${explanation.fix}`,
    `Instead of\n\n${fenced(bad)}\n\nwrite\n\n${fenced(good)}`,
    `Source: <${source}>`,
  ].join('\n\n');
}

/** Control characters are shown as JavaScript writes them. */
function fenced(text) {
  const shown = text.replace(/\p{Cc}/gu, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `\`\`\`xml\n${shown}\n\`\`\``;
}
