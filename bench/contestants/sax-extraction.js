/**
 * The shortest way from the events of an XML parser to the same pages, for those that give no more than events.
 * Repeated pages are dropped, as we drop them.
 */

/** Of an XML sitemap, with or without extensions. */
export class SitemapExtraction {
  #reader;
  #seen = new Set();
  #text = '';
  #url = '';
  #lastModified;
  #priority = 0.5;
  #changeFrequency;
  #news = {};
  #image = {};
  #video = {};
  /** Calls for what comes behind the page: an entry's extensions are told of when it ends. */
  #extensions = [];

  constructor(reader) {
    this.#reader = reader;
  }

  open(tag, attributes) {
    this.#text = '';
    if (tag === 'xhtml:link') {
      const { hreflang, href } = attributes;
      this.#extensions.push(() => this.#reader.alternate(hreflang, href));
    } else if (tag === 'url') {
      this.#url = '';
      this.#lastModified = undefined;
      this.#priority = 0.5;
      this.#changeFrequency = undefined;
      this.#extensions = [];
    }
  }

  text(piece) {
    this.#text += piece;
  }

  close(tag) {
    switch (tag) {
      case 'loc':
        this.#url = this.#text.trim();
        break;
      case 'lastmod':
        this.#lastModified = new Date(this.#text.trim());
        break;
      case 'priority':
        this.#priority = Number(this.#text);
        break;
      case 'changefreq':
        this.#changeFrequency = this.#text.trim();
        break;
      case 'url':
        this.#endPage();
        break;
      default:
        if (tag.includes(':')) this.#closeExtension(tag, this.#text.trim());
    }
  }

  #endPage() {
    if (this.#seen.has(this.#url)) return;
    this.#seen.add(this.#url);
    this.#reader.page(this.#url, this.#lastModified, this.#priority, this.#changeFrequency);
    for (const tell of this.#extensions) tell();
  }

  #closeExtension(tag, text) {
    const [prefix, field] = tag.split(':');
    const reader = this.#reader;
    switch (tag) {
      case 'news:news': {
        const { title, name, language, publication_date: date } = this.#news;
        this.#extensions.push(() => reader.news(title, name, language, new Date(date)));
        this.#news = {};
        break;
      }
      case 'image:image': {
        const { loc, title, caption } = this.#image;
        this.#extensions.push(() => reader.image(loc, title, caption));
        this.#image = {};
        break;
      }
      case 'video:video': {
        const { thumbnail_loc: thumbnail, title, description, content_loc: content } = this.#video;
        const duration = Number(this.#video.duration);
        const date = new Date(this.#video.publication_date);
        this.#extensions.push(() => reader.video(thumbnail, title, description, content, duration, date));
        this.#video = {};
        break;
      }
      default:
        if (prefix === 'news') this.#news[field] = text;
        else if (prefix === 'image') this.#image[field] = text;
        else if (prefix === 'video') this.#video[field] = text;
    }
  }
}

/** Of RSS and Atom. */
export class FeedExtraction {
  #reader;
  #seen = new Set();
  #text = '';
  #url = '';
  #title;
  #date;
  #isInEntry = false;

  constructor(reader) {
    this.#reader = reader;
  }

  open(tag, attributes) {
    this.#text = '';
    if (tag === 'item' || tag === 'entry') this.#isInEntry = true;
    else if (tag === 'link' && attributes.href !== undefined) this.#url = attributes.href;
  }

  text(piece) {
    this.#text += piece;
  }

  close(tag) {
    if (!this.#isInEntry) return;
    switch (tag) {
      case 'link':
        if (this.#text !== '') this.#url = this.#text.trim();
        break;
      case 'title':
        this.#title = this.#text.trim();
        break;
      case 'pubDate':
      case 'published':
        this.#date = new Date(this.#text.trim());
        break;
      case 'item':
      case 'entry':
        this.#isInEntry = false;
        if (this.#seen.has(this.#url)) break;
        this.#seen.add(this.#url);
        this.#reader.page(this.#url, this.#date, 0.5, undefined);
        this.#reader.news(this.#title, undefined, undefined, this.#date);
    }
  }
}
