/** Pages as callers give them: rows of a database, those of other programs, or pages that were read. */
import type { SitemapImage } from '../parse/extensions/image.ts';
import { NEWS_STORY, type SitemapNewsStoryJSON } from '../parse/extensions/news.ts';
import { type SitemapVideoJSON, VIDEO } from '../parse/extensions/video.ts';
import { ALTERNATE, IMAGE, PAGE, type SitemapAlternate } from '../parse/model/page.ts';
import { clip, count, nearestName } from '../text/wording.ts';
import { givenFields, givenText, isGiven, isTextOrUrl, type WriteProblemCode } from './value-text.ts';

/** The fields of a type as they may be given: some missing, undefined or null, lists that are not ours to change. */
type PartialFields<Fields> = {
  readonly [Field in keyof Fields]?:
    | (Fields[Field] extends readonly (infer Item)[] | undefined ? readonly Item[] : Fields[Field])
    | null
    | undefined;
};

/** A news story to write: a `SitemapNewsStory`, or a plain object. */
export interface WritableNewsStory extends PartialFields<Omit<SitemapNewsStoryJSON, 'publishDate'>> {
  /** When it was published. */
  readonly publishDate?: Date | string | null | undefined;
  /** The date as text; it takes precedence. */
  readonly publishDateText?: string | null | undefined;
  /** That text as a page that was read has it; it is used if it stands for `publishDate`. */
  readonly publishDateForm?: string | number | null | undefined;
}

/** A video to write: a `SitemapVideo`, or a plain object. */
export interface WritableVideo
  extends PartialFields<Omit<SitemapVideoJSON, 'expirationDate' | 'publicationDate'>> {
  /** After when it may no longer be shown. */
  readonly expirationDate?: Date | string | null | undefined;
  /** The date as text; it takes precedence. */
  readonly expirationDateText?: string | null | undefined;
  /** That text as a page that was read has it; it is used if it stands for `expirationDate`. */
  readonly expirationDateForm?: string | number | null | undefined;
  /** When it was first published. */
  readonly publicationDate?: Date | string | null | undefined;
  /** The date as text; it takes precedence. */
  readonly publicationDateText?: string | null | undefined;
  /** That text as a page that was read has it; it is used if it stands for `publicationDate`. */
  readonly publicationDateForm?: string | number | null | undefined;
}

/** An image to write: a `SitemapImage`, or a plain object. */
export interface WritableImage extends PartialFields<Omit<SitemapImage, 'loc'>> {
  /** The address of the image. */
  readonly loc: string;
}

/** Addresses by language: `{ en: 'https://example.org/en', 'de-AT': 'https://example.org/at' }`. */
export interface WritableLanguages {
  readonly [language: string]: string | null | undefined;
}

/**
 * A page to write: a `SitemapPage`, what its `toObject()` gives, or any object with these fields. A field that is null
 * is missing. `lastmod` and `changefreq` are the names of the protocol: beside ours they are not written, with a problem.
 */
