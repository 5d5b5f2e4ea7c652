/**
 * The website as `npm run site` built it, on loopback, in a real Chromium. Where one of the two is missing the tests
 * are skipped, and say what to do.
 */
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { CHROMIUM, launched, NO_CHROMIUM } from './browser.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Where the built site is. */
const DIST = join(ROOT, 'site/dist');

/** See site/build/discovery.ts. */
const BUILT_FOR = 'http://localhost:4173';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  json: 'application/json',
  xml: 'application/xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
};

/** Why the site cannot be tested here, in a sentence; undefined where it can. */
export const WHY_NOT: string | undefined = whyNot();

function whyNot(): string | undefined {
  if (CHROMIUM === undefined) return NO_CHROMIUM;
  const built = modified(join(DIST, 'index.html'));
  if (built === 0) return 'The website is not built, so it was not tested: npm run site.';
  const newer = newerThan(built);
  return newer && `${newer} is newer than the built website, so it was not tested: npm run site.`;
}

/** A file that the site is made from and that was changed after it was built. */
function newerThan(time: number): string | undefined {
  const sources = ['docs', 'examples/demo-site', 'src/parse', 'src/check', 'src/problems'];
  const own = ['build', 'pages', 'playground', 'public', '.vitepress/config.ts', '.vitepress/theme'];
  for (const source of [...sources, ...own.map((name) => `site/${name}`), 'CHANGELOG.md']) {
    const path = join(ROOT, source);
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' })
      : [''];
    const newer = files.find(
      (file) => statSync(join(path, file)).isFile() && modified(join(path, file)) > time,
    );
    if (newer !== undefined) return join(source, newer);
  }
  return undefined;
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The names of all pages of the site. */
export function sitePages(): readonly string[] {
  if (WHY_NOT !== undefined) return [];
  return readdirSync(DIST).filter((name) => name.endsWith('.html') && name !== '404.html');
}

/** A page in the browser, and what went wrong in it. */
export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings of the console, errors that were thrown, and dialogs. */
  readonly complaints: readonly string[];
  /** Requests to another origin than the site's. */
  readonly strays: readonly string[];
  /** Loads another page of the site in the same tab, and waits until it can be used. */
  goTo(path: string): Promise<void>;
}

/** How a page is opened. */
interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** @default false: what is tested is the page, not what an earlier one left behind */
  readonly serviceWorker?: boolean;
}

/** A browser with the site in it. */
export interface SiteBrowser {
  readonly origin: string;
  open(path: string, look?: Look): Promise<OpenPage>;
  /** From here on the server refuses every request. */
  goOffline(): void;
  close(): Promise<void>;
}

/** Serves the site and starts the browser. */
export async function openSite(): Promise<SiteBrowser> {
  let isOffline = false;
  let origin = '';
  const server = createServer(async (request, response) => {
    if (isOffline) {
      response.destroy();
      return;
    }
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const file = normalize(
      join(DIST, decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname)),
    );
    const body = file.startsWith(DIST) ? await readFile(file).catch(() => undefined) : undefined;
    const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const found = body ?? (await readFile(join(DIST, '404.html')));
    // The site is built for the address of its preview, and served at another one here.
    const sent = /\.(?:xml|txt)$/.test(file) ? found.toString().replaceAll(BUILT_FOR, origin) : found;
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': body === undefined ? TYPES['html'] : type,
    });
    response.end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launched();
  const contexts = new Map<string, BrowserContext>();
  async function goTo(page: Page, path: string): Promise<void> {
    await page.goto(`${origin}/${path}`);
    await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  }
  return {
    origin,
    async open(path, look = {}) {
      const { width = 1280, height = 860, dark = false, serviceWorker = false } = look;
      const key = JSON.stringify({ width, height, dark, serviceWorker });
      const context =
        contexts.get(key) ??
        (await browser.newContext({
          viewport: { width, height },
          colorScheme: dark ? 'dark' : 'light',
          serviceWorkers: serviceWorker ? 'allow' : 'block',
          acceptDownloads: true,
        }));
      // What hangs ends by the limit of its test; Playwright's own of 30 s is too short on a busy machine.
      context.setDefaultTimeout(100_000);
      contexts.set(key, context);
      const page = await context.newPage();
      const complaints: string[] = [];
      const strays: string[] = [];
      page.on('console', (message) => {
        const isOurs = !/Service Worker registration blocked by Playwright/.test(message.text());
        if (['error', 'warning'].includes(message.type()) && isOurs) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('dialog', (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url)) strays.push(url);
      });
      await goTo(page, path);
      return { page, complaints, strays, goTo: (other) => goTo(page, other) };
    },
    goOffline() {
      isOffline = true;
      server.closeAllConnections();
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
