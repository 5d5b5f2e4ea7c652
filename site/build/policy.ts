/**
 * The Content-Security-Policy of every page: nothing is loaded from, and nothing is sent to, another origin. The
 * playground promises that a sitemap does not leave the browser; with this the browser holds it to that.
 */
import { createHash } from 'node:crypto';

/** Adds the policy to a page. The inline scripts of VitePress are allowed by their hashes. */
export function withPolicy(html: string): string {
  const hashes = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`.trim(),
    // The colours of code are in style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html.replace(
    /<meta charset="utf-8">/i,
    (charset) => `${charset}\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
}
