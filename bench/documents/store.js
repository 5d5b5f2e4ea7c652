/**
 * The documents that the scenarios work on, as files in data/: made from a seed, so they are the same on every machine
 * and need not be committed, and made only if they are not there.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { alternates } from './alternates.js';
import { atom, rss } from './feeds.js';
import { rich } from './rich.js';
import { text } from './text.js';
import { urlset } from './urlset.js';

/** To be raised when a generator changes: data of another version is made anew. */
const VERSION = 2;

const DATA = new URL(`../data/v${VERSION}/`, import.meta.url);

/** What can be made, by name: each gives the document of a seed with so many entries. */
const GENERATORS = { urlset, rich, rss, atom, text, alternates };

/**
 * The files of a set of documents.
 *
 * @param {{ format: keyof typeof GENERATORS, entries: number, count: number, gzip?: boolean }} set
 * @returns {{ files: string[], bytes: number, pages: number }} `bytes` is the size without compression
 */
export function documentsOf({ format, entries, count, gzip = false }) {
  const folder = new URL(`${format}-${entries}/`, DATA);
  mkdirSync(folder, { recursive: true });
  const extension = format === 'text' ? 'txt' : 'xml';
  const plain = Array.from({ length: count }, (_, index) => {
    const file = new URL(`${index + 1}.${extension}`, folder);
    makeOnce(file, () => GENERATORS[format](index + 1, entries));
    return file;
  });
  const files = gzip ? plain.map(gzipped) : plain;
  return {
    files: files.map((file) => fileURLToPath(file)),
    bytes: plain.reduce((sum, file) => sum + statSync(file).size, 0),
    pages: entries * count,
  };
}

function gzipped(file) {
  const packed = new URL(`${file.href}.gz`);
  makeOnce(packed, () => gzipSync(readFileSync(file)));
  return packed;
}

function makeOnce(file, make) {
  if (existsSync(file)) return;
  // Under another name first: an interrupted run must not leave half a document.
  const part = new URL(`${file.href}.part`);
  writeFileSync(part, make());
  renameSync(part, file);
}
