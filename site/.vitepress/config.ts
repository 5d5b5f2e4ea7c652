/** The website: the pages of docs/, a start page and the playground, as one static folder (site/dist). */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { checkAnchors } from '../build/anchors.ts';
import { openGraph, writeDiscovery } from '../build/discovery.ts';
import { emptyHeaders } from '../build/empty-headers.ts';
import { flowchart } from '../build/flowchart.ts';
import { gatherPages, sidebar } from '../build/pages.ts';
import { withPolicy } from '../build/policy.ts';
import { writeServiceWorker } from '../build/service-worker.ts';
import { headingAnchor } from '../build/slug.ts';

// A host may serve the site from a folder, as GitHub Pages does: SITE_BASE=/ultimate-sitemap-parser/ npm run site
const base = process.env['SITE_BASE'] ?? '/';
const pages = fileURLToPath(new URL('./cache/pages', import.meta.url));

const ABOUT =
  'Find every sitemap of a site, read every page in it, broken sitemaps included, and check what is wrong with them.';

gatherPages(pages);

export default defineConfig({
  title: 'ultimate-sitemap-parser',
  description: ABOUT,
  lang: 'en',
  base,
  srcDir: '.vitepress/cache/pages',
  outDir: 'dist',
  cacheDir: '.vitepress/cache/vite',
  // A dead link ends the build. So does a link to a heading that does not exist: see buildEnd.
  ignoreDeadLinks: false,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }],
    ['link', { rel: 'manifest', href: `${base}site.webmanifest` }],
    ['meta', { name: 'theme-color', content: '#3b6fb6' }],
  ],
  markdown: {
    anchor: { slugify: headingAnchor },
    config: (markdown) => {
      markdown.core.ruler.push('empty-headers', emptyHeaders);
      const { fence } = markdown.renderer.rules;
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info = '', content = '' } = tokens[index] ?? {};
        return info === 'mermaid' ? flowchart(content) : (fence?.(tokens, index, ...rest) ?? '');
      };
      // Vue takes {{ in inline code for the start of an expression, unless the element says that it is not a template.
      const { code_inline: inline } = markdown.renderer.rules;
      markdown.renderer.rules.code_inline = (...code) =>
        (inline?.(...code) ?? '').replace(/^<code(?! v-pre)/, '<code v-pre');
      // Code that is only indented gets the same box, which a wide line scrolls in.
      markdown.renderer.rules.code_block = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token !== undefined) token.info = 'text';
        return fence?.(tokens, index, ...rest) ?? '';
      };
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Get started', link: '/get-started' },
      { text: 'Playground', link: '/playground' },
      { text: 'Check rules', link: '/check-rules' },
      { text: 'Command line', link: '/cli' },
      { text: 'API', link: '/api' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: true } },
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: true,
  },
  vite: {
    worker: { format: 'es' },
    // An asset that is inlined as a data: URL would be refused by the policy of the pages.
    build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 2000 },
  },
  transformHead: ({ page, title, description }) => openGraph(base, page, title, description),
  transformHtml: withPolicy,
  buildEnd: async ({ outDir }) => {
    await writeDiscovery(outDir, base, ABOUT);
    await writeServiceWorker(outDir, base);
    await checkAnchors(outDir, base);
  },
});
