/**
 * How others find the pages: sitemap.xml, robots.txt and llms.txt, and what a link to a page looks like elsewhere. All of
 * these need the whole address of the site: `SITE_URL=https://example.org npm run site`. The default is where
 * `npm run site:preview` serves it.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HeadConfig } from 'vitepress';
import { sidebar } from './pages.ts';

/** Without a slash at its end. */
const ORIGIN = (process.env['SITE_URL'] ?? 'http://localhost:4173').replace(/\/$/, '');

/** The address of a page by the name of its file: the start page has none. */
const addressOf = (base: string, file: string): string =>
  `${ORIGIN}${base}${file.replace(/^index\.html$/, '')}`;

export async function writeDiscovery(folder: string, base: string, about: string): Promise<void> {
  const pages = (await readdir(folder))
    .filter((name) => name.endsWith('.html') && name !== '404.html')
    .sort();
  const entries = pages.map((name) => `  <url><loc>${addressOf(base, name)}</loc></url>`);
  const sitemap = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...entries,
    '</urlset>',
  ];
  const groups = sidebar().map(({ text, items }) => {
    const links = items.map((item) => `- [${item.text}](${addressOf(base, `${item.link.slice(1)}.html`)})`);
    return [`## ${text}`, '', ...links, ''].join('\n');
  });
  await writeFile(join(folder, 'sitemap.xml'), `${sitemap.join('\n')}\n`);
  await writeFile(
    join(folder, 'robots.txt'),
    `User-agent: *\nAllow: /\n\nSitemap: ${addressOf(base, 'sitemap.xml')}\n`,
  );
  await writeFile(
    join(folder, 'llms.txt'),
    `# ultimate-sitemap-parser\n\n> ${about}\n\n${groups.join('\n')}`,
  );
}

/** Open Graph, which chats and social networks read. */
export function openGraph(base: string, page: string, title: string, description: string): HeadConfig[] {
  const property = (name: string, content: string): HeadConfig => [
    'meta',
    { property: `og:${name}`, content },
  ];
  return [
    property('type', 'website'),
    property('site_name', 'ultimate-sitemap-parser'),
    property('title', title),
    property('description', description),
    property('url', addressOf(base, page.replace(/\.md$/, '.html'))),
    property('image', `${ORIGIN}${base}usp-report.png`),
  ];
}
