/** §12: what goes wrong in one document stays in it, and a document cannot flood its check with findings. */
import { describe, expect, test } from 'vitest';
import { Baseline, BaselineWriter } from '../../src/check/baseline.ts';
import { checkSitemap, checkSitemaps, type Finding } from '../../src/check/index.ts';
import { RULES, ruleOfProblem } from '../../src/check/rule-table.ts';
import { resolveCheckOptions, SiteCheck } from '../../src/check/site-check.ts';
import { PARSE_PROBLEMS } from '../../src/problems/catalogue.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const URL_A = 'https://example.org/a.xml';
const LOC = '<loc>https://example.org/</loc>';
const SITEMAP = `<urlset ${NS}><url>${LOC}</url></urlset>`;
const DECLARED = `<?xml version="1.0"?>\n${SITEMAP}`;

function findings(content: string | Uint8Array): readonly Finding[] {
  return [...checkSitemap(content, { url: URL_A })];
}

function rules(content: string | Uint8Array): readonly string[] {
  return findings(content)
    .filter(({ severity }) => severity !== 'info')
    .map(({ rule, line, column }) => `${rule} ${line}:${column}`);
}

test('every problem of the parser has a rule', () => {
  for (const code of Object.keys(PARSE_PROBLEMS)) {
    expect([code, ruleOfProblem(code)]).not.toEqual([code, 'check-failed']);
    expect(RULES).toHaveProperty(ruleOfProblem(code));
  }
});

test.each([
  [
    'an invalid byte of a sitemap inside HTML',
    '<html><body><urlset><url><loc>https://example.org/\x9b</loc></url></urlset></body></html>',
    ['inside-html 1:1', 'missing-namespace 1:13', 'not-utf-8 1:51'],
  ],
  [
    'an invalid byte of an EUC-KR feed',
    '<?xml version="1.0" encoding="EUC-KR"?>\n<rss version="2.0"><channel><item><title>\xff</title>' +
      '<link>https://example.org/</link></item></channel></rss>',
    ['not-utf-8 2:42'],
  ],
  [
    'a list that ends inside a character',
    'https://example.org/1\nhttps://example.org/\xc3',
    ['not-utf-8 2:21'],
  ],
])('%s is one finding, with its place', (_what, text, expected) => {
  expect(rules(Buffer.from(text, 'latin1'))).toEqual(expected);
});

/** Bytes one by one in a buffer that the caller uses again. */
function* reused(bytes: Uint8Array): Generator<Buffer, void, undefined> {
  const buffer = Buffer.alloc(1);
  for (const byte of bytes) {
    buffer[0] = byte;
    yield buffer;
  }
}

test.each(['\u00fc', '\u20ac', '\u{1f600}'])(
  '%s is valid as the last character of a list, in any chunks',
  (last) => {
    const bytes = Buffer.from(`https://example.org/1\nhttps://example.org/${last}`);
    for (const chunks of [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte)), reused(bytes)]) {
      const found = [...checkSitemap(chunks, { url: URL_A })];
      expect(found.filter(({ rule }) => rule === 'not-utf-8')).toEqual([]);
    }
  },
);

test.each([
  ['RSS that says so', '<?xml version="1.0" encoding="ISO-8859-1"?>', 'info'],
  ['RSS that does not', '<?xml version="1.0"?>', 'error'],
  ['RSS that names another charset that there is not', '<?xml version="1.0" encoding="x-none"?>', 'error'],
])('ISO-8859-1 in %s has its severity', (_what, declaration, severity) => {
  const item = '<item><title>Caf\xe9</title><link>https://example.org/</link></item>';
  const text = `${declaration}<rss version="2.0"><channel>${item}</channel></rss>`;
  const found = findings(Buffer.from(text, 'latin1')).filter(({ rule }) => rule === 'not-utf-8');
  expect(found).toMatchObject([{ severity }]);
});

