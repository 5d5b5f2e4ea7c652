/** §10: rows, objects and documents, whatever their items are. */
import { describe, expect, test } from 'vitest';
import { csvOf, jsonDocument, ndjsonOf, type RowStyle } from '../../../src/cli/render/item-format.ts';

interface Item {
  readonly url: string;
  readonly text?: string;
}

const allowed = { allowed: false, rule: 'Disallow: /a', ruleLine: 3 } as const;
const verdictOf = (url: string) => ({ ...allowed, rule: `Disallow: ${url}` }) as never;

describe('CSV', () => {
  const columns = { url: ({ url }: Item) => url, text: ({ text }: Item) => text };
  const pages = csvOf<Item, RowStyle>(columns, ({ url }) => url);
  const others = csvOf<Item, RowStyle>(columns);
  const item: Item = { url: '/a', text: '=b;c' };

  test.each<[string, RowStyle, string, string]>([
    ['plain', {}, 'url,text\n', "/a,'=b;c\n"],
    ['raw', { isRaw: true }, 'url,text\n', '/a,=b;c\n'],
    ['with another separator', { separator: ';' }, 'url;text\n', `/a;"'=b;c"\n`],
    ['raw, with another separator', { separator: ';', isRaw: true }, 'url;text\n', `/a;"=b;c"\n`],
    ['with a mark', { hasBom: true }, '\ufeffurl,text\n', "/a,'=b;c\n"],
    ['of several sites', { site: 's,t' }, 'url,text,site\n', `/a,'=b;c,"s,t"\n`],
    ['of a site without a name', { site: '' }, 'url,text,site\n', "/a,'=b;c,\n"],
    ['with an agent', { verdictOf }, 'url,text,allowed,rule,ruleLine\n', "/a,'=b;c,false,Disallow: /a,3\n"],
    [
      'with all',
      { verdictOf, site: 's', separator: '\t', hasBom: true },
      '\ufeffurl\ttext\tallowed\trule\truleLine\tsite\n',
      "/a\t'=b;c\tfalse\tDisallow: /a\t3\ts\n",
    ],
  ])('%s', (_what, style, heading, row) => {
    expect([pages.begin?.(style), pages.item(item, style)]).toEqual([heading, row]);
  });

  test('what is no page has no verdict', () => {
    const style: RowStyle = { verdictOf, site: 's' };
    expect([others.begin?.(style), others.item({ url: '/a' }, style)]).toEqual([
      'url,text,site\n',
      '/a,,s\n',
    ]);
  });

  test('a cell without a value is empty', () => {
    expect(others.item({ url: '' }, {})).toBe(',\n');
  });
});

test('NDJSON is an object a line, with the site where there are several', () => {
  const { begin, item, end } = ndjsonOf<Item, RowStyle>((each) => each);
  expect([begin, end]).toEqual([undefined, undefined]);
  expect(item({ url: 'a\nb' }, {})).toBe('{"url":"a\\nb"}\n');
  expect(item({ url: 'a', text: undefined } as never, { site: 's' })).toBe('{"url":"a","site":"s"}\n');
  expect(item({ url: 'a' }, { site: '' })).toBe('{"url":"a","site":""}\n');
});

describe('a document of JSON', () => {
  const documentOf = (items: readonly object[], end: object): string => {
    const format = jsonDocument<object, undefined, object>(
      'items',
      (each) => each,
      (each) => each,
    );
    return (
      format.begin(undefined) + items.map((each) => format.item(each, undefined)).join('') + format.end(end)
    );
  };

  test.each([
    [[], { n: 0 }, '{"items":[],"n":0}\n'],
    [[{ a: 1 }], { n: 1 }, '{"items":[\n{"a":1}\n],"n":1}\n'],
    [
      [{ a: 1 }, {}, { b: '\n' }],
      { n: 3, m: [] },
      '{"items":[\n{"a":1},\n{},\n{"b":"\\n"}\n],"n":3,"m":[]}\n',
    ],
  ])('of %j', (items, end, text) => {
    expect(documentOf(items, end)).toBe(text);
    expect(JSON.parse(text)).toEqual({ items, ...end });
  });
});
