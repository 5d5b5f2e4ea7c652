/** Names of members that every object inherits are names like any other, wherever a stranger writes them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSitemap } from '../../src/check/index.ts';
import { parseSitemap } from '../../src/parse/index.ts';
import { sitemapXml } from '../../src/write/index.ts';
import { archiveOf } from '../support/archive-bombs.ts';
import { usp } from '../support/cli-world.ts';
import { folder } from '../support/folder.ts';

const KEYS = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'];

/** A saved tree whose only sitemap has failed. */
function savedTree(failure: object, origin: object = {}): string {
  const start = JSON.stringify({
    call: 'homepage',
    url: 'http://a.test/',
    options: {},
    notKept: [],
    ...origin,
  });
  const header = `{"format":"ultimate-sitemap-parser tree","version":1,"origin":${start},"documents":[`;
  const top = { depth: 0, kind: 'website', url: 'http://a.test/', complete: false };
  const node = {
    depth: 1,
    kind: 'invalid',
    url: 'http://a.test/a.xml',
    code: 'x',
    reason: 'Why.',
    ...failure,
  };
  const path = join(folder(), 'tree.warc');
  writeFileSync(
    path,
    archiveOf([header, '],"nodes":[', `${JSON.stringify(top)},`, JSON.stringify(node), ']}']),
  );
  return path;
}

describe.each(KEYS)('%s', (key) => {
  test('in a saved tree: as an option, a code, and an option that was not kept', async () => {
    const failed = savedTree({ option: key, code: key, reason: `Why (${key}).` });
    for (const argv of [
      ['ls', failed, '-f', 'tree'],
      ['ls', failed, '-f', 'summary'],
      ['check', failed],
      ['report', failed, '-o', join(folder(), 'report.html')],
      ['fix', failed, '-o', join(folder(), 'out')],
      ['diff', failed, failed],
    ]) {
      const { code, stderr } = await usp([...argv]);
      expect([code < 70, argv[0], stderr]).toEqual([true, argv[0], expect.not.stringMatching(/native code/)]);
    }
    const unkept = savedTree({}, { notKept: [key] });
    const { code, stderr } = await usp(['update', unkept, 'http://a.test/']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`the option ${key}, which usp does not have`),
    ]);
  });

  test('in a document: as a tag, an attribute, a language, a date and a zone', () => {
    const spaces = ['image', 'video', 'news'].map(
      (name) => `xmlns:${name}="http://www.google.com/schemas/sitemap-${name}/1.1"`,
    );
    const tags = ['image', 'video', 'news']
      .map((name) => `<${name}:${name}><${name}:${key} ${key}="x">x</${name}:${key}></${name}:${name}>`)
      .join('');
    const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"
      ${spaces.join(' ')}><url ${key}="x"><loc>https://a.test/</loc><lastmod>Mon, 06 May 2024 10:00 ${key}</lastmod>
      <changefreq>${key}</changefreq><${key}>x</${key}><xhtml:link rel="alternate" hreflang="${key}" href="https://a.test/"/>
      <xhtml:link rel="alternate" hreflang="en-${key}" href="https://a.test/"/>${tags}</url></urlset>`;
    expect(JSON.stringify([...parseSitemap(text)])).toContain('https://a.test/');
    const findings = [...checkSitemap(text)];
    expect(findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(findings)).not.toContain('native code');
  });

  test('in a row: as a field', async () => {
    const row = JSON.parse(`{"url":"https://a.test/","${key}":"x"}`) as { url: string };
    const problems: string[] = [];
    const chunks = sitemapXml([row], { onProblem: ({ message }) => void problems.push(message) });
    let xml = '';
    for await (const chunk of chunks) xml += chunk;
    expect(xml).toContain('<loc>https://a.test/</loc>');
    expect(problems.join()).not.toMatch(/native code|undefined/);
  });
});

test('no table of the sources is looked up by a text without a look at whether it has that text', () => {
  const found: string[] = [];
  for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const text = readFileSync(join('src', name), 'utf8');
    for (const [, table = ''] of text.matchAll(/^(?:export )?const ([A-Z_]+): Readonly<Record<string, /gm))
      if (new RegExp(`\\b${table}\\[`).test(text)) found.push(`${name}: ${table} is to be a Map`);
  }
  // Its keys are the names of the options.
  expect(found.filter((each) => !each.startsWith(join('options', 'resolve.ts')))).toEqual([]);
});
