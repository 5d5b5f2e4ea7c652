/**
 * What the release workflow writes into the package before it publishes it: the repository that it runs in, no scripts (they
 * build this repository, and are of no use to who installs it), and links of README.md that work on a registry's page.
 *
 *     node scripts/prepare-release.js OWNER/REPOSITORY TAG [FOLDER]
 *
 * It fails where the tag is not the version of package.json.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const [repository = '', tag = '', folder = '.'] = process.argv.slice(2);
const packageFile = join(folder, 'package.json');
const readmeFile = join(folder, 'README.md');
const manifest = JSON.parse(await readFile(packageFile, 'utf8'));

if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
  console.error('Usage: node scripts/prepare-release.js OWNER/REPOSITORY TAG [FOLDER]');
  process.exitCode = 2;
} else if (tag !== `v${manifest.version}`) {
  console.error(
    `The tag ${tag} is not the version of package.json: use v${manifest.version}, or change the version.`,
  );
  process.exitCode = 1;
} else {
  await writeFile(
    packageFile,
    `${JSON.stringify({ ...manifest, scripts: undefined, ...fieldsFor(repository) }, null, 2)}\n`,
  );
  await writeFile(readmeFile, withAbsoluteLinks(await readFile(readmeFile, 'utf8')));
}

function fieldsFor(name) {
  const url = `https://github.com/${name}`;
  return {
    // Provenance needs it, and it must be the repository whose workflow publishes.
    repository: { type: 'git', url: `git+${url}.git` },
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
  };
}

/** Pictures and links of this version, so that the page of an old version does not change. */
function withAbsoluteLinks(text) {
  return text.replaceAll(/(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, mark, words, target) => {
    const place =
      mark === '!'
        ? `https://raw.githubusercontent.com/${repository}/${tag}/${target}`
        : `https://github.com/${repository}/blob/${tag}/${target}`;
    return `${mark}[${words}](${place})`;
  });
}
