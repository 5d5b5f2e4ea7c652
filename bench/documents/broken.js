/** The broken urlsets of the tests, and what is in them; CONTRIBUTING.md says how such pairs are made. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../../test/fixtures/broken/', import.meta.url);

/**
 * Indexes and feeds are left out: not everybody reads them from a document of their own.
 *
 * @returns {{ name: string, file: string, urls: string[] }[]} `urls` are those of its pages
 */
export function brokenUrlsets() {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.xml'))
    .map((file) => ({ name: file.slice(0, -'.xml'.length), file: fileURLToPath(new URL(file, FOLDER)) }))
    .map(({ name, file }) => ({ name, file, expected: expectedOf(name) }))
    .filter(({ expected }) => expected.kind === 'pages-xml')
    .map(({ name, file, expected }) => ({ name, file, urls: expected.items.map(({ url }) => url) }));
}

function expectedOf(name) {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
}
