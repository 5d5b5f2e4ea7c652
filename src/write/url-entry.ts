/**
 * One page as the `<url>` of a sitemap. What `usp check` would call an error, or a warning about form, is repaired as
 * reading does it, or left out; either way it is a problem. Elements are in the order of the schemas.
 */
import { isLanguage, isThreeLetterLanguage } from '../check/codes/iso-codes.ts';
import { judgeLanguageTag } from '../check/codes/language-tag.ts';
import type { SitemapAlternate } from '../parse/extensions/alternate.ts';
import type { SitemapImage } from '../parse/extensions/image.ts';
import type { SitemapNewsStoryJSON } from '../parse/extensions/news.ts';
import type { SitemapVideoJSON } from '../parse/extensions/video.ts';
import { parseChangeFrequency } from '../parse/values/change-frequency.ts';
import { UrlText } from './url-text.ts';
import {
  type DateRule,
  DateText,
  decimalText,
  givenFields,
  givenList,
  givenNumber,
  givenText,
  isGiven,
  type Report,
  shown,
  textInXml,
  type WriteProblemCode,
} from './value-text.ts';

/** The fields of a type as they may be given: some missing or undefined, lists that are not ours to change. */
type Given<Fields> = {
  readonly [Field in keyof Fields]?:
    | (Fields[Field] extends readonly (infer Item)[] | undefined ? readonly Item[] : Fields[Field])
    | undefined;
};

/** A news story to write: a `SitemapNewsStory`, or a plain object. */
export interface WritableNewsStory extends Given<Omit<SitemapNewsStoryJSON, 'publishDate'>> {
  /** When it was published. */
  readonly publishDate?: Date | string | undefined;
}

/** A video to write: a `SitemapVideo`, or a plain object. */
export interface WritableVideo extends Given<Omit<SitemapVideoJSON, 'expirationDate' | 'publicationDate'>> {
  /** After when it may no longer be shown. */
  readonly expirationDate?: Date | string | undefined;
  /** When it was first published. */
  readonly publicationDate?: Date | string | undefined;
}

/**
 * A page to write: a `SitemapPage`, what its `toObject()` gives, or any object with these fields. A field that is null is
 * missing.
 */
export interface WritablePage {
  /** An absolute URL of http or https. */
  readonly url: string;
  /** When the page last changed. A text is written with the precision that it has: `2024-05` stays so. */
  readonly lastModified?: Date | string | undefined;
  /** The date as text; it counts more than `lastModified`. */
  readonly lastModifiedText?: string | undefined;
  /** `always`, `hourly`, `daily`, `weekly`, `monthly`, `yearly` or `never`. */
  readonly changeFrequency?: string | undefined;
  /** From 0 to 1. Of a `SitemapPage`, only a priority that its document declares is written. */
  readonly priority?: number | undefined;
  /** The images on the page: at most 1,000 are written. */
  readonly images?: readonly SitemapImage[] | undefined;
  /** The videos on the page. */
  readonly videos?: readonly WritableVideo[] | undefined;
  /** The news story that the page is. */
  readonly newsStory?: WritableNewsStory | undefined;
  /** The same page in other languages, itself included. */
  readonly alternates?: readonly SitemapAlternate[] | undefined;
}

/** What could not be written as it was given. */
export interface WriteProblem {
  /** The code of a problem of reading, or the name of a rule of `usp check`: each says the same as there. */
  readonly code: WriteProblemCode;
  /** A sentence for people: what was found, and what was done about it. */
  readonly message: string;
  /** The URL of the page, as it was given. */
  readonly url: string;
  /** What was left out: the whole page, or a value of it; undefined where the value was repaired. */
  readonly dropped: 'page' | 'value' | undefined;
}

/** The namespace of an extension, by its usual prefix; `xhtml` is that of alternates. */
export type SitemapNamespace = 'image' | 'video' | 'news' | 'xhtml';

/** The namespaces as bits, in the order in which a root declares them. */
export const NAMESPACE_BITS: Readonly<Record<SitemapNamespace, number>> = {
  image: 1,
  video: 2,
  news: 4,
  xhtml: 8,
};
export const ALL_NAMESPACES = 15;

