/** §13: how the flags of `usp report` work together. What is in a report is in test/report. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { usp } from '../../support/cli-world.ts';
import { urlset } from '../../support/documents.ts';
import { folder, written } from '../../support/folder.ts';

describe('the exit code counts findings by the severity that --rule gives them', () => {
  const sitemap = urlset(['https://a.example/#a', '2014-05-06']);
  test.each([
    [[], 0],
    [['--rule', 'url-fragment=error'], 5],
    [['--rule', 'url-fragment=info', '--fail-on', 'warning'], 0],
    [['--fail-on', 'warning'], 5],
  ])('with %j it is %i', async (flags, code) => {
    const path = written({ 'sitemap.xml': sitemap });
    const report = join(folder(), 'report.html');
    const ended = await usp(['report', path('sitemap.xml'), '-o', report, '--fail-on', 'error', ...flags]);
    expect(ended.code).toBe(code);
  });
});
