/** What quotes a part of a value never ends in the middle of a character: many readers of JSON refuse half of one. */
import { expect, test } from 'vitest';
import { checkSitemap, parseSitemap, reportHtml, sitemapFromString, summarize } from '../../src/index.ts';
import { readDirectives } from '../../src/robots/robots-rules.ts';
import { clip } from '../../src/text/wording.ts';
import { sitemapXml } from '../../src/write/index.ts';

const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" ' +
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"';

/** A value in every element and attribute that a message may quote; one of two lengths cuts a pair, wherever the cut is. */
function documentWith(value: string): string {
  return (
    `<urlset ${NAMESPACES}><url><loc>/${value}</loc><lastmod>${value}</lastmod><priority>${value}</priority>` +
    `<changefreq>${value}</changefreq><xhtml:link rel="alternate" hreflang="${value}" href="mailto:${value}"/>` +
    `<news:news><news:publication><news:name>${value}</news:name><news:language>${value}</news:language>` +
    `</news:publication><news:publication_date>${value}</news:publication_date></news:news><video:video>` +
    `<video:duration>${value}</video:duration><video:rating>${value}</video:rating>` +
    `<video:expiration_date>${value}</video:expiration_date></video:video></url>` +
    `<url><loc>https://example.org/${value}</loc></url><${value}/></urlset>`
  );
}

const VALUES = ['', 'x'].map((before) => `${before}${'😀'.repeat(2_000)}`);

test.each(VALUES)('messages of problems and findings: %#', (value) => {
  const xml = documentWith(value);
  const parsed = parseSitemap(xml);
  for (const _ of parsed);
  const said = [
    ...parsed.problems,
    ...checkSitemap(xml),
    ...checkSitemap(value, { url: 'https://a.example/' }),
  ];
  expect(said.length).toBeGreaterThan(15);
  expect(said.filter(({ message }) => !message.isWellFormed())).toEqual([]);
});

test.each(VALUES)('problems of writing: %#', async (value) => {
  const messages: string[] = [];
  const page = {
    url: 'https://example.org/',
    lastModified: value,
    changeFrequency: value as never,
    alternates: [{ hreflang: value, href: `mailto:${value}` }],
    newsStory: {
      title: value,
      publicationName: value,
      publicationLanguage: value,
      publishDate: value as never,
    },
  };
  const written = sitemapXml([page, { url: value }], { onProblem: ({ message }) => messages.push(message) });
  for await (const chunk of written)
    expect([chunk.isWellFormed(), chunk]).toEqual([true, expect.not.stringContaining('\ufffd')]);
  expect(messages.length).toBeGreaterThan(3);
  expect(messages.filter((message) => !message.isWellFormed())).toEqual([]);
});

test.each(VALUES)('summaries, reports and directives of robots.txt: %#', async (value) => {
  const tree = await sitemapFromString(documentWith(value), { url: `https://example.org/${value}` });
  expect(JSON.stringify(await summarize(tree))).not.toMatch(/\\ud[89a-f]/);
  for await (const piece of reportHtml(tree)) {
    expect(piece.isWellFormed()).toBe(true);
    expect(piece).not.toMatch(/\\ud[89a-f]/);
  }
  const directives = readDirectives(`User-agent: x${value}\nAI-Train: ${value}\n`);
  expect(directives).toHaveLength(1);
  expect(JSON.stringify(directives)).not.toMatch(/\\ud[89a-f]/);
});

test('a clipped text has at most as much as was asked for, and says that there is more', () => {
  expect(clip('short', 5)).toBe('short');
  expect(clip('longer', 5)).toBe('longe…');
  expect(clip('x😀😀', 3)).toBe('x😀…');
  expect(clip('x😀😀', 2)).toBe('x…');
});

test('an address that a report has cut is not a link', async () => {
  const long = `https://example.org/${'x'.repeat(3_000)}`;
  const tree = await sitemapFromString(`<urlset><url><loc>${long}</loc></url></urlset>`, { url: long });
  let html = '';
  for await (const piece of reportHtml(tree)) html += piece;
  expect(html).toContain('xxxx');
  expect(html).not.toContain('href="https://example.org/x');
});