export interface EntryWriterOptions {
  /** Which news are written: all, or those of the last two days. @default 'all' */
  readonly news?: 'all' | 'fresh' | undefined;
  /** @default the time of the call */
  readonly now?: Date | undefined;
  /** The address that the document will have. Pages of a private host are written if it is on the same host. */
  readonly url?: string | undefined;
  /** How many news may be written. Google reads 1,000 of one sitemap. */
  readonly maxNews?: number | undefined;
  /** The namespaces that may be used. @default all */
  readonly namespaces?: Iterable<SitemapNamespace> | undefined;
  /** How a text that is not plain ASCII goes into the entry. @default as it is */
  readonly encodedText?: ((text: string) => string) | undefined;
  readonly onProblem?: ((problem: WriteProblem) => void) | undefined;
}

/** A tag as it is written. */
class Tag {
  readonly name: string;
  readonly start: string;
  readonly end: string;

  constructor(name: string) {
    this.name = name;
    this.start = `<${name}>`;
    this.end = `</${name}>`;
  }
}

const TAG_NAMES = [
  'image:caption',
  'image:geo_location',
  'image:license',
  'image:loc',
  'image:title',
  'news:access',
  'news:genres',
  'news:keywords',
  'news:language',
  'news:name',
  'news:publication_date',
  'news:stock_tickers',
  'news:title',
  'video:category',
  'video:content_loc',
  'video:description',
  'video:duration',
  'video:expiration_date',
  'video:family_friendly',
  'video:live',
  'video:platform',
  'video:player_loc',
  'video:price',
  'video:publication_date',
  'video:rating',
  'video:requires_subscription',
  'video:restriction',
  'video:tag',
  'video:thumbnail_loc',
  'video:title',
  'video:uploader',
  'video:view_count',
] as const;

// Made once: a text and two tags are three strings to join, where their names and brackets are six.
const TAGS = Object.fromEntries(TAG_NAMES.map((name) => [name, new Tag(name)])) as Readonly<
  Record<(typeof TAG_NAMES)[number], Tag>
>;

const DAY = 86_400_000;
const MOST_IMAGES = 1000;
const MOST_TAGS = 32;
const LONGEST_DURATION = 28_800;
const LONGEST_DESCRIPTION = 2048;
/** What reading takes of the extensions of one entry, counted as there: the texts, and 64 for each. */
const MOST_EXTENSION_CHARACTERS = 1024 * 1024;
const OVERHEAD = 64;
const MOST_LANGUAGES = 1000;

export class EntryWriter {
  /** The date of the last entry in milliseconds since 1970, `NaN` where it has none, and as it is written. */
  time: number = Number.NaN;
  dateText = '';
  /** The namespaces that the last entry uses, as {@link NAMESPACE_BITS}. */
  used = 0;
  #allUsed = 0;
  readonly #isFreshOnly: boolean;
  readonly #now: number;
  readonly #allowed: number;
  #newsLeft: number;
  readonly #onProblem: ((problem: WriteProblem) => void) | undefined;
  readonly #urls: UrlText;
  readonly #encodedText: ((text: string) => string) | undefined;
  readonly #date = new DateText();
  readonly #languages = new Map<string, Language>();
  #page = '';
  #dropping: 'page' | 'value' = 'value';
  #size = 0;

  constructor(options: EntryWriterOptions = {}) {
    this.#isFreshOnly = options.news === 'fresh';
    this.#now = (options.now ?? new Date()).getTime();
    this.#newsLeft = options.maxNews ?? Number.POSITIVE_INFINITY;
    this.#onProblem = options.onProblem;
    this.#urls = new UrlText(options.url, this.#report);
    this.#allowed = bitsOf(options.namespaces);
    this.#encodedText = options.encodedText;
  }

