/** A plain entry as a listener hears of it: filled anew for each. */
import type { PlainEntry } from '../listener.ts';
import { pageWithPlainDate, SitemapPage } from '../model/page.ts';
import type { ChangeFrequency } from '../values/change-frequency.ts';
import type { DateForm } from '../values/plain-date.ts';
import { asciiString } from '../values/text.ts';

const NOTHING = new Uint8Array(0);
const NO_VIEW = new DataView(NOTHING.buffer);

/** The entry that is told of. */
export class ToldEntry implements PlainEntry {
  spaceOffset = 0;
  offset = 0;
  endOffset = 0;
  bytes: Uint8Array = NOTHING;
  view: DataView = NO_VIEW;
  urlStart = 0;
  urlEnd = 0;
  urlOffset = 0;
  isRepeated = false;
  time: number = Number.NaN;
  dateForm: DateForm = 0;
  dateOffset = 0;
  priority: number = Number.NaN;
  changeFrequency: ChangeFrequency | undefined;

  get url(): string {
    return asciiString(this.bytes, this.urlStart, this.urlEnd);
  }

  get page(): SitemapPage {
    const { url, priority, changeFrequency, time: lastModifiedTime } = this;
    const fields = { url, priority, changeFrequency, lastModifiedTime };
    return Number.isNaN(lastModifiedTime)
      ? new SitemapPage(fields)
      : pageWithPlainDate(fields, this.dateForm);
  }

  /** Lets go of the document's bytes. */
  release(): void {
    this.bytes = NOTHING;
    this.view = NO_VIEW;
  }
}
