/** What the user takes away: a link, a file. */
import { fragmentFor, inputOf } from './share-link.ts';
import type { Store } from './store.ts';

export function sharingActions(store: Store) {
  const { client, documents, selectedId, selected, now, isEditing, result, message, add } = store;
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
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `${selected.value?.name.replaceAll(/[^\w.-]+/g, '-') ?? 'sitemap'}.json`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    },
  };
}
