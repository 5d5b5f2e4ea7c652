/**
 * One page as the `<url>` of a sitemap. What `usp check` would call an error, or a warning about form, is repaired as
 * reading does it, or left out; either way it is a problem. Elements are in the order of the schemas.
 */
import { isLanguage, isThreeLetterLanguage, judgeLanguageTag } from '../check/language-codes.ts';
import { PROTOCOL_LIMITS } from '../check/protocol-limits.ts';
import { yesOrNo } from '../parse/extensions/field-readers.ts';
import type { SitemapVideoPrice } from '../parse/extensions/video.ts';
import { givenDate } from '../parse/model/given-fields.ts';
import { givenPriority, type SitemapAlternate } from '../parse/model/page.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import { parseChangeFrequency } from '../parse/values/change-frequency.ts';
import { endOfDate } from '../parse/values/date.ts';
import { writtenDate } from '../parse/values/w3c-date.ts';
import { clip, number } from '../text/wording.ts';
import {
  type DateRule,
  DateText,
  decimalText,
  describeInput,
  givenFields,
  givenList,
  givenNumber,
  givenText,
  isGiven,
  type ReportProblem,
  textInXml,
  UrlText,
  type WriteProblemCode,
} from './value-text.ts';
import {
  addressOf,
  givenAlternates,
  givenImage,
  type UnusedFields,
  type WritableImage,
  type WritableNewsStory,
  type WritablePage,
  type WritableVideo,
  type WriteProblem,
} from './writable-page.ts';

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
  /** The address that the document will have. Pages of a private host are written if it is on the same host. */
  readonly url?: string | undefined;
  /** How many news may be written. Google reads 1,000 of one sitemap. */
  readonly maxNews?: number | undefined;
  /** The namespaces that may be used, as {@link NAMESPACE_BITS}. @default all */
  readonly namespaces?: number | undefined;
  /** How a text that is not plain ASCII goes into the entry. @default as it is */
  readonly encodedText?: ((text: string) => string) | undefined;
  readonly onProblem?: ((problem: WriteProblem) => void) | undefined;
  /** For pages as a caller gives them: notes their fields. Repeated pages are then reported: 20 bytes for each URL. */
  readonly unusedFields?: UnusedFields | undefined;
}

/** The two tags of an element, made once: a text between them is three strings to join, not six. */
const KNOWN_TAGS = new Map<string, { readonly start: string; readonly end: string }>();

function tagsOf(name: string): { readonly start: string; readonly end: string } {
  const knownTag = KNOWN_TAGS.get(name);
  if (knownTag !== undefined) return knownTag;
  const tags = { start: `<${name}>`, end: `</${name}>` };
  KNOWN_TAGS.set(name, tags);
  return tags;
}

const DAY = 86_400_000;
/** What reading takes of the extensions of one entry, counted as there: the texts, and 64 for each. */
const MOST_EXTENSION_CHARACTERS = 1024 * 1024;
const OVERHEAD = 64;
const MOST_LANGUAGES = 1000;

export class EntryWriter {
  /** The date of the last entry in milliseconds since 1970, `NaN` where it has none, and as it is written. */
  time: number = Number.NaN;
  dateText = '';
  /** The namespaces that the last entry uses, as {@link NAMESPACE_BITS}. */
  usedNamespaces = 0;
  readonly #options: EntryWriterOptions;
  readonly #now = Date.now();
  readonly #allowed: number;
  #newsLeft: number;
  readonly #urls: UrlText;
  readonly #date = new DateText();
  readonly #languages = new Map<string, Language>();
  readonly #writtenUrls: SeenUrls | undefined;
  #page = '';
  /** The number of the page, from 1: what a page without a URL is called by. */
  #row = 0;
  #dropping: 'page' | 'value' = 'value';
  /** The entry so far: what turns out to be incomplete is taken back by setting it to what it was. */
  #xml = '';
  #size = 0;

  constructor(options: EntryWriterOptions = {}) {
    this.#options = options;
    this.#newsLeft = options.maxNews ?? Number.POSITIVE_INFINITY;
    this.#urls = new UrlText(options.url, this.#report);
    this.#allowed = options.namespaces ?? ALL_NAMESPACES;
    this.#writtenUrls = options.unusedFields === undefined ? undefined : new SeenUrls();
  }

