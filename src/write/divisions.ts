/** How pages are divided anew: alone, since every command line loads these names. */
export const DIVISIONS = ['host', 'language', 'folder', 'lastmod-year'] as const;
export type Division = (typeof DIVISIONS)[number];
