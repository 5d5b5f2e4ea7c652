/** Lists and numbers that the pages repeat are those of the code. */
import { describe, expect, test } from 'vitest';
import { KNOWN_PATHS } from '../../src/crawl/discover.ts';
import { isPassingStatus, LONGEST_RETRY_AFTER_MS } from '../../src/fetch/rules/retry.ts';
import { OWN_DEFAULTS } from '../../src/options/option-table.ts';
import { IMAGE_TAGS } from '../../src/parse/extensions/image.ts';
import { MEDIA_TAGS } from '../../src/parse/extensions/media.ts';
import { NEWS_TAGS } from '../../src/parse/extensions/news.ts';
import { VIDEO_TAGS } from '../../src/parse/extensions/video.ts';
import { SitemapNewsStory, SitemapPage, SitemapVideo } from '../../src/parse/index.ts';
import { ARCHIVE_FORMAT, ARCHIVE_VERSION } from '../../src/sitemap/archive/tree-records.ts';
import { number } from '../../src/text/wording.ts';
import { docPage, docPages, tableRows } from '../support/docs-pages.ts';

test('fetch-and-parse-process.md lists the known paths in their order', () => {
  const [, section = ''] = docPage('fetch-and-parse-process.md').split('### Known paths');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const paths = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, path]) => path));
  expect(paths).toEqual(KNOWN_PATHS);
});

describe('formats.md has the elements of', () => {
  const formats = docPage('formats.md');
  test.each([
    ['news', NEWS_TAGS],
    ['image', IMAGE_TAGS],
    ['video', VIDEO_TAGS],
    ['media', MEDIA_TAGS],
  ])('%s', (_, tags) => {
    expect(Object.keys(tags).filter((tag) => !formats.includes(`<${tag}>`))).toEqual([]);
  });

  test('formats.md has every field of a page, a story and a video', () => {
    const fields = [
      new SitemapPage({ url: 'https://example.org/' }),
      new SitemapNewsStory({}),
      new SitemapVideo({}),
    ].flatMap((one) => [
      ...Object.keys(one),
      ...Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(one))),
    ]);
    const wanted = fields.filter((field) => !['constructor', 'toJSON', 'toObject'].includes(field));
    expect(wanted.length).toBeGreaterThan(30);
    expect(wanted.filter((field) => !formats.includes(`\`${field}\``))).toEqual([]);
  });
});

test('http-client.md lists the statuses after which another attempt is made', () => {
  const [, line = ''] = /^- the statuses (.*)\.$/m.exec(docPage('http-client.md')) ?? [];
  const said = new Set<number>();
  for (const [, from, to] of line.matchAll(/(\d{3})(?: to (\d{3}))?/g)) {
    for (let status = Number(from); status <= Number(to ?? from); status++) said.add(status);
  }
  const real = Array.from({ length: 600 }, (_, status) => status).filter(isPassingStatus);
  expect([...said].sort()).toEqual(real);
  expect(docPage('http-client.md')).toContain(`If it is over ${LONGEST_RETRY_AFTER_MS / 1000} s`);
});

test('cli.md has the defaults of crawlSites and createMcpServer', () => {
  const { sitesAtOnce, callsAtOnce, callMs, resultBytes, keepMs } = OWN_DEFAULTS;
  const flags = {
    '--sites-at-once <n>': sitesAtOnce,
    '--calls-at-once <n>': callsAtOnce,
    '--call-time <seconds>': callMs / 1000,
    '--result-bytes <n>': resultBytes,
    '--keep <minutes>': keepMs / 60_000,
  };
  for (const [flag, value] of Object.entries(flags))
    expect(docPage('cli.md')).toMatch(new RegExp(`\\| \`${flag}\` \\| .*\\(default: ${number(value)}\\)`));
});

test('archive-format.md has the first line of a saved tree', () => {
  const line = JSON.stringify({ format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION });
  expect(docPage('archive-format.md')).toContain(line);
});

test('every code that a page names is in problem-codes.md', () => {
  const known = new Set(
    tableRows(docPage('problem-codes.md')).map(([code = '']) => code.replaceAll('`', '')),
  );
  for (const { name, text } of docPages()) {
    const said = text.matchAll(/(?:the problem|the code|with code|problems?:?) `([a-z]+(?:-[a-z]+)+)`/g);
    expect(
      Array.from(said, ([, code = '']) => code).filter((code) => !known.has(code)),
      name,
    ).toEqual([]);
  }
});