test.each([
  ['U+FFFF in a comment', `<urlset ${NS}><!-- \uffff --></urlset>`, 'not-well-formed 1:66'],
  [
    'a form feed between entries',
    `<urlset ${NS}><url><loc>https://example.org/</loc></url>\f</urlset>`,
    'control-character 1:103',
  ],
  [
    'too many open tags',
    `<urlset ${NS}>${'<a>'.repeat(300)}${'</a>'.repeat(300)}</urlset>`,
    'nesting-too-deep 1:826',
  ],
  ['a colon in the name of an instruction', `<?a:b?><urlset ${NS}></urlset>`, 'not-well-formed 1:1'],
  [
    'a second byte order mark',
    `\ufeff\ufeff<?xml version="1.0"?><urlset ${NS}></urlset>`,
    'text-before-root 1:1',
  ],
  [
    'an encoding that is not known',
    `<?xml version="1.0" encoding="utf-32"?><urlset ${NS}></urlset>`,
    'unknown-charset 1:1',
  ],
  [
    'UTF-8 that is called UTF-16',
    `<?xml version="1.0" encoding="UTF-16"?><urlset ${NS}></urlset>`,
    'wrong-charset 1:1',
  ],
  [
    'a warning of PHP before the declaration',
    `<br />\n<b>Warning</b>:  Undefined variable $x in <b>/srv/x.php</b> on line <b>3</b><br />\n${DECLARED}`,
    'text-before-root 2:4',
  ],
  ['a warning without a line break', `<b>Warning</b>: no $x<br />\n${DECLARED}`, 'text-before-root 1:4'],
  ['a warning in a tag that is open', `<div>Warning${DECLARED}`, 'text-before-root 1:6'],
  ['an empty tag before the root', `<br />${SITEMAP}`, 'text-before-root 1:1'],
  ['an open tag before the root', `<br>${SITEMAP}`, 'text-before-root 1:1'],
  ['an entry behind the root', `${SITEMAP}<url>${LOC}</url>`, 'entry-without-root 1:112'],
  ['an entry between two ends', `${SITEMAP}<url>${LOC}</url></urlset>`, 'entry-without-root 1:112'],
  ['a second root', `${SITEMAP}${SITEMAP}`, 'second-root 1:112'],
  ['text behind the root', `${SITEMAP}\nhello`, 'junk-after-root 2:1'],
])('%s is one error, in whatever chunks', (_what, text, expected) => {
  const bytes = Buffer.from(text);
  for (const size of [1, 9, 64, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const found = [...checkSitemap(chunks, { url: URL_A })].filter(({ severity }) => severity === 'error');
    expect(found.map(({ rule, line, column }) => `${rule} ${line}:${column}`)).toEqual([expected]);
  }
});

test('what is behind the root and before an entry without one is an error by itself', () => {
  const errors = rules(`${SITEMAP}hello<url>${LOC}</url>`);
  expect(errors.toSorted()).toEqual([
    'entry-without-root 1:117',
    'junk-after-root 1:112',
    'url-repeated 1:127',
  ]);
});

const EXTENSIONS = [
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"',
].join(' ');
const LONG = 'ü'.repeat(40_000);
const LONG_URL = `https://example.org/${LONG}`;
test.each([
  ['loc', `<loc>${LONG_URL}</loc>`],
  ['relative loc', `<loc>${LONG}</loc>`],
  ['blank loc', `<loc>${' '.repeat(70_000)}</loc>`],
  ['lastmod', `${LOC}<lastmod>${LONG}</lastmod>`],
  ['changefreq', `${LOC}<changefreq>${LONG}</changefreq>`],
  ['blank priority', `${LOC}<priority>${' '.repeat(70_000)}</priority>`],
  ['image', `${LOC}<image:image><image:loc>${LONG_URL}</image:loc></image:image>`],
  [
    'duration of a video',
    `${LOC}<video:video><video:thumbnail_loc>https://example.org/a.png</video:thumbnail_loc><video:title>A</video:title>` +
      '<video:description>A</video:description><video:content_loc>https://example.org/a.mp4</video:content_loc>' +
      `<video:duration>${LONG}</video:duration></video:video>`,
  ],
  ['href', `${LOC}<xhtml:link rel="alternate" hreflang="de" href="${LONG_URL}"/>`],
  ['hreflang', `${LOC}<xhtml:link rel="alternate" hreflang="${LONG}" href="https://example.org/de"/>`],
])('a %s of more than 64 KiB, cut inside a character or not, is value-too-long alone', (_what, entry) => {
  const text = `<urlset ${NS} ${EXTENSIONS}><url>${entry}</url></urlset>`;
  for (const shift of ['', ' ']) {
    const found = rules(text.replace('<url>', `${shift}<url>`));
    expect(found.map((each) => each.split(' ')[0])).toEqual(['value-too-long']);
  }
});

test.each([
  ['is a second root', `</urlset><x y="${'z'.repeat(70_000)}"/>`, 'second-root 2:10'],
  ['does not end', `<x y="${'z'.repeat(70_000)}`, 'truncated 2:1'],
])('a tag of more than 64 KiB that %s is a fault all the same', (_what, end, fault) => {
  const found = rules(`<urlset ${NS}><url>${LOC}</url>\n${end}`);
  expect(found).toEqual(expect.arrayContaining([fault, expect.stringMatching(/^value-too-long 2:/)]));
});

test('what follows an entry with a value of more than 64 KiB is checked as ever', () => {
  const long = `<url>${LOC}<image:image><image:loc>/i</image:loc><image:caption>${'x'.repeat(70_000)}</image:caption></image:image></url>`;
  const text = `<urlset ${NS} ${EXTENSIONS}>${long}\n<url><lastmod>2024-05-06</lastmod></url>\n<url>${LOC}<priority>2</priority></url></urlset>`;
  const found = rules(text).map((each) => each.replace(/ 1:.*/, ''));
  expect(found).toEqual(expect.arrayContaining(['value-too-long', 'entry-without-loc 2:1']));
  expect(found.some((each) => /^bad-priority 3:/.test(each))).toBe(true);
});

test('a list whose addresses are in no entry is not empty', () => {
  for (const [text, isEmpty] of [
    [`<urlset ${NS}>${LOC}</urlset>`, false],
    [`<urlset ${NS}><lastmod>2024-05-06</lastmod></urlset>`, true],
    [`<sitemapindex ${NS}>${LOC}</sitemapindex>`, false],
    [`<urlset ${NS}></urlset>`, true],
  ] as const) {
    const found = rules(text).map((each) => each.split(' ')[0]);
    expect([text, found.includes('empty-sitemap'), found.includes('loc-outside-entry')]).toEqual([
      text,
      isEmpty,
      !isEmpty,
    ]);
  }
});

test('a link of a feed of more than 64 KiB is value-too-long alone, and closed', () => {
  const entry = `<entry><link href="${LONG_URL}"/><updated>2024-01-01T00:00:00Z</updated></entry>`;
  expect(rules(`<feed xmlns="http://www.w3.org/2005/Atom">${entry}</feed>`)).toEqual(['value-too-long 1:50']);
});

const FAR = ' '.repeat(2 * 1024 * 1024);
const DATED = Array.from(
  { length: 30 },
  (_, at) => `<url><loc>https://example.org/${at}</loc><lastmod>2024-05-06</lastmod></url>`,
).join('');

test.each<readonly [string, string, string]>([
  ['dates that are all equal', `<urlset ${NS}>\n${DATED}${FAR}</urlset>`, 'lastmod-all-equal 2:47'],
  [
    'a byte that is not UTF-8',
    `<urlset ${NS}>\n<!-- \xff -->${FAR}<url>${LOC}</url></urlset>`,
    'not-utf-8 2:6',
  ],
  ['a sitemap without entries', `\n<urlset ${NS}>${FAR}</urlset>`, 'empty-sitemap 2:1'],
  [
    'a namespace that is used far behind its declaration',
    `<urlset ${NS}\n xmlns:image="http://www.google.com/schemas/sitemap-video/1.1">${FAR}<url>${LOC}` +
      '<image:image/></url></urlset>',
    'extension-namespace 2:15',
  ],
  [
    'a root inside the root',
    `<urlset ${NS}>\n<urlset>${FAR}<url>${LOC}</url></urlset></urlset>`,
    'nested-root 2:1',
  ],
])('%s, more than 1 MiB back, has its place', (_what, text, expected) => {
  expect(rules(Buffer.from(text, 'latin1'))).toContain(expected);
});

test('text before the root does not hide a fault before it', () => {
  const text = `<?XML version="1.0"?>\nhello <urlset ${NS}><url><loc>https://example.org/</loc></url></urlset>`;
  expect(rules(text).toSorted()).toEqual(['text-before-root 2:1', 'xml-declaration-late 1:1']);
});

test('a fault of this program is a finding of the document, and the others are checked', () => {
  const check = new SiteCheck(resolveCheckOptions({}), false);
  const sitemap = Buffer.from(`<urlset ${NS}><url><loc>https://example.org/#x</loc></url></urlset>`);
  const found: Finding[] = [];
  const ended: string[] = [];
  for (const name of ['broken', 'sound']) {
    const options = { url: `https://example.org/${name}.xml`, charset: undefined, isUtf8: true };
    const facts = { name, options, now: 0, isFetched: false, declaredBy: new Set<string>() };
    const faulty = () => ({
      location() {
        if (name === 'broken') throw new TypeError('x is not a function');
      },
    });
    const reader = { pages() {}, end: () => void ended.push(name) };
    const open = check.begin({ ...facts, keys: [], sitemaps: new Map() }, [faulty], reader);
    open.write(sitemap);
    open.write(sitemap);
    open.end();
    found.push(...check.take());
  }
  expect(found.filter(({ rule }) => rule === 'check-failed')).toEqual([
    {
      rule: 'check-failed',
      severity: 'error',
      message:
        'The check of this document ended here because of an internal error (TypeError: x is not a function).',
      document: 'broken',
    },
  ]);
  expect(found).toContainEqual(expect.objectContaining({ document: 'sound', rule: 'url-fragment' }));
  expect(ended).toEqual(['broken', 'sound']);
});

test('two forms of what is not a URL are not a fault of this program', () => {
  for (const rest of ['a b/', ':/', 'a b/x/', '[/']) {
    const locs = [`https://${rest}`, `http://${rest}`, `https://www.${rest}`, `https://${rest.slice(0, -1)}`];
    const urls = locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('');
    const found = findings(`<urlset ${NS}>${urls}<url><loc>https://example.org/#x</loc></url></urlset>`);
    expect(found.map(({ rule }) => rule)).not.toContain('check-failed');
    expect(found).toContainEqual(expect.objectContaining({ rule: 'url-fragment' }));
  }
});

test.each([
  ['', 0, 'The document is not a sitemap or feed: it is empty.'],
  [`<urlset ${NS}><url><loc>https://example.org/</loc></url>`, 1, 'The document ends before </urlset>.'],
])('%j is not read to its end, and the check is not complete', (text, documents, message) => {
  const check = checkSitemap(text);
  expect([...check].find(({ severity }) => severity === 'error')?.message).toBe(message);
  expect(check.summary).toMatchObject({ documents, complete: false });
});

test('what a function of the caller throws is not a finding', () => {
  const adjust = (): never => {
    throw new RangeError('mine');
  };
  expect(() => [
    ...checkSitemaps(
      [
        { url: URL_A, content: 'x' },
        { url: URL_A, content: '<urlset/>' },
      ],
      { adjust },
    ),
  ]).toThrow('mine');
});

test('a robots.txt in chunks that can be read once is checked', () => {
  const chunks = [new TextEncoder().encode('Sitemap: /sitemap.xml\n')].values();
  const check = checkSitemap(chunks, { url: 'https://example.org/robots.txt' });
  expect(Array.from(check, ({ rule }) => rule)).toEqual(['robots-relative-sitemap']);
});

test('a document without an address is a robots.txt by its name', () => {
  const content = 'Sitemap: /sitemap.xml\n';
  const rulesOf = (name: string) => Array.from(checkSitemaps([{ name, content }]), ({ rule }) => rule);
  expect(rulesOf('site/robots.txt')).toEqual(['robots-relative-sitemap']);
  expect(rulesOf('robots.xml')).toEqual(['sitemap-unreadable']);
});

test('a Sitemap line that lost a slash is resolved as it is read', () => {
  const [finding] = checkSitemap('Sitemap: https:/example.org/x.xml\n', {
    url: 'https://example.org/robots.txt',
  });
  expect(finding?.message).toContain('was resolved to https://example.org/x.xml:');
});

test('files that are not pages are found by any name, in plain entries, others and text', () => {
  const names =
    'css js mjs json map woff woff2 ttf otf eot ico zip rar 7z tar gz tgz exe dmg apk iso jpg jpeg png gif webp avif svg tiff mp3 mp4 m4a m4v webm ogg oga ogv wav flac avi mov mkv';
  for (const name of names.split(' ')) {
    const loc = `<loc>https://example.org/a.${name}</loc>`;
    const plain = `<urlset ${NS}><url><loc>https://example.org/</loc></url><url>${loc}</url></urlset>`;
    const other = `<urlset ${NS}><url>${loc}<priority>0.55</priority></url></urlset>`;
    for (const text of [plain, other, `https://example.org/\nhttps://example.org/a.${name}\n`])
      expect(findings(text).map(({ rule }) => rule)).toContain('url-not-a-page');
  }
});

test('a language that is there twice is found behind many alternates without an address', () => {
  const link = (code: string, href: string): string =>
    `<xhtml:link rel="alternate" hreflang="${code}" href="${href}"/>`;
  const many = Array.from({ length: 11_200 }, (_, at) => link(`c${at}`, '')).join('');
  const twice = link('en', 'https://example.org/en').repeat(2);
  const entry = `<url><loc>https://example.org/</loc>${many}${twice}</url>`;
  const text = `<urlset ${NS} xmlns:xhtml="http://www.w3.org/1999/xhtml">${entry}</urlset>`;
  expect(findings(text).map(({ rule }) => rule)).toContain('hreflang-repeated');
});

test.each([1_000, 1_001, 1_002, 3_000])(
  'all of %i lines before the first URL of a text are counted, and nothing else is reported',
  (lines) => {
    // The kind of a text is known once it has 64 KiB.
    const urls = Array.from({ length: 5_000 }, (_, at) => `https://example.org/${at}\n`);
    const check = checkSitemap(`${'no URL\n'.repeat(lines)}${urls.join('')}`, { url: URL_A });
    const found = [...check];
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(['line-not-a-url']));
    expect([found.length, found.at(-1)?.count]).toEqual([101, lines - 100]);
    expect(check.summary.rules['line-not-a-url']).toBe(lines);
  },
);

