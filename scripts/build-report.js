/** Bundles the script and the style of the report's page, as text. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = new URL('../', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, ROOT));

/** The script and the style of the page, minified. */
export async function bundlePage() {
  const [script, style] = await Promise.all([
    bundled({ entryPoints: [path('src/report/web/script.ts')], format: 'iife', target: 'es2022' }),
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
