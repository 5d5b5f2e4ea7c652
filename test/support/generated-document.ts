/**
 * Well-formed documents of every format, from a tape of choices. Every value is valid, so a parser has nothing to
 * complain of; `xml-writer.ts` writes them in any way that XML allows.
 */
import { ADDRESSES, ATTRIBUTES, type BlockName, FIELDS, TITLES, W3C } from './generated-values.ts';
import type { Vocabulary } from './saxes-extraction.ts';
import { type Attributes, declarationOf, XmlWriter } from './xml-writer.ts';

export type Format = 'urlset' | 'sitemapindex' | 'rss' | 'atom';

/** Writes the document of a tape. */
export function documentFrom(tape: Uint8Array, format: Format): string {
  return new Generator(tape).document(format);
}

const DECLARATIONS = [
  '',
  '<?xml version="1.0" encoding="UTF-8"?>',
  "<?xml version='1.0'  standalone='yes' ?>\n",
];

class Generator {
  readonly #write: XmlWriter;

  constructor(tape: Uint8Array) {
    this.#write = new XmlWriter(tape);
  }

  document(format: Format): string {
    const declaration = this.#write.pick(DECLARATIONS);
    const around = () => this.#write.times(3, () => this.#write.misc()).join('');
    return `${declaration}${around()}${this.#root(format)}${around()}`;
  }

  #root(format: Format): string {
    switch (format) {
      case 'urlset':
        return this.#rootTag('map', 'urlset', ['news', 'image', 'video', 'xhtml'], () => this.#url());
      case 'sitemapindex':
        return this.#rootTag('map', 'sitemapindex', [], () =>
          this.#block('map', 'sitemap', [this.#one('map', 'loc', ADDRESSES)]),
        );
      case 'rss':
        return this.#rootTag('rss', 'rss', ['dc'], () => this.#item());
      case 'atom':
        return this.#rootTag('atom', 'feed', [], () => this.#entry());
    }
  }

  // Prefixes come from one pool, so `image:` may mean news; an extension may also be declared only where it is used.
  #rootTag(
    vocabulary: Vocabulary,
    local: string,
    extensions: readonly Vocabulary[],
    entry: () => string,
  ): string {
    this.#write.prefixes.set(
      vocabulary,
      vocabulary === 'rss' || this.#write.choice(3) < 2 ? '' : this.#write.newPrefix(),
    );
    for (const extension of extensions) {
      if (this.#write.choice(4) < 3) this.#write.prefixes.set(extension, this.#write.newPrefix());
    }
    const declared = [...this.#write.prefixes].filter(([of]) => of !== 'rss').map(declarationOf);
    const entries = () => this.#write.times(6, () => this.#write.wrapped(entry())).join(this.#write.noise(2));
    if (vocabulary !== 'rss')
      return this.#write.tag(vocabulary, local, entries, this.#write.shuffled(declared));
    return this.#write.tag('rss', 'rss', () => this.#write.tag('rss', 'channel', entries), [
      ['version', '2.0'],
      ...declared,
    ]);
  }

  #url(): string {
    return this.#block('map', 'url', [
      this.#one('map', 'loc', ADDRESSES),
      ...this.#write.times(3, () => () => this.#alternate()),
      ...this.#write.times(2, () => () => this.#news()),
      ...this.#write.times(
        3,
        () => () => this.#block('image', 'image', [this.#one('image', 'loc', ADDRESSES)]),
      ),
      ...this.#write.times(3, () => () => this.#video()),
    ]);
  }

  #item(): string {
    const link = this.#one('rss', 'link', ADDRESSES);
    const guid = this.#one('rss', 'guid', ADDRESSES);
    const date = this.#write.prefixes.has('dc')
      ? this.#write.times(2, () => this.#one('dc', 'date', W3C))
      : [];
    return this.#block('rss', 'item', [...this.#write.pick([[link], [guid], [link, guid]]), ...date]);
  }

  #entry(): string {
    const rels = this.#write.pick([
      [''],
      ['alternate'],
      ['self', ''],
      ['self', 'enclosure'],
      ['', 'alternate'],
    ]);
    const links = rels.map((rel) => () => {
      const href = ['href', this.#write.pick(ADDRESSES)] as const;
      return this.#write.tag(
        'atom',
        'link',
        () => '',
        this.#write.shuffled(rel === '' ? [href] : [['rel', rel] as const, href]),
      );
    });
    return this.#block('atom', 'entry', links);
  }

  #alternate(): string {
    const attributes: Attributes = [
      ['rel', 'alternate'],
      ['hreflang', this.#write.pick(['de', 'x-default', 'zh-Hant', 'en_GB'])],
      ['href', this.#write.pick(ADDRESSES)],
    ];
    return this.#write.tag('xhtml', 'link', () => '', this.#write.shuffled(attributes));
  }

  #news(): string {
    const publication = () => this.#block('news', 'publication', []);
    return this.#block('news', 'news', [this.#one('news', 'title', TITLES), publication]);
  }

  #video(): string {
    const price = () => this.#one('video', 'price', ['1.99', '0', '10']);
    const tag = () => this.#one('video', 'tag', TITLES);
    return this.#block('video', 'video', [
      this.#one('video', 'thumbnail_loc', ADDRESSES),
      ...this.#write.times(3, price),
      ...this.#write.times(3, tag),
    ]);
  }

  /** An entry or an extension's block: what it must hold, and any of the fields it may, in any order. */
  #block(vocabulary: Vocabulary, local: BlockName, parts: readonly (() => string)[]): string {
    const optional = Object.entries(FIELDS[local])
      .filter(() => this.#write.choice(3) === 1)
      .map(([name, values]) => this.#one(vocabulary, name, values));
    const ordered = this.#write.shuffled([...parts, ...optional]);
    return this.#write.tag(
      vocabulary,
      local,
      () =>
        ordered.map((part) => `${this.#write.noise(2)}${this.#write.wrapped(part())}`).join('') +
        this.#write.noise(1),
    );
  }

  #one(vocabulary: Vocabulary, local: string, values: readonly string[]): () => string {
    return () => {
      const attributes = this.#write.pick(ATTRIBUTES[local] ?? [[]]);
      const space = this.#write.space();
      return this.#write.tag(
        vocabulary,
        local,
        () => `${space}${this.#write.text(this.#write.pick(values))}${space}`,
        attributes,
      );
    };
  }
}
