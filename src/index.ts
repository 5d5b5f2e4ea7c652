/**
 * The public surface of `ultimate-sitemap-parser`.
 *
 * @packageDocumentation
 */
export * from './parse/index.ts';