test('each severity of a rule has its own hundred findings', () => {
  const story = (language: string, at: number): string =>
    `<url><loc>https://example.org/${at}</loc><news:news><news:publication><news:name>N</news:name>` +
    `<news:language>${language}</news:language></news:publication></news:news></url>\n`;
  const languages = [...Array<string>(102).fill('en-us'), 'english', 'en-us', 'english'];
  const namespace = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
  const text = `<urlset ${NS} ${namespace}>\n${languages.map(story).join('')}</urlset>`;
  const found = findings(text).filter(({ rule }) => rule === 'news-bad-language');
  const rows = found.map(({ severity, line, count }) => [severity, line, count]);
  expect(rows.slice(99)).toEqual([
    ['warning', 101, undefined],
    ['error', 104, undefined],
    ['error', 106, undefined],
    ['warning', 102, 3],
  ]);
});

describe('many findings of one rule in one document', () => {
  const text = `<urlset ${NS}>\n${'<url><loc>https://example.org/x?a&b</loc></url>\n'.repeat(1000)}</urlset>`;
  const check = checkSitemap(text, { url: URL_A });
  const found = [...check].filter(({ rule }) => rule === 'bare-ampersand');

  test('are the first 100, and one that counts the rest, with the first places of it', () => {
    expect(found).toHaveLength(101);
    expect(found[99]).toMatchObject({ line: 101, column: 34 });
    expect(found[99]).not.toHaveProperty('count');
    expect(found[100]).toMatchObject({
      message: '900 more findings of this rule in this document; this is the first of them.',
      count: 900,
      line: 102,
      column: 34,
    });
    expect(found[100]!.related?.map(({ line }) => line)).toEqual([103, 104, 105, 106]);
  });

  test('are all counted by the summary', () => {
    expect(check.summary.rules['bare-ampersand']).toBe(1000);
    expect(check.summary.counts.error).toBe(1000);
  });

  test('are known by a baseline, whichever of them are the first', () => {
    const writer = new BaselineWriter();
    for (const finding of found) writer.add({ ...finding, page: `${finding.line}` });
    const baseline = new Baseline(String(writer));
    const fixed = found.map((finding) => ({ ...finding, page: `${finding.line! + 5}` }));
    const rest = { ...fixed[100]!, count: 895 };
    expect([...fixed.slice(0, 100), rest].flatMap((finding) => baseline.newPart(finding) ?? [])).toEqual([]);
    expect(baseline.newPart({ ...rest, count: 1 })).toEqual({ ...rest, count: 1 });
    expect(baseline.gone).toBe(5);
  });

  test('are shown by a baseline as many as are new', () => {
    const writer = new BaselineWriter();
    for (const finding of found) writer.add({ ...finding, page: `${finding.line}` });
    const baseline = new Baseline(String(writer));
    const more = found.map((finding) => ({ ...finding, page: `${finding.line! - 1}` }));
    const rest = { ...more[100]!, count: 902 };
    expect([...more.slice(0, 100), rest].flatMap((finding) => baseline.newPart(finding) ?? [])).toEqual([
      { ...rest, count: 2, message: `${rest.message} (900 are in the baseline)` },
    ]);
    expect(baseline).toMatchObject({ hidden: 1000, gone: 0 });
  });
});

