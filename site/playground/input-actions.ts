/** What the user does to give input: open, paste, edit, remove. */
import { type Example, loadExample } from './examples.ts';
import type { InputDocument } from './messages.ts';
import { MOST_EDITED, type Store } from './store.ts';

/** How long after the last key a text is read. */
const EDIT_PAUSE_MS = 250;

export function inputActions(store: Store) {
  const {
    client,
    documents,
    selectedId,
    selected,
    now,
    isEditing,
    canEdit,
    draft,
    chosen,
    item,
    message,
    run,
    add,
    change,
    addBeside,
  } = store;
  let editTimer: ReturnType<typeof setTimeout> | undefined;

  const actions = {
    openFiles(files: Iterable<File>): void {
      add(
        Array.from(files, (file) => ({
          name: file.webkitRelativePath || file.name,
          url: '',
          source: { file },
        })),
      );
    },

    /** A text from the clipboard; a large one is shown and not put into the field. */
    paste(text: string): void {
      const name = nameFor(text, documents.value);
      add([{ name, url: '', source: text.length > MOST_EDITED ? { file: new Blob([text]) } : { text } }]);
    },

    async openExample(example: Example): Promise<void> {
      documents.value = [];
      try {
        const files = await loadExample(example);
        add(files.map(({ name, url, file }) => ({ name, url, source: { file } })));
      } catch (error) {
        message.value = error instanceof Error ? error.message : String(error);
      }
    },

    edit(text: string): void {
      draft.value = text;
      const id = selectedId.value;
      clearTimeout(editTimer);
      editTimer = setTimeout(() => {
        if (documents.value.some((each) => each.id === id)) {
          change(id, { source: { text } });
          run();
        } else if (text.trim() !== '') {
          actions.paste(text);
        }
      }, EDIT_PAUSE_MS);
    },

    setAddress(url: string): void {
      change(selectedId.value, { url });
      run();
    },

    setNow(text: string): void {
      now.value = text;
      run();
    },

    /** The robots.txt of the site: a document like the others, written in a field of its own. */
    setRobots(text: string): void {
      const known = documents.value.find(({ name }) => name === 'robots.txt');
      if (text.trim() === '') documents.value = documents.value.filter((each) => each !== known);
      else if (known !== undefined) change(known.id, { source: { text } });
      else addBeside('robots.txt', text);
      run();
    },

    async select(id: number): Promise<void> {
      if (id === selectedId.value) return;
      selectedId.value = id;
      chosen.item = -1;
      item.value = undefined;
      if (isEditing.value) await actions.setEditing(canEdit.value);
    },

    remove(id: number): void {
      documents.value = documents.value.filter((each) => each.id !== id);
      if (selectedId.value === id) {
        selectedId.value = documents.value[0]?.id ?? 0;
        isEditing.value = documents.value.length === 0;
        draft.value = '';
      }
      run();
    },

    clear(): void {
      documents.value = [];
      selectedId.value = 0;
      isEditing.value = true;
      draft.value = '';
      message.value = '';
      now.value = '';
      history.replaceState(history.state, '', location.pathname);
      run();
    },

    /** Changes between the marked text and the field; the field gets the text as it was decoded. */
    async setEditing(wanted: boolean): Promise<void> {
      if (wanted && selected.value !== undefined) {
        const id = selectedId.value;
        const text = await client.ask<string>({ type: 'text', document: id });
        if (id !== selectedId.value) return;
        draft.value = text;
      }
      isEditing.value = wanted && canEdit.value;
    },

    /** For the end of the page. */
    stopEditing(): void {
      clearTimeout(editTimer);
    },
  };
  return actions;
}

/** A name for a text that has none, by what it looks like; a second paste is a second document. */
function nameFor(text: string, documents: readonly InputDocument[]): string {
  const base = /^\s*(?:user-agent|sitemap)\s*:/im.test(text.slice(0, 2000)) ? 'robots' : 'pasted';
  if (base === 'robots') return 'robots.txt';
  const extension = /^\s*https?:/.test(text) ? 'txt' : 'xml';
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${base}.${extension}` : `${base}-${number}.${extension}`;
    if (!documents.some((each) => each.name === name)) return name;
  }
}
