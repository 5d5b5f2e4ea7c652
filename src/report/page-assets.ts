/**
 * The script and the style of the page, as text. This file is for running from source: it has them bundled on first
 * use. `npm run build` replaces what it is compiled to by a module that has the bundles in it, so the package needs no
 * bundler.
 */

export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

let bundled: Promise<PageAssets> | undefined;

export function pageAssets(): Promise<PageAssets> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<PageAssets> {
  // A variable: the compiler does not follow it out of src/.
  const bundler: string = new URL('../../scripts/build-report.js', import.meta.url).href;
  const { bundlePage } = (await import(bundler)) as { bundlePage(): Promise<PageAssets> };
  return await bundlePage();
}
