/** The pages that are written by hand have one word for one thing, and are plain English. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DOCS, docPages, proseOf } from '../support/docs-pages.ts';

const ROOT = dirname(DOCS);
/** Made from the code. */
const GENERATED = ['docs/api.md'];
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples/README.md'],
  ...docPages().map(({ name }) => `docs/${name}`),
].filter((page) => !GENERATED.includes(page));
const EXAMPLES = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'));

/** What to write, and the words to write it instead of. */
const WORDS: readonly (readonly [string, RegExp])[] = [
  ['known path', /\b(?:usual places?|guess(?:es|ed)?(?! a charset))\b/gi],
  ['response', /\b(?:answers?|answered|answering|replies|reply)\b/gi],
  ['attempt', /\b(?:tries|tried)\b/gi],
  ['problem', /\b(?:odd|oddity|oddities)\b/gi],
  ['the name of the caller, or the passive', /\b(?:nobody|somebody|anybody|everybody|whoever)\b/gi],
  ['plain English', /\b(?:so many|passed over|let go of|lets go of|at hand|is told|are told)\b/gi],
  ['continues, still, is given, is called with', /\b(?:go(?:es)? on|all the same|handed on|hears? of)\b/gi],
];

/** A page without code, quoted output and the tables that scripts or tests write. */
function ownWords(page: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return proseOf(text.replaceAll(/<!-- begin: [\s\S]*?<!-- end: [^>]*-->/g, '')).replaceAll(/`[^`\n]*`/g, '');
}

describe('the words of', () => {
  test.each(PAGES)('%s', (page) => {
    const words = ownWords(page);
    for (const [better, instead] of WORDS) expect(words.match(instead) ?? [], better).toEqual([]);
  });

  test.each(EXAMPLES)('the comments of examples/%s', (name) => {
    const comments = readFileSync(join(ROOT, 'examples', name), 'utf8').match(/^\s*\/\/.*$/gm) ?? [];
    for (const [better, instead] of WORDS)
      expect(comments.join('\n').match(instead) ?? [], better).toEqual([]);
  });
});
