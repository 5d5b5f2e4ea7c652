/**
 * `npm run release:check`: what a release does, as far as this machine can. Packs the package as the workflow does, installs it
 * into an empty folder, runs it there, and makes the list of its parts. The container image needs Docker and a
 * network: where they are missing, it says so.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyPackage, npmCommand } from './npm.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SITEMAP = '<urlset><url><loc>https://example.org/a</loc></url></urlset>';
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const { name, version } = manifest;

step('package.json says where the project is', () => {
  const missing = ['repository', 'homepage', 'bugs'].filter((field) => manifest[field] === undefined);
  const stderr = `package.json has no ${missing.join(', no ')}: RELEASING.md says what to write there.\n`;
  return missing.length === 0 ? { status: 0 } : { status: 1, stderr };
});
const folder = mkdtempSync(join(tmpdir(), 'usp-release-'));
try {
  const checkout = join(folder, 'checkout');
  copyPackage(checkout);
  step('the repository and absolute links', () =>
    run([
      process.execPath,
      [join(ROOT, 'scripts/prepare-release.js'), 'owner/repository', `v${version}`, checkout],
    ]),
  );
  step('the package', () => run(npmCommand('pack', '--silent', '--pack-destination', folder), checkout));
  const consumer = join(folder, 'consumer');
  mkdirSync(consumer);
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const tarball = join(folder, `${name}-${version}.tgz`);
  const isInstalled = step('installed into an empty folder', () =>
    run(npmCommand('install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', tarball), consumer),
  );
  if (isInstalled) {
    writeFileSync(join(consumer, 'sitemap.xml'), SITEMAP);
    const main = join(consumer, 'node_modules', name, 'dist/cli/main.js');
    step('usp reads a file there', () =>
      run([process.execPath, [main, 'ls', '-q', '-f', 'pages', 'sitemap.xml']], consumer),
    );
  }
  step('the list of parts (npm sbom)', () => {
    const { stdout, status } = run(npmCommand('sbom', '--omit', 'dev', '--sbom-format', 'cyclonedx'), ROOT);
    return { status: status === 0 && JSON.parse(stdout).bomFormat === 'CycloneDX' ? 0 : 1 };
  });
  if (run(['docker', ['version']]).status === 0)
    step('the container image', () => run(['docker', ['build', '--tag', `${name}:check`, '.']], ROOT));
  else console.log('- the container image: not built, since docker is not installed or not running.');
  console.log('- publishing, provenance and the release page: only the workflow can (RELEASING.md).');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run([command, argv, options], cwd = ROOT) {
  return spawnSync(command, argv, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
}

/** Says how a step ended, with what it wrote where it failed. */
function step(what, act) {
  const { status, stdout = '', stderr = '' } = act();
  if (status === 0) console.log(`✓ ${what}`);
  else {
    console.log(`✗ ${what}\n${stdout}${stderr}`);
    process.exitCode = 1;
  }
  return status === 0;
}
