/** The rules that look at one document by itself. */
import type { DocumentRule } from './rule.ts';
import type { RuleName } from './rule-table.ts';
import { extensions } from './rules/extensions.ts';
import { hreflang } from './rules/hreflang.ts';
import { images } from './rules/images.ts';
import { lastmod } from './rules/lastmod.ts';
import { limits } from './rules/limits.ts';
import { news } from './rules/news.ts';
import { urls } from './rules/urls.ts';
import { video } from './rules/video.ts';
import { xml } from './rules/xml.ts';

/** In the order in which they hear of a document. */
export const DOCUMENT_RULES: readonly DocumentRule<RuleName>[] = [
  xml,
  limits,
  urls,
  lastmod,
  hreflang,
  extensions,
  news,
  images,
  video,
];
