/** §13: what is published makes a report by itself: the page is bundled when the package is built. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { build, ROOT, runBinary } from '../support/cli-binary.ts';
import { folder } from '../support/folder.ts';
import { reportSite } from '../support/report-site.ts';

beforeAll(() => build());

test('no module of the package imports a bundler', async () => {
  const files = await readdir(join(ROOT, 'dist'), { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const code = await readFile(join(ROOT, 'dist', file), 'utf8');
    expect(code, file).not.toMatch(/(?:from|import\()\s*["']esbuild|build-report/);
  }
});

test('usp report of the built package writes a whole page', async () => {
  await using server = await reportSite();
  const file = join(folder(), 'report.html');
  const { code, stderr } = await runBinary(['report', server.origin, '-o', file, '-q']);
  expect([code, stderr]).toEqual([0, '']);
  const html = await readFile(file, 'utf8');
  expect(html).toContain('<svg class="chart columns"');
  expect(html).toMatch(/<script>|<script type="module">/);
  expect(html).toContain('drill-data');
});
