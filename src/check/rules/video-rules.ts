/** What is wrong with the videos of one document. */
import type { TagAttribute } from '../../parse/listener.ts';
import { parseDate } from '../../parse/values/date.ts';
import { parseNumber } from '../../parse/values/number.ts';
import type { Problem } from '../../problems/problem-list.ts';
import type {
  CheckedDocument,
  CheckedKind,
  DocumentListener,
  DocumentRule,
  RuleRow,
  RuleRows,
} from '../rule.ts';
import { urlKey } from '../url-key.ts';
import { EntryReports } from './entry-reports.ts';
import { oldTag } from './images.ts';
import { isW3cDate } from './lastmod.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps';
const DOCUMENTS: readonly CheckedKind[] = ['pages-xml'];

export type VideoRule =
  | 'video-missing-field'
  | 'video-same-as-page'
  | 'video-bad-duration'
  | 'video-bad-rating'
  | 'video-long-description'
  | 'video-expired'
  | 'video-old-tag'
  | 'video-date-not-w3c'
  | 'video-too-many-tags'
  | 'video-no-relationship'
  | 'video-not-yes-or-no';

const VIDEO = {
  about: 'video',
  severity: 'error',
  documents: DOCUMENTS,
  source: GOOGLE,
} as const satisfies Partial<RuleRow>;

export const VIDEO_RULES: RuleRows<VideoRule> = {
  'video-missing-field': {
    ...VIDEO,
    explanation: {
      what:
        'A `<video:video>` lacks its thumbnail, title or description, or has neither a content_loc nor a ' +
        'player_loc.',
      why: 'They are required: without one of them, Google does not show the video.',
      fix: 'Write all of these fields, and leave none of them empty.',
    },
    bad: '<video:video>\n  <video:title>Cats</video:title>\n</video:video>',
    good:
      '<video:video>\n' +
      '  <video:thumbnail_loc>https://example.org/cats.jpg</video:thumbnail_loc>\n' +
      '  <video:title>Cats</video:title>\n' +
      '  <video:description>Cats at play</video:description>\n' +
      '  <video:content_loc>https://example.org/cats.mp4</video:content_loc>\n' +
      '</video:video>',
  },
  'video-same-as-page': {
    ...VIDEO,
    severity: 'warning',
    explanation: {
      what: 'The content_loc or player_loc of a video is the URL of its page.',
      why: 'Google asks for the file or the player, and finds the page that it knows already.',
      fix: 'Write the URL of the video file, or that of the player in its iframe.',
    },
    bad: '<loc>https://example.org/cats</loc> … <video:player_loc>https://example.org/cats</video:player_loc>',
    good: '<loc>https://example.org/cats</loc> … <video:player_loc>https://example.org/player?v=1</video:player_loc>',
  },
  'video-bad-duration': {
    ...VIDEO,
    explanation: {
      what: 'The duration of a video is not a number of seconds from 1 to 28,800 (8 hours).',
      why: 'Google refuses the value.',
      fix: 'Write the whole duration in seconds: 200, not 3:20.',
    },
    bad: '<video:duration>3:20</video:duration>',
    good: '<video:duration>200</video:duration>',
  },
  'video-bad-rating': {
    ...VIDEO,
    explanation: {
      what: 'The rating of a video is not a number from 0.0 to 5.0.',
      why: 'Google refuses the value.',
      fix: 'Convert it to a scale from 0 to 5.',
    },
    bad: '<video:rating>87</video:rating>',
    good: '<video:rating>4.4</video:rating>',
  },
  'video-long-description': {
    ...VIDEO,
    severity: 'warning',
    explanation: {
      what: 'The description of a video has more than 2,048 characters.',
      why: 'Google reads no more of it.',
      fix: 'Write a shorter description.',
    },
    bad: '<video:description>(2,049 characters)</video:description>',
    good: '<video:description>(2,048 characters)</video:description>',
  },
  'video-expired': {
    ...VIDEO,
    severity: 'info',
    explanation: {
      what: 'The expiration date of a video was over when the sitemap was fetched.',
      why: 'Google does not show the video any more. That is fine if it is meant.',
      fix: 'Remove the video, or correct the date.',
    },
    bad: '<video:expiration_date>2019-01-01</video:expiration_date>',
    good: '<video:expiration_date>2099-01-01</video:expiration_date>',
  },
  'video-old-tag': {
    ...VIDEO,
    severity: 'info',
    aggregated: true,
    explanation: {
      what: 'A video has a category, gallery_loc, tvshow or price, or its player_loc has attributes.',
      why: 'Google has ignored these since 2022; they only make the sitemap larger.',
      fix: 'Remove these tags.',
    },
    bad: '<video:category>Animals</video:category>',
    good: '<video:tag>animals</video:tag>',
    source: 'https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions',
  },
  'video-date-not-w3c': {
    ...VIDEO,
    severity: 'warning',
    aggregated: true,
    explanation: {
      what: 'The publication or expiration date of a video can be understood, but is not a W3C date.',
      why: 'We read it, Google does not: to Google the video has no such date.',
      fix: 'Write `2024-05-06` or `2024-05-06T07:08:09+02:00`.',
    },
    bad: '<video:publication_date>2024/05/06</video:publication_date>',
    good: '<video:publication_date>2024-05-06</video:publication_date>',
  },
  'video-too-many-tags': {
    ...VIDEO,
    severity: 'warning',
    explanation: {
      what: 'A video has more than 32 `<video:tag>`.',
      why: 'Google reads no more than 32.',
      fix: 'Keep the tags that describe the video best.',
    },
    bad: '<video:video> … 33 × <video:tag> … </video:video>',
    good: '<video:video> … at most 32 × <video:tag> … </video:video>',
  },
  'video-no-relationship': {
    ...VIDEO,
    severity: 'warning',
    explanation: {
      what: 'A restriction or platform of a video has no `relationship`, or another one than `allow` and `deny`.',
      why: 'Nothing says whether the list is of those who may see the video or of those who may not.',
      fix: 'Add `relationship="allow"` or `relationship="deny"`.',
    },
    bad: '<video:restriction>DE AT</video:restriction>',
    good: '<video:restriction relationship="allow">DE AT</video:restriction>',
  },
  'video-not-yes-or-no': {
    ...VIDEO,
    severity: 'warning',
    aggregated: true,
    explanation: {
      what: 'A family_friendly, requires_subscription or live of a video is neither `yes` nor `no`.',
      why: 'Google knows these two words only, and may ignore the value.',
      fix: 'Write `yes` or `no`.',
    },
    bad: '<video:family_friendly>true</video:family_friendly>',
    good: '<video:family_friendly>yes</video:family_friendly>',
  },
};

