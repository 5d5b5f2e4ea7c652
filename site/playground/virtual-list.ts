/**
 * A list of any length of which only the visible rows exist. Rows are asked for when they come into view, some at a
 * time, and kept for a while.
 */
import {
  computed,
  defineComponent,
  h,
  onBeforeUnmount,
  onMounted,
  type PropType,
  ref,
  shallowRef,
  type VNode,
  watch,
} from 'vue';

/** Gives the rows from one index to another. */
export type LoadRows = (from: number, to: number) => Promise<readonly unknown[]>;

const CHUNK = 100;
const MOST_CHUNKS = 40;
/** Rows above and below the visible ones. */
const OVERSCAN = 8;
/** Browsers do not lay out boxes that are much higher; beyond it the scroll bar is a scale. */
const MOST_PIXELS = 8_000_000;

export const VirtualList = defineComponent({
  name: 'VirtualList',
  props: {
    label: { type: String, required: true },
    count: { type: Number, required: true },
    rowHeight: { type: Number, required: true },
    load: { type: Function as PropType<LoadRows>, required: true },
    /** Another value means other rows: what was kept is dropped. */
    version: { type: String, required: true },
    renderRow: { type: Function as PropType<(row: unknown, index: number) => VNode>, required: true },
    /** Whether a row can be chosen with the keyboard, and which one is; -1 for none. */
    chosen: { type: Number, default: undefined },
    onChoose: { type: Function as PropType<(index: number, row: unknown) => void>, default: undefined },
  },
  setup(props, { expose }) {
    const box = ref<HTMLElement>();
    const scrollTop = ref(0);
    const viewHeight = ref(0);
    const chunks = shallowRef<ReadonlyMap<number, readonly unknown[]>>(new Map());
    const asked = new Set<number>();
    const id = `rows-${Math.random().toString(36).slice(2)}`;

    const fullHeight = computed(() => props.count * props.rowHeight);
    const height = computed(() => Math.min(fullHeight.value, MOST_PIXELS));
    const isScaled = computed(() => fullHeight.value > MOST_PIXELS);
    const visible = computed(() => Math.ceil(viewHeight.value / props.rowHeight));
    const first = computed(() => {
      if (!isScaled.value) return Math.floor(scrollTop.value / props.rowHeight);
      const share = scrollTop.value / Math.max(1, height.value - viewHeight.value);
      return Math.round(share * Math.max(0, props.count - visible.value + 1));
    });
    const range = computed(() => {
      const from = isScaled.value ? first.value : Math.max(0, first.value - OVERSCAN);
      return { from, to: Math.min(props.count, first.value + visible.value + OVERSCAN) };
    });

    function want(): void {
      const { from, to } = range.value;
      for (let chunk = Math.floor(from / CHUNK); chunk * CHUNK < to; chunk++) {
        if (!chunks.value.has(chunk) && !asked.has(chunk)) void fetchChunk(chunk);
      }
    }

    async function fetchChunk(chunk: number): Promise<void> {
      const { version } = props;
      asked.add(chunk);
      const rows = await props.load(chunk * CHUNK, Math.min(props.count, (chunk + 1) * CHUNK));
      if (version !== props.version) return;
      asked.delete(chunk);
      const kept = [...chunks.value].slice(-MOST_CHUNKS);
      chunks.value = new Map([...kept, [chunk, rows]]);
    }

    const rowAt = (index: number): unknown => chunks.value.get(Math.floor(index / CHUNK))?.[index % CHUNK];

    function scrollToRow(index: number): void {
      const element = box.value;
      if (element === undefined) return;
      const inView = index >= first.value + 1 && index < first.value + visible.value - 2;
      if (inView) return;
      const middle = Math.max(0, index - Math.floor(visible.value / 3));
      const share = middle / Math.max(1, props.count - visible.value + 1);
      element.scrollTop = isScaled.value
        ? share * (height.value - viewHeight.value)
        : middle * props.rowHeight;
      scrollTop.value = element.scrollTop;
    }

    function onKey(event: KeyboardEvent): void {
      if (props.chosen === undefined) return;
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: visible.value, PageUp: -visible.value }[event.key];
      const to =
        event.key === 'Home' ? 0 : event.key === 'End' ? props.count - 1 : props.chosen + (step ?? 0);
      if (step === undefined && event.key !== 'Home' && event.key !== 'End') return;
      event.preventDefault();
      void choose(Math.min(props.count - 1, Math.max(0, to)));
    }

    async function choose(index: number): Promise<void> {
      scrollToRow(index);
      const [row] = rowAt(index) === undefined ? await props.load(index, index + 1) : [rowAt(index)];
      props.onChoose?.(index, row);
    }

    let resized: ResizeObserver | undefined;
    onMounted(() => {
      const element = box.value;
      if (element === undefined) return;
      resized = new ResizeObserver(() => {
        viewHeight.value = element.clientHeight;
      });
      resized.observe(element);
      viewHeight.value = element.clientHeight;
    });
    onBeforeUnmount(() => resized?.disconnect());
    watch(
      () => props.version,
      () => {
        chunks.value = new Map();
        asked.clear();
        want();
      },
    );
    watch(range, want, { immediate: true });
    expose({ scrollToRow });

    return () => {
      const { from, to } = range.value;
      const isList = props.chosen !== undefined;
      const rows: VNode[] = [];
      for (let index = from; index < to; index++) {
        const row = rowAt(index);
        const content = row === undefined ? '…' : [props.renderRow(row, index)];
        rows.push(
          h(
            'div',
            {
              key: index,
              class: ['virtual-row', { chosen: index === props.chosen }],
              style: { height: `${props.rowHeight}px` },
              ...(isList && {
                id: `${id}-${index}`,
                role: 'option',
                'aria-selected': index === props.chosen ? 'true' : 'false',
                'aria-setsize': props.count,
                'aria-posinset': index + 1,
                onClick: () => void choose(index),
              }),
            },
            content,
          ),
        );
      }
      const top = isScaled.value ? scrollTop.value : from * props.rowHeight;
      const isShown = props.chosen !== undefined && props.chosen >= from && props.chosen < to;
      return h(
        'div',
        {
          ref: box,
          class: 'virtual-list',
          tabindex: 0,
          role: isList ? 'listbox' : 'group',
          'aria-label': props.label,
          'aria-activedescendant': isList && isShown ? `${id}-${props.chosen}` : undefined,
          onScroll: (event: Event) => {
            scrollTop.value = (event.target as HTMLElement).scrollTop;
          },
          onKeydown: onKey,
        },
        [
          h(
            'div',
            { class: 'virtual-height', role: 'presentation', style: { height: `${height.value}px` } },
            [
              h(
                'div',
                { class: 'virtual-rows', role: 'presentation', style: { transform: `translateY(${top}px)` } },
                rows,
              ),
            ],
          ),
        ],
      );
    };
  },
});

/** What the list can be told from outside. */
export interface VirtualListHandle {
  scrollToRow(index: number): void;
}
