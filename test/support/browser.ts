/** A Chromium to test pages in. Where there is none, the tests are skipped and say so. */
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import type { Browser } from 'playwright-core';
import { onPath } from './on-path.ts';
import { withRealClock } from './platform.ts';

/** Its path; undefined where there is none. The one without windows needs a fifth less of CPU time. */
export const CHROMIUM: string | undefined =
  onPath('chromium-headless-shell') ?? onPath('chromium') ?? onPath('chromium-browser');

export const NO_CHROMIUM =
  'No chromium on the PATH: nothing was tested in a browser. On Debian: apt-get install chromium-headless-shell.';
// The note of a skipped test is only shown when its file runs alone.
if (CHROMIUM === undefined) process.stderr.write(`${NO_CHROMIUM}\n`);

/**
 * Parts of Chromium that no test needs. The popups of its address bar took a third of the CPU time of each window. Of two
 * lists Chromium takes the last one, so the names that Playwright would give are here too.
 */
const WITHOUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'RenderDocument',
  'Translate',
];

/** Starts it. */
export function launched(): Promise<Browser> {
  // An import would search the seven megabytes for their exports first, which takes as long as to run them.
  const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof import('playwright-core');
  return chromium.launch({
    executablePath: CHROMIUM ?? '',
    // Chromium makes a socket there, whose path has at most 107 characters.
    env: { ...withRealClock(), ...(tmpdir().length > 60 && { TMPDIR: '/tmp' }) },
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${WITHOUT.join(',')}`,
    ],
  });
}
