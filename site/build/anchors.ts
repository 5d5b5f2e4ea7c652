/** Links to headings: VitePress follows links to pages, not to the places in them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Throws, with the list, where a link of a built page leads to a heading that its target does not have. */
export async function checkAnchors(folder: string, base: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.html'));
  const pages = new Map<string, string>();
  for (const name of names) pages.set(name, await readFile(join(folder, name), 'utf8'));
  const ids = new Map([...pages].map(([name, html]) => [name, idsOf(html)]));
  const dead: string[] = [];
  for (const [name, html] of pages) {
    for (const [, href = ''] of html.matchAll(/<a\b[^>]*\bhref="([^"]*#[^"]+)"/g)) {
      const url = new URL(decode(href), `https://site.invalid${base}${name}`);
      if (url.origin !== 'https://site.invalid' || !url.pathname.startsWith(base)) continue;
      const target = url.pathname.slice(base.length) || 'index.html';
      const anchor = decodeURIComponent(url.hash.slice(1));
      // The playground keeps its input in the fragment.
      if (target === 'playground.html') continue;
      if (ids.get(target)?.has(anchor) !== true) dead.push(`${name} links to ${target}#${anchor}`);
    }
  }
  if (dead.length > 0) throw new Error(`Links to headings that do not exist:\n${dead.join('\n')}`);
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => decode(id)));
}

function decode(attribute: string): string {
  return attribute.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
