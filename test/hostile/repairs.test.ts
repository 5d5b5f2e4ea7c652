/** `usp fix` of sites whose sitemaps are called as an attacker likes: no name costs the others their file. */
import { expect, test } from 'vitest';
import { Layout } from '../../src/write/layout.ts';
import { startServer } from '../server/scripted-server.ts';
import { robots, urlset } from '../support/documents.ts';
import { fix, urlsOf } from '../support/fix-world.ts';
import { sized } from '../support/tier.ts';

const page = (number: number): string => `https://example.org/${number}`;

/** The files that are written for sitemaps at these paths, by the page of each. */
async function filesFor(paths: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const server = await startServer({});
  try {
    for (const [number, path] of paths.entries()) server.site[path] = urlset(page(number));
    server.site['/robots.txt'] = robots(...paths.map((path) => server.origin + path));
    const { code, stderr, files } = await fix([server.origin]);
    expect([code, stderr]).toEqual([0, '']);
    return urlsOf(files);
  } finally {
    await server.close();
  }
}

const LONG = 'b'.repeat(190);

test.each<[string, readonly string[], readonly string[]]>([
  [
    'a path that is longer than file systems take',
    [`/${'a/'.repeat(3_000)}x.xml`, '/y.xml'],
    ['x.xml', 'y.xml'],
  ],
  [
    'folders below a file whose names are long',
    ['/a.xml', `/a.xml/${LONG}/${LONG}/c.xml`],
    [`a.xml-${LONG}-bbb.xml`, 'a.xml'],
  ],
  [
    'devices of Windows',
    ['/con.xml', '/NUL/aux.php', '/com1.x/lpt9', '/console.xml'],
    ['_NUL/_aux.xml', '_com1.x/_lpt9.xml', '_con.xml', 'console.xml'],
  ],
  ['one accent in two encodings', ['/%C3%A9.xml', '/e%CC%81.xml'], ['e\u0301-2.xml', '\u00e9.xml']],
  ['capitals', ['/A.xml', '/a.xml', '/A/b.xml', '/a/B.xml'], ['A/b.xml', 'A.xml', 'a/B-2.xml', 'a-2.xml']],
  ['NUL, and line ends', ['/a%00b.xml', '/a%0Ab.xml'], ['a-b-2.xml', 'a-b.xml']],
  ['names of Object.prototype', ['/__proto__/x.xml', '/constructor'], ['__proto__/x.xml', 'constructor.xml']],
])('%s: every sitemap has a file of its own', async (_, paths, names) => {
  const files = await filesFor(paths);
  expect(Object.keys(files).sort()).toEqual([...names].sort());
  expect(Object.values(files).flat().sort()).toEqual(paths.map((_path, number) => page(number)));
});

const MANY = sized({ fast: 6_000, full: 30_000 });

test(`${MANY} sitemaps that want one name get one each, without trying all names for each`, () => {
  const addresses = Array.from(
    { length: MANY },
    (_, number) => `https://example.org/s.xml?x=${'!'.repeat(number % 300)}${'&'.repeat(1 + number / 300)}`,
  );
  const names = new Layout({ byHost: false }).namesOf(addresses);
  expect(new Set(names).size).toBe(MANY);
  expect(names.slice(0, 3)).toEqual(['s-x.xml', 's-x-2.xml', 's-x-3.xml']);
});