  /** The namespaces that entries have used so far. */
  get namespaces(): ReadonlySet<SitemapNamespace> {
    return new Set(namespacesIn(this.#allUsed));
  }

  /** The entry of a page with its line end; undefined, with a problem, where it cannot be written. */
  entry(given: WritablePage): string | undefined {
    const page = givenFields(given);
    this.#page = givenText(page.url);
    this.#dropping = 'page';
    const loc = this.#urls.page(this.#page);
    if (loc === undefined) return undefined;
    this.#dropping = 'value';
    this.used = 0;
    this.time = Number.NaN;
    let xml = `<url><loc>${loc}</loc>`;
    const lastModified = page.lastModifiedText ?? page.lastModified;
    if (isGiven(lastModified) && this.#date.read(lastModified, 'lastmod-not-w3c', this.#report)) {
      this.time = this.#date.time;
      this.dateText = this.#date.text;
      xml += `<lastmod>${this.dateText}</lastmod>`;
    }
    if (isGiven(page.changeFrequency)) xml += this.#changeFrequency(page.changeFrequency);
    const priority = declaredPriority(page);
    if (isGiven(priority)) xml += this.#priority(priority);
    const extensions = this.#extensions(page);
    this.#allUsed |= this.used;
    return `${xml}${extensions}</url>\n`;
  }

  readonly #report: Report = (code, message, isDropped = false) => {
    const dropped = isDropped ? this.#dropping : undefined;
    this.#onProblem?.({ code, message, url: this.#page, dropped });
  };

  #changeFrequency(text: string): string {
    const word = parseChangeFrequency(givenText(text).trim());
    if (word !== undefined) return `<changefreq>${word}</changefreq>`;
    this.#report('bad-change-frequency', `"${shown(text)}" is not a changefreq; it was left out.`, true);
    return '';
  }

