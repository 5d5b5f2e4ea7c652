/** Google's image sitemap extension, `<image:image>`, of which an entry may have many. */
import type { ReportedValues } from '../reported-values.ts';
import { type TagRoles, tagsOf } from '../xml/entry-format.ts';
import type { Value } from '../xml/value.ts';

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

/** @internal */
export class ImageReader {
  readonly #values: ReportedValues;
  #fields: { -readonly [Field in keyof SitemapImage]?: string } | undefined;

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
    const fields = this.#fields;
    switch (name) {
      case 'image:loc': {
        if (value.textLength === 0) this.#emptyLoc(value.offset);
        else {
          const loc = value.url(this.#values);
          if (loc !== undefined) fields.loc = loc;
        }
        break;
      }
      case 'image:license': {
        const license = value.url(this.#values);
        if (license !== undefined) fields.license = license;
        break;
      }
      case 'image:caption':
        fields.caption = value.keptText();
        break;
      case 'image:geo_location':
        fields.geoLocation = value.keptText();
        break;
      case 'image:title':
        fields.title = value.keptText();
        break;
    }
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
