/**
 * Makes the documents that the scenarios work on: from a seed, so they are the same on every machine and need not be
 * committed. They land in data/, and are made again only if they are not there.
 *
 *     node generate.js          makes all of them
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

/** To be raised when a generator changes: data of another version is made anew. */
const VERSION = 1;

const DATA = new URL('data/', import.meta.url);

/** What can be made, by name: each a list of functions that give one document. */
const GENERATORS = {
  // 4 × 50,000 URLs; loc and lastmod on each, changefreq and priority on every third.
  parse: [1, 2, 3, 4].map((number) => () => urlset(number, 50_000)),
};

/**
 * The documents of a scenario as bytes.
 *
 * @param {keyof typeof GENERATORS} scenario
 * @returns {Uint8Array[]}
 */
export function documentsOf(scenario) {
  const folder = new URL(`${scenario}-v${VERSION}/`, DATA);
  mkdirSync(folder, { recursive: true });
  return GENERATORS[scenario].map((generate, index) => {
    const file = new URL(`${index + 1}.xml`, folder);
    if (!existsSync(file)) {
      // Under another name first: an interrupted run must not leave half a document.
      const part = new URL(`${index + 1}.part`, folder);
      writeFileSync(part, generate());
      renameSync(part, file);
    }
    return readFileSync(file);
  });
}

const WORDS =
  'river stone market summer garden silver window paper mountain coffee letter winter forest orange bridge harbour music kitchen travel science'.split(
    ' ',
  );
const FREQUENCIES = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'];

function urlset(seed, count) {
  const random = seededRandom(seed);
  const upTo = (limit) => Math.floor(random() * limit);
  const word = () => WORDS[upTo(WORDS.length)];
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
  ];
  for (let number = 0; number < count; number++) {
    const page = (seed - 1) * count + number;
    // Seconds of ten years, so that hardly a date comes twice: no parser lives on remembering them.
    const date = new Date(Date.UTC(2015, 0, 1) + upTo(315_000_000) * 1000).toISOString().slice(0, 19);
    lines.push(
      '  <url>',
      `    <loc>https://www.example.com/${word()}/${word()}-${word()}-${word()}-${page}.html</loc>`,
      `    <lastmod>${date}+00:00</lastmod>`,
    );
    if (number % 3 === 0) {
      lines.push(
        `    <changefreq>${FREQUENCIES[upTo(FREQUENCIES.length)]}</changefreq>`,
        `    <priority>${(upTo(11) / 10).toFixed(1)}</priority>`,
      );
    }
    lines.push('  </url>');
  }
  lines.push('</urlset>', '');
  return lines.join('\n');
}

/** Numbers from 0 up to, not including, 1, the same for the same seed (mulberry32). */
function seededRandom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const scenario of Object.keys(GENERATORS)) {
    const bytes = documentsOf(scenario).reduce((sum, document) => sum + document.length, 0);
    console.log(`${scenario}: ${GENERATORS[scenario].length} documents, ${(bytes / 1e6).toFixed(1)} MB`);
  }
}