export interface WritablePage {
  /** An absolute URL of http or https. */
  readonly url: string;
  /** Read where there is no `url`: see {@link WritableEntry}. */
  readonly loc?: string | null | undefined;
  /** When the page last changed. A text is written with the precision that it has: `2024-05` stays so. */
  readonly lastModified?: Date | string | null | undefined;
  /** The date as text; it takes precedence over `lastModified`. */
  readonly lastModifiedText?: string | null | undefined;
  /** That text as a page that was read has it; it is used if it stands for `lastModified`. */
  readonly lastModifiedForm?: string | number | null | undefined;
  /** The protocol's name of `lastModified`. */
  readonly lastmod?: Date | string | null | undefined;
  /** `always`, `hourly`, `daily`, `weekly`, `monthly`, `yearly` or `never`. */
  readonly changeFrequency?: string | null | undefined;
  /** The protocol's name of `changeFrequency`. */
  readonly changefreq?: string | null | undefined;
  /** From 0 to 1. Of a `SitemapPage`, only a priority that its document declares is written. */
  readonly priority?: number | null | undefined;
  /** In a copy of a `SitemapPage`: what its document declares. Without it, an unchanged priority is not written. */
  readonly declaredPriority?: number | null | undefined;
  /** The images on the page, or their addresses: at most 1,000 are written. */
  readonly images?: readonly (WritableImage | string)[] | null | undefined;
  /** The videos on the page. */
  readonly videos?: readonly WritableVideo[] | null | undefined;
  /** The news story that the page is. */
  readonly newsStory?: WritableNewsStory | null | undefined;
  /** The same page in other languages, itself included: a list, or the addresses by language, as in Next.js. */
  readonly alternates?:
    | readonly SitemapAlternate[]
    | WritableLanguages
    | { readonly languages?: WritableLanguages | null | undefined }
    | null
    | undefined;
}

/** A page whose address has the protocol's own name, `loc`; its other fields are those of a {@link WritablePage}. */
export interface WritableEntry extends Omit<WritablePage, 'url' | 'loc'> {
  /** An absolute URL of http or https. */
  readonly loc: string;
  readonly url?: string | null | undefined;
}

/** What could not be written as it was given. */
export interface WriteProblem {
  /**
   * The code of a problem of reading, or the name of a rule of `usp check`: each says the same as there.
   * `unknown-field`: a field that pages do not have was not written; once for each name. `field-repeated`: `loc`,
   * `lastmod` or `changefreq` was not written, since our name of it is there too; once for each name.
   */
  readonly code: WriteProblemCode;
  /** A sentence for people: what was found, and what was done about it. */
  readonly message: string;
  /** The URL of the page, as it was given. */
  readonly url: string;
  /** What was left out: the whole page, or a value of it; undefined where the value was repaired. */
  readonly dropped: 'page' | 'value' | undefined;
}

/** A string is a page that has nothing but its URL. Where the URL is in `loc`, the page has none: {@link addressOf}. */
export function givenPage(row: WritablePage | WritableEntry | string): WritablePage {
  return isTextOrUrl(row) ? { url: row } : givenFields(row as WritablePage);
}

/** The address of a page, as the caller has written it. */
export function addressOf({ url, loc }: WritablePage): unknown {
  return isGiven(url) ? url : loc;
}

export function givenImage(image: WritableImage | string): WritableImage {
  return isTextOrUrl(image) ? { loc: image } : image;
}

export function givenAlternates(input: WritablePage['alternates']): readonly SitemapAlternate[] {
  if (!isGiven(input)) return [];
  if (isList(input)) return input;
  // One that is not in a list; the writer looks at its fields.
  if (typeof input !== 'object' || 'hreflang' in input || 'href' in input) return [input as never];
  const languages = 'languages' in input ? input.languages : input;
  return Object.entries(languages ?? {}).flatMap(([hreflang, href]) =>
    isGiven(href) ? [{ hreflang, href: isTextOrUrl(href) ? givenText(href) : href }] : [],
  );
}

function isList(value: object): value is readonly SitemapAlternate[] {
  return Array.isArray(value);
}

/** What has fields of its own, in the words of a message. */
const KINDS = {
  page: 'row',
  image: 'image',
  video: 'video',
  news: 'news story',
  xhtml: 'alternate',
} as const;
type Kind = keyof typeof KINDS;

const FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  page: PAGE.fields,
  image: IMAGE.fields,
  video: VIDEO.fields,
  news: NEWS_STORY.fields,
  xhtml: ALTERNATE.fields,
};

const FIELD_NAMES = new Map(Object.entries(FIELDS).map(([kind, names]) => [kind, new Set(names)]));

/** The names of the protocol that differ from ours, and the fields that win over them. */
const PROTOCOL_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    loc: ['url'],
    lastmod: ['lastModified', 'lastModifiedText'],
    changefreq: ['changeFrequency'],
  }),
);

