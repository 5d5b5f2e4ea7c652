/**
 * A plain extraction on `saxes`, the independent opinion that the core is held to on well-formed documents. It
 * builds a tree of the tags we know, with unknown tags melted away (their text and children fall to their parent),
 * then reads the values off it: nothing clever, so that a difference is the core's to explain.
 *
 * It only has to be right for valid values: dates that `Date` reads, numbers that `Number` reads.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes';

/** The namespaces, by the short names that the tables below use. */
export const NAMESPACES = {
  map: 'http://www.sitemaps.org/schemas/sitemap/0.9',
  news: 'http://www.google.com/schemas/sitemap-news/0.9',
  image: 'http://www.google.com/schemas/sitemap-image/1.1',
  video: 'http://www.google.com/schemas/sitemap-video/1.1',
  xhtml: 'http://www.w3.org/1999/xhtml',
  rss: '',
  dc: 'http://purl.org/dc/elements/1.1/',
  atom: 'http://www.w3.org/2005/Atom',
} as const;
export type Vocabulary = keyof typeof NAMESPACES;

const KNOWN: Readonly<Record<Vocabulary, string>> = {
  map: 'urlset url sitemapindex sitemap loc lastmod changefreq priority',
  news: 'news publication name language access genres publication_date title keywords stock_tickers',
  image: 'image loc caption geo_location title license',
  video:
    'video thumbnail_loc title description content_loc player_loc duration expiration_date rating view_count ' +
    'publication_date family_friendly restriction platform price requires_subscription uploader live tag category',
  xhtml: 'link',
  rss: 'rss channel item title link description guid pubDate',
  dc: 'date',
  atom: 'feed entry title link published updated',
};
const NAMES = new Map(
  Object.entries(NAMESPACES).flatMap(([short, uri]) =>
    Object.entries(KNOWN)
      .filter(([vocabulary]) => vocabulary === short)
      .flatMap(([, locals]) => locals.split(' ').map((local) => [`${uri} ${local}`, `${short}:${local}`])),
  ),
);

interface Node {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
  /** Whether there is an unknown tag between its parent and it. */
  readonly isNested: boolean;
  text: string;
}

/** What `saxes` finds, in the JSON of Specification §5. */
export interface Extraction {
  readonly kind: string;
  readonly items: readonly unknown[];
}

/** Reads a well-formed document; throws for one that is not. */
export function extractWithSaxes(document: string): Extraction {
  const root = treeOf(document).children[0];
  switch (root?.name) {
    case 'map:urlset':
      return { kind: 'pages-xml', items: unique(all(root, 'map:url').map(pageOf)) };
    case 'map:sitemapindex':
      return { kind: 'index-xml', items: uniqueChildren(all(root, 'map:sitemap')) };
    case 'rss:rss':
      return { kind: 'pages-rss', items: unique(all(root, 'rss:channel').flatMap(itemsOf)) };
    case 'atom:feed':
      return { kind: 'pages-atom', items: unique(all(root, 'atom:entry').map(entryOf)) };
    default:
      throw new Error(`The generator wrote an unknown root: ${root?.name}`);
  }
}

function treeOf(document: string): Node {
  const top: Node = { name: '', attributes: {}, children: [], isNested: false, text: '' };
  const open: Node[] = [top];
  const current = () => open.at(-1) ?? top;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', (tag: SaxesTagNS) => {
    const name = NAMES.get(`${tag.uri} ${tag.local}`);
    // An unknown tag is part of its parent: whatever it holds falls there.
    if (name === undefined) return void open.push(current());
    const attributes = Object.fromEntries(
      Object.entries(tag.attributes).map(([key, { value }]) => [key, value]),
    );
    const isNested = open.at(-1) === open.at(-2);
    const node: Node = { name, attributes, children: [], isNested, text: '' };
    current().children.push(node);
    open.push(node);
  });
  parser.on('closetag', () => void open.pop());
  const addText = (text: string) => {
    current().text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(document).close();
  return top;
}

const all = (node: Node, name: string) => node.children.filter((child) => child.name === name);
const first = (node: Node, name: string) => all(node, name)[0];
const text = (node: Node, name: string) => first(node, name)?.text.trim() || undefined;
const url = (node: Node, name: string) => text(node, name)?.replaceAll(/[\t\n\r]/g, '');
const date = (value: string | undefined) => (value === undefined ? undefined : new Date(value).toISOString());
const number = (node: Node, name: string) => maybe(text(node, name), Number);
const yes = (node: Node, name: string) => maybe(text(node, name), (word) => word === 'yes');
const list = (value: string | undefined, separator: string | RegExp) =>
  (value ?? '')
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== '');

function maybe<From, To>(value: From | undefined, turn: (value: From) => To): To | undefined {
  return value === undefined ? undefined : turn(value);
}

