/**
 * Bundles what the report is made of, behind the compiler: the script and the style of its page become text in
 * dist/report/page-assets.js, and the chart code gets its modules of d3 built in. So the package has no dependency for
 * either.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = new URL('../', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, ROOT));

/** The script and the style of the page, minified. */
export async function bundlePage() {
  const [script, style] = await Promise.all([
    bundled({ entryPoints: [path('src/report/web/page.ts')], format: 'iife', target: 'es2022' }),
    bundled({ entryPoints: [path('src/report/web/style.css')] }),
  ]);
  return { script, style };
}

async function bundled(options) {
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
  });
  // Neither may end the element that it is in.
  return outputFiles[0].text.trim().replaceAll(/<\/(script|style)/gi, '<\\/$1');
}

async function buildReport() {
  const { script, style } = await bundlePage();
  const assets = `const ASSETS = ${JSON.stringify({ script, style })};\nexport async function pageAssets() {\n  return ASSETS;\n}\n`;
  await writeFile(path('dist/report/page-assets.js'), assets);
  await build({
    entryPoints: [path('dist/report/charts.js')],
    outfile: path('dist/report/charts.js'),
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2023',
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildReport();
