/** What is measured is what was built. */
import { existsSync, readdirSync, statSync } from 'node:fs';

const SOURCE = new URL('../src/', import.meta.url);
const BUILT = new URL('../dist/', import.meta.url);

/** What is wrong with the build, in a sentence; undefined if nothing is. */
export function checkBuild() {
  if (!existsSync(new URL('index.js', BUILT)))
    throw new Error('There is no dist/: run "npm run build" first.');
  if (newest(SOURCE, '.ts') > newest(BUILT, '.js')) {
    return 'Note: src/ is newer than dist/, which is what is measured. "npm run build" brings it up to date.';
  }
  return undefined;
}

function newest(folder, extension) {
  const files = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith(extension));
  return Math.max(...files.map((path) => statSync(new URL(path, folder)).mtimeMs));
}
