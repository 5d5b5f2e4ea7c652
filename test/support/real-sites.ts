/** A site for real web servers: its files on disk, and what every page of it is. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { testCertificate } from '../server/scripted-server.ts';
import { index, robots, urlset } from './documents.ts';

/** The pages of each sitemap: enough for several chunks and packets. */
const PAGES_OF_A_SITEMAP = 2_000;

export interface SiteFiles {
  /** The folder of the documents. */
  readonly root: string;
  /** The certificate and its key, in one file. */
  readonly pem: string;
  /** The pages, in the order of the sitemap. */
  readonly pages: readonly string[];
}

/** Writes a site whose index lists these paths, and a sitemap for each name; a name with `.gz` is compressed. */
export function writeSite(
  folder: string,
  origin: string,
  { listed, files }: { readonly listed: readonly string[]; readonly files: readonly string[] },
): SiteFiles {
  const root = join(folder, 'site');
  mkdirSync(root, { recursive: true });
  const pagesOf = (name: string): string[] =>
    Array.from(
      { length: PAGES_OF_A_SITEMAP },
      (_, n) => `https://example.org/${name}/${(n * 7919) % 100_003}`,
    );
  writeFileSync(join(root, 'robots.txt'), robots(`${origin}/index.xml`));
  writeFileSync(join(root, 'index.xml'), index(...listed.map((path) => `${origin}/${path}`)));
  for (const name of files) {
    const text = urlset(...pagesOf(name));
    writeFileSync(join(root, name), name.endsWith('.gz') ? gzipSync(text) : text);
  }
  const { cert, key } = testCertificate();
  const pem = join(folder, 'server.pem');
  writeFileSync(pem, Buffer.concat([key, cert]));
  return { root, pem, pages: files.flatMap(pagesOf) };
}

/** The user that a server changes to when root starts it. */
export const SERVER_USER: string | undefined = process.getuid?.() === 0 ? 'www-data' : undefined;