/** What other programs call our fields, where no letters lead there. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'page link': 'url',
    'page href': 'url',
    'page address': 'url',
    'page changed': 'lastModified',
    'page updated': 'lastModified',
    'page modified': 'lastModified',
    'page date': 'lastModified',
    'page img': 'images',
    'page links': 'alternates',
    'page languages': 'alternates',
    'image url': 'loc',
    'image src': 'loc',
    'xhtml lang': 'hreflang',
    'xhtml url': 'href',
  }),
);

/** Rows may have any names: the others are counted together. */
const MOST_NAMES = 100;

/** Fields that are not written, with how many rows have each: nothing is known of them, or another one wins. */
export class UnusedFields {
  readonly #unknown = new Map<string, IgnoredField>();
  readonly #repeated = new Map<string, IgnoredField & { readonly winner: string }>();

  note(kind: Kind, item: unknown, url: string): void {
    if (typeof item !== 'object' || item === null) return;
    const knownFields = FIELD_NAMES.get(kind)!;
    for (const name in item) {
      if (knownFields.has(name) || !Object.hasOwn(item, name) || !isGiven(Reflect.get(item, name))) continue;
      const ours = kind === 'page' ? PROTOCOL_NAMES.get(name) : undefined;
      if (ours === undefined) this.#noteUnknown(kind, name, url);
      else this.#noteRepeated(item, name, ours, url);
    }
  }

  #noteUnknown(kind: Kind, name: string, url: string): void {
    const key = `${kind} ${name}`;
    const tally = this.#unknown.get(key) ?? this.#unknown.get(this.#unknown.size < MOST_NAMES ? key : '');
    if (tally !== undefined) tally.count++;
    else this.#unknown.set(this.#unknown.size < MOST_NAMES ? key : '', { kind, url, count: 1 });
  }

  #noteRepeated(item: object, name: string, ours: readonly string[], url: string): void {
    const winner = ours.find((each) => isGiven(Reflect.get(item, each)));
    if (winner === undefined) return;
    const tally = this.#repeated.get(name);
    if (tally !== undefined) tally.count++;
    else this.#repeated.set(name, { kind: 'page', url, count: 1, winner });
  }

  /** One for each name. */
  get problems(): readonly WriteProblem[] {
    const repeated = Array.from(this.#repeated, ([name, { url, count: times, winner }]): WriteProblem => {
      const message = `The field "${name}" of ${count(times, 'row')} was not written, since "${winner}" is there too.`;
      return { code: 'field-repeated', message, url, dropped: 'value' };
    });
    const unknown = Array.from(this.#unknown, ([key, tally]): WriteProblem => {
      const { kind, url } = tally;
      const name = key.slice(key.indexOf(' ') + 1);
      const rows = count(tally.count, KINDS[kind], kind === 'news' ? 'news stories' : `${KINDS[kind]}s`);
      const message =
        key === ''
          ? `Other fields are not known, and were not written: ${count(tally.count, 'value')}.`
          : `The field "${clip(name, 40)}" of ${rows} is not known, and was not written. ` +
            this.#hint(key, name, kind);
      return { code: 'unknown-field', message, url, dropped: 'value' };
    });
    return [...repeated, ...unknown];
  }

  #hint(key: string, name: string, kind: Kind): string {
    // `updated_at`, `changedAt`
    const alike = OTHER_NAMES.get(key) ?? OTHER_NAMES.get(key.replace(/_?at$/i, ''));
    const near = alike ?? nearestName(name.replaceAll(/[_:-]/g, ''), FIELDS[kind]);
    return near === undefined ? `The fields are ${FIELDS[kind].join(', ')}.` : `Did you mean "${near}"?`;
  }
}

interface IgnoredField {
  readonly kind: Kind;
  readonly url: string;
  count: number;
}