/** As in §5: absent values and empty lists are left out. */
function json(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

/** A date under its name, and its text beside it where that is not the ISO form. */
function dated(name: string, value: string | undefined) {
  const iso = date(value);
  return { [name]: iso, [`${name}Text`]: value === iso ? undefined : value };
}

function pageOf(node: Node) {
  return json({
    url: url(node, 'map:loc'),
    priority: number(node, 'map:priority'),
    changeFrequency: text(node, 'map:changefreq')?.toLowerCase(),
    ...dated('lastModified', text(node, 'map:lastmod')),
    newsStory: maybe(first(node, 'news:news'), newsOf),
    images: all(node, 'image:image').map(imageOf),
    videos: all(node, 'video:video').map(videoOf),
    alternates: all(node, 'xhtml:link').map(({ attributes: { hreflang, href } }) => ({ hreflang, href })),
  });
}

function newsOf(node: Node) {
  const publication = first(node, 'news:publication');
  return json({
    title: text(node, 'news:title'),
    ...dated('publishDate', text(node, 'news:publication_date')),
    publicationName: maybe(publication, (of) => text(of, 'news:name')),
    publicationLanguage: maybe(publication, (of) => text(of, 'news:language')),
    access: text(node, 'news:access'),
    genres: list(text(node, 'news:genres'), ','),
    keywords: list(text(node, 'news:keywords'), ','),
    stockTickers: list(text(node, 'news:stock_tickers'), ','),
  });
}

function imageOf(node: Node) {
  return json({
    loc: url(node, 'image:loc'),
    caption: text(node, 'image:caption'),
    geoLocation: text(node, 'image:geo_location'),
    title: text(node, 'image:title'),
    license: url(node, 'image:license'),
  });
}

function videoOf(node: Node) {
  const { allow_embed: allowEmbed, autoplay } = first(node, 'video:player_loc')?.attributes ?? {};
  return json({
    thumbnailLoc: url(node, 'video:thumbnail_loc'),
    title: text(node, 'video:title'),
    description: text(node, 'video:description'),
    contentLoc: url(node, 'video:content_loc'),
    playerLoc: url(node, 'video:player_loc'),
    playerAllowEmbed: maybe(allowEmbed, (word) => word === 'yes'),
    playerAutoplay: autoplay,
    duration: number(node, 'video:duration'),
    ...dated('expirationDate', text(node, 'video:expiration_date')),
    rating: number(node, 'video:rating'),
    viewCount: number(node, 'video:view_count'),
    ...dated('publicationDate', text(node, 'video:publication_date')),
    familyFriendly: yes(node, 'video:family_friendly'),
    restriction: maybe(
      first(node, 'video:restriction'),
      ({ attributes: { relationship }, text: countries }) =>
        json({ relationship, countries: list(countries, /\s+/) }),
    ),
    platform: maybe(first(node, 'video:platform'), ({ attributes: { relationship }, text: platforms }) =>
      json({ relationship, platforms: list(platforms, /\s+/) }),
    ),
    prices: all(node, 'video:price').map(({ attributes: { currency, type, resolution }, text: value }) =>
      json({ value: Number(value), currency, type, resolution }),
    ),
    requiresSubscription: yes(node, 'video:requires_subscription'),
    uploader: maybe(first(node, 'video:uploader'), ({ attributes: { info }, text: name }) =>
      json({ name: name.trim(), info }),
    ),
    live: yes(node, 'video:live'),
    tags: all(node, 'video:tag').map((tag) => tag.text.trim()),
    category: text(node, 'video:category'),
  });
}

/** What a feed's entry has itself counts before what is inside unknown tags of it. */
function ownFirst(node: Node): { readonly node: Node; readonly own: Node } {
  const own = node.children.filter((child) => !child.isNested);
  const nested = node.children.filter((child) => child.isNested);
  return { node: { ...node, children: [...own, ...nested] }, own: { ...node, children: own } };
}

function itemsOf(channel: Node) {
  return all(channel, 'rss:item').map((item) => {
    const { node, own } = ownFirst(item);
    const linkOf = (of: Node) => url(of, 'rss:link') ?? url(of, 'rss:guid');
    const titleOf = (of: Node) => text(of, 'rss:title') ?? text(of, 'rss:description');
    const whenOf = (of: Node) => text(of, 'rss:pubDate') ?? text(of, 'dc:date');
    return feedPage(linkOf(own) ?? linkOf(node), titleOf(own) ?? titleOf(node), whenOf(own) ?? whenOf(node));
  });
}

function entryOf(entry: Node) {
  const { node, own } = ownFirst(entry);
  const whenOf = (of: Node) => text(of, 'atom:published') ?? text(of, 'atom:updated');
  const links = all(node, 'atom:link').map(({ attributes }) => attributes);
  const { href } = links.find(({ rel }) => rel === undefined || rel === 'alternate') ?? links[0] ?? {};
  return feedPage(href, text(node, 'atom:title'), whenOf(own) ?? whenOf(node));
}

function feedPage(pageUrl: string | undefined, title: string | undefined, when: string | undefined) {
  const newsStory = json({ title, publishDate: date(when) });
  return json({
    url: pageUrl,
    ...dated('lastModified', when),
    newsStory: Object.keys(newsStory).length === 0 ? undefined : newsStory,
  });
}

/** §4: the first declaration of a page only. */
function unique(pages: readonly Record<string, unknown>[]) {
  const seen = new Set<unknown>();
  return pages.filter(({ url: address }) => !seen.has(address) && seen.add(address));
}

/** §4, §2: children compare as `new URL(u).href` without the fragment. */
function uniqueChildren(nodes: readonly Node[]) {
  const seen = new Map<string, unknown>();
  for (const node of nodes) {
    const address = url(node, 'map:loc') ?? '';
    const key = new URL(address).href.replace(/#.*$/, '');
    const lastModifiedText = text(node, 'map:lastmod');
    if (!seen.has(key))
      seen.set(key, json({ url: address, lastModified: date(lastModifiedText), lastModifiedText }));
  }
  return [...seen.values()];
}
