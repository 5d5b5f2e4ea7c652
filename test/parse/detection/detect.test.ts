/** §7: what a document is, and what it is instead of a sitemap. */
import { describe, expect, test } from 'vitest';
import {
  type Description,
  detect,
  endsInRobotsTxt,
  isHtmlPage,
  isRobotsTxt,
} from '../../../src/parse/detection/detect.ts';

const URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>';
const encoder = new TextEncoder();

function kindOf(text: string | Uint8Array, isRobotsPath = false, isForRobots = false): string | undefined {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  return detect(bytes, true, isRobotsPath, isForRobots)?.kind;
}

function descriptionOf(text: string): Description | undefined {
  // A character for each byte.
  const detection = detect(
    Uint8Array.from(text, (letter) => letter.charCodeAt(0)),
    true,
    false,
  );
  if (detection?.kind === 'pages-text') return detection.otherwise;
  return detection?.kind === 'invalid' ? detection.description : undefined;
}

describe('what a document is instead of a sitemap', () => {
  const html = (head: string) => `<!DOCTYPE html><html><head>${head}</head></html>`;
  test.each<readonly [string, string, RegExp]>([
    ['', 'empty', /^empty$/],
    ['\xef\xbb\xbf \r\n\xef\xbb\xbf', 'empty', /^empty$/],
    ['%PDF-1.7', 'binary', /^a PDF file$/],
    ['PK\x03\x04', 'binary', /ZIP/],
    ['\x89PNG\r\n', 'binary', /PNG/],
    ['GIF89a', 'binary', /GIF/],
    ['\xff\xd8\xff\xe0', 'binary', /JPEG/],
    ['WARC/1.1\r\n', 'binary', /WARC.*--from-warc/],
    ['\x1f\x8b\x08', 'gzip', /gzip; decompress/],
    ['a\0b', 'binary', /^binary data$/],
    ['version https://git-lfs.github.com/spec/v1\n', 'git-lfs', /Git LFS pointer/],
    ['{"a": 1}', 'json', /^JSON$/],
    [' [1]', 'json', /^JSON$/],
    ['hello', 'text', /^text without a single URL/],
    ['url,priority\nx,1\n', 'csv', /^CSV data/],
    ['<html>', 'html', /^an HTML page$/],
    ['<HEAD></HEAD>', 'html', /^an HTML page$/],
    ['<body>', 'html', /^an HTML page$/],
    ['<!doctype HTML>x', 'html', /^an HTML page$/],
    ['<!-- x -->\n<?x y?><!-- z --><!DOCTYPE html>', 'html', /^an HTML page$/],
    ['<?xml version="1.0"?><html/>', 'html', /^an HTML page$/],
    ['Warning: x <HTML></HTML>', 'html', /^an HTML page$/],
    ['<htmlx/>', 'other-xml', /its root is <htmlx>$/],
    ['<a:Kml><b/></a:Kml>', 'other-xml', /its root is <a:Kml>$/],
    [`<${'x'.repeat(90)}/>`, 'other-xml', /its root is <x{40,50}…?/],
    ['<!-- only a comment -->', 'other-xml', /^XML without any element$/],
    ['<siteMap xmlns="http://schemas.microsoft.com/AspNet/SiteMap-File-1.0"/>', 'other-xml', /<siteMap>$/],
    [html('<title>Just a moment...</title>'), 'bot-wall', /bot wall/],
    [html('<script src=/cdn-cgi/challenge-platform/x.js></script>'), 'bot-wall', /bot wall/],
    [html('<h1>Verify that you are human</h1>'), 'bot-wall', /bot wall/],
    [html('<h1>verify you are a human</h1>'), 'bot-wall', /bot wall/],
    [html('<p>Please Enable JavaScript and cookies'), 'bot-wall', /bot wall/],
    [html('<title>My shop - Sign in</title>'), 'login', /login form/],
    [html('<title>Login</title>'), 'login', /login form/],
    [html("<input type = 'password'>"), 'login', /login form/],
    [html('<p>Log in to read more'), 'html', /^an HTML page$/],
    [html('<meta HTTP-EQUIV=refresh content="0; URL=/next">'), 'html', /sends browsers on to \/next$/],
    [html("<meta http-equiv='refresh' content='5;url=\"/a b'>"), 'html', /sends browsers on to \/a$/],
    [html('<meta http-equiv="refresh" content="30">'), 'html', /^an HTML page$/],
    [`<script>${URLSET}</script>`, 'other-xml', /<script>$/],
    [`<!-- ${URLSET} -->`, 'other-xml', /without any element/],
    ['<x><rss/></x>', 'other-xml', /<x>$/],
    ['<x><feed/></x>', 'other-xml', /<x>$/],
    ['<x><url/></x>', 'other-xml', /<x>$/],
  ])('%j', (text, what, words) => {
    const description = descriptionOf(text);
    expect(description?.what).toBe(what);
    expect(description?.words).toMatch(words);
    expect(description && isHtmlPage(description)).toBe(['html', 'bot-wall', 'login'].includes(what));
  });
});

