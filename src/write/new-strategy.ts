/**
 * `--layout new`: a series of files for each group that pages are divided into, and one for its news, which search
 * engines want by themselves. An index lists them where there are several.
 */
import type { SitemapPage } from '../parse/model/page.ts';
import { webUrl } from '../url.ts';
import type { Division } from './divisions.ts';
import { groupNameOf, wordInName } from './layout.ts';
import {
  type RepairedFile,
  RepairedFiles,
  type RepairStrategy,
  type StrategyOptions,
} from './repaired-files.ts';
import type { Naming, SitemapGroup, SitemapSet } from './sitemap-set.ts';
import type { SourceDocument } from './source-documents.ts';

/** The most groups of pages; those of further groups share one, and their news another one. */
const MOST_GROUPS = 1000;
const OTHER = 'other';

interface NewStrategyOptions extends StrategyOptions {
  readonly by?: Division | undefined;
}

export class NewStrategy implements RepairStrategy {
  readonly files: RepairedFiles;
  readonly #options: NewStrategyOptions;
  readonly #groups = new Map<string, SitemapGroup>();
  /** How many series of files each host has. */
  readonly #hosts = new Map<string | undefined, number>();
  #isEnding = false;

  constructor(set: SitemapSet, options: NewStrategyOptions) {
    this.#options = options;
    this.files = new RepairedFiles(set, options, { byHost: options.by === 'host' });
  }

  groupOf(source: SourceDocument, page: SitemapPage): SitemapGroup {
    const { by, baseUrl, origin } = this.#options;
    const groupName = groupNameOf(page, by);
    const news = page.newsStory === undefined ? '' : 'news';
    const groupKey = `${news} ${groupName}`;
    const isOther = !this.#groups.has(groupKey) && this.#groups.size >= MOST_GROUPS;
    const key = isOther ? `${OTHER} ${news}` : groupKey;
    const open = this.#groups.get(key);
    if (open !== undefined) return open;
    const word = by === undefined || by === 'host' ? '' : wordInName(isOther ? OTHER : groupName);
    const words = ['sitemap', word, news].filter((each) => each !== '');
    const naming = this.#naming(words, by === 'host' && !isOther ? webUrl(page.url)?.origin : undefined);
    const group = this.files.open(naming, baseUrl ?? webUrl(source.address)?.origin ?? origin);
    this.#groups.set(key, group);
    return group;
  }

  async endDocument(): Promise<void> {}

  async end(): Promise<void> {
    this.#isEnding = true;
    for (const group of this.#groups.values()) await this.files.end(group);
    await this.#writeIndexes();
  }

  /** The files are not those of documents. */
  isKept(): boolean {
    return false;
  }

  #naming(words: readonly string[], origin: string | undefined): Naming {
    const host = origin && webUrl(origin)?.host;
    this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1);
    return (number, count) => {
      // How many files there are is known in the end.
      if (!this.#isEnding) return this.#options.gzip === true ? 'sitemap.xml.gz' : 'sitemap.xml';
      const isPlain = count === 1 && (words.length > 1 || this.#hosts.get(host) === 1);
      const name = `${[...words, ...(isPlain ? [] : [number])].join('-')}.xml`;
      return this.files.layout.nameOf([name], origin);
    };
  }

  async #writeIndexes(): Promise<void> {
    const { layout } = this.files;
    const byFolder = new Map<string, RepairedFile[]>();
    for (const file of this.files.sitemaps) {
      const folder = file.name.includes('/') ? file.name.slice(0, file.name.indexOf('/')) : '';
      byFolder.set(folder, [...(byFolder.get(folder) ?? []), file]);
    }
    for (const files of byFolder.values()) {
      if (files.length < 2) continue;
      for (const { name } of files) this.files.list(name);
      const entries = files.flatMap(({ url, lastModified }) =>
        url === undefined ? [] : { url, lastModified },
      );
      await this.files.addIndex(layout.nameOf(['sitemap.xml'], layout.originOf(files[0]!.name)), entries);
    }
  }
}
