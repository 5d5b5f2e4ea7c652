/**
 * Finds the sites that have the same rows in the same order in two crawls, without comparing rows: by the bytes of
 * their parts, else by a digest of their rows in each part.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { COMPARED_FIELDS } from '../diff/page-change.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import { type FinishedCrawl, readPart, rowsOfPart } from './crawl-rows.ts';
import { linesIn } from './journal.ts';
import { COLUMNS } from './output/parts.ts';
import type { Row } from './output/table-file.ts';

/** The site, and the columns that show whether a page has changed. */
const COMPARED_COLUMNS = COLUMNS.filter(
  ({ name }) => name === 'site' || name === 'url' || COMPARED_FIELDS.some((field) => field === name),
);

/** A fact about the rows of a site. If two crawls have the same facts of a site, they have the same rows of it. */
interface SiteFact {
  readonly site: string;
  readonly text: string;
}

export async function equalSites(
  before: FinishedCrawl,
  after: FinishedCrawl,
  signal: AbortSignal,
): Promise<SeenUrls> {
  const equal = new SeenUrls();
  // Two formats write equal rows in different bytes.
  if (before.description.format !== after.description.format) return equal;
  const [earlier, later] = [await digestsOf(before, signal), await digestsOf(after, signal)];
  const facts = new SeenUrls();
  for await (const { text } of factsOf(before, earlier, new Set(later.values()), signal)) facts.add(text);
  const unequal = new SeenUrls();
  for await (const { site, text } of factsOf(after, later, new Set(earlier.values()), signal))
    if (!facts.has(text)) unequal.add(site);
  for await (const { site } of linesIn(after.folder)) if (!unequal.has(site)) equal.add(site);
  return equal;
}

/** The digest of each part. */
async function digestsOf(crawl: FinishedCrawl, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for await (const { parts } of linesIn(crawl.folder)) {
    for (const part of parts) {
      if (digests.has(part)) continue;
      const hash = createHash('sha256');
      for await (const chunk of readPart<Buffer>(crawl, part, createReadStream, signal)) hash.update(chunk);
      digests.set(part, hash.digest('base64'));
    }
  }
  return digests;
}

/** A row as text, equal for equal values. */
function textOf(row: Row): string {
  let text = '';
  for (let at = 1; at < row.length; at++) {
    const value = row[at];
    if (typeof value === 'string') text += value;
    else if (value instanceof Date) text += value.getTime();
    else if (value !== undefined) text += JSON.stringify(value);
    text += '\0';
  }
  return text;
}

/** @param inOther - digests of the parts of the other crawl: a part that both have is not read */
async function* factsOf(
  crawl: FinishedCrawl,
  digests: ReadonlyMap<string, string>,
  inOther: ReadonlySet<string>,
  signal: AbortSignal,
): AsyncGenerator<SiteFact, void, undefined> {
  for await (const { site, parts } of linesIn(crawl.folder)) {
    yield { site, text: `${site} ${parts.length}` };
    for (const part of parts) {
      const digest = digests.get(part) ?? '';
      if (inOther.has(digest)) yield { site, text: `${site} ${digest}` };
    }
  }
  for (const [part, digest] of digests) {
    if (inOther.has(digest)) continue;
    const sites = new Map<string, Hash>();
    for await (const rows of rowsOfPart(crawl, part, COMPARED_COLUMNS, signal)) {
      // The rows of a site are together, so most of them are hashed at once.
      for (let at = 0; at < rows.length; ) {
        const site = rows[at]?.[0];
        let text = '';
        for (; at < rows.length && rows[at]?.[0] === site; at++) text += textOf(rows[at]!);
        const hash = sites.get(String(site)) ?? createHash('sha256');
        sites.set(String(site), hash.update(text));
      }
    }
    for (const [site, hash] of sites) yield { site, text: `${site} ${hash.digest('base64')}` };
  }
}