test.each([
  [1, 'The URL is on other.example, but'],
  [2, '2 URLs are on other.example, but'],
  [1_500, '1,500 URLs are on other.example, but'],
])('a cause with %i cases is told in one sentence: %s', (cases, words) => {
  const urls = Array.from({ length: cases }, (_, at) => `<url><loc>https://other.example/${at}</loc></url>`);
  const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`;
  const found = findings(text).filter(({ rule }) => rule === 'url-other-host');
  expect(found).toMatchObject([{ message: expect.stringContaining(words), count: cases }]);
});

test.each([
  ['news', '<news:news><news:title>a</news:title></news:news>', 'news-missing-field'],
  ['a video', '<video:video><video:title>a</video:title></video:video>', 'video-missing-field'],
  [
    'alternates',
    '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de"/>',
    'hreflang-no-self',
  ],
])('what is missing of %s is a finding about the page that lacks it, not the next one', (_, more, rule) => {
  const url = (path: string, inside = ''): string =>
    `<url><loc>https://example.org/${path}</loc>${inside}</url>`;
  const namespaces = [
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
    'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"',
    'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
  ];
  const text = `<urlset ${NS} ${namespaces.join(' ')}>${url('1')}${url('2', more)}${url('3')}</urlset>`;
  const pages = findings(text).flatMap((each) => (each.rule === rule ? [each.page] : []));
  expect(new Set(pages)).toEqual(new Set(['https://example.org/2']));
});