  /**
   * The entry of a page with its line end; undefined, with a problem, where it cannot be written.
   *
   * @param alternates - instead of its own
   */
  entry(input: WritablePage, alternates?: readonly SitemapAlternate[]): string | undefined {
    const page = givenFields(input);
    const address = addressOf(page);
    this.#page = givenText(address);
    this.#row++;
    this.#options.unusedFields?.note('page', input, this.#page);
    this.#dropping = 'page';
    const loc = this.#isAddress(address) ? this.#urls.page(this.#page) : undefined;
    if (loc === undefined) return undefined;
    this.#dropping = 'value';
    if (this.#writtenUrls?.add(loc) === false)
      this.#report('url-repeated', 'The page was given before; it was written again.');
    const { otherHost } = this.#urls;
    if (this.#writtenUrls !== undefined && otherHost !== undefined)
      this.#report('url-other-host', `The page is on ${otherHost}; it was written.`);
    this.usedNamespaces = 0;
    this.time = Number.NaN;
    this.#xml = `<url><loc>${loc}</loc>`;
    const date = page.lastModified ?? page.lastmod;
    const lastModified = writtenAs(date, page.lastModifiedText, page.lastModifiedForm);
    if (this.#dateElement('lastmod', lastModified, 'lastmod-not-w3c')) {
      this.time = this.#date.time;
      this.dateText = this.#date.text;
    }
    const changeFrequency = page.changeFrequency ?? page.changefreq;
    if (isGiven(changeFrequency)) this.#changeFrequency(changeFrequency);
    const priority = givenPriority(page);
    if (isGiven(priority)) this.#priority(priority);
    this.#size = 0;
    this.#each('image', this.#firstImages(givenList(page.images)).map(givenImage), (image) =>
      this.#image(image),
    );
    this.#each('video', givenList(page.videos), (video) => this.#video(video));
    if (isGiven(page.newsStory)) this.#each('news', [page.newsStory], (story) => this.#news(story));
    const languages: string[] = [];
    this.#each('xhtml', alternates ?? givenAlternates(page.alternates), (each) =>
      this.#alternate(each, languages),
    );
    return `${this.#xml}</url>\n`;
  }

