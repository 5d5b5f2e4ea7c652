/**
 * The script and the style of the page, as text. When the sources are run, this file bundles them on first use. `npm
 * run build` replaces its compiled form by a module that contains the bundles, so the package needs no bundler.
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
  // In a variable, so that the compiler does not follow the import out of src/.
  const bundler: string = new URL('../../scripts/build-report.js', import.meta.url).href;
  const { bundlePage } = (await import(bundler)) as { bundlePage(): Promise<PageAssets> };
  return await bundlePage();
}
