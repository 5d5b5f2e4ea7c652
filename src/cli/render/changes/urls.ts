/** `pages`: the URLs that were added or changed, one per line: what a crawler is to fetch. */
import type { ChangeFormat } from './format.ts';

export const urls: ChangeFormat = {
  types: ['added', 'changed'],
  header: '',
  lines: (changes, { defuse }) => defuse(changes.map(({ page }) => `${page.url}\n`).join('')),
  footer: () => '',
};