const LONGEST_DURATION = 28_800;
const LONGEST_DESCRIPTION = 2048;
const MOST_TAGS = 32;
const DAY = 86_400_000;

/** The required fields; of the last two, one is enough. */
type Field = 'thumbnail_loc' | 'title' | 'description' | 'content_loc' | 'player_loc';

/** The rules about videos. */
export const video: DocumentRule<VideoRule> = (document): DocumentListener => {
  const videos = new Videos(document);
  const old = (tag: string) => (offset: number) => oldTag(document, 'video-old-tag', tag, offset);
  return {
    startTags: {
      'video:video': (offset) => videos.start(offset),
      'video:category': old('<video:category>'),
      'video:gallery_loc': old('<video:gallery_loc>'),
      'video:tvshow': old('<video:tvshow>'),
      'video:price': old('<video:price>'),
      'video:player_loc': (offset, attributes) => {
        if (attributes.length > 0) old('the attributes of <video:player_loc>')(offset);
      },
      'video:tag': (offset) => videos.tag(offset),
      'video:restriction': (offset, attributes) => videos.relationship('restriction', offset, attributes),
      'video:platform': (offset, attributes) => videos.relationship('platform', offset, attributes),
    },
    values: {
      'video:thumbnail_loc': (text) => videos.field('thumbnail_loc', text),
      'video:title': (text) => videos.field('title', text),
      'video:description': (text, offset) => videos.description(text, offset),
      'video:content_loc': (text, offset) => videos.address('content_loc', text, offset),
      'video:player_loc': (text, offset) => videos.address('player_loc', text, offset),
      'video:duration': (text, offset) => videos.duration(text, offset),
      'video:rating': (text, offset) => videos.rating(text, offset),
      'video:expiration_date': (text, offset) => videos.expiration(text, offset),
      'video:publication_date': (text, offset) => videos.date(text, offset),
      'video:family_friendly': (text, offset) => videos.yesOrNo('family_friendly', text, offset),
      'video:requires_subscription': (text, offset) => videos.yesOrNo('requires_subscription', text, offset),
      'video:live': (text, offset) => videos.yesOrNo('live', text, offset),
    },
    endTags: { 'video:video': () => videos.end(), 'sitemap:url': () => videos.flush() },
    location: (url) => videos.flush(url),
    // They have no videos.
    ignoresPlainPages: true,
    problem: isOfOwnNumbers,
  };
};

/** The parser says that these numbers are wrong; here each has a rule of its own. */
function isOfOwnNumbers({ code, message }: Problem): boolean {
  return code === 'bad-number' && / is not a (?:duration|rating); /.test(message);
}

class Videos {
  readonly #document: CheckedDocument<VideoRule>;
  readonly #reports: EntryReports<VideoRule>;
  readonly #fields = new Set<Field>();
  /** The addresses of the entry's videos, and where they are. */
  readonly #addresses: { readonly field: Field; readonly url: string; readonly offset: number }[] = [];
  #start: number | undefined;
  #tags = 0;

