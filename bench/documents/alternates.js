/** An XML sitemap of a site in ten languages: each page names all ten, itself among them. */
import { Random, w3cDate } from './random.js';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'da'];

export function alternates(seed, entries) {
  const random = new Random(seed);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
  ];
  for (let index = 0; index < entries; index++) {
    const number = (seed - 1) * entries + index;
    const group = Math.floor(number / LANGUAGES.length);
    const url = (language) => `https://www.example.com/${language}/products/an-article-of-ours-${group}.html`;
    lines.push('  <url>', `    <loc>${url(LANGUAGES[number % LANGUAGES.length])}</loc>`);
    for (const language of LANGUAGES) {
      lines.push(`    <xhtml:link rel="alternate" hreflang="${language}" href="${url(language)}"/>`);
    }
    lines.push(`    <lastmod>${w3cDate(random.date())}</lastmod>`, '  </url>');
  }
  lines.push('</urlset>', '');
  return lines.join('\n');
}