test('the alternates of an entry without a URL are not those of the next page', () => {
  const link = '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/"/>';
  const text = `<urlset ${NS} xmlns:xhtml="http://www.w3.org/1999/xhtml"><url>${link}</url><url>${LOC}${link}</url></urlset>`;
  const found = findings(text).filter(({ rule }) => rule.startsWith('hreflang-'));
  expect(found).toEqual([]);
});

test('the alternates of two locations without a <url> around them are not repeated', () => {
  const links = ['de', 'en'].map(
    (code) => `<xhtml:link rel="alternate" hreflang="${code}" href="https://example.org/${code}"/>`,
  );
  const entries = ['de', 'en'].map((path) => `<loc>https://example.org/${path}</loc>${links.join('')}`);
  const text = `<urlset ${NS} xmlns:xhtml="http://www.w3.org/1999/xhtml">${entries.join('')}</urlset>`;
  expect(findings(text).filter(({ rule }) => rule.startsWith('hreflang-'))).toEqual([]);
});

test('what is found in an entry without a URL is not said of the next page', () => {
  const news = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
  const text = `<urlset ${NS} ${news}><url><news:news/></url><url>${LOC}</url></urlset>`;
  const found = findings(text).filter(({ rule }) => rule === 'news-missing-field');
  expect(found.map(({ page }) => page)).toEqual([undefined]);
});

