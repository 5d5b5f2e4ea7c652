/** `pages`: one URL per line. */
import type { PageFormat } from './format.ts';

export const pages: PageFormat = {
  header: () => '',
  lines: (listed, { shorten, defuse }) => defuse(listed.map(({ page }) => `${shorten(page.url)}\n`).join('')),
};
