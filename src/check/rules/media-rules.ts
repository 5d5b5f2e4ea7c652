/** Rules about the images and the videos of one document. */
import type { Attributes, ValueHandler } from '../../parse/listener.ts';
import { endOfDate, parseDate } from '../../parse/values/date.ts';
import { parseNumber } from '../../parse/values/number.ts';
import { clip, number } from '../../text/wording.ts';
import { type ListedUrl, urlKey } from '../ordinary-url.ts';
import { PROTOCOL_LIMITS } from '../protocol-limits.ts';
import {
  type CheckedDocument,
  type DocumentRule,
  oneOrMany,
  type RuleName,
  type RuleNames,
  type RuleRows,
  ruleRows,
} from '../rule.ts';
import { judgeDate } from './lastmod.ts';

const IMAGE_GUIDE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps';
const OLD_TAGS = ['image:caption', 'image:geo_location', 'image:title', 'image:license'];

const IMAGES = { severity: 'error', about: 'images', documents: ['pages-xml'], source: IMAGE_GUIDE } as const;

export const IMAGES_RULES: RuleRows<RuleNames['images']> = ruleRows(IMAGES, {
  'images-too-many': {
    what: 'A page has more than 1,000 images.',
    why: 'Google reads no more than 1,000 for one page.',
    fix: 'List the images that matter, or list the pages that show them.',
    bad: '<url> … 1,001 × <image:image> … </url>',
    good: '<url> … at most 1,000 × <image:image> … </url>',
  },
  'image-old-tag': {
    severity: 'info',
    aggregated: true,
    what: 'An image has a caption, geo_location, title or license.',
    why: 'Google has ignored these tags since 2022; they only make the sitemap larger.',
    fix: 'Remove these tags. Google reads captions and licences from the page itself.',
    bad:
      '<image:image>\n' +
      '  <image:loc>https://example.org/cat.jpg</image:loc>\n' +
      '  <image:caption>A cat</image:caption>\n' +
      '</image:image>',
    good: '<image:image>\n  <image:loc>https://example.org/cat.jpg</image:loc>\n</image:image>',
    source: 'https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions',
  },
});

export const images: DocumentRule = (document) => {
  let count = 0;
  const end = (): void => {
    count = 0;
  };
  return {
    startTags: {
      'sitemap:url': end,
      'image:image': (offset) => {
        count++;
        if (count !== PROTOCOL_LIMITS.images + 1) return;
        const message = 'The page has more than 1,000 images; this is the first one over the limit.';
        document.report({ rule: 'images-too-many', message, offset });
      },
      ...Object.fromEntries(OLD_TAGS.map((tag) => [tag, oldTag(document, 'image-old-tag', `<${tag}>`)])),
    },
    location: end,
  };
};

/** Reports each use of a tag that Google no longer reads. */
function oldTag(document: CheckedDocument, rule: RuleName, tag: string): (offset: number) => void {
  const ignored = `Google has ignored ${tag} since 2022`;
  const message = `${ignored}.`;
  const total = oneOrMany(message, (many) => `${ignored} (used ${many} times).`);
  return (offset) => {
    // Nearly every image may have such a tag.
    if (!document.isOnlyCounted(rule, tag)) document.report({ rule, message, total, offset, cause: tag });
  };
}

const VIDEO_GUIDE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps';

const VIDEO = { severity: 'error', about: 'video', documents: ['pages-xml'], source: VIDEO_GUIDE } as const;

