/**
 * Documents made to make a parser or a check slow: each is a start, then one thing repeated for as long as is asked. A
 * shape of two quantities has half of its bytes of each: what is declared and what is used, what is opened and closed.
 */

const ROOT =
  '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/a</loc></url>';
const IN_LOC = `${ROOT}<url><loc>https://example.org/`;

/** Prefixes that are all in force at once. */
const PREFIXES = Array.from({ length: 200 }, (_, index) => ` xmlns:p${index}="urn:x:${index}"`).join('');
const BLANK_LOC = `</url><url><loc>${' '.repeat(4000)}`;

interface Shape {
  readonly start: string;
  /** Repeated till the end; with a number where every repetition must be another. */
  readonly repeat: string | ((index: number) => string);
  /** What follows for the other half of the bytes. */
  readonly behind?: { readonly between: string; readonly repeat: string | ((index: number) => string) };
  /** @default '/sitemap.xml' */
  readonly path?: string;
}

const declared = (index: number): string => ` xmlns:p${index}="urn:${index}"`;
const alternate = (index: number): string =>
  `<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/${index}"/>`;

/** What a parser that is careless somewhere is slow on. */
export const HOSTILE_SHAPES: Readonly<Record<string, Shape>> = {
  'unclosed <': { start: ROOT, repeat: '<a ' },
  '<<<<': { start: ROOT, repeat: '<' },
  '<<<< in a loc': { start: IN_LOC, repeat: '<' },
  'endless comment': { start: `${ROOT}<!--`, repeat: ' x' },
  'runs of -- in a comment': { start: `${ROOT}<!--`, repeat: '--x' },
  'comments never closed': { start: ROOT, repeat: '<!--' },
  'endless CDATA': { start: `${IN_LOC}<![CDATA[`, repeat: ' x' },
  'runs of ]] in CDATA': { start: `${IN_LOC}<![CDATA[`, repeat: ']]x' },
  'only ] in CDATA': { start: `${IN_LOC}<![CDATA[`, repeat: ']' },
  'CDATA never closed': { start: IN_LOC, repeat: '<![CDATA[' },
  'endless attribute': { start: `${ROOT}<url x="`, repeat: 'y ' },
  'endless attributes': { start: `${ROOT}<url`, repeat: ' x="y"' },
  'unclosed quotes': { start: ROOT, repeat: '<a b="' },
  'quotes and quotes': { start: `${ROOT}<a b=`, repeat: `"'` },
  '& runs': { start: IN_LOC, repeat: '&' },
  'unfinished entities': { start: IN_LOC, repeat: '&amp' },
  'endless numeric entity': { start: `${IN_LOC}&#x`, repeat: '0' },
  'deep nesting': { start: ROOT, repeat: '<a>' },
  'deep nesting of urlsets': { start: ROOT, repeat: '<urlset>' },
  'deep nesting of locs': { start: ROOT, repeat: '<url><loc>' },
  'closing tags that close nothing': { start: ROOT, repeat: '</a>' },
  'closing tags that do not close a long name': {
    start: `${ROOT}<`,
    repeat: 'a',
    behind: { between: '>', repeat: '</b>' },
  },
  'one giant line of text': { start: '', repeat: 'x' },
  'one giant line that is a URL': { start: 'https://example.org/', repeat: 'x' },
  'giant text in a loc': { start: IN_LOC, repeat: 'x ' },
  'giant text in a root': { start: ROOT, repeat: 'x' },
  'white space': { start: '', repeat: ' \n' },
  'PI never closed': { start: `${ROOT}<?x `, repeat: '? ' },
  'PIs never closed': { start: ROOT, repeat: '<?x ' },
  'DOCTYPE never closed': { start: '<!DOCTYPE urlset [', repeat: '<!ENTITY a "b">' },
  'DOCTYPEs never closed': { start: ROOT, repeat: '<!DOCTYPE x [' },
  'DOCTYPEs never closed, each with a root': { start: ROOT, repeat: '<!DOCTYPE x [<urlset>' },
  'DOCTYPE of brackets': { start: '<!DOCTYPE urlset ', repeat: '[' },
  'one URL repeated': { start: ROOT, repeat: '<url><loc>https://example.org/a</loc></url>' },
  'distinct unknown tags': { start: ROOT, repeat: (index) => `<tag-${index}/>` },
  'distinct open tags': { start: ROOT, repeat: (index) => `<tag-${index}>` },
  'xmlns on every tag': { start: ROOT, repeat: (index) => `<a${index}:b xmlns:a${index}="urn:x:${index}">` },
  'a default xmlns on every tag': { start: ROOT, repeat: '<b xmlns="urn:x">' },
  'an xmlns on every tag below many': {
    start: `${ROOT}<x${PREFIXES}>`,
    repeat: (index) => `<a xmlns:q="urn:y:${index}"/>`,
  },
  'an xmlns on nested tags below many': {
    start: `${ROOT}<x${PREFIXES}>`,
    repeat: (index) => `<a xmlns:q${index % 99}="urn:y">`,
  },
  'many xmlns on every tag': { start: ROOT, repeat: `<x${PREFIXES}/>` },
  'locs in a blank loc': { start: ROOT, repeat: `${BLANK_LOC}${'<loc>'.repeat(800)}` },
  'entries in a blank loc': { start: ROOT, repeat: `${BLANK_LOC}${'<url></url>'.repeat(400)}` },
  'CDATA in a blank loc': { start: ROOT, repeat: `${BLANK_LOC}${'<![CDATA[ ]]><loc>'.repeat(200)}` },
  'tag names that collide': {
    start: ROOT,
    repeat: (index) => `<a${String(100 + (index % 256))}b${String(100 + (index % 256))}c/>`,
  },
  'links in HTML': { start: '<html>', repeat: '<meta http-equiv=refresh ' },
  'many words in a Sitemap line': { start: 'Sitemap: x ', repeat: 'http://a ', path: '/robots.txt' },
  'locs in one entry': {
    start: `${ROOT}<url>`,
    repeat: (index) => `<loc>https://example.org/${index % 1000}</loc>`,
  },
  'images in one entry': {
    start: IN_LOC,
    repeat: '</loc><image:image><image:loc>https://example.org/i</image:loc></image:image>',
  },
  'unclosed entries': { start: ROOT, repeat: (index) => `<url><loc>https://example.org/${index % 1000}` },
  'roots after roots': { start: '', repeat: '<urlset></urlset>' },
  'robots lines that begin with s': { start: '', repeat: 's\n', path: '/robots.txt' },
  'Sitemap lines': { start: '', repeat: 'Sitemap: x\n', path: '/robots.txt' },
  'scripts in HTML': { start: '<html><body>', repeat: '<script>' },
  '& in a root': { start: ROOT, repeat: '&' },
  'forbidden references': { start: ROOT, repeat: '&#0;' },
  ']]> in text': { start: ROOT, repeat: ']]>' },
  'control characters': { start: ROOT, repeat: '\u0001' },
  'comments that begin with a dash': { start: ROOT, repeat: '<!---' },
  'unknown entities': { start: ROOT, repeat: '&foo;' },
  'numeric entities without an end': { start: ROOT, repeat: '&#1' },
  'characters that XML forbids': { start: ROOT, repeat: '\uffff' },
  'only - in a comment': { start: `${ROOT}<!--`, repeat: '-' },
  'attributes with < or without a value': { start: ROOT, repeat: '<a b="<" b>' },
  'attributes of an entry without a value': { start: ROOT, repeat: '<url x x x x x x x x/>' },
  'unfinished entities in an attribute': { start: `${ROOT}<url x="`, repeat: '&amp' },
  'entries in entries': { start: ROOT, repeat: '<url>' },
  'empty entries': { start: ROOT, repeat: '<url/>' },
  'URLs that cannot be read': { start: ROOT, repeat: '<url><loc>http://h:x/</loc></url>' },
  'prefixes: declared × used': {
    start: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
    repeat: declared,
    behind: { between: '>', repeat: (index) => `<p${index}:a/>` },
  },
  'prefixed attributes: declared × used on one tag': {
    start: `${ROOT}<x`,
    repeat: declared,
    behind: { between: '><a', repeat: (index) => ` p${index}:a="b"` },
  },
  'attributes of a long namespace': {
    start: `${ROOT}<x xmlns:p="`,
    repeat: 'u',
    behind: { between: '"><a', repeat: (index) => ` p:a${index}=""` },
  },
  'tags: open × closed by others': {
    start: ROOT,
    repeat: (index) => `<${'n'.repeat(100)}${index}>`,
    behind: { between: '', repeat: (index) => `</${'n'.repeat(100)}x${index}>` },
  },
  'entities: declared × used': {
    start: '<!DOCTYPE urlset [',
    repeat: (index) => `<!ENTITY e${index} "v">`,
    behind: { between: `]>${ROOT}`, repeat: (index) => `&e${index};` },
  },
  'a long entity, used often': {
    start: '<!DOCTYPE urlset [<!ENTITY e "',
    repeat: 'v',
    behind: { between: `">]>${ROOT}`, repeat: '&e;' },
  },
  'pages: linked × listed': {
    start: ROOT,
    repeat: (index) => `<url><loc>https://example.org/${index}</loc>${alternate(index)}</url>`,
    behind: { between: '', repeat: (index) => `<url><loc>https://example.org/de/${index}</loc></url>` },
  },
  'alternates of one entry': { start: `${ROOT}<url><loc>https://example.org/b</loc>`, repeat: alternate },
  'pages of many hosts': {
    start: ROOT,
    repeat: (index) => `<url><loc>https://h${index}.example/</loc></url>`,
  },
  // New ones come last: which pieces a shape arrives in depends on its place.
  'closing tags that close nothing, inside all the tags whose names are kept': {
    start: `${ROOT}${Array.from({ length: 255 }, (_, index) => `<a${index}>`).join('')}`,
    repeat: '</a>',
  },
  'unclosed tags with declarations': { start: ROOT, repeat: (index) => `<a xmlns:p${index}="urn:${index}">` },
  'unclosed tags of web pages before entries': {
    start: ROOT,
    repeat: (index) =>
      `<b xmlns="http://www.w3.org/1999/xhtml"><url><loc>https://example.org/${index}</loc></url>`,
  },
  'unclosed tags with parts of an item': {
    start: '<rss><channel><item>',
    repeat: '<a><link>https://example.org/</link><title>T</title>',
  },
};

/** So many bytes of a shape. */
export function hostileDocument(name: string, size: number): Uint8Array {
  const shape = HOSTILE_SHAPES[name];
  if (shape === undefined) throw new Error(`there is no shape ${name}`);
  const { start, repeat, behind } = shape;
  if (behind === undefined) return Buffer.from(start + repeated(repeat, size)).subarray(0, size);
  const text = start + repeated(repeat, size / 2) + behind.between + repeated(behind.repeat, size / 2);
  return Buffer.from(text);
}

function repeated(repeat: Shape['repeat'], size: number): string {
  if (typeof repeat === 'string') return repeat.repeat(1 + size / repeat.length);
  const parts: string[] = [];
  for (let length = 0, index = 0; length < size; index++) {
    const part = repeat(index);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}
