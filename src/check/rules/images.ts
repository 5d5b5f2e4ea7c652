/** What is wrong with the images of one document. */
import type { CheckedDocument, CheckedKind, DocumentListener, DocumentRule, RuleRows } from '../rule.ts';
import { EntryReports } from './entry-reports.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps';
const DOCUMENTS: readonly CheckedKind[] = ['pages-xml'];
const MOST_IMAGES = 1000;

export type ImagesRule = 'images-too-many' | 'image-old-tag';

export const IMAGES_RULES: RuleRows<ImagesRule> = {
  'images-too-many': {
    severity: 'error',
    about: 'images',
    documents: DOCUMENTS,
    explanation: {
      what: 'A page has more than 1,000 images.',
      why: 'Google reads no more than 1,000 for one page.',
      fix: 'List the images that matter, or list the pages that show them.',
    },
    bad: '<url> … 1,001 × <image:image> … </url>',
    good: '<url> … at most 1,000 × <image:image> … </url>',
    source: GOOGLE,
  },
  'image-old-tag': {
    severity: 'info',
    about: 'images',
    documents: DOCUMENTS,
    aggregated: true,
    explanation: {
      what: 'An image has a caption, geo_location, title or license.',
      why: 'Google has ignored these tags since 2022; they only make the sitemap larger.',
      fix: 'Remove these tags. Google reads captions and licences from the page itself.',
    },
    bad:
      '<image:image>\n' +
      '  <image:loc>https://example.org/cat.jpg</image:loc>\n' +
      '  <image:caption>A cat</image:caption>\n' +
      '</image:image>',
    good: '<image:image>\n  <image:loc>https://example.org/cat.jpg</image:loc>\n</image:image>',
    source: 'https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions',
  },
};

export const images: DocumentRule<ImagesRule> = (document): DocumentListener => {
  const reports = new EntryReports(document);
  let count = 0;
  const end = (page?: string): void => {
    reports.flush(page);
    count = 0;
  };
  return {
    startTags: {
      'sitemap:url': () => end(),
      'image:image': (offset) => {
        count++;
        if (count !== MOST_IMAGES + 1) return;
        const message = 'The page has more than 1,000 images; this is the first one over the limit.';
        reports.add({ rule: 'images-too-many', message, offset });
      },
      'image:caption': (offset) => oldTag(document, 'image-old-tag', '<image:caption>', offset),
      'image:geo_location': (offset) => oldTag(document, 'image-old-tag', '<image:geo_location>', offset),
      'image:title': (offset) => oldTag(document, 'image-old-tag', '<image:title>', offset),
      'image:license': (offset) => oldTag(document, 'image-old-tag', '<image:license>', offset),
    },
    location: end,
    plainPage: () => end(),
  };
};

/** Reports one use of a tag that Google no longer reads. */
export function oldTag<Name extends string>(
  document: CheckedDocument<Name>,
  rule: Name,
  tag: string,
  offset: number,
): void {
  const message = `Google has ignored ${tag} since 2022.`;
  document.report({
    rule,
    message,
    offset,
    cause: tag,
    total: (times) =>
      times === 1 ? message : `${message.slice(0, -1)} (used ${times.toLocaleString('en')} times).`,
  });
}
