/** What the page knows, and what the user can do. */
import { computed, reactive, ref, shallowRef } from 'vue';
import type { Severity } from '../../src/check/rule.ts';
import { type Example, loadExample } from './examples.ts';
import {
  ALL,
  type DocumentResult,
  type FindingRow,
  type InputDocument,
  type ItemRow,
  type ListName,
  type RowPlace,
  type RunResult,
  type Source,
} from './messages.ts';
import { fragmentFor, inputOf } from './share-link.ts';
import { counted } from './wording.ts';
import { WorkerClient } from './worker-client.ts';

/** The largest text that can be edited: a text field with more of it is slow. */
export const MOST_EDITED: number = 1024 * 1024;
/** How long after the last key a text is read. */
const EDIT_PAUSE_MS = 250;

/** What the narrow screen shows; the wide one shows the text beside the others. */
export type View = 'text' | 'findings' | 'items';

/** A place in the text that the user asked for. */
export interface Target extends RowPlace {
  readonly document: number;
  readonly line: number | undefined;
  /** In the line, from 1. */
  readonly fieldColumn: number;
  /** Goes up with each request, so that the same place can be asked for again. */
  readonly serial: number;
}

/** The state of one page, and its actions. */
export function usePlayground() {
  const documents = shallowRef<readonly InputDocument[]>([]);
  const selectedId = ref(0);
  const now = ref('');
  const view = ref<View>('text');
  const isEditing = ref(true);
  /** The text in the field. */
  const draft = ref('');
  const severity = ref<Severity | undefined>();
  const chosen = reactive({ finding: -1, item: -1 });
  const finding = shallowRef<FindingRow>();
  const item = shallowRef<ItemRow>();
  const target = shallowRef<Target>();
  const result = shallowRef<RunResult>();
  const version = ref(0);
  /** How many runs have ended. */
  const runs = ref(0);
  const columns = ref(100);
  const message = ref('');
  const isBusy = ref(false);
  let nextId = 1;
  let serial = 0;
  let editTimer: ReturnType<typeof setTimeout> | undefined;

  const client = new WorkerClient({
    onProgress: (name, items) => {
      message.value = `Reading ${name}: ${items.toLocaleString('en')} entries so far.`;
    },
    onRead: (read) => {
      show(read);
      message.value = `Checking… ${counted(read.pages, 'page')} so far.`;
    },
    onDone: (done) => {
      show(done);
      runs.value++;
      isBusy.value = false;
      message.value = '';
    },
    onFailed: (text) => {
      runs.value++;
      isBusy.value = false;
      message.value = text;
    },
  });

  const selected = computed(() => documents.value.find(({ id }) => id === selectedId.value));
  const selectedResult = computed<DocumentResult | undefined>(() =>
    result.value?.documents.find(({ id }) => id === selectedId.value),
  );
  const canEdit = computed(() => (selectedResult.value?.bytes ?? 0) <= MOST_EDITED);
  const findingCount = computed(() =>
    severity.value === undefined
      ? (result.value?.findings ?? 0)
      : (result.value?.counts[severity.value] ?? 0),
  );

  function show(shown: RunResult): void {
    result.value = shown;
    version.value++;
    Object.assign(chosen, { finding: -1, item: -1 });
    finding.value = undefined;
    item.value = undefined;
    target.value = undefined;
  }

  function run(): void {
    if (documents.value.length === 0) {
      result.value = undefined;
      return;
    }
    isBusy.value = true;
    client.read({ documents: documents.value, now: timeOf(now.value) }, columns.value);
  }

  function add(files: readonly { name: string; url: string; source: Source }[]): void {
    const added = files.map((file) => ({ ...file, id: nextId++ }));
    // A file of the same name is a newer version of it.
    const names = new Set(added.map(({ name }) => name));
    const kept = documents.value.filter(({ name, source }) => !names.has(name) && !isEmpty(source));
    documents.value = [...kept, ...added];
    const [first] = added;
    if (first === undefined) return;
    selectedId.value = first.id;
    isEditing.value = 'text' in first.source;
    draft.value = 'text' in first.source ? first.source.text : '';
    run();
  }

  function change(id: number, changes: Partial<Pick<InputDocument, 'source' | 'url'>>): void {
    documents.value = documents.value.map((each) => (each.id === id ? { ...each, ...changes } : each));
  }

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
      else
        documents.value = [
          ...documents.value,
          { id: nextId++, name: 'robots.txt', url: '', source: { text } },
        ];
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

    filter(wanted: Severity | undefined): void {
      severity.value = wanted;
      chosen.finding = -1;
      version.value++;
    },

    async chooseFinding(index: number, row: FindingRow): Promise<void> {
      chosen.finding = index;
      finding.value = row;
      item.value = undefined;
      if (row.document === undefined) return;
      await actions.select(row.document);
      if (row.offset !== undefined) await goTo(row.document, row.offset, row.line, row.column ?? 1);
    },

    async chooseItem(index: number, row: ItemRow): Promise<void> {
      chosen.item = index;
      item.value = row;
      if (row.offset !== undefined) await goTo(selectedId.value, row.offset, undefined, 1);
    },

    /** A mark in the text was clicked: marks are numbered by the unfiltered list. */
    async chooseMark(index: number): Promise<void> {
      severity.value = undefined;
      view.value = 'findings';
      const [row] = await client.ask<FindingRow[]>({
        type: 'rows',
        list: 'findings',
        document: ALL,
        from: index,
        to: index + 1,
      });
      if (row === undefined) return;
      chosen.finding = index;
      finding.value = row;
    },

    /** Another width of the text: the worker cuts it again. */
    async setColumns(wanted: number): Promise<void> {
      if (wanted === columns.value) return;
      columns.value = wanted;
      if (result.value === undefined) return;
      const counts = new Map(await client.ask<[number, number][]>({ type: 'wrap', columns: wanted }));
      const { value } = result;
      if (value === undefined || wanted !== columns.value) return;
      const wrapped = value.documents.map((each) => ({ ...each, rows: counts.get(each.id) ?? each.rows }));
      result.value = { ...value, documents: wrapped };
      version.value++;
    },

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

    load(list: ListName, from: number, to: number): Promise<readonly unknown[]> {
      const isFindings = list === 'findings';
      return client.ask({
        type: 'rows',
        list,
        document: isFindings ? ALL : selectedId.value,
        severity: isFindings ? severity.value : undefined,
        from,
        to,
      });
    },

    close(): void {
      clearTimeout(editTimer);
      client.close();
    },
  };

  async function goTo(id: number, offset: number, line: number | undefined, column: number): Promise<void> {
    const place = await client.ask<RowPlace>({ type: 'row-at', document: id, offset });
    if (view.value !== 'items' || isNarrow()) view.value = 'text';
    target.value = {
      ...place,
      document: id,
      line,
      fieldColumn: line === undefined ? place.column + 1 : column,
      serial: ++serial,
    };
  }

  return {
    documents,
    selectedId,
    selected,
    selectedResult,
    now,
    view,
    isEditing,
    canEdit,
    draft,
    severity,
    chosen,
    finding,
    item,
    target,
    result,
    version,
    runs,
    message,
    isBusy,
    findingCount,
    ...actions,
  };
}

/** Everything that the parts of the page share. */
export type Playground = ReturnType<typeof usePlayground>;

/** Whether the text and the results are shown one at a time. */
function isNarrow(): boolean {
  return matchMedia('(max-width: 959px)').matches;
}

function isEmpty(source: Source): boolean {
  return 'text' in source && source.text.trim() === '';
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

function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
