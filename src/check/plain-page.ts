/**
 * The page of an entry that is written as most are. Rules hear of millions of those: the text of its URL is made only
 * where one of them has something to say.
 */
import type { PlainEntry } from '../parse/listener.ts';
import { writePlainDate } from '../parse/values/w3c-date.ts';
import { OrdinaryUrl } from './ordinary-url.ts';

const DATE_ONLY = 0;

export class PlainPage extends OrdinaryUrl {
  entry!: PlainEntry;

  take(entry: PlainEntry): void {
    this.entry = entry;
    this.read(entry.bytes, entry.view, entry.urlStart, entry.urlEnd);
  }

  get hasTimeOfDay(): boolean {
    return this.entry.dateForm !== DATE_ONLY;
  }

  get dateText(): string {
    return writePlainDate(this.entry.time, this.entry.dateForm);
  }
}