  constructor(document: CheckedDocument<VideoRule>) {
    this.#document = document;
    this.#reports = new EntryReports(document);
  }

  start(offset: number): void {
    this.#start = offset;
    this.#tags = 0;
    this.#fields.clear();
  }

  field(name: Field, text: string): void {
    if (text !== '') this.#fields.add(name);
  }

  description(text: string, offset: number): void {
    this.field('description', text);
    if (text.length <= LONGEST_DESCRIPTION) return;
    const length = [...text].length;
    if (length <= LONGEST_DESCRIPTION) return;
    const message = `The description has ${length.toLocaleString('en')} characters; Google reads 2,048.`;
    this.#reports.add({ rule: 'video-long-description', message, offset });
  }

  address(field: 'content_loc' | 'player_loc', text: string, offset: number): void {
    this.field(field, text);
    if (text !== '' && this.#addresses.length < 1000) this.#addresses.push({ field, url: text, offset });
  }

  duration(text: string, offset: number): void {
    const seconds = parseNumber(text);
    if (text === '' || (seconds >= 1 && seconds <= LONGEST_DURATION)) return;
    const message = `The duration "${text.slice(0, 40)}" is not a number of seconds from 1 to 28,800.`;
    this.#reports.add({ rule: 'video-bad-duration', message, offset });
  }

  rating(text: string, offset: number): void {
    const stars = parseNumber(text);
    if (text === '' || (stars >= 0 && stars <= 5)) return;
    const message = `The rating "${text.slice(0, 40)}" is not a number from 0 to 5.`;
    this.#reports.add({ rule: 'video-bad-rating', message, offset });
  }

  tag(offset: number): void {
    if (++this.#tags !== MOST_TAGS + 1) return;
    const message = 'The video has more than 32 tags; this is the first one over the limit.';
    this.#reports.add({ rule: 'video-too-many-tags', message, offset });
  }

  relationship(field: string, offset: number, attributes: readonly TagAttribute[]): void {
    const written = attributes.find(({ name }) => name === 'relationship')?.value;
    if (/^\s*(?:allow|deny)\s*$/i.test(written ?? '')) return;
    const what =
      written === undefined ? 'has no relationship' : `has the relationship "${written.slice(0, 40)}"`;
    const message = `The ${field} of the video ${what}; it must be allow or deny.`;
    this.#reports.add({ rule: 'video-no-relationship', message, offset });
  }

  yesOrNo(field: string, text: string, offset: number): void {
    if (text === '' || /^(?:yes|no)$/i.test(text)) return;
    const message = `The ${field} "${text.slice(0, 40)}" is neither yes nor no.`;
    const total = (count: number): string =>
      count === 1
        ? message
        : `${count.toLocaleString('en')} videos have a ${field} that is neither yes nor no; the first is "${text.slice(0, 40)}".`;
    this.#reports.add({ rule: 'video-not-yes-or-no', cause: field, message, total, offset });
  }

  date(text: string, offset: number): void {
    if (Number.isNaN(parseDate(text)) || isW3cDate(text)) return;
    const message = `"${text.slice(0, 100)}" is not a W3C date; Google ignores it.`;
    const total = (count: number): string =>
      count === 1
        ? message
        : `${count.toLocaleString('en')} dates are not W3C dates; the first is "${text.slice(0, 100)}".`;
    this.#reports.add({ rule: 'video-date-not-w3c', message, total, offset });
  }

  expiration(text: string, offset: number): void {
    this.date(text, offset);
    const time = parseDate(text);
    // A day is over at its end.
    const end = text.length <= 10 ? time + DAY : time;
    if (Number.isNaN(end) || end >= this.#document.now) return;
    this.#reports.add({ rule: 'video-expired', message: `The video has expired (${text}).`, offset });
  }

  end(): void {
    if (this.#start === undefined) return;
    const missing: string[] = [];
    if (!this.#fields.has('thumbnail_loc')) missing.push('thumbnail_loc');
    if (!this.#fields.has('title')) missing.push('title');
    if (!this.#fields.has('description')) missing.push('description');
    if (!this.#fields.has('content_loc') && !this.#fields.has('player_loc')) {
      missing.push('content_loc or player_loc');
    }
    if (missing.length > 0) {
      const message = `<video:video> lacks: ${missing.join(', ')}.`;
      this.#reports.add({ rule: 'video-missing-field', message, offset: this.#start });
    }
    this.#start = undefined;
  }

  flush(page?: string): void {
    if (page !== undefined && this.#addresses.length > 0) this.#compare(page);
    this.#addresses.length = 0;
    this.#reports.flush(page);
  }

  #compare(page: string): void {
    const key = urlKey(page);
    for (const { field, url, offset } of this.#addresses) {
      if (urlKey(url) !== key) continue;
      const message = `The ${field} is the URL of the page itself.`;
      this.#reports.add({ rule: 'video-same-as-page', message, offset });
    }
  }
}
