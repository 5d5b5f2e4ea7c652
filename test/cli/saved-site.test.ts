/** §11.4: the call that an update makes: what the file remembers, and what is given again. */
import { describe, expect, test } from 'vitest';
import { callAgain, firstCall, type UpdateRequest } from '../../src/cli/saved-site.ts';

type Origin = NonNullable<Parameters<typeof callAgain>[0]>;

function origin(more: object = {}): Origin {
  return {
    call: 'homepage',
    url: 'https://a.example/',
    options: {},
    notKept: [],
    ...more,
  } as unknown as Origin;
}

function request(more: Partial<UpdateRequest> = {}): UpdateRequest {
  return { file: 'a.warc.gz', url: undefined, isSitemap: false, options: {}, ...more };
}

describe('the first time', () => {
  test('the URL says the site, or the sitemap', () => {
    const url = new URL('https://u:p@a.example/x');
    const options = { retries: 0 };
    expect(firstCall(request({ url, options }))).toEqual({ call: 'homepage', url, options });
    expect(firstCall(request({ url, isSitemap: true }))).toEqual({ call: 'sitemap', url, options: {} });
  });

  test('without a URL it is bad usage', () => {
    expect(() => firstCall(request())).toThrow(
      expect.objectContaining({
        message: 'There is no a.warc.gz yet: the first time, give the URL of the site.',
        hint: 'usp update a.warc.gz https://example.org',
      }),
    );
  });
});

describe('the next time', () => {
  test('options that are given replace those that are remembered, also by false and 0', () => {
    const saved = origin({ options: { retries: 3, useRobots: true, maxDepth: 5 } });
    const options = { retries: 0, useRobots: false, maxDepth: undefined };
    expect(callAgain(saved, request({ options }))).toEqual({
      call: 'homepage',
      url: new URL('https://a.example/'),
      options: { retries: 0, useRobots: false, maxDepth: 5 },
    });
  });

  test('a part of a tree is of no site', () => {
    expect(() => callAgain(undefined, request())).toThrow(
      expect.objectContaining({
        message: 'a.warc.gz does not say which site it is of: it holds a part of a tree, or a local file.',
        hint: 'usp update with another file, and the URL of the site, starts anew.',
      }),
    );
  });

  test('a whole site is no sitemap; a sitemap needs no flag', () => {
    expect(() => callAgain(origin(), request({ isSitemap: true }))).toThrow(
      'a.warc.gz is of the whole site https://a.example/, not of one sitemap (--sitemap).',
    );
    const saved = origin({ call: 'sitemap', url: 'https://a.example/s.xml' });
    for (const isSitemap of [true, false])
      expect(callAgain(saved, request({ isSitemap })).call).toBe('sitemap');
  });

  test.each<[object, string, boolean]>([
    [{}, 'https://a.example/', true],
    [{}, 'https://a.example/other#x', true],
    [{}, 'https://u:p@a.example/', true],
    [{}, 'http://a.example/', false],
    [{}, 'https://a.example:8443/', false],
    [{}, 'https://b.example/', false],
    [{ options: { normalizeHomepageUrl: false }, url: 'https://a.example/x/' }, 'https://a.example/x/', true],
    [{ options: { normalizeHomepageUrl: false }, url: 'https://a.example/x/' }, 'https://a.example/x', true],
    [
      { options: { normalizeHomepageUrl: false }, url: 'https://a.example/x/' },
      'https://a.example/x/#y',
      true,
    ],
    [
      { options: { normalizeHomepageUrl: false }, url: 'https://a.example/x/' },
      'https://a.example/y/',
      false,
    ],
    [{ options: { normalizeHomepageUrl: false }, url: 'https://a.example/x/' }, 'https://a.example/', false],
    [{ call: 'sitemap', url: 'https://a.example/s.xml' }, 'https://a.example/s.xml', true],
    [{ call: 'sitemap', url: 'https://a.example/s.xml' }, 'https://a.example/t.xml', false],
  ])('of %j, %s is the same: %s', (saved, text, isSame) => {
    const url = new URL(text);
    const again = () => callAgain(origin(saved), request({ url }));
    if (isSame) expect(again().url).toBe(url);
    else expect(again).toThrow(expect.objectContaining({ hint: 'each site has a file of its own.' }));
  });

  test('with --normalize the whole site is meant, also where the file remembers --no-normalize', () => {
    const saved = origin({ options: { normalizeHomepageUrl: false }, url: 'https://a.example/x/' });
    const url = new URL('https://a.example/');
    expect(callAgain(saved, request({ url, options: { normalizeHomepageUrl: true } })).url).toBe(url);
  });

  test('a site of another file is named without a password', () => {
    const url = new URL('https://u:secret@b.example/x#y');
    expect(() => callAgain(origin(), request({ url }))).toThrow(
      'a.warc.gz is of https://a.example/, not of https://b.example/x.',
    );
  });

  test.each<[readonly string[], string]>([
    [['headers'], '--header, which is not saved: give it again'],
    [['headers', 'proxy'], '--header and --proxy, which are not saved: give them again'],
    [['recurseCallback'], '--sitemap-include or --sitemap-exclude, which is not saved: give it again'],
    [['userinfo'], 'a user and a password in the URL, which is not saved: give it again'],
    [['nope'], 'the option nope, which usp does not have, which is not saved: give it again'],
  ])('%j must be given again', (notKept, words) => {
    expect(() => callAgain(origin({ notKept }), request())).toThrow(`a.warc.gz was made with ${words}.`);
  });

  test.each<[string, Partial<UpdateRequest>, boolean]>([
    ['headers', { options: { headers: { A: '1' } } }, true],
    ['headers', { options: { headers: undefined } as never }, false],
    ['proxy', { options: { proxy: false } }, true],
    ['recurseCallback', { options: { recurseCallback: () => true } }, true],
    ['sitemapInclude', { options: { recurseCallback: () => true } }, true],
    ['sitemapExclude', { options: { recurseCallback: () => true } }, true],
    ['since', { options: { recurseCallback: () => true } }, true],
    ['userinfo', { url: new URL('https://u:p@a.example/') }, true],
    ['userinfo', { url: new URL('https://u@a.example/') }, true],
    ['userinfo', { url: new URL('https://a.example/') }, false],
  ])('%s is given by %j: %s', (name, more, isGiven) => {
    const again = () => callAgain(origin({ notKept: [name] }), request(more));
    if (isGiven) expect(again).not.toThrow();
    else expect(again).toThrow('give it again');
  });
});
