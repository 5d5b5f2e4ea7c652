/** docs/check.md shows what `usp check` prints. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { usp } from '../support/cli-world.ts';
import { codeBlocksOf, docPage } from '../support/docs-pages.ts';
import { temporaryFolder } from '../support/real-servers.ts';

const page = (path: string, day = 1): string =>
  `  <url><loc>https://example.org/${path}</loc><lastmod>2024-04-${String(day).padStart(2, '0')}</lastmod></url>\n`;
const SITE = {
  'https://example.org/robots.txt': 'User-agent: *\nSitemap: https://example.org/sitemap.xml\n',
  'https://example.org/sitemap.xml': `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${page('?tea=1&milk=2')}${[1, 2, 3, 4].map((number) => page(`tea/${number}`, number)).join('')}  <url>
    <lastmod>2024-05-06T07:08:09</lastmod><loc>https://example.org/tea/5</loc>
  </url>
${Array.from({ length: 114 }, (_, at) => page(`coffee/${at}`, 1 + (at % 30))).join('')}</urlset>`,
};

/** The site as a WARC file: so it has the addresses of the page, and needs no network. */
function recorded(): string {
  const records = Object.entries(SITE).map(([url, body]) => {
    const response = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n${body}`;
    return [
      'WARC/1.1',
      'WARC-Type: response',
      `WARC-Target-URI: ${url}`,
      'Content-Type: application/http;msgtype=response',
      `Content-Length: ${Buffer.byteLength(response)}`,
      '',
      `${response}\r\n\r\n`,
    ].join('\r\n');
  });
  const path = join(temporaryFolder(), 'site.warc');
  writeFileSync(path, records.join(''));
  return path;
}

test('the first output of check.md is what usp check prints', async () => {
  const [block] = codeBlocksOf({ name: 'check.md', text: docPage('check.md') });
  const [, ...args] = block?.code.trim().split(' ') ?? [];
  // On a machine with an earlier clock the dates of the page would be in the future.
  vi.setSystemTime('2024-06-01');
  onTestFinished(() => void vi.useRealTimers());
  const { stdout } = await usp([...args, '--from-warc', recorded()]);
  expect(stdout.trimEnd()).toBe(block?.output?.trimEnd());
});
