/** §16 The limits of one document: what is over them is written with one problem, but for news. */
import { expect, test } from 'vitest';
import { sitemapXml, type WritablePage, type WriteProblem } from '../../src/write/index.ts';

const SITE = 'https://example.org/';

/** Writes pages as one document: how often it has some text, its length in characters, and the problems. */
async function written(pages: Iterable<WritablePage>, part: string) {
  const problems: WriteProblem[] = [];
  let [times, characters] = [0, 0];
  for await (const chunk of sitemapXml(pages, { onProblem: (problem) => void problems.push(problem) })) {
    times += chunk.split(part).length - 1;
    characters += chunk.length;
  }
  return { times, characters, problems };
}

test.each([
  [50_000, []],
  [50_002, [{ code: 'over-50000-urls', url: `${SITE}50000` }]],
])('%i pages are written', async (length, expected) => {
  const pages = Array.from({ length }, (_, at) => ({ url: `${SITE}${at}` }));
  const { times, problems } = await written(pages, '<url>');
  expect(times).toBe(length);
  expect(problems).toMatchObject(expected);
});

test.each([
  ['one byte', 'x', []],
  ['three bytes', '中', [{ code: 'over-50-mib' }]],
])('18 million characters of %s each are written', async (_what, character, expected) => {
  const caption = character.repeat(20_000);
  const images = Array.from({ length: 50 }, () => ({ loc: `${SITE}i.png`, caption }));
  const pages = Array.from({ length: 18 }, (_, at) => ({ url: `${SITE}${at}`, images }));
  const { times, characters, problems } = await written(pages, '<image:image>');
  expect([times, characters < 52_428_800]).toEqual([50 * 18, true]);
  expect(problems).toMatchObject(expected);
});

test('of news, 1,000 are written', async () => {
  const newsStory = { title: 'T', publishDate: '2024', publicationName: 'N', publicationLanguage: 'en' };
  const pages = Array.from({ length: 1001 }, (_, at) => ({ url: `${SITE}${at}`, newsStory }));
  const { times, problems } = await written(pages, '<news:news>');
  expect(times).toBe(1000);
  expect(problems).toMatchObject([{ code: 'news-too-many', dropped: 'value' }]);
});
