/** Opens and copies parts of any format. What a format needs is loaded when it is used. */
import type { LineFormat } from './gzip-part.ts';
import type { OpenPart, PartFile, PartFormat } from './part-writer.ts';

export const openPart: OpenPart = async (path, format) => {
  if (format === 'parquet') return (await import('./parquet-part.ts')).openParquetPart(path);
  const [{ openGzipPart }, lines] = await Promise.all([import('./gzip-part.ts'), linesOf(format)]);
  return openGzipPart(path, lines);
};

/**
 * Writes a copy of a part without the rows of some sites, and flushes it. The part itself stays as it is.
 *
 * @param to - the path of the copy, which must not be there yet; it is removed if this rejects
 */
export async function dropSites(
  part: { readonly path: string; readonly format: PartFormat },
  to: string,
  sites: Iterable<string>,
): Promise<PartFile> {
  const dropped = new Set(sites);
  if (part.format === 'parquet') {
    return (await import('./parquet-part.ts')).copyParquetPart(part.path, to, dropped);
  }
  const [{ copyGzipPart }, lines] = await Promise.all([import('./gzip-part.ts'), linesOf(part.format)]);
  return copyGzipPart(part.path, to, dropped, lines);
}

async function linesOf(format: 'ndjson' | 'csv'): Promise<LineFormat> {
  const { NDJSON, CSV } = await import('./line-formats.ts');
  return format === 'ndjson' ? NDJSON : CSV;
}
