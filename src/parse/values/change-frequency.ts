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
