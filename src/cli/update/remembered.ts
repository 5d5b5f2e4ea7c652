/**
 * What a saved tree remembers of the call that made it, and what the user gives again: given options win. What may be a
 * secret is not in the file, only that it was used; then it must be given again, or the site would be read in another
 * way.
 */
import type { SitemapOptions, TreeOrigin } from '../../index.ts';
import { list } from '../../problems/wording.ts';
import { withoutUserinfo } from '../../url.ts';
import { flagOf } from '../args/option-flags.ts';
import { UsageError } from '../messages/endings.ts';

export interface UpdateCall {
  readonly call: TreeOrigin['call'];
  /** With its userinfo, if it was given with any. */
  readonly url: URL;
  readonly options: SitemapOptions;
}

export interface Given {
  /** As the user wrote it. */
  readonly file: string;
  readonly url: URL | undefined;
  readonly isSitemap: boolean;
  readonly options: SitemapOptions;
}

/** How what is not saved is given again, where it is not by the flag of an option. */
const OTHERWISE: Readonly<Record<string, string>> = {
  recurseCallback: '--sitemap-include or --sitemap-exclude',
  userinfo: 'a user and a password in the URL',
};

/** The call for a site that was not saved yet. @throws UsageError where no URL is given */
export function firstCall({ file, url, isSitemap, options }: Given): UpdateCall {
  if (url !== undefined) return { call: isSitemap ? 'sitemap' : 'homepage', url, options };
  throw new UsageError(`There is no ${file} yet: the first time, give the URL of the site.`, {
    hint: `usp update ${file} https://example.org`,
  });
}

/** The call that a tree was made with, as far as nothing else is given. @throws UsageError */
export function callAgain(origin: TreeOrigin | undefined, given: Given): UpdateCall {
  const { file, url, isSitemap } = given;
  if (origin === undefined) {
    throw new UsageError(
      `${file} does not say which site it is of: it holds a part of a tree, or a local file.`,
      {
        hint: 'usp update with another file, and the URL of the site, starts anew.',
      },
    );
  }
  const { call, notKept } = origin;
  const saved = new URL(origin.url);
  const options = { ...(origin.options as SitemapOptions), ...defined(given.options) };
  if (url !== undefined) checkSameSite(origin, saved, { ...given, options });
  else if (isSitemap && call === 'homepage') throw otherKind(file, saved);
  const missing = notKept.filter((name) => !isGiven(name, url, given.options));
  if (missing.length === 0) return { call, url: url ?? saved, options };
  const flags = missing.map(
    (name) => OTHERWISE[name] ?? flagOf(name) ?? `the option ${name}, which usp does not have`,
  );
  const what =
    missing.length === 1 ? 'which is not saved: give it again' : 'which are not saved: give them again';
  throw new UsageError(`${file} was made with ${list(flags)}, ${what}.`);
}

function isGiven(name: string, url: URL | undefined, options: SitemapOptions): boolean {
  if (name === 'userinfo') return url !== undefined && withoutUserinfo(url) !== url;
  return Object.hasOwn(options, name) && options[name as keyof SitemapOptions] !== undefined;
}

function checkSameSite(origin: TreeOrigin, saved: URL, { file, url, isSitemap, options }: Given): void {
  if (url === undefined) return;
  if (origin.call === 'homepage' && isSitemap) throw otherKind(file, saved);
  const isWholeSite = origin.call === 'homepage' && options.normalizeHomepageUrl !== false;
  const shown = new URL(withoutUserinfo(url));
  shown.hash = '';
  const isSame = isWholeSite
    ? shown.origin === saved.origin
    : shown.href === saved.href || `${shown.href}/` === saved.href;
  if (isSame) return;
  throw new UsageError(`${file} is of ${saved.href}, not of ${shown.href}.`, {
    hint: 'each site has a file of its own.',
  });
}

function otherKind(file: string, saved: URL): UsageError {
  return new UsageError(`${file} is of the whole site ${saved.href}, not of one sitemap (--sitemap).`);
}

function defined(options: SitemapOptions): SitemapOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
