/** The playground as its user handles it. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** A file to open. */
export interface PlaygroundFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** What "Save JSON" writes. */
export interface SavedJson {
  readonly url?: string;
  readonly kind: string;
  readonly reason?: string;
  readonly problems: readonly unknown[];
  readonly items: readonly unknown[];
  readonly findings: readonly Readonly<Record<string, unknown>>[];
}

/** Does something, and waits until its result is shown. */
export async function andWait(page: Page, action: () => Promise<unknown>): Promise<void> {
  const root = page.locator('.playground');
  const before = await root.getAttribute('data-runs');
  await action();
  // No limit but that of the test: a large document takes long on a busy machine.
  await page.locator(`.playground[data-busy=false]:not([data-runs="${before}"])`).waitFor({ timeout: 0 });
}

/** Opens files, as the button does. */
export function openFiles(page: Page, files: readonly PlaygroundFile[]): Promise<void> {
  return andWait(page, () =>
    page.setInputFiles(
      'input[type=file]',
      files.map(({ name, content }) => ({
        name,
        mimeType: 'application/xml',
        buffer: Buffer.from(content),
      })),
    ),
  );
}

/** Sets the address of the document that is shown. */
export function setAddress(page: Page, url: string): Promise<void> {
  return andWait(page, async () => {
    await page.fill('input[type=url]', url);
    await page.press('input[type=url]', 'Tab');
  });
}

/** What was read of the document that is shown. */
export async function savedJson(page: Page): Promise<SavedJson> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Save JSON')]);
  return JSON.parse(await readFile(await download.path(), 'utf8'));
}

/** The rows of a list that are in view. */
export function rowsOf(page: Page, list: 'text' | 'results'): Promise<readonly string[]> {
  return page.locator(`.${list}-panel .virtual-row`).allTextContents();
}
