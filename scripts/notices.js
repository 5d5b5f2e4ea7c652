/** The licences of the packages whose code is in our bundles: `THIRD-PARTY-NOTICES`, which the build writes. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The files that have bytes in the outputs of esbuild's metafile. Of others, nothing is published. */
export function inputsOf(outputs) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([file]) => file),
  );
}

/** A section for each package among the files: its name, version and licence. */
export async function noticesOf(files) {
  const folders = new Set();
  for (const file of files) {
    const [folder] = /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file) ?? [];
    if (folder !== undefined) folders.add(folder);
  }
  if (folders.size === 0) return 'The files in dist/ contain no code of other packages.\n';
  const sections = await Promise.all([...folders].sort().map(noticeOf));
  return [
    'The files in dist/ contain code of these packages. Each is used under its own licence.\n',
    ...sections,
  ].join(`\n${'-'.repeat(80)}\n\n`);
}

async function noticeOf(folder) {
  const place = join(ROOT, folder);
  const { name, version, license } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
  const file = (await readdir(place)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined)
    throw new Error(`${name} has no file with its licence: it cannot be built into the package.`);
  return `${name} ${version} (${license})\n\n${(await readFile(join(place, file), 'utf8')).trim()}\n`;
}
