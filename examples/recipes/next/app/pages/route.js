// A route of Next.js (App Router) that streams the pages of a site as NDJSON: save it as app/pages/route.js, and request
// /pages?site=https://example.org. It needs the Node.js runtime. When the client disconnects, the crawl ends.
import { streamPages } from 'ultimate-sitemap-parser';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

export async function GET(request) {
  const site = new URL(request.url).searchParams.get('site');
  if (site === null || !URL.canParse(site)) {
    return Response.json({ error: 'Say which site: /pages?site=https://example.org' }, { status: 400 });
  }
  const toLines = new TransformStream({
    transform: ({ page }, controller) => controller.enqueue(`${JSON.stringify(page)}\n`),
  });
  const pages = streamPages(site, { maxTimeMs: 60_000, signal: request.signal });
  const body = ReadableStream.from(pages).pipeThrough(toLines).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
}
