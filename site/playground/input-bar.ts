/** What the user gives: files, examples, addresses, the time. */
import { defineComponent, h, type PropType, ref, type VNode } from 'vue';
import { EXAMPLES } from './examples.ts';
import type { InputDocument } from './messages.ts';
import { severityIcon } from './severity-icon.ts';
import type { Playground } from './state.ts';
import { counted, describeCounts, itemWord, kindName } from './wording.ts';

export const InputBar = defineComponent({
  name: 'InputBar',
  props: { state: { type: Object as PropType<Playground>, required: true } },
  setup({ state }) {
    const files = ref<HTMLInputElement>();

    function buttons(): VNode {
      const hasInput = state.documents.value.length > 0;
      return h('div', { class: 'buttons' }, [
        h('button', { type: 'button', class: 'primary', onClick: () => files.value?.click() }, 'Open files'),
        h('input', {
          ref: files,
          class: 'hidden-input',
          type: 'file',
          multiple: true,
          tabindex: -1,
          'aria-label': 'Open files',
          onChange: () => {
            const field = files.value;
            if (field?.files) state.openFiles(field.files);
            // So that the same file can be opened again.
            if (field) field.value = '';
          },
        }),
        h(
          'select',
          {
            'aria-label': 'Examples',
            value: '',
            onChange: (event: Event) => {
              const field = event.target as HTMLSelectElement;
              const example = EXAMPLES[Number(field.value)];
              field.value = '';
              if (example !== undefined) void state.openExample(example);
            },
          },
          [
            h('option', { value: '', disabled: true }, 'Try an example…'),
            ...EXAMPLES.map(({ name }, index) => h('option', { value: String(index) }, name)),
          ],
        ),
        button('Copy link', hasInput, () => void state.copyLink()),
        button('Save JSON', hasInput, () => void state.saveJson()),
        button('Download repaired', hasInput, () => void state.saveRepaired()),
        button('Clear', hasInput || state.draft.value !== '', () => state.clear()),
      ]);
    }

    function tabs(): VNode | undefined {
      if (state.documents.value.length === 0) return undefined;
      return h(
        'ul',
        { class: 'documents', 'aria-label': 'Documents' },
        state.documents.value.map(documentTab),
      );
    }

    function documentTab({ id, name }: InputDocument): VNode {
      const result = state.result.value?.documents.find((each) => each.id === id);
      const isSelected = id === state.selectedId.value;
      const worst =
        result && (['error', 'warning', 'info'] as const).find((severity) => result.counts[severity] > 0);
      const about =
        result &&
        `${kindName(result.kind)}, ${counted(result.items, itemWord(result.kind))}. ${describeCounts(result.counts)}.`;
      return h('li', { key: id, class: { selected: isSelected } }, [
        h(
          'button',
          {
            type: 'button',
            'aria-pressed': isSelected ? 'true' : 'false',
            title: about,
            onClick: () => void state.select(id),
          },
          [worst === undefined ? undefined : severityIcon(worst), h('bdi', { dir: 'ltr' }, name)],
        ),
        h(
          'button',
          {
            type: 'button',
            class: 'remove',
            'aria-label': `Remove ${name}`,
            onClick: () => state.remove(id),
          },
          '×',
        ),
      ]);
    }

    function fields(): VNode {
      const { value: result } = state.selectedResult;
      const found = result?.urlFrom === undefined ? undefined : `${result.url}`;
      const robots = state.documents.value.find(({ name }) => name === 'robots.txt');
      return h('div', { class: 'fields' }, [
        labelled(
          'Address of this document',
          h('input', {
            type: 'url',
            value: state.selected.value?.url ?? '',
            placeholder: found ?? 'https://example.org/sitemap.xml',
            disabled: state.selected.value === undefined,
            onChange: (event: Event) => state.setAddress((event.target as HTMLInputElement).value.trim()),
          }),
        ),
        labelled(
          'Now (empty: the clock)',
          h('input', {
            type: 'datetime-local',
            value: state.now.value,
            title: 'The time that dates are compared with. Empty: the clock.',
            onChange: (event: Event) => state.setNow((event.target as HTMLInputElement).value),
          }),
        ),
        h('details', { class: 'robots' }, [
          h('summary', 'robots.txt'),
          labelled(
            'The robots.txt of the site',
            h('textarea', {
              rows: 4,
              spellcheck: false,
              placeholder: 'User-agent: *\nDisallow: /private/',
              value: robots !== undefined && 'text' in robots.source ? robots.source.text : '',
              disabled: robots !== undefined && 'file' in robots.source,
              onChange: (event: Event) => state.setRobots((event.target as HTMLTextAreaElement).value),
            }),
          ),
        ]),
      ]);
    }

    return () => h('div', { class: 'input-bar' }, [buttons(), tabs(), fields()]);
  },
});

function button(text: string, isPossible: boolean, onClick: () => void): VNode {
  return h('button', { type: 'button', disabled: !isPossible, onClick }, text);
}

function labelled(text: string, field: VNode): VNode {
  return h('label', [h('span', text), field]);
}
