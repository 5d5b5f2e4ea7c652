/** What the playground makes of its input, by itself: links that carry it, and addresses that files have. */
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findAddresses } from '../../site/playground/addresses.ts';
import { Pacer } from '../../site/playground/pause.ts';
import { readDocument } from '../../site/playground/read-document.ts';
import { repairedDocument } from '../../site/playground/repair-document.ts';
import { fragmentFor, inputOf } from '../../site/playground/share-link.ts';
import { TextRows } from '../../site/playground/text-rows.ts';

describe('a repaired document', () => {
  async function repaired(text: string) {
    const opened = { bytes: new TextEncoder().encode(text), isText: true, damage: undefined };
    const read = await readDocument(opened, { name: 'a.xml', url: undefined }, new Pacer(), () => {});
    const input = { id: 7, name: 'a.xml', url: '', source: { text } };
    const rows = new TextRows(read.text, 100);
    return repairedDocument({
      input,
      opened,
      url: undefined,
      urlFrom: undefined,
      read,
      rows,
      failure: undefined,
    });
  }

  test('is valid, with what is different in it in the order of the text', async () => {
    const document = await repaired(
      '<urlset><url><loc>https://example.org/?a=1&b=2</loc></url><url><loc>https://example.org/a b</loc></url>' +
        '<url><loc>https://example.org/a b</loc><lastmod>2024-05</lastmod></url></urlset>',
    );
    const xml = await document?.file.text();
    expect(xml?.match(/<loc>.*?<\/url>/g)).toEqual([
      '<loc>https://example.org/?a=1&amp;b=2</loc></url>',
      '<loc>https://example.org/a%20b</loc><lastmod>2024-05</lastmod></url>',
    ]);
    expect(document?.differences.map(({ rule, message }) => `${message.split(':')[0]} ${rule}`)).toEqual([
      'Changed missing-namespace',
      'Changed bare-ampersand',
      'Dropped url-repeated',
      'Changed url-not-encoded',
    ]);
    expect(
      document?.differences.every(({ document, offset }) => document === 7 && offset !== undefined),
    ).toBe(true);
  });

  test('of an index is an index', async () => {
    const document = await repaired(
      '<sitemapindex><sitemap><loc>https://example.org/a.xml</loc></sitemapindex>',
    );
    expect(await document?.file.text()).toContain('<sitemap><loc>https://example.org/a.xml</loc></sitemap>');
  });

  test('of an index leaves out what no index may list', async () => {
    const long = `https://example.org/${'x'.repeat(2048)}`;
    const sitemaps = [long, ...Array.from({ length: 50_001 }, (_, n) => `https://example.org/${n}.xml`)];
    const entries = sitemaps.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('');
    const document = await repaired(`<sitemapindex>${entries}</sitemapindex>`);
    const xml = await document?.file.text();
    expect(xml?.match(/<loc>/g)).toHaveLength(50_000);
    expect(xml).not.toContain(long);
    const left = document?.differences.filter(({ message }) => message.startsWith('Dropped'));
    expect(left?.map(({ rule }) => rule)).toEqual(['url-too-long', 'index-over-50000']);
  });

  test('is not made of what is not a sitemap', async () => {
    expect(await repaired('<html><body>Hello</body></html>')).toBeUndefined();
  });
});

describe('a robots.txt without an address', () => {
  test('is recognised by the name of its file', async () => {
    const bytes = new TextEncoder().encode('User-agent: *\nDisallow: /x\n');
    const opened = { bytes, isText: true, damage: undefined };
    const kindOf = async (name: string) =>
      (await readDocument(opened, { name, url: undefined }, new Pacer(), () => {})).kind;
    expect(await kindOf('site/robots.txt')).toBe('robots-txt');
    expect(await kindOf('a.txt')).toBe('invalid');
  });
});

describe('a link', () => {
  const input = {
    now: '',
    documents: [{ name: 'a.xml', url: 'https://example.org/a.xml', text: '<é😀\n&>' }],
  };

  test('gives back what was put into it', async () => {
    const fragment = await fragmentFor(input);
    expect(fragment).toMatch(/^#input=[\w-]+$/);
    expect(await inputOf(fragment ?? '')).toEqual(input);
  });

  test('is not made of what is too large for it', async () => {
    const text = Array.from({ length: 50_000 }, () => Math.random()).join();
    expect(await fragmentFor({ ...input, documents: [{ name: 'a', url: '', text }] })).toBeUndefined();
  });

  test('without an input has none', async () => {
    expect(await inputOf('')).toBeUndefined();
    expect(await inputOf('#heading')).toBeUndefined();
  });

  const packed = (value: unknown): string =>
    `#input=${deflateRawSync(JSON.stringify(value)).toString('base64url')}`;
  test.each([
    ['is cut off', packed(input).slice(0, -10)],
    ['is not base64', '#input=%%%'],
    ['has something else in it', packed([1, 2])],
    ['has a document that is invalid', packed({ now: '', documents: [7] })],
    ['has no text', packed({ now: '', documents: [{ name: 'a', url: '' }] })],
    [
      'inflates to more than a megabyte',
      packed({ now: '', documents: [{ name: '', url: '', text: 'x'.repeat(2e6) }] }),
    ],
  ])('that %s is refused with a sentence', async (_, fragment) => {
    await expect(inputOf(fragment)).rejects.toThrow(/^The input in this link is damaged\./);
  });
});

describe('the address of a file that has none', () => {
  const document = (name: string, url?: string, children: readonly string[] = [], page?: string) => ({
    name,
    url,
    children,
    page,
  });
  const found = (...documents: ReturnType<typeof document>[]) =>
    [...findAddresses(documents)].map(([{ name }, { url, from }]) => [name, url, from]);

  test('is the one that an index among the others lists', () => {
    const index = document('index.xml', undefined, ['https://example.org/maps/News.xml?x=1']);
    expect(found(index, document('folder/news.xml'))).toEqual([
      ['folder/news.xml', 'https://example.org/maps/News.xml?x=1', 'index.xml'],
    ]);
  });

  test('is not changed where the user gave one', () => {
    expect(
      found(
        document('a.xml', undefined, ['https://example.org/b.xml']),
        document('b.xml', 'https://x.test/'),
      ),
    ).toEqual([]);
  });

  test('of a robots.txt is that of the site', () => {
    expect(found(document('robots.txt'), document('a.xml', 'https://example.org/maps/a.xml'))).toEqual([
      ['robots.txt', 'https://example.org/robots.txt', 'a.xml'],
    ]);
    expect(found(document('robots.txt', undefined, ['https://example.org/a.xml']))).toEqual([
      ['robots.txt', 'https://example.org/robots.txt', 'robots.txt'],
    ]);
    expect(
      found(document('robots.txt'), document('a.xml', undefined, [], 'https://example.org/b/c')),
    ).toEqual([['robots.txt', 'https://example.org/robots.txt', 'a.xml']]);
    expect(found(document('robots.txt'))).toEqual([]);
  });
});
