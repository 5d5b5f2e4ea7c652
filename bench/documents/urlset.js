/** An XML sitemap as most are: loc and lastmod in each entry, changefreq and priority in every third. */
import { Random, w3cDate } from './random.js';

const FREQUENCIES = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'];

export function urlset(seed, entries) {
  const random = new Random(seed);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
  ];
  for (let number = 0; number < entries; number++) {
    lines.push(
      '  <url>',
      `    <loc>${random.pageUrl((seed - 1) * entries + number)}</loc>`,
      `    <lastmod>${w3cDate(random.date())}</lastmod>`,
    );
    if (number % 3 === 0) {
      lines.push(
        `    <changefreq>${random.of(FREQUENCIES)}</changefreq>`,
        // From 0.1 on: sitemapper takes a priority of 0 for one that is not there.
        `    <priority>${((random.upTo(10) + 1) / 10).toFixed(1)}</priority>`,
      );
    }
    lines.push('  </url>');
  }
  lines.push('</urlset>', '');
  return lines.join('\n');
}
