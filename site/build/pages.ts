/** Which pages the site has, and in which order. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCS = join(ROOT, 'docs');

/** How docs/ names the playground, which is no page of it; on the website it is one click away. */
const ELSEWHERE =
  "The playground of this project's website reads and checks sitemaps in your browser. (From a clone of the repository,\n`npm run site && npm run site:preview` shows it on your machine.)";

/** A link of the sidebar. */
interface Entry {
  readonly text: string;
  readonly link: string;
}

/** A group of links of the sidebar. */
interface Group {
  readonly text: string;
  readonly items: Entry[];
}

/**
 * Copies the pages of docs/ and the site's own into one folder. VitePress reads one folder, and docs/ must not contain
 * pages that only make sense with its components.
 */
export function gatherPages(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The index of docs/ is a list of pages: here the sidebar is made from it.
  cpSync(DOCS, folder, { recursive: true, filter: (source) => basename(source) !== 'README.md' });
  cpSync(join(ROOT, 'site/pages'), folder, { recursive: true });
  const seo = join(folder, 'for-seo.md');
  const text = readFileSync(seo, 'utf8');
  const linked = text.replace(
    ELSEWHERE,
    'The [playground](playground.md) reads and checks sitemaps in your browser.',
  );
  if (linked === text) throw new Error('docs/for-seo.md does not say where the playground is any more.');
  writeFileSync(seo, linked);
  const assets = join(folder, 'public');
  cpSync(join(ROOT, 'site/public'), assets, { recursive: true });
  for (const image of ['usp-ls-tree.svg', 'usp-report.png']) cpSync(join(DOCS, image), join(assets, image));
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').replaceAll('](docs/', '](');
  writeFileSync(join(folder, 'changelog.md'), changelog);
}

/** The sidebar: the tables of docs/README.md, each heading a group. A test holds that they lead to every page. */
export function sidebar(): Group[] {
  const index = readFileSync(join(DOCS, 'README.md'), 'utf8');
  const groups = index
    .split(/^## /m)
    .slice(1)
    .map((section): Group => {
      const [heading = ''] = section.split('\n', 1);
      const rows = [...section.matchAll(/^\| \[([^\]]+)\]\((\S+)\.md\)/gm)];
      return {
        text: heading,
        items: rows.map(([, text = '', name = '']) => ({ text, link: `/${name}` })),
      };
    });
  groups.at(-1)?.items.push({ text: 'Changelog', link: '/changelog' });
  return groups.filter(({ items }) => items.length > 0);
}
