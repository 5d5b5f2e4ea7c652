/** RSS 2.0 and Atom 1.0: each entry with a link, a title, a date, and a text that no sitemap parser needs. */
import { Random } from './random.js';

export function rss(seed, entries) {
  const random = new Random(seed);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0">',
    '<channel>',
    '  <title>The Example Times</title>',
    '  <link>https://www.example.com/</link>',
    '  <description>All of it</description>',
  ];
  for (let number = 0; number < entries; number++) {
    const url = random.pageUrl(number);
    lines.push(
      '  <item>',
      `    <title>${random.title(number)}</title>`,
      `    <link>${url}</link>`,
      `    <description><![CDATA[<p>${random.words(20).join(' ')}</p>]]></description>`,
      `    <guid isPermaLink="true">${url}</guid>`,
      `    <pubDate>${random.date().toUTCString()}</pubDate>`,
      '  </item>',
    );
  }
  lines.push('</channel>', '</rss>', '');
  return lines.join('\n');
}

export function atom(seed, entries) {
  const random = new Random(seed);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '  <title>The Example Times</title>',
    '  <link href="https://www.example.com/"/>',
    '  <id>https://www.example.com/</id>',
    '  <updated>2025-01-01T00:00:00Z</updated>',
  ];
  for (let number = 0; number < entries; number++) {
    const url = random.pageUrl(number);
    lines.push(
      '  <entry>',
      `    <title>${random.title(number)}</title>`,
      `    <link rel="alternate" href="${url}"/>`,
      `    <id>${url}</id>`,
      `    <published>${random.date().toISOString()}</published>`,
      `    <summary>${random.words(20).join(' ')}</summary>`,
      '  </entry>',
    );
  }
  lines.push('</feed>', '');
  return lines.join('\n');
}
