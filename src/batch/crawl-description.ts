/**
 * `crawl.json`: what a crawl is, so that the same command goes on, another one is refused, and workers know what to do.
 */
import { readFile } from 'node:fs/promises';
import { SitemapException } from '../reading.ts';
import { ReplacedFile } from '../runtime/files.ts';
import type { CrawlFolder } from './crawl-folder.ts';
import { PART_FORMATS, type PartFormat } from './output/part-writer.ts';
import type { Outcome } from './site-outcome.ts';

/** What crawl.json says. */
export interface CrawlDescription {
  /** Another one for each crawl: the name of its queue. */
  readonly id: string;
  /** The version of this package that began the crawl. */
  readonly version: string;
  readonly format: PartFormat;
  /**
   * The options that shape the result, as the command line names them, without defaults. Of those that may hold secrets
   * (headers, proxy, certificates) it says only that they were given: `true`.
   */
  readonly options: Readonly<Record<string, unknown>>;
  /** `running` also where the crawl was killed: the same command goes on. */
  readonly state: 'running' | 'stopped' | 'done';
  /** How many sites the list has. */
  readonly sites: number;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** How many sites are finished, by outcome, and their pages. */
  readonly finished: Readonly<Record<Outcome, number>> & { readonly pages: number };
}

/** Reads crawl.json; undefined where there is none. @throws SitemapException where it is something else */
export async function readDescription(folder: CrawlFolder): Promise<CrawlDescription | undefined> {
  const text = await readFile(folder.description, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const found = JSON.parse(text) as Partial<CrawlDescription>;
    const isFormat = PART_FORMATS.some((format) => format === found.format);
    if (isFormat && typeof found.options === 'object' && typeof found.id === 'string')
      return found as CrawlDescription;
  } catch {
    // Reported below, as is JSON that is something else.
  }
  throw new SitemapException(`${folder.description} is not what usp crawl wrote.`, {
    code: 'not-a-crawl',
  });
}

/** Replaces crawl.json. */
export async function writeDescription(folder: CrawlFolder, description: CrawlDescription): Promise<void> {
  const file = await ReplacedFile.open(folder.description);
  try {
    await file.write(`${JSON.stringify(description, undefined, 2)}\n`);
    await file.finish();
  } finally {
    await file.discard();
  }
}

/** Options that decide how fast a crawl is, and not what it finds: the next run may have others. */
const PACE: ReadonlySet<string> = new Set(['concurrency', 'wait', 'randomWait', 'retries']);

/** The options that are not the same: `["format", "maxDepth"]`. */
export function changedOptions(
  before: Pick<CrawlDescription, 'format' | 'options'>,
  now: Pick<CrawlDescription, 'format' | 'options'>,
): readonly string[] {
  const names = new Set([...Object.keys(before.options), ...Object.keys(now.options)]);
  const changed = [...names].filter(
    (name) => !PACE.has(name) && JSON.stringify(before.options[name]) !== JSON.stringify(now.options[name]),
  );
  return before.format === now.format ? changed : ['format', ...changed];
}
