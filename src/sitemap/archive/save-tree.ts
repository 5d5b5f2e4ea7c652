/**
 * Saves a tree as a WARC file: its documents, then its nodes. node-record.ts says what is known of each.
 *
 * Every document is read twice, since its digests come before it; neither time more of it is held than a few pieces.
 */
import { SitemapException } from '../../errors.ts';
import { VERSION } from '../../options/version.ts';
import { fileTrouble, ReplacedFile } from '../../runtime/files.ts';
import { AbstractSitemap, type Sitemap } from '../sitemap.ts';
import { pathOf } from './archive-path.ts';
import { DocumentRecords } from './document-records.ts';
import { endRecord } from './end-record.ts';
import { NODES_URI } from './node-record.ts';
import { nodeLines } from './node-writer.ts';
import { RecordFile } from './record-file.ts';
import { Digest, digestOf, RECORD_END, recordHead } from './warc-record.ts';

/**
 * Saves a tree, or any node with all below it, as a WARC 1.1 file: `….warc` plain, everything else with one gzip member
 * for each record. Whatever happens, the path then holds the whole new file or what it held before.
 *
 * @example
 * ```ts
 * await saveTree(tree, 'example.org.warc.gz');
 * const again = await loadTree('example.org.warc.gz');
 * ```
 *
 * @throws SitemapException with code `archive-unwritable`, `archive-damaged` where a document of a loaded tree is
 *   damaged, or `tree-closed` where the tree's documents are gone
 */
export async function saveTree(tree: Sitemap, path: string | URL): Promise<void> {
  if (!(tree instanceof AbstractSitemap)) {
    throw new SitemapException(
      'saveTree needs a sitemap as its first argument, as sitemapTreeForHomepage gives it.',
      { code: 'bad-input' },
    );
  }
  const name = pathOf(path, 'saveTree');
  try {
    const file = await ReplacedFile.open(name);
    try {
      await writeArchive(tree, file, !/\.warc$/i.test(name));
      await file.finish();
    } finally {
      await file.discard();
    }
  } catch (cause) {
    if (cause instanceof SitemapException) throw cause;
    throw new SitemapException(`The tree could not be saved to ${name}: ${fileTrouble(cause, name)}.`, {
      code: 'archive-unwritable',
      cause,
    });
  }
}

async function writeArchive(tree: Sitemap, file: ReplacedFile, isGzip: boolean): Promise<void> {
  const records = new RecordFile(file, { isGzip });
  const date = Date.now();
  const info = Buffer.from(
    `software: ultimate-sitemap-parser/${VERSION}\r\nformat: WARC File Format 1.1\r\nconformsTo: ` +
      `https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n`,
  );
  const infoHead = recordHead(
    { type: 'warcinfo', date, contentType: 'application/warc-fields' },
    info.length,
    { block: digestOf(info), payload: digestOf(info) },
  );
  await records.write(Buffer.from(infoHead), chunks([info]), END);

  const documents = new DocumentRecords(records, isGzip);
  const lines = await nodeLines(tree, documents);
  const digest = new Digest();
  let length = 0;
  for (const line of lines) {
    digest.update(line);
    length += line.length;
  }
  const sha1 = digest.end();
  const nodesHead = recordHead(
    { type: 'metadata', date, targetUri: NODES_URI, contentType: 'application/json' },
    length,
    { block: sha1, payload: sha1 },
  );
  // What is in the file has a digest of its own: a reader checks it before it inflates anything.
  const stored = new Digest();
  const watched = new RecordFile(
    { write: (bytes) => file.write(stored.update(bytes) && bytes) },
    { isGzip },
    records.offset,
  );
  const place = await watched.write(Buffer.from(nodesHead), chunks(lines), END);
  const end = { offset: place.offset, length: place.length, digest: stored.end() };
  await file.write(endRecord(end, date, { isGzip }));
}

const END: Uint8Array = Buffer.from(RECORD_END);

async function* chunks(list: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* list;
}
