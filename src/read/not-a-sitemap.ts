/** The outcome of a document that is neither a sitemap nor a feed. */
import { SitemapException, SitemapXMLParsingException } from '../errors.ts';
import type { Description } from '../parse/opening/describe.ts';
import type { InvalidOutcome } from './outcome.ts';

/** Says what a document is instead. */
export function notASitemap(url: string, { what, words }: Description): InvalidOutcome {
  const reason = `${url} is not a sitemap or feed: it is ${words}.`;
  const code = 'not-a-sitemap';
  const Exception = what === 'other-xml' ? SitemapXMLParsingException : SitemapException;
  const isHtml = what === 'html' || what === 'bot-wall' || what === 'login';
  return { type: 'invalid', code, reason, error: new Exception(reason, { code, url }), isHtml };
}
