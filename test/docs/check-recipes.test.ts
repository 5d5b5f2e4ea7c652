/** The recipes of docs/check.md for CI run as a runner of the code host runs them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { build, startShell } from '../support/cli-binary.ts';
import { describeIf } from '../support/collected.ts';
import { siteOf } from '../support/crawled-site.ts';
import { type CodeBlock, codeBlocksOf, docPage } from '../support/docs-pages.ts';
import { exampleSite } from '../support/docs-site.ts';
import { projectWithPackage } from '../support/npm.ts';
import { IS_POSIX } from '../support/platform.ts';
import { temporaryFolder } from '../support/real-servers.ts';

const PAGE = docPage('check.md');

interface GitLabJob {
  readonly image: string;
  readonly script: readonly string[];
  readonly artifacts: { readonly when: string; readonly paths: readonly string[] };
}

function blocksOf(heading: string): readonly CodeBlock[] {
  return codeBlocksOf({
    name: 'check.md',
    text: PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '',
  });
}

// GitLab gives the lines of `script` to a shell as one script that ends with the first line that fails.
describeIf(IS_POSIX, 'the recipe for GitLab', () => {
  const [block] = blocksOf('Recipe: GitLab');
  const pipeline: Record<string, GitLabJob> = parse(block?.code ?? '');
  const [name = '', job] = Object.entries(pipeline)[0] ?? [];

  beforeAll(build);

  test('is one job with an image, a script, and artifacts that are kept when it fails', () => {
    expect(pipeline).toEqual({
      sitemaps: {
        image: expect.stringMatching(/^node:\d+$/),
        script: expect.arrayContaining([expect.any(String)]),
        artifacts: { when: 'always', paths: [expect.any(String)] },
      },
    });
  });

  test('fails for an error, and leaves the findings as an artifact', async () => {
    const folder = temporaryFolder();
    await projectWithPackage(folder);
    const configuration = blocksOf('Set rules').find(({ language }) => language === 'json');
    writeFileSync(join(folder, 'sitemaps.json'), configuration?.code ?? '');
    const { origin } = await siteOf(exampleSite);
    const script = job?.script.join('\n').replaceAll('https://example.org', origin);
    const { code, stdout, stderr } = await startShell(`set -e\n${script}`, {
      cwd: folder,
      env: {
        CI: 'true',
        GITLAB_CI: 'true',
        CI_JOB_NAME: name,
        CI_PROJECT_DIR: folder,
        CI_PIPELINE_SOURCE: 'schedule',
        npm_config_offline: 'true',
      },
    }).finished;
    expect([code, stderr]).toEqual([5, expect.any(String)]);
    expect(stdout).toContain('bare-ampersand');
    expect(job?.artifacts.paths).toEqual(['sitemaps.csv']);
    const [head, ...rows] = readFileSync(join(folder, 'sitemaps.csv'), 'utf8').trim().split(/\r?\n/);
    expect(head).toBe('severity,rule,message,document,line,column,offset,page,count');
    expect(rows.map((row) => row.split(',')[1])).toContain('bare-ampersand');
    // The configuration turns this rule off.
    expect(rows.join('\n')).not.toContain('lastmod-missing');
  });
});
