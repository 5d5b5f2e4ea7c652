/** Runs `usp fix`, and reads what it has written. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseSitemap } from '../../src/index.ts';
import { type Told, usp, type WorldOptions } from './cli-world.ts';
import { folder } from './folder.ts';

interface Fixed extends Told {
  /** The files of the folder with their content, but for the manifest; what is gzipped is inflated. */
  readonly files: Readonly<Record<string, string>>;
  readonly report: {
    readonly repairs: readonly Readonly<Record<string, unknown>>[];
    readonly rules: Readonly<Record<string, { readonly dropped: number; readonly changed: number }>>;
    readonly pages: { readonly read: number; readonly written: number };
    readonly robots: readonly string[];
    readonly left: readonly Readonly<Record<string, unknown>>[];
    readonly missing: readonly string[];
    readonly removed: readonly string[];
    readonly kept: readonly string[];
    readonly files: readonly { readonly name: string; readonly url?: string }[];
  };
}

/** Runs `usp fix` into a folder, and reads what is there then. */
export async function fix(
  argv: readonly string[],
  options: WorldOptions & { into?: string } = {},
): Promise<Fixed> {
  const { into = join(folder(), 'out') } = options;
  const isSaid = argv.some((argument) => /known|^--sitemap$/.test(argument));
  const isOfSite = argv.some((argument) => argument.startsWith('http:'));
  const more = isOfSite && !isSaid ? ['--no-known'] : [];
  const told = await usp(['fix', ...argv, ...more, '-o', into, '-f', 'json'], options);
  return { ...told, files: filesIn(into), report: told.code === 0 ? JSON.parse(told.stdout) : undefined };
}

export function filesIn(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const read = (file: string): string =>
    (file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString();
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((file) => !file.endsWith('.usp-sitemaps.json'))
      .sort()
      .map((file) => [relative(path, file).replaceAll('\\', '/'), read(file)]),
  );
}

export function urlsIn(xml = ''): readonly string[] {
  return [...parseSitemap(xml)].map((item) => (item.type === 'page' ? item.page.url : item.sitemap.url));
}

/** The URLs in each file. */
export function urlsOf(files: Readonly<Record<string, string>>): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, urlsIn(xml)]));
}
