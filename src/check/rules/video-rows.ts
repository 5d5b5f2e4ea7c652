/** The rows of the rules about videos. */
import type { CheckedKind, RuleRow, RuleRows } from '../rule.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps';
const DOCUMENTS: readonly CheckedKind[] = ['pages-xml'];

/** The rules about videos. */
export type VideoRule =
  | 'video-missing-field'
  | 'video-same-as-page'
  | 'video-bad-duration'
  | 'video-bad-rating'
  | 'video-long-description'
  | 'video-expired'
  | 'video-old-tag';

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
      fix: 'Write all of them, none of them empty.',
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
      fix: 'Write a shorter one.',
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
      fix: 'Remove them.',
    },
    bad: '<video:category>Animals</video:category>',
    good: '<video:tag>animals</video:tag>',
    source: 'https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions',
  },
};
