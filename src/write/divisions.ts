/** The values of `--by`. Alone, because every start of usp loads it. */
export const DIVISIONS = ['host', 'language', 'folder', 'lastmod-year'] as const;
export type Division = (typeof DIVISIONS)[number];
