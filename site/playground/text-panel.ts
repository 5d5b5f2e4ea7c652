/** The text of a document: with its findings marked, or in a field to edit. */
import {
  defineComponent,
  h,
  nextTick,
  onBeforeUnmount,
  onMounted,
  type PropType,
  ref,
  type VNode,
  watch,
} from 'vue';
import { detail } from './detail.ts';
import type { TextRow } from './messages.ts';
import type { Playground } from './state.ts';
import { MOST_EDITED, type Target } from './store.ts';
import { VirtualList, type VirtualListHandle } from './virtual-list.ts';
import { counted, kindName, sizeOf } from './wording.ts';

const ROW_HEIGHT = 20;
const FEWEST_COLUMNS = 24;
const MOST_COLUMNS = 300;

const PLACEHOLDER = `Paste a sitemap, a feed or a robots.txt here.
Or drop files anywhere on this page, gzipped ones too.`;

export const TextPanel = defineComponent({
  name: 'TextPanel',
  props: { state: { type: Object as PropType<Playground>, required: true } },
  setup({ state }) {
    const list = ref<VirtualListHandle>();
    const field = ref<HTMLTextAreaElement>();
    const panel = ref<HTMLElement>();
    const ruler = ref<HTMLElement>();
    let resized: ResizeObserver | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;

    /** How many characters fit beside the line numbers. */
    function measure(): void {
      const width = panel.value?.clientWidth ?? 0;
      const character = (ruler.value?.getBoundingClientRect().width ?? 0) / 100;
      if (width === 0 || character === 0) return;
      const gutter = Math.max(4, String(state.selectedResult.value?.lines ?? 0).length) + 4;
      const columns = Math.floor(width / character) - gutter;
      void state.setColumns(Math.min(MOST_COLUMNS, Math.max(FEWEST_COLUMNS, columns)));
    }

    onMounted(() => {
      resized = new ResizeObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(measure, 100);
      });
      if (panel.value !== undefined) resized.observe(panel.value);
      measure();
    });
    onBeforeUnmount(() => {
      clearTimeout(timer);
      resized?.disconnect();
    });
    watch(state.target, async (target) => {
      if (target === undefined) return;
      await nextTick();
      if (state.isEditing.value && field.value !== undefined) showInField(field.value, target);
      else list.value?.scrollToRow(target.row);
      if (matchMedia('(max-width: 959px)').matches) panel.value?.scrollIntoView({ block: 'nearest' });
    });

    function row(value: unknown, index: number): VNode {
      const { text, line, marks } = value as TextRow;
      const target = state.target.value;
      const isTarget = target?.row === index && target.document === state.selectedId.value;
      const parts: (VNode | string)[] = [];
      let at = 0;
      for (const { from, to, severity, finding } of marks) {
        if (from > at) parts.push(text.slice(at, from));
        const click = { onClick: () => void state.chooseMark(finding) };
        const isCurrent = isTarget && target.column === from;
        parts.push(
          h('mark', { class: [severity, { current: isCurrent }], ...click }, text.slice(from, to) || ' '),
        );
        at = Math.max(at, to);
      }
      if (at < text.length) parts.push(text.slice(at));
      return h('div', { class: ['text-row', { target: isTarget }] }, [
        h('span', { class: 'line-number', 'aria-hidden': 'true' }, line === undefined ? '' : String(line)),
        h('bdi', { class: 'line-text', dir: 'ltr' }, parts),
      ]);
    }

    function header(): VNode {
      const result = state.selectedResult.value;
      const facts =
        result === undefined
          ? []
          : [kindName(result.kind), sizeOf(result.bytes), counted(result.lines, 'line')];
      const modes = [
        { name: 'View', isOn: !state.isEditing.value, isPossible: result !== undefined, wanted: false },
        { name: 'Edit', isOn: state.isEditing.value, isPossible: state.canEdit.value, wanted: true },
      ];
      return h('div', { class: 'panel-head' }, [
        h('span', { class: 'facts' }, facts.join(' · ')),
        h(
          'span',
          { class: 'modes', role: 'group', 'aria-label': 'View the text, or edit it' },
          modes.map(({ name, isOn, isPossible, wanted }) =>
            h(
              'button',
              {
                type: 'button',
                'aria-pressed': isOn ? 'true' : 'false',
                disabled: !isPossible,
                title:
                  wanted && !isPossible ? `Texts up to ${sizeOf(MOST_EDITED)} can be edited.` : undefined,
                onClick: () => void state.setEditing(wanted),
              },
              name,
            ),
          ),
        ),
      ]);
    }

    function edited(): VNode {
      return h('textarea', {
        ref: field,
        class: 'text-field',
        wrap: 'off',
        spellcheck: false,
        autocapitalize: 'off',
        autocomplete: 'off',
        'aria-label': 'The text of the document',
        placeholder: PLACEHOLDER,
        value: state.draft.value,
        onInput: (event: Event) => state.edit((event.target as HTMLTextAreaElement).value),
        onPaste: (event: ClipboardEvent) => {
          const text = event.clipboardData?.getData('text/plain') ?? '';
          // A text field with a large text would block the page.
          if (text.length + state.draft.value.length <= MOST_EDITED) return;
          event.preventDefault();
          state.paste(text);
        },
      });
    }

    function shown(): VNode {
      const result = state.selectedResult.value;
      return h(VirtualList, {
        ref: list,
        key: state.selectedId.value,
        label: `Text of ${state.selected.value?.name ?? 'the document'}`,
        count: result?.rows ?? 0,
        rowHeight: ROW_HEIGHT,
        version: `${state.selectedId.value} ${state.version.value}`,
        load: (from: number, to: number) => state.load('text', from, to),
        renderRow: row,
      });
    }

    return () =>
      h('section', { ref: panel, class: 'text-panel', 'aria-label': 'Text' }, [
        header(),
        state.isEditing.value || state.selectedResult.value === undefined ? edited() : shown(),
        detail(state, 'narrow-only'),
        h('span', { ref: ruler, class: 'ruler', 'aria-hidden': 'true' }, 'x'.repeat(100)),
      ]);
  },
});

/** Selects the place, and scrolls to it: a browser does that by itself only when keys are pressed. */
function showInField(field: HTMLTextAreaElement, { line, fieldColumn: column, row }: Target): void {
  const text = field.value;
  let start = 0;
  const before = (line ?? row + 1) - 1;
  for (let count = 0; count < before; count++) {
    const end = text.indexOf('\n', start);
    if (end === -1) break;
    start = end + 1;
  }
  const from = Math.min(text.length, start + column - 1);
  const rest = /^(?:<[^>\n]*>|[^<\n]+)/.exec(text.slice(from, from + 4096));
  field.focus({ preventScroll: true });
  field.setSelectionRange(from, from + (rest?.[0].length ?? 1));
  field.scrollTop = before * ROW_HEIGHT - field.clientHeight / 3;
  field.scrollLeft = column < 40 ? 0 : (column - 20) * 7.8;
}