export const VIDEO_RULES: RuleRows<RuleNames['video']> = ruleRows(VIDEO, {
  'video-missing-field': {
    what:
      'A `<video:video>` lacks its thumbnail, title or description, or has neither a content_loc nor a ' +
      'player_loc.',
    why: 'These fields are required: without one of them, Google does not show the video.',
    fix: 'Write all of these fields, and leave none of them empty.',
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
    severity: 'warning',
    what: 'The content_loc or player_loc of a video is the URL of its page.',
    why: 'Google requests the file or the player, and gets the page that it knows already.',
    fix: 'Write the URL of the video file, or that of the player in its iframe.',
    bad: '<loc>https://example.org/cats</loc> … <video:player_loc>https://example.org/cats</video:player_loc>',
    good: '<loc>https://example.org/cats</loc> … <video:player_loc>https://example.org/player?v=1</video:player_loc>',
  },
  'video-bad-duration': {
    what: 'The duration of a video is not a number of seconds from 1 to 28,800 (8 hours).',
    why: 'Google refuses the value.',
    fix: 'Write the whole duration in seconds: 200, not 3:20.',
    bad: '<video:duration>3:20</video:duration>',
    good: '<video:duration>200</video:duration>',
  },
  'video-bad-rating': {
    what: 'The rating of a video is not a number from 0.0 to 5.0.',
    why: 'Google refuses the value.',
    fix: 'Convert it to a scale from 0 to 5.',
    bad: '<video:rating>87</video:rating>',
    good: '<video:rating>4.4</video:rating>',
  },
  'video-long-description': {
    severity: 'warning',
    what: 'The description of a video has more than 2,048 characters.',
    why: 'Google ignores the rest.',
    fix: 'Write a shorter description.',
    bad: '<video:description>(2,049 characters)</video:description>',
    good: '<video:description>(2,048 characters)</video:description>',
  },
  'video-expired': {
    severity: 'info',
    what: 'The expiration date of a video had already passed when the sitemap was fetched.',
    why: 'Google does not show the video any more. That is fine if it is intended.',
    fix: 'Remove the video, or correct the date.',
    bad: '<video:expiration_date>2019-01-01</video:expiration_date>',
    good: '<video:expiration_date>2099-01-01</video:expiration_date>',
  },
  'video-old-tag': {
    severity: 'info',
    aggregated: true,
    what: 'A video has a category, gallery_loc, tvshow or price, or its player_loc has attributes.',
    why: 'Google has ignored these since 2022; they only make the sitemap larger.',
    fix: 'Remove these tags.',
    bad: '<video:category>Animals</video:category>',
    good: '<video:tag>animals</video:tag>',
    source: 'https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions',
  },
  'video-date-not-w3c': {
    severity: 'warning',
    aggregated: true,
    what: 'A date of a video can be understood, but is not a W3C date: one with a time but no zone, for example.',
    why: 'This program reads it, but Google does not: for Google the video has no such date.',
    fix: 'Write `2024-05-06` or `2024-05-06T07:08:09+02:00`.',
    bad: '<video:publication_date>2024/05/06</video:publication_date>',
    good: '<video:publication_date>2024-05-06</video:publication_date>',
  },
  'video-too-many-tags': {
    severity: 'warning',
    what: 'A video has more than 32 `<video:tag>`.',
    why: 'Google reads no more than 32.',
    fix: 'Keep the tags that describe the video best.',
    bad: '<video:video> … 33 × <video:tag> … </video:video>',
    good: '<video:video> … at most 32 × <video:tag> … </video:video>',
  },
  'video-no-relationship': {
    severity: 'warning',
    what: 'A restriction or platform of a video has no `relationship`, or another one than `allow` and `deny`.',
    why: 'It is not clear whether the list allows or forbids to show the video.',
    fix: 'Add `relationship="allow"` or `relationship="deny"`.',
    bad: '<video:restriction>DE AT</video:restriction>',
    good: '<video:restriction relationship="allow">DE AT</video:restriction>',
  },
  'video-not-yes-or-no': {
    severity: 'warning',
    aggregated: true,
    what: 'A family_friendly, requires_subscription or live of a video is neither `yes` nor `no`.',
    why: 'Google knows these two words only, and may ignore the value.',
    fix: 'Write `yes` or `no`.',
    bad: '<video:family_friendly>true</video:family_friendly>',
    good: '<video:family_friendly>yes</video:family_friendly>',
  },
});

/** The required fields, as bits. One of content_loc and player_loc is enough. */
const Field = { thumbnail_loc: 1, title: 2, description: 4, 'content_loc or player_loc': 8 } as const;
const ALL_FIELDS = 15;