  readonly #report: ReportProblem = (code, message, isDropped = false) => {
    const dropped = isDropped ? this.#dropping : undefined;
    const isNameless = code === 'empty-loc' && dropped === 'page';
    // A text that is given may have half a character in it.
    const text = isNameless
      ? `Row ${number(this.#row)} has no URL; it was left out.`
      : message.toWellFormed();
    this.#options.onProblem?.({ code, message: text, url: this.#page, dropped });
  };

  #changeFrequency(text: string): void {
    const word = parseChangeFrequency(givenText(text).trim());
    if (word !== undefined) this.#element('changefreq', word);
    else
      this.#report(
        'bad-change-frequency',
        `"${describeInput(text)}" is not a changefreq; it was left out.`,
        true,
      );
  }

  #priority(input: number): void {
    const value = givenNumber(input);
    if (value === 0 || value === 1) this.#element('priority', value.toFixed(1));
    else if (value > 0 && value < 1) this.#element('priority', decimalText(value));
    else
      this.#report(
        'bad-priority',
        `${describeInput(input)} is not a priority from 0 to 1; it was left out.`,
        true,
      );
  }

  /** Writes each of some items as long as a reader has room for them. */
  #each<Item extends object>(
    extension: SitemapNamespace,
    items: readonly Item[],
    write: (item: Item) => boolean,
  ): void {
    if (items.length === 0) return;
    if ((this.#allowed & NAMESPACE_BITS[extension]) === 0) {
      const message = `The document does not declare the namespace of "${extension}"; what needs it was left out.`;
      this.#report('undeclared-prefix', message, true);
      return;
    }
    for (const item of items) {
      const before = this.#xml;
      const sizeBefore = this.#size;
      this.#options.unusedFields?.note(extension, item, this.#page);
      const isWritten = write(givenFields(item));
      if (isWritten && this.#size <= MOST_EXTENSION_CHARACTERS) {
        this.usedNamespaces |= NAMESPACE_BITS[extension];
        continue;
      }
      this.#xml = before;
      this.#size = sizeBefore;
      if (!isWritten) continue;
      const message = 'The extensions of a page take more than 1 MiB; the rest were left out.';
      this.#report('too-many-extensions', message, true);
      break;
    }
  }

  /** Reports that something was left out; it is not written. */
  #leftOut(code: WriteProblemCode, message: string): false {
    this.#report(code, message, true);
    return false;
  }

  /** Adds an element with a text that needs no escape any more. */
  #element(name: string, xml: string, attributes = ''): void {
    const { start, end } = tagsOf(name);
    this.#size += OVERHEAD + xml.length;
    if (attributes !== '') {
      this.#size += OVERHEAD + attributes.length;
      this.#xml += `<${name}${attributes}>${xml}${end}`;
    } else this.#xml = this.#xml + start + xml + end;
  }

  /** Adds an element with a text, and says whether there is one. */
  #text(name: string, input: string | null | undefined, attributes = ''): boolean {
    const xml = textInXml(givenText(input), this.#report, this.#options.encodedText);
    if (xml === '') return false;
    this.#element(name, xml, attributes);
    return true;
  }

  /** Whether it may be an address; a number or a boolean is not one, and is reported. */
  #isAddress(input: unknown): boolean {
    if (typeof input !== 'number' && typeof input !== 'boolean') return true;
    return this.#leftOut('unresolvable-url', `${describeInput(input)} is not a URL; it was left out.`);
  }

  #otherUrl(input: unknown): string | undefined {
    return this.#isAddress(input) ? this.#urls.other(givenText(input)) : undefined;
  }

  #url(name: string, input: string | null | undefined, attributes = ''): boolean {
    const xml = isGiven(input) && input !== '' ? this.#otherUrl(input) : undefined;
    if (xml === undefined) return false;
    this.#element(name, xml, attributes);
    return true;
  }

  #dateElement(name: string, date: Date | string | null | undefined, rule: DateRule): boolean {
    if (!isGiven(date) || !this.#date.read(date, rule, this.#report)) return false;
    this.#element(name, this.#date.text);
    return true;
  }

  #firstImages<Image>(images: readonly Image[]): readonly Image[] {
    if (images.length <= PROTOCOL_LIMITS.images) return images;
    const message = `The page has ${images.length} images; those after the first 1,000 were left out.`;
    this.#report('images-too-many', message, true);
    return images.slice(0, PROTOCOL_LIMITS.images);
  }

  #image(image: WritableImage): boolean {
    const url = this.#otherUrl(image.loc);
    if (url === undefined) return false;
    this.#xml += '<image:image>';
    this.#element('image:loc', url);
    this.#text('image:caption', image.caption);
    this.#text('image:geo_location', image.geoLocation);
    this.#text('image:title', image.title);
    this.#url('image:license', image.license);
    this.#xml += '</image:image>';
    return true;
  }

  #news(story: WritableNewsStory): boolean {
    this.#xml += '<news:news><news:publication>';
    const hasName = this.#text('news:name', story.publicationName);
    const hasLanguage = this.#text('news:language', this.#newsLanguage(story.publicationLanguage));
    this.#xml += '</news:publication>';
    this.#text('news:access', story.access);
    this.#list('news:genres', story.genres, ', ');
    const date = writtenAs(story.publishDate, story.publishDateText, story.publishDateForm);
    const hasDate = this.#dateElement('news:publication_date', date, 'news-date-not-w3c');
    const hasTitle = this.#text('news:title', story.title);
    this.#list('news:keywords', story.keywords, ', ');
    this.#list('news:stock_tickers', story.stockTickers, ', ');
    this.#xml += '</news:news>';
    if (!hasName || !hasLanguage || !hasDate || !hasTitle) {
      const message =
        'The news lack a title, a date, or the name or language of the publication; they were left out.';
      return this.#leftOut('news-missing-field', message);
    }
    if (this.#options.news === 'fresh' && this.#now - endOfDate(this.#date.time, this.#date.text) > 2 * DAY)
      return this.#leftOut(
        'news-too-old',
        `The news of ${this.#date.text} are older than two days; left out.`,
      );
    if (this.#newsLeft <= 0)
      return this.#leftOut('news-too-many', 'There are more than 1,000 news; these were left out.');
    this.#newsLeft--;
    return true;
  }

  #list(name: string, items: readonly string[] | null | undefined, between: string, attributes = ''): void {
    const texts = givenList(items);
    if (texts.length > 0) this.#text(name, texts.map(givenText).join(between), attributes);
  }

  #newsLanguage(input: string | null | undefined): string | undefined {
    const text = givenText(input).trim();
    if (text === '' || isLanguage(text) || isThreeLetterLanguage(text) || /^zh-(?:cn|tw)$/i.test(text))
      return text;
    const short = text.slice(0, 2).toLowerCase();
    const isWithCountry = /^[a-z]{2}[-_][a-z]{2}$/i.test(text) && isLanguage(short);
    const done = isWithCountry ? `was written as "${short}"` : 'was left out';
    this.#report('news-bad-language', `The language "${clip(text, 40)}" ${done}.`, !isWithCountry);
    return isWithCountry ? short : undefined;
  }

  #video(video: WritableVideo): boolean {
    const { duration, rating, viewCount, tags, uploader } = video;
    const expires = writtenAs(video.expirationDate, video.expirationDateText, video.expirationDateForm);
    const published = writtenAs(video.publicationDate, video.publicationDateText, video.publicationDateForm);
    const embed = this.#yesOrNo('allow_embed', video.playerAllowEmbed);
    const ofPlayer = attribute('allow_embed', embed) + this.#attribute('autoplay', video.playerAutoplay);
    this.#xml += '<video:video>';
    const hasThumbnail = this.#url('video:thumbnail_loc', video.thumbnailLoc);
    const hasTitle = this.#text('video:title', video.title);
    const hasDescription = this.#text('video:description', this.#description(video.description));
    const hasContent = this.#url('video:content_loc', video.contentLoc);
    const hasPlayer = this.#url('video:player_loc', video.playerLoc, ofPlayer);
    if (!hasThumbnail || !hasTitle || !hasDescription || !(hasContent || hasPlayer)) {
      const message =
        'A video lacks its thumbnail, title or description, or both content_loc and player_loc; it was left out.';
      return this.#leftOut('video-missing-field', message);
    }
    if (!hasPlayer && ofPlayer !== '') {
      const message = 'A video has attributes of a player_loc that is not there; left out.';
      this.#report('video-old-tag', message, true);
    }
    if (isGiven(duration)) this.#duration(duration);
    this.#dateElement('video:expiration_date', expires, 'video-date-not-w3c');
    if (isGiven(rating)) this.#number('rating', rating, 5, 'video-bad-rating');
    if (isGiven(viewCount)) this.#number('view_count', viewCount, Number.MAX_SAFE_INTEGER, 'bad-number');
    this.#dateElement('video:publication_date', published, 'video-date-not-w3c');
    if (isGiven(tags)) this.#tags(givenList(tags));
    this.#text('video:category', video.category);
    this.#answer('family_friendly', video.familyFriendly);
    this.#related('video:restriction', video.restriction, video.restriction?.countries);
    if (isGiven(video.prices)) for (const price of givenList(video.prices)) this.#price(givenFields(price));
    this.#answer('requires_subscription', video.requiresSubscription);
    if (isGiven(uploader)) {
      const info = isGiven(uploader.info) ? this.#otherUrl(uploader.info) : undefined;
      this.#text('video:uploader', uploader.name, attribute('info', info));
    }
    this.#related('video:platform', video.platform, video.platform?.platforms);
    this.#answer('live', video.live);
    this.#xml += '</video:video>';
    return true;
  }

  #answer(name: string, input: boolean | null | undefined): void {
    const word = this.#yesOrNo(name, input);
    if (word !== undefined) this.#element(`video:${name}`, word);
  }

  #yesOrNo(name: string, input: boolean | null | undefined): 'yes' | 'no' | undefined {
    if (!isGiven(input)) return undefined;
    const answer = typeof input === 'boolean' ? input : yesOrNo(givenText(input).trim());
    if (answer !== undefined) return answer ? 'yes' : 'no';
    const message = `${describeInput(input)} is not a ${name}, which is yes or no; it was left out.`;
    this.#report('video-not-yes-or-no', message, true);
    return undefined;
  }

  #description(input: string | null | undefined): string {
    const text = givenText(input);
    if (text.length <= PROTOCOL_LIMITS.descriptionCharacters) return text;
    const characters = Array.from(text);
    if (characters.length <= PROTOCOL_LIMITS.descriptionCharacters) return text;
    this.#report('video-long-description', 'A description was cut off after 2,048 characters.');
    return characters.slice(0, PROTOCOL_LIMITS.descriptionCharacters).join('');
  }

  #duration(input: number): void {
    const seconds = givenNumber(input);
    const whole = Math.round(seconds);
    const isKept = whole >= 1 && whole <= PROTOCOL_LIMITS.durationSeconds;
    if (whole !== seconds || !isKept) {
      const done = isKept ? `was written as ${whole}` : 'was left out';
      const message = `The duration ${describeInput(input)} ${done}: 1 to 28,800 seconds.`;
      this.#report('video-bad-duration', message, !isKept);
    }
    if (isKept) this.#element('video:duration', String(whole));
  }

  #number(name: string, input: number, most: number, code: 'video-bad-rating' | 'bad-number'): void {
    const value = givenNumber(input);
    if (value >= 0 && value <= most) this.#element(`video:${name}`, decimalText(value));
    else this.#report(code, `${describeInput(input)} is not a ${name}; it was left out.`, true);
  }

  #tags(tags: readonly string[]): void {
    if (tags.length > PROTOCOL_LIMITS.tags)
      this.#report('video-too-many-tags', `Of ${tags.length} tags of a video, 32 were written.`, true);
    for (const tag of tags.slice(0, PROTOCOL_LIMITS.tags)) this.#text('video:tag', tag);
  }

  #related(
    name: string,
    input: { readonly relationship?: string } | null | undefined,
    items: readonly string[] | null | undefined,
  ): void {
    if (!isGiven(input)) return;
    const word = givenText(input.relationship).trim().toLowerCase();
    const isWhole = (word === 'allow' || word === 'deny') && givenList(items).length > 0;
    if (isWhole) this.#list(name, items, ' ', attribute('relationship', word));
    else
      this.#report(
        'video-no-relationship',
        `A <${name}> without allow or deny, or a list, was left out.`,
        true,
      );
  }

  #price({ value: input, currency, type, resolution }: SitemapVideoPrice): void {
    const value = givenNumber(input);
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
      this.#report('bad-number', `${describeInput(input)} is not a price; it was left out.`, true);
      return;
    }
    const attributes =
      this.#attribute('currency', currency) +
      this.#attribute('type', type) +
      this.#attribute('resolution', resolution);
    this.#element('video:price', decimalText(value), attributes);
  }

  /** An attribute with a text, where line ends and tabs would be read as spaces. */
  #attribute(name: string, input: string | null | undefined): string {
    const text = givenText(input);
    if (text === '') return '';
    return attribute(name, textInXml(text.replace(/\s+/g, ' '), this.#report, this.#options.encodedText));
  }

  /** @param seen - the languages of the alternates before it */
  #alternate({ hreflang, href }: SitemapAlternate, seen: string[]): boolean {
    const language = this.#languages.get(hreflang) ?? this.#language(givenText(hreflang).trim());
    const url = language === undefined ? undefined : this.#otherUrl(href);
    if (language === undefined || url === undefined) return false;
    if (seen.includes(language.key))
      return this.#leftOut('hreflang-repeated', `A second alternate for "${language.code}" was left out.`);
    seen.push(language.key);
    const start = this.#xml.length;
    this.#xml = `${this.#xml}${language.start}${url}"/>`;
    this.#size += OVERHEAD + this.#xml.length - start;
    return true;
  }

  /** The code of a language, with hyphens; undefined, with a problem, where it is wrong. */
  #language(input: string): Language | undefined {
    const code = input.replaceAll('_', '-');
    const verdict = judgeLanguageTag(code);
    const isWrong = verdict.is === 'wrong';
    if (isWrong || code !== input) {
      const done = isWrong ? `${verdict.because}; left out` : `written as ${code}`;
      this.#report('hreflang-bad-code', `hreflang="${clip(input, 40)}": ${done}.`, isWrong);
    }
    if (isWrong) return undefined;
    const start = `<xhtml:link rel="alternate" hreflang="${code}" href="`;
    const language = { code, key: code.toLowerCase(), start };
    if (code === input && this.#languages.size < MOST_LANGUAGES) this.#languages.set(code, language);
    return language;
  }
}

/** The code of a language as it is written, and as it is compared, and the beginning of its link. */
interface Language {
  readonly code: string;
  readonly key: string;
  readonly start: string;
}

/** A date as it is to be written: as it was written in the document that it comes from, if that is known. */
function writtenAs(
  date: WritablePage['lastModified'],
  text: WritablePage['lastModifiedText'],
  form: WritablePage['lastModifiedForm'],
): WritablePage['lastModified'] {
  if (isGiven(text) || !isGiven(form)) return text ?? date;
  const inputDate = givenDate(date ?? undefined, undefined, form);
  return writtenDate(inputDate.date, inputDate.form) ?? date;
}

function attribute(name: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : ` ${name}="${value}"`;
}
