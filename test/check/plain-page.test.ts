/** §12: the chunks in which a document arrives make no difference to what is found. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../src/check/finding.ts';
import { urlKey } from '../../src/check/ordinary-url.ts';
import { resolveCheckOptions, SiteCheck } from '../../src/check/site-check.ts';
import { UrlMark } from '../../src/check/url-mark.ts';
import { compileRobots } from '../../src/robots/robots-rules.ts';
import { sized } from '../support/tier.ts';

const HEAD =
  '<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n';
const ROBOTS =
  'User-agent: *\nDisallow: /cart\nDisallow: /*?sort=\nDisallow: /*.pdf$\nDisallow: /a%7eb\nAllow: /cart/open\nDisallow: /$\nDisallow: /p/*/edit\n';
const NOW = Date.UTC(2025, 5, 1);

const plainUrl = fc
  .tuple(
    fc.constantFrom(
      'https://www.example.org',
      'https://example.org',
      'http://www.example.org',
      'https://shop.example.com',
      'HTTPS://www.example.org',
      'https://www.example.org:8080',
      'https://127.0.0.1',
      'https://me:secret@www.example.org',
    ),
    fc.constantFrom(
      ...['/', '', '/cart', '/cart/open', '/Cart', '/a/b', '/a/b/', '/A/b', '/a~b', '/a%7eb', '/a%7Eb'],
      ...['/x.pdf', '/x.pdf/', '/x.html', '/p/1/edit', '/./a', '/a/../b', '/a/.b', '/a%2', '/%41', '/a//b'],
      ...['/a]]>b', '/a|b', '/a#b', '/a_b', '/über', '/a&amp;b', '/a&b', `/${'long'.repeat(520)}`],
    ),
    fc.constantFrom('', '', '', '?', '?sort=1', '?q=1', '?Q=1', '?utm_source=x', '?a=1&amp;gclid=2', '?a/'),
  )
  .map((parts) => parts.join(''));

const lastmod = fc.constantFrom(
  ...['', '<lastmod>2024-05-06</lastmod>', '<lastmod>2024-05-06T07:08:09Z</lastmod>'],
  ...['<lastmod>2099-01-01</lastmod>', '<lastmod>2024-05-06T07:08:09</lastmod>', '<lastmod/>'],
  ...['<lastmod>2025-06-01T00:00:10.000Z</lastmod>', '<lastmod>6 May 2024</lastmod>', '<lastmod>x</lastmod>'],
  '<lastmod>2025-06-01T02:00:00+02:00</lastmod>',
);

const rest = fc.constantFrom(
  ...['', '', '', '<priority>0.5</priority>', '<priority>7</priority>', '<changefreq>daily</changefreq>'],
  '<xhtml:link rel="alternate" hreflang="de" href="https://www.example.org/a/b"/>',
  '<image:image><image:loc>https://www.example.org/i.png</image:loc></image:image>',
  '<!-- a comment -->',
  ...['<image:title>a]b</image:title>', '<image:title>a]]>b</image:title>', '<video:title>b</video:title>'],
  ...[
    '<image:a"b>c</image:a"b>',
    '<image:1>b</image:1>',
    '<image:b>\u0001</image:b>',
    '<loc:b:c>d</loc:b:c>',
  ],
  ...['<x:a xmlns:x="urn:x"><x:b>c</x:b></x:a>', '<x:b>c</x:b>', '<image:image><x:b>c</x:b></image:image>'],
);

const entry = fc
  .tuple(plainUrl, lastmod, rest, fc.constantFrom('', ' ', '\n  ', '\r\n'))
  .map(
    ([url, date, more, space]) =>
      `${space}<url>${space}<loc>${url}</loc>${space}${date}${more}${space}</url>${space}`,
  );

const broken = fc.constantFrom(
  ...['<url><loc>https://www.example.org/open</loc>', '</urlset>', '<url>', '</url>', 'text ', '<url/>'],
  ...['<!-- <url><loc>https://www.example.org/a</loc></url> -->', '<![CDATA[ ]]>', '&eacute;', '<url a=b>'],
);

