/** How often a page changes, as sitemaps say it. */

/** How often a page is said to change. */
export type ChangeFrequency = 'always' | 'hourly' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'never';

export const CHANGE_FREQUENCIES: readonly ChangeFrequency[] = [
  'always',
  'hourly',
  'daily',
  'weekly',
  'monthly',
  'yearly',
  'never',
];

/** The frequency that a text names in any case, or undefined. */
export function parseChangeFrequency(text: string): ChangeFrequency | undefined {
  const word = text.toLowerCase();
  return CHANGE_FREQUENCIES.find((frequency) => frequency === word);
}

/** The frequency that bytes name in lower case, or undefined: without a string, since there is one a page. */
export function frequencyOf(bytes: Uint8Array, start: number, end: number): ChangeFrequency | undefined {
  for (const frequency of CHANGE_FREQUENCIES) {
    if (frequency.length === end - start && frequency.charCodeAt(0) === bytes[start]) {
      let at = 1;
      while (at < frequency.length && frequency.charCodeAt(at) === bytes[start + at]) at++;
      if (at === frequency.length) return frequency;
    }
  }
  return undefined;
}
