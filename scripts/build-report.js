/** Bundles the script and the style of the report's page, as text. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { inputsOf } from './notices.js';

const ROOT = new URL('../', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, ROOT));

/** The script and the style of the page, minified, and the files that they are made of. */
export async function bundlePage() {
  const [script, style] = await Promise.all([
    bundled({ entryPoints: [path('src/report/web/script.ts')], format: 'iife', target: 'es2022' }),
    bundled({ entryPoints: [path('src/report/web/style.css')] }),
  ]);
  return { script: script.text, style: style.text, inputs: [...script.inputs, ...style.inputs] };
}

async function bundled(options) {
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: path('.'),
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    charset: 'utf8',
  });
  // Neither may end the element that it is in.
  const text = outputFiles[0].text.trim().replaceAll(/<\/(script|style)/gi, '<\\/$1');
  return { text, inputs: inputsOf(metafile.outputs) };
}