  #priority(given: number): string {
    const value = givenNumber(given);
    if (value >= 0 && value <= 1) {
      const text = value === 0 || value === 1 ? value.toFixed(1) : decimalText(value);
      return `<priority>${text}</priority>`;
    }
    this.#report('bad-priority', `${shown(given)} is not a priority from 0 to 1; it was left out.`, true);
    return '';
  }

  #extensions(page: WritablePage): string {
    this.#size = 0;
    const { newsStory } = page;
    const images = givenList(page.images);
    const videos = givenList(page.videos);
    const alternates = givenList(page.alternates);
    let xml = '';
    if (images.length > 0 && this.#allows('image')) xml += this.#images(images);
    if (videos.length > 0 && this.#allows('video'))
      xml += this.#each('video', videos, (video) => this.#video(video));
    if (isGiven(newsStory) && this.#allows('news'))
      xml += this.#each('news', [newsStory], (story) => this.#news(story));
    if (alternates.length > 0 && this.#allows('xhtml')) xml += this.#alternates(alternates);
    return xml;
  }

  #allows(extension: SitemapNamespace): boolean {
    if ((this.#allowed & NAMESPACE_BITS[extension]) !== 0) return true;
    const message = `The document does not declare the namespace of "${extension}"; what needs it was left out.`;
    this.#report('undeclared-prefix', message, true);
    return false;
  }

  /** Writes each of some items as long as a reader has room for them. */
  #each<Item extends object>(
    extension: SitemapNamespace,
    items: readonly Item[],
    write: (item: Item) => string | undefined,
  ): string {
    let all = '';
    for (const item of items) {
      const before = this.#size;
      const xml = write(givenFields(item));
      if (xml === undefined) continue;
      if (this.#size > MOST_EXTENSION_CHARACTERS) {
        this.#size = before;
        const message = 'The extensions of a page take more than 1 MiB; the rest were left out.';
        this.#report('too-many-extensions', message, true);
        break;
      }
      all += xml;
    }
    if (all !== '') this.used |= NAMESPACE_BITS[extension];
    return all;
  }

  /** An element with a text; empty where there is none. */
  #element(tag: Tag, text: string | undefined, attributes = ''): string {
    if (!isGiven(text)) return '';
    const xml = textInXml(givenText(text), this.#report, this.#encodedText);
    return xml === '' ? '' : this.#wrapped(tag, xml, attributes);
  }

  #wrapped({ name, start, end }: Tag, xml: string, attributes: string): string {
    this.#size += OVERHEAD + xml.length;
    if (attributes === '') return start + xml + end;
    this.#size += OVERHEAD + attributes.length;
    return `<${name}${attributes}>${xml}${end}`;
  }

  #url(tag: Tag, url: string | undefined, attributes = ''): string {
    const text = givenText(url);
    const written = text === '' ? undefined : this.#urls.other(text);
    return written === undefined ? '' : this.#wrapped(tag, written, attributes);
  }

  #dateElement(tag: Tag, date: Date | string | undefined, rule: DateRule): string {
    if (!isGiven(date) || !this.#date.read(date, rule, this.#report)) return '';
    return this.#element(tag, this.#date.text);
  }

  #images(images: readonly SitemapImage[]): string {
    const read = images.length > MOST_IMAGES ? images.slice(0, MOST_IMAGES) : images;
    if (read !== images) {
      const message = `The page has ${images.length} images; those after the first 1,000 were left out.`;
      this.#report('images-too-many', message, true);
    }
    return this.#each('image', read, (image) => {
      const url = this.#urls.other(givenText(image.loc));
      if (url === undefined) return undefined;
      const loc = this.#wrapped(TAGS['image:loc'], url, '');
      const rest =
        this.#element(TAGS['image:caption'], image.caption) +
        this.#element(TAGS['image:geo_location'], image.geoLocation) +
        this.#element(TAGS['image:title'], image.title) +
        this.#url(TAGS['image:license'], image.license);
      return `<image:image>${loc}${rest}</image:image>`;
    });
  }

  #news(story: WritableNewsStory): string | undefined {
    const name = this.#element(TAGS['news:name'], story.publicationName);
    const language = this.#element(TAGS['news:language'], this.#newsLanguage(story.publicationLanguage));
    const date = this.#dateElement(TAGS['news:publication_date'], story.publishDate, 'news-date-not-w3c');
    const title = this.#element(TAGS['news:title'], story.title);
    if (name === '' || language === '' || date === '' || title === '') {
      this.#report(
        'news-missing-field',
        'The news lack a title, a date, or the name or language of the publication; they were left out.',
        true,
      );
      return undefined;
    }
    if (this.#isFreshOnly && this.#now - endOf(this.#date) > 2 * DAY) {
      this.#report('news-too-old', `The news of ${this.#date.text} are older than two days; left out.`, true);
      return undefined;
    }
    if (this.#newsLeft <= 0) {
      this.#report('news-too-many', 'There are more than 1,000 news; these were left out.', true);
      return undefined;
    }
    this.#newsLeft--;
    const lists = (tag: Tag, items: readonly string[] | undefined): string =>
      this.#element(tag, givenList(items).map(givenText).join(', '));
    return (
      `<news:news><news:publication>${name}${language}</news:publication>` +
      this.#element(TAGS['news:access'], story.access) +
      lists(TAGS['news:genres'], story.genres) +
      `${date}${title}` +
      lists(TAGS['news:keywords'], story.keywords) +
      `${lists(TAGS['news:stock_tickers'], story.stockTickers)}</news:news>`
    );
  }

  #newsLanguage(given: string | undefined): string | undefined {
    const text = givenText(given).trim();
    if (text === '' || isLanguage(text) || isThreeLetterLanguage(text) || /^zh-(?:cn|tw)$/i.test(text))
      return text;
    const short = text.slice(0, 2).toLowerCase();
    const isWithCountry = /^[a-z]{2}[-_][a-z]{2}$/i.test(text) && isLanguage(short);
    const done = isWithCountry ? `was written as "${short}"` : 'was left out';
    this.#report('news-bad-language', `The language "${text.slice(0, 40)}" ${done}.`, !isWithCountry);
    return isWithCountry ? short : undefined;
  }

  #video(video: WritableVideo): string | undefined {
    const { playerAllowEmbed, playerAutoplay } = video;
    const embed = !isGiven(playerAllowEmbed) ? '' : ` allow_embed="${playerAllowEmbed ? 'yes' : 'no'}"`;
    const attributes = embed + attribute('autoplay', this.#attributeText(playerAutoplay));
    const title = this.#element(TAGS['video:title'], video.title);
    const thumbnail = this.#url(TAGS['video:thumbnail_loc'], video.thumbnailLoc);
    const description = this.#element(TAGS['video:description'], this.#description(video.description));
    const content = this.#url(TAGS['video:content_loc'], video.contentLoc);
    const player = this.#url(TAGS['video:player_loc'], video.playerLoc, attributes);
    if (thumbnail === '' || title === '' || description === '' || content + player === '') {
      const message =
        'A video lacks its thumbnail, title or description, or both content_loc and player_loc; it was left out.';
      this.#report('video-missing-field', message, true);
      return undefined;
    }
    if (player === '' && attributes !== '')
      this.#report(
        'video-old-tag',
        'A video has attributes of a player_loc that is not there; left out.',
        true,
      );
    // Most videos have few of these.
    const { duration, expirationDate, rating, viewCount, publicationDate, tags, restriction, platform } =
      video;
    let xml = `<video:video>${thumbnail}${title}${description}${content}${player}`;
    if (isGiven(duration)) xml += this.#duration(duration);
    if (isGiven(expirationDate))
      xml += this.#dateElement(TAGS['video:expiration_date'], expirationDate, 'video-date-not-w3c');
    if (isGiven(rating)) xml += this.#number(TAGS['video:rating'], rating, 5, 'video-bad-rating');
    if (isGiven(viewCount))
      xml += this.#number(TAGS['video:view_count'], viewCount, Number.MAX_SAFE_INTEGER, 'bad-number');
    if (isGiven(publicationDate))
      xml += this.#dateElement(TAGS['video:publication_date'], publicationDate, 'video-date-not-w3c');
    xml += this.#tags(givenList(tags));
    if (isGiven(video.category)) xml += this.#element(TAGS['video:category'], video.category);
    xml += this.#yesOrNo(TAGS['video:family_friendly'], video.familyFriendly);
    if (isGiven(restriction))
      xml += this.#related(TAGS['video:restriction'], restriction.relationship, restriction.countries);
    xml += this.#prices(givenList(video.prices));
    xml += this.#yesOrNo(TAGS['video:requires_subscription'], video.requiresSubscription);
    if (isGiven(video.uploader)) xml += this.#uploader(video.uploader);
    if (isGiven(platform))
      xml += this.#related(TAGS['video:platform'], platform.relationship, platform.platforms);
    return `${xml}${this.#yesOrNo(TAGS['video:live'], video.live)}</video:video>`;
  }

  #yesOrNo(tag: Tag, value: boolean | undefined): string {
    return !isGiven(value) ? '' : this.#element(tag, value ? 'yes' : 'no');
  }

  #description(given: string | undefined): string {
    const text = givenText(given);
    if (text.length <= LONGEST_DESCRIPTION) return text;
    const characters = Array.from(text);
    if (characters.length <= LONGEST_DESCRIPTION) return text;
    this.#report('video-long-description', 'A description was cut off after 2,048 characters.');
    return characters.slice(0, LONGEST_DESCRIPTION).join('');
  }

  #duration(given: number): string {
    const seconds = givenNumber(given);
    const whole = Math.round(seconds);
    if (whole !== seconds || whole < 1 || whole > LONGEST_DURATION) {
      const isKept = whole >= 1 && whole <= LONGEST_DURATION;
      const done = isKept ? `was written as ${whole}` : 'was left out';
      this.#report(
        'video-bad-duration',
        `The duration ${shown(given)} ${done}: 1 to 28,800 seconds.`,
        !isKept,
      );
      if (!isKept) return '';
    }
    return this.#element(TAGS['video:duration'], String(whole));
  }

  #number(tag: Tag, given: number, most: number, code: 'video-bad-rating' | 'bad-number'): string {
    const value = givenNumber(given);
    if (value >= 0 && value <= most) return this.#element(tag, decimalText(value));
    this.#report(code, `${shown(given)} is not a ${tag.name.slice('video:'.length)}; it was left out.`, true);
    return '';
  }

  #tags(tags: readonly string[]): string {
    if (tags.length > MOST_TAGS) {
      this.#report('video-too-many-tags', `Of ${tags.length} tags of a video, 32 were written.`, true);
    }
    return tags
      .slice(0, MOST_TAGS)
      .map((tag) => this.#element(TAGS['video:tag'], tag))
      .join('');
  }

  #related(tag: Tag, relationship: string | undefined, items: readonly string[] | undefined): string {
    const listed = givenList(items);
    if (listed.length === 0) return '';
    const word = givenText(relationship).trim().toLowerCase();
    if (word === 'allow' || word === 'deny')
      return this.#element(tag, listed.map(givenText).join(' '), ` relationship="${word}"`);
    const message = `A <${tag.name}> without allow or deny was left out.`;
    this.#report('video-no-relationship', message, true);
    return '';
  }

  #prices(prices: NonNullable<WritableVideo['prices']>): string {
    let xml = '';
    for (const price of prices) {
      const { value: given, currency, type, resolution } = givenFields(price);
      const value = givenNumber(given);
      if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
        this.#report('bad-number', `${shown(given)} is not a price; it was left out.`, true);
        continue;
      }
      const attributes =
        attribute('currency', this.#attributeText(currency)) +
        attribute('type', this.#attributeText(type)) +
        attribute('resolution', this.#attributeText(resolution));
      xml += this.#element(TAGS['video:price'], decimalText(value), attributes);
    }
    return xml;
  }

  #uploader(uploader: NonNullable<WritableVideo['uploader']>): string {
    const info = isGiven(uploader.info) ? this.#urls.other(givenText(uploader.info)) : undefined;
    return this.#element(TAGS['video:uploader'], uploader.name, attribute('info', info));
  }

  /** A text for an attribute, where line ends and tabs would be read as spaces. */
  #attributeText(text: string | undefined): string {
    return textInXml(givenText(text).replace(/\s+/g, ' '), this.#report, this.#encodedText);
  }

  #alternates(alternates: readonly SitemapAlternate[]): string {
    const seen: Language[] = [];
    return this.#each('xhtml', alternates, ({ hreflang, href }) => {
      const language = this.#languages.get(hreflang) ?? this.#language(givenText(hreflang).trim());
      const url = language === undefined ? undefined : this.#urls.other(givenText(href));
      if (language === undefined || url === undefined) return undefined;
      if (seen.some(({ key }) => key === language.key)) {
        this.#report('hreflang-repeated', `A second alternate for "${language.code}" was left out.`, true);
        return undefined;
      }
      seen.push(language);
      const attributes = ` rel="alternate" hreflang="${language.code}" href="${url}"`;
      this.#size += OVERHEAD + attributes.length;
      return `<xhtml:link${attributes}/>`;
    });
  }

  /** The code of a language, with hyphens; undefined, with a problem, where it is wrong. */
  #language(given: string): Language | undefined {
    const code = given.replaceAll('_', '-');
    const verdict = judgeLanguageTag(code);
    const isWrong = verdict.is === 'wrong';
    if (isWrong || code !== given) {
      const done = isWrong ? `${verdict.because}; left out` : `written as ${code}`;
      this.#report('hreflang-bad-code', `hreflang="${given.slice(0, 40)}": ${done}.`, isWrong);
    }
    if (isWrong) return undefined;
    const language = { code, key: code.toLowerCase() };
    if (code === given && this.#languages.size < MOST_LANGUAGES) this.#languages.set(code, language);
    return language;
  }
}

/** The code of a language as it is written, and as it is compared. */
interface Language {
  readonly code: string;
  readonly key: string;
}

/** A `SitemapPage` has a priority even where its document declares none. */
export function declaredPriority(
  page: WritablePage & { readonly declaredPriority?: number | undefined },
): number | undefined {
  return 'declaredPriority' in page ? page.declaredPriority : page.priority;
}

/** A day is over at its end. */
function endOf({ text, time }: DateText): number {
  return text.length <= 10 ? time + DAY : time;
}

function attribute(name: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : ` ${name}="${value}"`;
}

export function bitsOf(namespaces: Iterable<SitemapNamespace> | undefined): number {
  if (namespaces === undefined) return ALL_NAMESPACES;
  let bits = 0;
  for (const namespace of namespaces) bits |= NAMESPACE_BITS[namespace] ?? 0;
  return bits;
}

export function namespacesIn(bits: number): SitemapNamespace[] {
  return (['image', 'video', 'news', 'xhtml'] as const).filter((name) => (NAMESPACE_BITS[name] & bits) !== 0);
}
