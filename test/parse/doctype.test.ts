/**
 * §7 DOCTYPE: it is skipped as XML has it. Well-formed ones are generated, and the pages behind them must be those that
 * libxml2 (`xmllint`) and Expat (`xmlwf`) read. Malformed ones are among the fixtures.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseSitemap } from '../../src/parse/index.ts';
import { describeUnless } from '../support/collected.ts';
import { folder } from '../support/folder.ts';
import { onPath } from '../support/on-path.ts';
import { CHANGING_SEED, Chance } from '../support/random.ts';
import { sized } from '../support/tier.ts';

const DOCUMENTS = sized({ fast: 20, full: 60, strong: 400 });
/** In the full tier other documents each time. */
const SEED = Number(process.env['FUZZ_SEED'] ?? sized({ fast: 20240506, full: CHANGING_SEED }));
const PAGES = ['https://example.org/a', 'https://example.org/b'];
const BODY = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${PAGES.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;

/** Text that has some meaning in other places. */
const PIECES = [
  "'",
  '"',
  '>',
  '<',
  '[',
  ']',
  ']>',
  '--',
  '<!--',
  '?',
  '<?',
  '<urlset>',
  '<loc>',
  '&#38;',
  'a',
  ' ',
  '%',
];

function doctypeOf(chance: Chance): string {
  const words = (without: RegExp): string =>
    Array.from({ length: chance.between(0, 4) }, () => chance.pick(PIECES))
      .join('')
      .replaceAll(without, '');
  const literal = (without: RegExp = /\0/g): string => {
    const quote = chance.pick(['"', "'"]);
    return quote + words(without).replaceAll(quote, '') + quote;
  };
  const space = (): string => chance.pick([' ', '\n', '\t ']);
  const name = (): string => `n${chance.between(0, 9999)}`;
  const subset = (): string =>
    chance.pick([
      () => `<!--${words(/-/g)}-->`,
      () => `<?editor ${words(/[?]/g)}?>`,
      // `<` in a replacement text is only text where the entity is never used.
      () => `<!ENTITY${space()}${name()}${space()}${literal(/[%&#;\d]/g)}>`,
      () => `<!ENTITY % ${name()}${space()}SYSTEM${space()}${literal()}${space()}>`,
      () => `<!ATTLIST url ${name()} CDATA ${literal(/[<%&#;\d]/g)}>`,
      () => `<!NOTATION ${name()} SYSTEM ${literal()}>`,
      space,
    ])();
  const id = chance.pick(['', ` SYSTEM ${literal()}`, ` PUBLIC "-//A//B C"${space()}${literal()}`]);
  const inside = Array.from({ length: chance.between(0, 4) }, subset).join('');
  return `<!DOCTYPE urlset${id}${chance.happens(0.7) ? `${chance.pick(['', ' '])}[${inside}]${chance.pick(['', '\n'])}` : ''}>`;
}

const missing = ['xmllint', 'xmlwf'].find((program) => onPath(program) === undefined);
describeUnless(
  missing && `${missing} is not installed`,
  'a well-formed DOCTYPE hides no page and gives none',
  () => {
    test(`${DOCUMENTS} generated ones from seed ${SEED}, as libxml2 and Expat read them`, () => {
      const chance = new Chance(SEED);
      const directory = folder();
      const output = join(directory, 'out');
      mkdirSync(output);
      const documents = Array.from(
        { length: DOCUMENTS },
        () => `<?xml version="1.0"?>\n${doctypeOf(chance)}\n${BODY}`,
      );
      const names = documents.map((_, at) => `${at}.xml`);
      for (const [at, name] of names.entries()) writeFileSync(join(directory, name), documents[at]!);
      execFileSync('xmlwf', ['-d', output, ...names], { cwd: directory });
      let compared = 0;
      for (const [at, name] of names.entries()) {
        const xpath = ['--nonet', '--xpath', "//*[local-name()='loc']/text()", name];
        const { status, stdout } = spawnSync('xmllint', xpath, { cwd: directory, encoding: 'utf8' });
        const canonical = readFileSync(join(output, name), 'utf8');
        // Only what both of them accept is compared.
        if (status !== 0 || !canonical.endsWith('</urlset>')) continue;
        compared++;
        expect(stdout.match(/https:\S+/g)).toEqual(PAGES);
        expect(canonical.match(/(?<=<loc>)https[^<]+/g)).toEqual(PAGES);
        const parse = parseSitemap(documents[at]!);
        const urls = Array.from(parse, (item) => (item.type === 'page' ? item.page.url : item.sitemap.url));
        expect({ document: documents[at], urls, codes: parse.problems.map(({ code }) => code) }).toEqual({
          document: documents[at],
          urls: PAGES,
          codes: ['doctype'],
        });
      }
      expect(compared).toBeGreaterThan(DOCUMENTS * 0.7);
    });
  },
);
