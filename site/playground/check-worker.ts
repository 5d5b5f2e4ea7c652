/** Checks documents in a worker of its own, so that the one that shows them can go on doing so. */
import { findingsOf } from './check-documents.ts';
import type { CheckReply, CheckRequest } from './checker.ts';
import { openSource } from './open-source.ts';

function reply(message: CheckReply): void {
  self.postMessage(message);
}

self.addEventListener('message', async ({ data }: MessageEvent<CheckRequest>) => {
  try {
    const opened = data.documents.map(async (each) => ({ ...each, opened: await openSource(each.source) }));
    reply({ findings: findingsOf(await Promise.all(opened), data.now) });
  } catch (error) {
    reply({ failure: error instanceof Error ? error.message : String(error) });
  }
});
