/** The names in the folder of a crawl. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PART_EXTENSIONS, type PartFormat } from './output/part-writer.ts';

/** Where everything of one crawl is. */
export class CrawlFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** One line for each finished site. */
  get sites(): string {
    return join(this.path, 'sites.ndjson');
  }

  /** What the crawl is, and how far it has come. */
  get description(): string {
    return join(this.path, 'crawl.json');
  }

  /** The parts that are published. */
  get pages(): string {
    return join(this.path, 'pages');
  }

  /** Locks, and what is not published. */
  get temporary(): string {
    return join(this.path, '.tmp');
  }

  /** The archive of a site, relative to the folder: by its hash, so that no folder holds a million files. */
  static archiveOf(site: string): string {
    const hash = createHash('sha256').update(site).digest('hex');
    const { host } = new URL(site);
    const name = host.replaceAll(/[^\w.-]/g, '_').slice(0, 80);
    return `archives/${hash.slice(0, 2)}/${name}-${hash.slice(0, 16)}.warc.gz`;
  }

  /** Makes the folders. @throws what the file system says */
  async create(): Promise<void> {
    await mkdir(this.pages, { recursive: true });
    await mkdir(this.temporary, { recursive: true });
  }
}

/** The name of the part that the holder of a lock publishes; its number is the lock's. */
export function partName(number: number, format: PartFormat): string {
  return `part-${String(number).padStart(8, '0')}${PART_EXTENSIONS[format]}`;
}

/** The number in the name of a part. */
export function partNumber(name: string): number | undefined {
  const [, digits] = /^part-(\d+)\./.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
