/** `ndjson` and `json`: changes as `diffPages` gives them, with the URL of the sitemap. */
import type { EarlierPage, PageChange } from '../../../index.ts';
import { CHANGE_TYPES, type ChangeFormat } from './format.ts';

export const ndjson: ChangeFormat = {
  types: CHANGE_TYPES,
  header: '',
  lines: (changes, { defuse }) => defuse(changes.map((change) => `${changeJson(change)}\n`).join('')),
  footer: () => '',
};

/** One document: the changes, then how many there are of each kind. */
export function json(): ChangeFormat {
  let separator = '';
  return {
    types: CHANGE_TYPES,
    header: '{"changes":[',
    lines(changes, { defuse }) {
      if (changes.length === 0) return '';
      const text = separator + changes.map(changeJson).join(',');
      separator = ',';
      return defuse(text);
    },
    footer: (counts) => `],"counts":${JSON.stringify(counts)}}\n`,
  };
}

function changeJson({ type, page, before, fields, sitemap }: PageChange): string {
  const was = before === undefined ? undefined : earlierJson(before);
  return JSON.stringify({ type, page, before: was, fields, sitemap: sitemap.url });
}

function earlierJson({ lastModified, priority, changeFrequency }: EarlierPage): object {
  return { priority, lastModified: lastModified?.toISOString(), changeFrequency };
}
