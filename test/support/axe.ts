/** Accessibility, as axe-core sees it. */
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** The violations of a page, each with its first places. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  const { default: axe } = await import('axe-core');
  // As text: the policy of the pages forbids scripts that a test adds to the document.
  await page.evaluate(`${axe.source}; undefined`);
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes
        .slice(0, 3)
        .map(
          ({ target, failureSummary }) =>
            `  ${target.join(' ')}\n    ${failureSummary.replaceAll('\n', ' ')}`,
        )
        .join('\n')}`,
  );
}