const documents = fc
  .array(fc.oneof({ arbitrary: entry, weight: 12 }, { arbitrary: broken, weight: 1 }), {
    minLength: 1,
    maxLength: 30,
  })
  .map((entries) => `${HEAD}${entries.join('')}</urlset>`);

function findingsOf(texts: readonly string[], pieces: number): Finding[] {
  const check = new SiteCheck(resolveCheckOptions({ now: NOW }), true);
  check.site.robots.add(
    [new URL('https://www.example.org/robots.txt').origin],
    new TextEncoder().encode(ROBOTS),
  );
  for (const [number, text] of texts.entries()) {
    const url = `https://www.example.org/s/${number}.xml`;
    const run = check.begin({
      name: url,
      options: { url, charset: undefined, isUtf8: true },
      now: NOW,
      isFetched: true,
      declaredBy: new Set(number === 0 ? [] : ['www.example.org']),
      keys: [],
      sitemaps: new Map(),
    });
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += pieces) run.write(bytes.subarray(at, at + pieces));
    run.end();
  }
  return [...check.take()];
}

/** Rules that look at one entry may be heard of in another order. */
function inOrder(findings: readonly Finding[]): string[] {
  return findings.map((finding) => JSON.stringify(finding)).sort();
}

describe('§12 plain pages', () => {
  test('what is found is the same in whatever chunks', () => {
    fc.assert(
      fc.property(
        fc.array(documents, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 7, max: 400 }),
        (texts, pieces) => {
          expect(inOrder(findingsOf(texts, pieces))).toEqual(inOrder(findingsOf(texts, 1 << 20)));
        },
      ),
      { numRuns: sized({ fast: 20, full: 60, strong: 500 }) },
    );
  });

  test('robots.txt disallows a plain page exactly where it disallows its URL', () => {
    const robots = compileRobots(ROBOTS, 'Googlebot');
    fc.assert(
      fc.property(plainUrl, (url) => {
        const text = `${HEAD}<url><loc>${url}</loc></url></urlset>`;
        const found = findingsOf([text], 1 << 20).some(({ rule }) => rule === 'page-blocked');
        const key = urlKey(url.replaceAll('&amp;', '&'));
        const isOwn = new URL(key).origin === 'https://www.example.org';
        expect(found).toBe(isOwn && robots.disallowing(key) !== undefined);
      }),
      { numRuns: sized({ fast: 100, full: 250, strong: 1000 }) },
    );
  });
});

describe('fingerprints of URLs', () => {
  const path = fc.array(fc.constantFrom('a', 'B', 'cd', 'Wxyz', '/', '-', '%C3', '1'), { maxLength: 12 });

  test('variants of a page have one, and nothing else has', () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        const [left, right] = [one.join(''), other.join('')];
        const page = (text: string): string => text.toLowerCase().replace(/\/$/, '');
        const isVariant = page(left) === page(right);
        const marks = [markOf(`https://www.x.org/${left}`), markOf(`http://x.org/${right}`)] as const;
        expect(marks[0].a === marks[1].a && marks[0].b === marks[1].b).toBe(isVariant);
        expect(marks[0].exact).not.toBe(marks[1].exact);
      }),
    );
  });

  test('the case of a query counts, and the slash before it does not', () => {
    expect(pageOf('https://x.org/a/?Q=1')).toEqual(pageOf('https://x.org/A?Q=1'));
    expect(pageOf('https://x.org/a?Q=1')).not.toEqual(pageOf('https://x.org/a?q=1'));
    expect(pageOf('https://x.org/ab?c')).not.toEqual(pageOf('https://x.org/a?bc'));
    expect(pageOf('https://x.org/')).not.toEqual(pageOf('https://x.org/x'));
  });

  function markOf(url: string): UrlMark {
    const mark = new UrlMark();
    mark.take(url);
    return mark;
  }

  function pageOf(url: string): readonly number[] {
    const { a, b } = markOf(url);
    return [a, b];
  }
});
