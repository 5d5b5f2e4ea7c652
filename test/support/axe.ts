/** Accessibility, as axe-core sees it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';

let source: string | undefined;

/** The violations of a page, each with its first places. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // As text: the policy of the pages forbids scripts that a test adds to the document.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(`${source}; undefined`);
  const violations = await page.evaluate<readonly Result[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes
        .slice(0, 3)
        .map(
          ({ target, failureSummary = '' }) =>
            `  ${target.join(' ')}\n    ${failureSummary.replaceAll('\n', ' ')}`,
        )
        .join('\n')}`,
  );
}
