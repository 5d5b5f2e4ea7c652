/** Errors that are values have no stack; those of everybody else keep theirs. */
import { expect, test } from 'vitest';
import {
  badInput,
  badOption,
  forOneLoop,
  oneLoopOver,
  recordFrames,
  SitemapException,
  SitemapXMLParsingException,
  textForOneLoop,
  withoutStack,
} from '../../src/problems/errors.ts';

const framesOf = ({ stack = '' }: Error): number => stack.split('\n    at ').length - 1;

test('an error that is a value has no stack, and the next one has its own again', () => {
  expect(framesOf(withoutStack(() => new Error('a value')))).toBe(0);
  expect(framesOf(new Error('a mistake'))).toBeGreaterThan(0);
  const failing = () =>
    withoutStack(() => {
      throw new Error('not made');
    });
  expect(failing).toThrow('not made');
  expect(framesOf(new Error('a mistake'))).toBeGreaterThan(0);
});

test.each([0, 5, 100, Number.POSITIVE_INFINITY])(
  'a caller that records %d frames of the stack still does',
  (frames) => {
    const before = recordFrames(frames);
    withoutStack(() => new Error('a value'));
    expect(recordFrames(before)).toBe(frames);
  },
);

test('an exception has the fields that it was given, and no others', () => {
  const cause = new Error('why');
  const full = { code: 'bad-url', url: 'http://a.test/', option: 'proxy', cause };
  expect(new SitemapException('It failed.', full)).toMatchObject({
    name: 'SitemapException',
    message: 'It failed.',
    ...full,
  });
  const bare = new SitemapXMLParsingException('It failed.', { code: 'not-a-sitemap' });
  expect([bare.name, bare.code, bare.url, bare.option, 'cause' in bare]).toEqual([
    'SitemapXMLParsingException',
    'not-a-sitemap',
    undefined,
    undefined,
    false,
  ]);
  expect(bare).toBeInstanceOf(SitemapException);
  expect(new SitemapException('It failed.', { code: 'x', cause: null }).cause).toBe(null);
  expect(
    [badInput('a'), badOption('b', 'keep'), badOption('c')].map(({ code, option, message }) => [
      code,
      option,
      message,
    ]),
  ).toEqual([
    ['bad-input', undefined, 'a'],
    ['bad-option', 'keep', 'b'],
    ['bad-option', undefined, 'c'],
  ]);
});

test('frames of the stack are set, and the number before is returned', () => {
  const before = recordFrames(3);
  expect([recordFrames(5), recordFrames(before), Error.stackTraceLimit]).toEqual([3, 5, before]);
});

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test('a second loop throws, each time, and the first one goes on', async () => {
  const use = forOneLoop('used', 'Once only.');
  use();
  for (const _ of [1, 2])
    expect(use).toThrow(expect.objectContaining({ code: 'used', message: 'Once only.' }));
  async function* letters(): AsyncGenerator<string, void, undefined> {
    yield* ['a', 'b', 'c'];
  }
  const items = oneLoopOver(letters(), forOneLoop('used', 'Once only.'));
  const loop = items[Symbol.asyncIterator]();
  expect(await loop.next()).toEqual({ done: false, value: 'a' });
  expect(() => items[Symbol.asyncIterator]()).toThrow('Once only.');
  expect([await loop.next(), await loop.next(), await loop.next()]).toEqual([
    { done: false, value: 'b' },
    { done: false, value: 'c' },
    { done: true, value: undefined },
  ]);
  // Its own methods go over the same items.
  const byHand = oneLoopOver(letters(), forOneLoop('used', 'Once only.'));
  expect([await byHand.next(), await byHand.return(), await byHand.next()]).toEqual([
    { done: false, value: 'a' },
    { done: true, value: undefined },
    { done: true, value: undefined },
  ]);
  const text = textForOneLoop(letters(), 'toXml');
  expect(await all(text)).toEqual(['a', 'b', 'c']);
  await expect(all(text)).rejects.toThrow(
    expect.objectContaining({
      code: 'text-used',
      message: 'What toXml returns can be iterated over once; call toXml again.',
    }),
  );
});
