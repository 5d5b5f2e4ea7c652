/** What was found in the documents, and what they list. */

import { defineComponent, h, nextTick, type PropType, ref, type VNode, watch } from 'vue';
import type { Severity } from '../../src/check/rule.ts';
import { detail } from './detail.ts';
import type { FindingRow, ItemRow } from './messages.ts';
import { severityIcon, severityLabel } from './severity-icon.ts';
import type { Playground } from './state.ts';
import type { View } from './store.ts';
import { VirtualList, type VirtualListHandle } from './virtual-list.ts';
import { counted, describeCounts, itemWord } from './wording.ts';

const FINDING_HEIGHT = 64;
const ITEM_HEIGHT = 46;
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

export const ResultsPanel = defineComponent({
  name: 'ResultsPanel',
  props: { state: { type: Object as PropType<Playground>, required: true } },
  setup({ state }) {
    const list = ref<VirtualListHandle>();
    watch(
      () => state.chosen.finding,
      async (index) => {
        await nextTick();
        if (index >= 0) list.value?.scrollToRow(index);
      },
    );

    const isItems = (): boolean => state.view.value === 'items';
    const isRepairs = (): boolean => state.view.value === 'repairs' && state.repairs.value !== undefined;

    /** On a wide screen the text is always there, with the findings beside it. */
    function tab(view: View, text: string): VNode {
      const shown = isItems() ? 'items' : isRepairs() ? 'repairs' : 'findings';
      const isOn = view === shown;
      return h(
        'button',
        {
          type: 'button',
          'aria-pressed': isOn ? 'true' : 'false',
          onClick: () => {
            if (view === 'findings' || view === 'repairs') void state.showMarked(view);
            else state.view.value = view;
          },
        },
        text,
      );
    }

    function tabs(): VNode {
      const result = state.selectedResult.value;
      const items = result?.items ?? 0;
      const word = itemWord(result?.kind);
      return h('div', { class: 'panel-head' }, [
        h('span', { class: 'tabs', role: 'group', 'aria-label': 'Results' }, [
          tab('findings', `Findings ${(state.result.value?.findings ?? 0).toLocaleString('en')}`),
          tab('items', `${word === 'page' ? 'Pages' : 'Sitemaps'} ${items.toLocaleString('en')}`),
          state.repairs.value === undefined
            ? undefined
            : tab('repairs', `Repairs ${state.repairs.value.toLocaleString('en')}`),
        ]),
        isItems() || isRepairs() ? undefined : filters(),
      ]);
    }

    function filters(): VNode | undefined {
      const counts = state.result.value?.counts;
      if (counts === undefined || (state.result.value?.findings ?? 0) === 0) return undefined;
      return h(
        'span',
        { class: 'filters', role: 'group', 'aria-label': 'Severity' },
        SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) =>
          h(
            'button',
            {
              type: 'button',
              'aria-pressed': state.severity.value === severity ? 'true' : 'false',
              'aria-label': `Only ${severity}: ${counts[severity]}`,
              title: `Only ${severity}`,
              onClick: () => state.filter(state.severity.value === severity ? undefined : severity),
            },
            [severityIcon(severity), counts[severity].toLocaleString('en')],
          ),
        ),
      );
    }

    function findings(): VNode {
      const { value: result } = state.result;
      if (result === undefined)
        return nothing('Findings appear here: what is wrong, and at which line and column.');
      if (state.isBusy.value && result.findings === 0) return nothing('Checking…');
      if (result.findings === 0) return nothing('Nothing is wrong that the checks know of.');
      return h(VirtualList, {
        ref: list,
        key: 'findings',
        label: 'Findings',
        count: state.findingCount.value,
        rowHeight: FINDING_HEIGHT,
        version: `${state.severity.value} ${state.version.value}`,
        load: (from: number, to: number) => state.load('findings', from, to),
        renderRow: findingRow,
        chosen: state.chosen.finding,
        onChoose: (index: number, row: unknown) => void state.chooseFinding(index, row as FindingRow),
      });
    }

    function repairs(): VNode {
      if (state.repairs.value === 0) return nothing('Nothing had to be repaired.');
      return h(VirtualList, {
        ref: list,
        key: 'repairs',
        label: 'Repairs',
        count: state.repairs.value ?? 0,
        rowHeight: FINDING_HEIGHT,
        version: `repairs ${state.version.value}`,
        load: (from: number, to: number) => state.load('repairs', from, to),
        renderRow: findingRow,
        chosen: state.chosen.finding,
        onChoose: (index: number, row: unknown) => void state.chooseFinding(index, row as FindingRow),
      });
    }

    function findingRow(value: unknown): VNode {
      const row = value as FindingRow;
      const isOneOfMany = (state.documents.value.length ?? 0) > 1;
      const where = [isOneOfMany ? row.documentName : '', placeOf(row)].filter(Boolean).join(' ');
      return h('div', { class: 'finding' }, [
        h('div', { class: 'finding-head' }, [
          severityLabel(row.severity),
          h('code', row.rule),
          row.count === undefined || row.count < 2
            ? undefined
            : h('span', { class: 'count' }, `${row.count.toLocaleString('en')} ×`),
          h('bdi', { class: 'where' }, where),
        ]),
        h('bdi', { class: 'finding-message', dir: 'ltr' }, row.message),
      ]);
    }

    function items(): VNode {
      const result = state.selectedResult.value;
      const word = itemWord(result?.kind);
      if (result === undefined) return nothing('The pages of the document appear here.');
      if (result.items === 0) return nothing(`This document lists no ${word}s.`);
      return h(VirtualList, {
        key: `items ${state.selectedId.value}`,
        label: `${word === 'page' ? 'Pages' : 'Sitemaps'} of ${state.selected.value?.name ?? 'the document'}`,
        count: result.items,
        rowHeight: ITEM_HEIGHT,
        version: `${state.selectedId.value} ${state.version.value}`,
        load: (from: number, to: number) => state.load('items', from, to),
        renderRow: itemRow,
        chosen: state.chosen.item,
        onChoose: (index: number, row: unknown) => void state.chooseItem(index, row as ItemRow),
      });
    }

    function itemRow(value: unknown, index: number): VNode {
      const { url, lastModified, more } = value as ItemRow;
      return h('div', { class: 'item' }, [
        h('span', { class: 'item-number', 'aria-hidden': 'true' }, (index + 1).toLocaleString('en')),
        h('bdi', { class: 'item-url', dir: 'ltr' }, url),
        h('bdi', { class: 'item-more' }, [lastModified ?? 'no date', more].filter(Boolean).join(' · ')),
      ]);
    }

    return () =>
      h('section', { class: 'results-panel', 'aria-label': 'Results' }, [
        tabs(),
        isItems() ? items() : isRepairs() ? repairs() : findings(),
        detail(state),
      ]);
  },
});

/** The sentence above everything. */
export function verdict(state: Playground): string {
  const { value: result } = state.result;
  if (result === undefined) return '';
  const documents =
    result.documents.length === 1 ? '' : ` in ${counted(result.documents.length, 'document')}`;
  return `${describeCounts(result.counts)}${documents}. ${counted(result.pages, 'page')}.`;
}

function placeOf({ line, column }: FindingRow): string {
  return line === undefined ? '' : `${line}:${column ?? 1}`;
}

function nothing(text: string): VNode {
  return h('p', { class: 'nothing' }, text);
}