export const video: DocumentRule = (document) => {
  let fields = 0;
  /** The addresses of the entry's videos, with their offsets. */
  const addresses: { readonly field: string; readonly url: string; readonly offset: number }[] = [];
  let start: number | undefined;
  let tags = 0;

  const report = (rule: RuleName, message: string, offset: number): void =>
    document.report({ rule, message, offset });
  const old = (tag: string) => oldTag(document, 'video-old-tag', tag);
  const oldAttributes = old('the attributes of <video:player_loc>');
  const field =
    (bit: number): ValueHandler =>
    ({ textLength }) => {
      if (textLength > 0) fields |= bit;
    };
  const address =
    (name: string): ValueHandler =>
    (value) => {
      if (value.textLength === 0) return;
      fields |= Field['content_loc or player_loc'];
      if (addresses.length < 1000) addresses.push({ field: name, url: value.text(), offset: value.offset });
    };
  const relationship = (name: string) => (offset: number, attributes: Attributes) => {
    const relationship = attributes.list().find((attribute) => attribute.name === 'relationship')?.value;
    if (/^\s*(?:allow|deny)\s*$/i.test(relationship ?? '')) return;
    const what =
      relationship === undefined ? 'has no relationship' : `has the relationship "${clip(relationship, 40)}"`;
    const message = `The ${name} of the video ${what}; it must be allow or deny.`;
    report('video-no-relationship', message, offset);
  };
  const texts =
    (handle: (text: string, offset: number) => void): ValueHandler =>
    (value) => {
      if (value.textLength > 0) handle(value.text(), value.offset);
    };
  const yesOrNo = (name: string): ValueHandler =>
    texts((text, offset) => {
      if (/^(?:yes|no)$/i.test(text)) return;
      const shortText = clip(text, 40);
      const message = `The ${name} "${shortText}" is neither yes nor no.`;
      const total = oneOrMany(
        message,
        (many) => `${many} videos have a ${name} that is neither yes nor no; the first is "${shortText}".`,
      );
      document.report({ rule: 'video-not-yes-or-no', cause: name, message, total, offset });
    });
  const date: ValueHandler = (value) => judgeDate(document, 'video-date-not-w3c', value);
  const end = (page?: ListedUrl): void => {
    for (const each of addresses) {
      if (page === undefined || urlKey(each.url) !== page.key) continue;
      report('video-same-as-page', `The ${each.field} is the URL of the page itself.`, each.offset);
    }
    addresses.length = 0;
  };

  return {
    startTags: {
      'video:video': (offset) => {
        start = offset;
        tags = 0;
        fields = 0;
      },
      'video:category': old('<video:category>'),
      'video:gallery_loc': old('<video:gallery_loc>'),
      'video:tvshow': old('<video:tvshow>'),
      'video:price': old('<video:price>'),
      'video:player_loc': (offset, attributes) => {
        if (attributes.count > 0) oldAttributes(offset);
      },
      'video:tag': (offset) => {
        if (++tags !== PROTOCOL_LIMITS.tags + 1) return;
        const message = 'The video has more than 32 tags; this is the first one over the limit.';
        report('video-too-many-tags', message, offset);
      },
      'video:restriction': relationship('restriction'),
      'video:platform': relationship('platform'),
    },
    values: {
      'video:thumbnail_loc': field(Field.thumbnail_loc),
      'video:title': field(Field.title),
      'video:description': (value) => {
        const { textLength, offset } = value;
        if (textLength > 0) fields |= Field.description;
        const length = textLength <= PROTOCOL_LIMITS.descriptionCharacters ? 0 : [...value.text()].length;
        if (length <= PROTOCOL_LIMITS.descriptionCharacters) return;
        const message = `The description has ${number(length)} characters; Google reads 2,048.`;
        report('video-long-description', message, offset);
      },
      'video:content_loc': address('content_loc'),
      'video:player_loc': address('player_loc'),
      'video:duration': texts((text, offset) => {
        const seconds = parseNumber(text);
        if (seconds >= 1 && seconds <= PROTOCOL_LIMITS.durationSeconds) return;
        const message = `The duration "${clip(text, 40)}" is not a number of seconds from 1 to 28,800.`;
        report('video-bad-duration', message, offset);
      }),
      'video:rating': texts((text, offset) => {
        const stars = parseNumber(text);
        if (stars >= 0 && stars <= 5) return;
        report('video-bad-rating', `The rating "${clip(text, 40)}" is not a number from 0 to 5.`, offset);
      }),
      'video:expiration_date': (value) => {
        date(value);
        const text = value.text();
        if (endOfDate(parseDate(text), text) < document.now)
          report('video-expired', `The video has expired (${text}).`, value.offset);
      },
      'video:publication_date': date,
      'video:family_friendly': yesOrNo('family_friendly'),
      'video:requires_subscription': yesOrNo('requires_subscription'),
      'video:live': yesOrNo('live'),
    },
    endTags: {
      'video:video': () => {
        if (start === undefined) return;
        if (fields !== ALL_FIELDS) {
          const missing = Object.entries(Field).filter(([, bit]) => (fields & bit) === 0);
          const message = `<video:video> lacks: ${missing.map(([name]) => name).join(', ')}.`;
          report('video-missing-field', message, start);
        }
        start = undefined;
      },
      'sitemap:url': () => end(),
    },
    location: (page) => end(page),
    // The parser reports these numbers, too; in a sitemap, each has a rule of its own.
    problem: ({ code, subject }) =>
      document.kind === 'pages-xml' &&
      code === 'bad-number' &&
      (subject === 'duration' || subject === 'rating'),
  };
};