describe('what kind of sitemap a document is', () => {
  test.each<readonly [string, string]>([
    [URLSET, 'pages-xml'],
    ['<URLSET/>', 'pages-xml'],
    ['<url><loc/></url>', 'pages-xml'],
    ['<URL><LOC/></URL>', 'pages-xml'],
    ['<sitemapindex/>', 'index-xml'],
    ['<sitemap/>', 'index-xml'],
    ['<sitemap xmlns="http://www.google.com/schemas/sitemap/0.84"/>', 'index-xml'],
    ['<s:urlset xmlns:s="x"/>', 'pages-xml'],
    ['<s:url xmlns:s="x"/>', 'invalid'],
    ['<Url/>', 'invalid'],
    ['<sitemap xmlns="urn:x"/>', 'invalid'],
    ['<url xmlns="http://www.w3.org/2005/Atom"/>', 'invalid'],
    ['<rss/>', 'pages-rss'],
    ['<rdf:RDF/>', 'pages-rss'],
    ['<a:feed/>', 'pages-atom'],
    [`<x>${URLSET}</x>`, 'pages-xml'],
    ['<html><body><rss/></body></html>', 'pages-rss'],
    ['<br /><b>Warning</b>: x<br /><feed/>', 'pages-atom'],
    ['<h1>x</h1><rdf:RDF/>', 'invalid'],
    [`<html><script>x</script>${URLSET}</html>`, 'pages-xml'],
    [`<html><textarea>${URLSET}</textarea></html>`, 'invalid'],
    [`<html><STYLE>${URLSET}</STYLE>${URLSET}</html>`, 'pages-xml'],
    [`hello\n${URLSET}`, 'pages-xml'],
    [`https://a.example/1\n${URLSET}`, 'pages-text'],
    [`https://a.example/1 ${URLSET}`, 'pages-xml'],
    ['https://a.example/1', 'pages-text'],
    ['hello\r\thttps://a.example/1 \rworld', 'pages-text'],
    ['see https://a.example/1', 'pages-text'],
  ])('%j', (text, kind) => {
    const detection = detect(encoder.encode(text), true, false);
    expect(detection?.kind).toBe(kind);
  });

  test('a line that a root follows on is not a whole line', () => {
    expect(detect(encoder.encode(`x https://a.example/1\n${URLSET}`), true, false)?.kind).toBe('pages-xml');
  });

  test.each<readonly [string, boolean, boolean, string]>([
    ['User-agent: *', false, false, 'pages-text'],
    ['User-agent: *', true, false, 'robots-txt'],
    ['User-agent: *', false, true, 'robots-txt'],
    ['', true, false, 'robots-txt'],
    ['', false, true, 'robots-txt'],
    ['', false, false, 'invalid'],
    [URLSET, true, true, 'pages-xml'],
    ['<html>', true, true, 'invalid'],
    ['https://a.example/1', true, false, 'robots-txt'],
    ['https://a.example/1', false, true, 'pages-text'],
    ['{"a": 1}', false, true, 'invalid'],
    ['%PDF-1.7', false, true, 'invalid'],
    [`x\n${URLSET}`, true, false, 'robots-txt'],
    [`x\n${URLSET}`, false, true, 'pages-xml'],
  ])('%j, at the path of a robots.txt: %s, or for one: %s', (text, isRobotsPath, isForRobots, kind) => {
    expect(kindOf(text, isRobotsPath, isForRobots)).toBe(kind);
  });

  test('a text without a URL is confirmed by none', () => {
    expect(detect(encoder.encode('hello\n'), true, false)).toMatchObject({
      kind: 'pages-text',
      isConfirmed: false,
    });
    expect(detect(encoder.encode('https://a/\n'), true, false)).toMatchObject({ isConfirmed: true });
  });

  test('what is in front of a root is said in the order and with the places that it has', () => {
    const problemsOf = (text: string) => {
      const detection = detect(encoder.encode(text), true, false);
      if (detection === undefined || !('root' in detection)) return undefined;
      return [
        detection.root.prolog,
        ...detection.root.problems.map(({ code, offset }) => `${code} ${offset}`),
      ];
    };
    const prolog = { rootOffset: 0, hasRoot: true, hasDoctype: false, isInsideHtml: false };
    expect(problemsOf(URLSET)).toEqual([prolog]);
    expect(problemsOf('<url/>')).toEqual([{ ...prolog, hasRoot: false }]);
    expect(problemsOf(` é x${URLSET}`)).toEqual([{ ...prolog, rootOffset: 5 }, 'text-before-root 1']);
    // Arabic letters of which the first two bytes are those of a byte order mark.
    expect(problemsOf(`ﻻ${URLSET}`)).toEqual([{ ...prolog, rootOffset: 3 }, 'text-before-root 0']);
    expect(problemsOf(`<html>x <body>${URLSET}`)).toEqual([
      { ...prolog, rootOffset: 14, isInsideHtml: true },
      'inside-html 0',
    ]);
    for (const tag of ['<body>', '<BODY class="a">'])
      expect(problemsOf(`${tag}${URLSET}`)).toEqual([
        { ...prolog, rootOffset: tag.length, isInsideHtml: true },
        'inside-html 0',
      ]);
    expect(problemsOf(`<!DOCTYPE a><!DOCTYPE b>\n x${URLSET}`)).toEqual([
      { ...prolog, rootOffset: 27, hasDoctype: true },
      'doctype 0',
      'text-before-root 26',
    ]);
    expect(problemsOf(`a < b <!DOCTYPE a>${URLSET}`)).toEqual([
      { ...prolog, rootOffset: 18, hasDoctype: true },
      'doctype 6',
      'text-before-root 0',
    ]);
  });
});

test.each<readonly [string | undefined, boolean, boolean]>([
  ['https://a.example/robots.txt', true, true],
  ['https://a.example/dir/ROBOTS.TXT', true, true],
  ['https://a.example/robots.txt?x=1', true, true],
  ['https://a.example/robots.txt#x', true, true],
  ['https://a.example/shop-robots.txt', false, true],
  ['https://a.example/get?file=/robots.txt', false, true],
  ['https://a.example/#/robots.txt', false, true],
  ['https://a.example/robots.txt/', false, false],
  ['https://a.example/robots.txt.gz', false, false],
  ['https://a.example/robotsXtxt', false, false],
  [undefined, false, false],
])('whether %s is the address of a robots.txt: %s, or ends as one does: %s', (url, isPath, isEnd) => {
  expect([isRobotsTxt(url), endsInRobotsTxt(url)]).toEqual([isPath, isEnd]);
});
