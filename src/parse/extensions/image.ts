/** Google's image sitemap extension, `<image:image>`, of which an entry may have many. */
import type { ReportedValues } from '../reported-values.ts';
import { type TagRoles, tagsOf } from '../xml/entry-format.ts';
import type { Value } from '../xml/value.ts';
import { type FieldReaders, fieldsOf, NO_ATTRIBUTES, url } from './field-readers.ts';

/** An image on a page. What is absent is left out. */
export interface SitemapImage {
  readonly loc: string;
  readonly caption?: string;
  readonly geoLocation?: string;
  readonly title?: string;
  readonly license?: string;
}

/** @internal */
export const IMAGE_TAGS: TagRoles = tagsOf('image', {
  group: 'image',
  value: 'loc caption geo_location title license',
});

type ReadImage = { -readonly [Field in keyof SitemapImage]?: string };
const field = fieldsOf<ReadImage>();
const filledText = (value: Value): string | undefined => value.keptText() || undefined;
const READERS: FieldReaders<ReadImage> = {
  'image:loc': field('loc', url),
  'image:caption': field('caption', filledText),
  'image:geo_location': field('geoLocation', filledText),
  'image:title': field('title', filledText),
  'image:license': field('license', url),
};

/** @internal */
export class ImageReader {
  readonly #values: ReportedValues;
  #fields: ReadImage | undefined;

  /** Whether the image has a loc that is empty: then that was reported. */
  #hasEmptyLoc = false;

  constructor(values: ReportedValues) {
    this.#values = values;
  }

  /** Whether something was said of an image that has not ended. */
  get isOpen(): boolean {
    return this.#fields !== undefined;
  }

  get hasLoc(): boolean {
    return this.#fields?.loc !== undefined;
  }

  value(name: string, value: Value): void {
    this.#fields ??= {};
    if (name === 'image:loc' && value.textLength === 0) this.#emptyLoc(value.offset);
    else READERS[name]?.(this.#fields, value, this.#values, NO_ATTRIBUTES);
  }

  #emptyLoc(offset: number): void {
    this.#hasEmptyLoc = true;
    this.#values.problems.add(
      'empty-loc',
      'The loc of an image is empty; without another one it was dropped.',
      offset,
    );
  }

  /** Ends the image that is open; undefined where it has no address. */
  end(offset: number): SitemapImage | undefined {
    const fields = this.#fields;
    this.#fields = undefined;
    const hasEmptyLoc = this.#hasEmptyLoc;
    this.#hasEmptyLoc = false;
    if (fields?.loc === undefined) {
      if (!hasEmptyLoc) {
        const message = 'An image without a usable loc was dropped.';
        this.#values.problems.add('entry-without-loc', message, offset, undefined, 'image');
      }
      return undefined;
    }
    // Not a copy that spreads it: every image would have a hidden class of its own.
    return fields as SitemapImage;
  }
}
