/** What the user takes away: a link, a file. */
import { fragmentFor, inputOf } from './share-link.ts';
import type { Store } from './store.ts';

export function sharingActions(store: Store) {
  const { client, documents, selectedId, selected, now, isEditing, result, message, add } = store;
  const { repairs, view, version } = store;
  return {
    async copyLink(): Promise<void> {
      const texts = await Promise.all(
        documents.value.map(async ({ id, name, url }) => ({
          name: name.replace(/\.gz$/, ''),
          url: url || (result.value?.documents.find((each) => each.id === id)?.url ?? ''),
          text: await client.ask<string>({ type: 'text', document: id }),
        })),
      );
      const fragment = await fragmentFor({ documents: texts, now: now.value });
      if (fragment === undefined) {
        message.value = 'This input is too large for a link. Save it as JSON, or send the file.';
        return;
      }
      history.replaceState(history.state, '', fragment);
      try {
        await navigator.clipboard.writeText(location.href);
        message.value = 'The link is copied. The input is in the link itself; no server gets it.';
      } catch {
        message.value = 'The link is in the address bar. The input is in the link itself; no server gets it.';
      }
    },

    async openLink(fragment: string): Promise<void> {
      try {
        const shared = await inputOf(fragment);
        if (shared === undefined) return;
        now.value = shared.now;
        documents.value = [];
        add(shared.documents.map(({ name, url, text }) => ({ name, url, source: { text } })));
        isEditing.value = false;
      } catch (error) {
        message.value = error instanceof Error ? error.message : String(error);
      }
    },

    async saveJson(): Promise<void> {
      const blob = await client.ask<Blob>({ type: 'json', document: selectedId.value });
      download(blob, `${fileName(selected.value?.name)}.json`);
    },

    /** Downloads the open document as `usp fix` writes it, and shows what is different. */
    async saveRepaired(): Promise<void> {
      const repaired = await client.ask<{ file: Blob; differences: number } | undefined>({
        type: 'repair',
        document: selectedId.value,
      });
      if (repaired === undefined) {
        message.value = 'This document lists no pages and no sitemaps; there is nothing to write.';
        return;
      }
      download(
        repaired.file,
        `${fileName(selected.value?.name).replace(/\.(?:xml|txt|gz)+$/i, '')}-repaired.xml`,
      );
      repairs.value = repaired.differences;
      isEditing.value = false;
      view.value = 'repairs';
      version.value++;
    },
  };
}

function fileName(name = 'sitemap'): string {
  return name.replaceAll(/[^\w.-]+/g, '-');
}

function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