test('pages are counted once in a document, again in another, and not in an index or a robots.txt', () => {
  const list = (...paths: readonly string[]): string =>
    `<urlset ${NS}>${paths.map((path) => `<url><loc>https://example.org/${path}</loc></url>`).join('')}</urlset>`;
  const index = `<sitemapindex ${NS}><sitemap><loc>https://example.org/a.xml</loc></sitemap></sitemapindex>`;
  const check = checkSitemaps([
    { url: 'https://example.org/robots.txt', content: 'Sitemap: https://example.org/index.xml\n' },
    { url: 'https://example.org/index.xml', content: index },
    { url: URL_A, content: list('1', '2', '1') },
    { url: 'https://example.org/b.txt', content: 'https://example.org/1\nhttps://example.org/1\n' },
    { url: 'https://example.org/c.xml', content: '<html></html>' },
  ]);
  for (const _ of check);
  expect(check.summary).toMatchObject({ documents: 4, pages: 3 });
});

test('a value that was cut off hides no finding of another place', () => {
  const long = `<url>${LOC}<lastmod>${LONG}</lastmod></url>`;
  const other = '<url><loc>https://example.org/#x</loc><lastmod>soon</lastmod><priority>9</priority></url>';
  const found = rules(`<urlset ${NS}>${long}\n${other}</urlset>`).map((each) => each.split(' ')[0]);
  expect(found.toSorted()).toEqual([
    'bad-date',
    'bad-priority',
    'url-fragment',
    'url-repeated',
    'value-too-long',
  ]);
});

