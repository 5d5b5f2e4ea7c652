/** What the page knows, and how it asks the worker to read. */
import { computed, reactive, ref, shallowRef } from 'vue';
import type { Severity } from '../../src/check/rule.ts';
import type {
  DocumentResult,
  FindingRow,
  InputDocument,
  ItemRow,
  RowPlace,
  RunResult,
  Source,
} from './messages.ts';
import { counted } from './wording.ts';
import { WorkerClient } from './worker-client.ts';

/** The largest text that can be edited: a text field with more of it is slow. */
export const MOST_EDITED: number = 1024 * 1024;

/** What the narrow screen shows; the wide one shows the text beside the others. */
export type View = 'text' | 'findings' | 'items' | 'repairs';

/** A place in the text that the user asked for. */
export interface Target extends RowPlace {
  readonly document: number;
  readonly line: number | undefined;
  /** In the line, from 1. */
  readonly fieldColumn: number;
  /** Goes up with each request, so that the same place can be asked for again. */
  readonly serial: number;
}

/** The state of one page. */
export function createStore() {
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
  /** How much is different in the repaired document; undefined where none was made. */
  const repairs = ref<number>();
  const version = ref(0);
  /** How many runs have ended. */
  const runs = ref(0);
  const columns = ref(100);
  const message = ref('');
  const isBusy = ref(false);
  let nextId = 1;

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
    repairs.value = undefined;
    if (view.value === 'repairs') view.value = 'findings';
    version.value++;
    Object.assign(chosen, { finding: -1, item: -1 });
    finding.value = undefined;
    item.value = undefined;
    target.value = undefined;
  }

  function run(): void {
    if (documents.value.length === 0) {
      client.forget();
      isBusy.value = false;
      result.value = undefined;
      return;
    }
    isBusy.value = true;
    client.read({ documents: documents.value, now: timeOf(now.value) }, columns.value);
  }

  function add(files: readonly { name: string; url: string; source: Source }[]): void {
    const added = files.map((file, index) => ({
      ...file,
      name: uniqueName(
        file.name,
        files.slice(0, index).map(({ name }) => name),
      ),
      id: nextId++,
    }));
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

  /** Adds a document that is not the one to show. */
  function addBeside(name: string, text: string): void {
    documents.value = [...documents.value, { id: nextId++, name, url: '', source: { text } }];
  }

  function change(id: number, changes: Partial<Pick<InputDocument, 'source' | 'url'>>): void {
    documents.value = documents.value.map((each) => (each.id === id ? { ...each, ...changes } : each));
  }

  return {
    client,
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
    repairs,
    version,
    runs,
    columns,
    message,
    isBusy,
    findingCount,
    run,
    add,
    addBeside,
    change,
  };
}

/** Everything that the actions work on. */
export type Store = ReturnType<typeof createStore>;

function isEmpty(source: Source): boolean {
  return 'text' in source && source.text.trim() === '';
}

/** Findings name their document by this. */
function uniqueName(name: string, others: readonly string[]): string {
  let unique = name;
  for (let number = 2; others.includes(unique); number++) unique = `${name} (${number})`;
  return unique;
}

function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
