/**
 * A report: how long it takes, as a ratio to fetching and walking the site, how large it is, and how soon it is shown.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { env, stderr } from 'node:process';
import { pathToFileURL } from 'node:url';
import { documentsOf } from '../documents/store.js';
import { reportAlone } from '../measure/alone.js';
import { withSites } from '../site-server.js';

/** The best of all rounds for each; the highest memory. */
export async function measureReport({ name, set, steps }, rounds) {
  const documents = set.tiny === undefined ? documentsOf(set) : { tiny: set.tiny, pages: set.tiny };
  const folder = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  const file = join(folder, 'report.html');
  const best = new Map();
  const disagreements = [];
  const note = (step, { seconds, cpuSeconds, peakBytes }) => {
    const before = best.get(step);
    best.set(step, {
      seconds: Math.min(before?.seconds ?? seconds, seconds),
      cpuSeconds: Math.min(before?.cpuSeconds ?? cpuSeconds, cpuSeconds),
      peakBytes: Math.max(before?.peakBytes ?? 0, peakBytes),
    });
  };
  let bytes = 0;
  try {
    await withSites([documents], async ([homepage]) => {
      for (let round = 1; round <= rounds; round++) {
        stderr.write(`${name}, round ${round} of ${rounds}\n`);
        for (const half of ['walk', 'report']) {
          const result = await reportAlone({ homepage, half, file });
          if (result.failure !== undefined) throw new Error(`${name} failed: ${result.failure}`);
          if (half === 'walk' && result.pages !== documents.pages)
            disagreements.push(`${result.pages} pages were found of ${documents.pages}.`);
          if (half === 'report') bytes = result.bytes;
          note(half, result);
        }
        const shown = await showing(file);
        if (shown !== undefined) note('show', { seconds: shown, cpuSeconds: 0, peakBytes: 0 });
      }
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (bytes > 1_000_000) disagreements.push(`The report has ${bytes} bytes.`);
  const walk = best.get('walk');
  const contestants = steps
    .filter(({ id }) => best.has(id))
    .map(({ id, label }) => {
      const { seconds, cpuSeconds, peakBytes } = best.get(id);
      // What a browser needs is not compared with us.
      if (id === 'show') return { id, label, seconds };
      const [timesOurs, cpuTimesOurs] = [seconds / walk.seconds, cpuSeconds / walk.cpuSeconds];
      const figures = { id, label, seconds, cpuSeconds, peakBytes, timesOurs, cpuTimesOurs };
      return id === 'report' ? { ...figures, note: `${bytes.toLocaleString('en')} bytes` } : figures;
    });
  return { contestants, disagreements, bytes };
}

/** Seconds until Chromium has drawn the page, where there is one. */
async function showing(file) {
  const executablePath = (env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find((path) => existsSync(path));
  if (executablePath === undefined) return undefined;
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const started = performance.now();
    await page.goto(pathToFileURL(file).href, { waitUntil: 'load' });
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    return (performance.now() - started) / 1000;
  } finally {
    await browser.close();
  }
}
