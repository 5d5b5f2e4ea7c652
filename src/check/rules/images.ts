/** What is wrong with the images of one document. */
import {
  type CaseCounter,
  type CheckedDocument,
  type DocumentRule,
  oneOrMany,
  type Rows,
  type RuleName,
  ruleRows,
} from '../rule.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps';
const MOST_IMAGES = 1000;
const OLD_TAGS = ['image:caption', 'image:geo_location', 'image:title', 'image:license'];

const IMAGES = { severity: 'error', about: 'images', documents: ['pages-xml'], source: GOOGLE } as const;

export const IMAGES_RULES: Rows = ruleRows(IMAGES, {
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
        if (count !== MOST_IMAGES + 1) return;
        const message = 'The page has more than 1,000 images; this is the first one over the limit.';
        document.report({ rule: 'images-too-many', message, offset, isOfEntry: true });
      },
      ...Object.fromEntries(OLD_TAGS.map((tag) => [tag, oldTag(document, 'image-old-tag', `<${tag}>`)])),
    },
    location: end,
    ignoresPlainPages: true,
  };
};

/** Reports each use of a tag that Google no longer reads. */
export function oldTag(document: CheckedDocument, rule: RuleName, tag: string): (offset: number) => void {
  const message = `Google has ignored ${tag} since 2022.`;
  const total = oneOrMany(message, (many) => `${message.slice(0, -1)} (used ${many} times).`);
  // Nearly every image may have one.
  let rest: CaseCounter | undefined;
  return (offset) => {
    rest ??= document.counter(rule, tag);
    if (rest !== undefined) rest.count++;
    else document.report({ rule, message, total, offset, cause: tag });
  };
}
