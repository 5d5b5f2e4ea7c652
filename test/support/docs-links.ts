/** The links of pages, in the repository and in the published package. */
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { DOCS, docPages, proseOf } from './docs-pages.ts';

const ROOT = dirname(DOCS);
/** What `npm pack` puts into the package, besides package.json and the licence. */
export const PACKED: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  ...docPages().map(({ name }) => `docs/${name}`),
];
export const REPOSITORY_ONLY: readonly string[] = [
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/README.md',
  'bench/README.md',
];

/** The targets of all links of a page. */
export function linksOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The relative links of a file: as written, and the file and heading that each leads to. */
export function targetsOf(
  file: string,
): readonly { link: string; target: string; anchor: string | undefined }[] {
  return linksOf(textOf(file))
    .filter((link) => !/^https?:/.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : posix.join(posix.dirname(file), path);
      return { link, target, anchor };
    });
}