test('a value that was cut off does not count for the rule that it breaks', () => {
  const dated = (date: string): string =>
    `<url><loc>https://example.org/</loc><lastmod>${date}</lastmod></url>`;
  const check = checkSitemap(`<urlset ${NS}>${dated('soon').repeat(106)}${dated(LONG)}</urlset>`, {
    url: URL_A,
  });
  for (const _ of check);
  expect(check.summary.rules).toMatchObject({ 'bad-date': 106, 'value-too-long': 1 });
});

test('warnings of a rule are not counted as its errors, however many errors there are', () => {
  const story = (language: string): string =>
    `<url><loc>https://example.org/</loc><news:news><news:publication><news:name>N</news:name>` +
    `<news:language>${language}</news:language></news:publication></news:news></url>\n`;
  const namespace = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
  const stories = `${story('english').repeat(106)}${story('en-US')}${story('english')}`;
  const found = findings(`<urlset ${NS} ${namespace}>${stories}</urlset>`);
  const ofRule = found.filter(({ rule }) => rule === 'news-bad-language');
  expect(ofRule.slice(-2).map(({ severity, count }) => [severity, count])).toEqual([
    ['warning', undefined],
    ['error', 7],
  ]);
});

test('the size of a document is that of all its chunks', () => {
  const bytes = Buffer.alloc(512_001, '# x\n');
  const chunks = [bytes.subarray(0, 300_000), bytes.subarray(300_000)];
  const found = [...checkSitemap(chunks, { url: 'https://example.org/robots.txt' })];
  expect(found.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
    'robots-over-500-kib: robots.txt has 512,001 bytes; Google reads the first 512,000.',
  ]);
});

test('each document begins anew: what one has at its end says nothing of the next', () => {
  const open = `<urlset ${NS}><url><loc>https://example.org/1</loc><lastmod>soon</lastmod>`;
  const pair = [
    ...checkSitemaps([
      { url: URL_A, content: open },
      {
        url: 'https://example.org/b.xml',
        content: `<urlset ${NS}><url><loc>https://example.org/2</loc></url></urlset>`,
      },
    ]),
  ].filter(({ severity }) => severity !== 'info');
  expect(new Set(pair.map(({ document }) => document))).toEqual(new Set([URL_A]));
});
