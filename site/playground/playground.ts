/** The page: input above, text and results below. */

import { withBase } from 'vitepress';
import { defineComponent, h, onBeforeUnmount, onMounted, ref, type VNode } from 'vue';
import { InputBar } from './input-bar.ts';
import { ResultsPanel, verdict } from './results-panel.ts';
import { usePlayground } from './state.ts';
import './style.css';
import { TextPanel } from './text-panel.ts';

export default defineComponent({
  name: 'SitemapPlayground',
  setup() {
    const state = usePlayground();
    const isDropping = ref(false);
    const onHash = (): void => void state.openLink(location.hash);

    onMounted(() => {
      onHash();
      addEventListener('hashchange', onHash);
      // Works offline after the first visit. Without it, everything else works all the same.
      if (import.meta.env.PROD && 'serviceWorker' in navigator) {
        navigator.serviceWorker.register(withBase('/sw.js')).catch(() => {});
      }
    });
    onBeforeUnmount(() => {
      removeEventListener('hashchange', onHash);
      state.close();
    });

    function status(): VNode {
      const reason = state.selectedResult.value?.reason;
      return h('div', { class: 'status' }, [
        h('p', { class: 'verdict', role: 'status' }, state.message.value || verdict(state)),
        reason === undefined ? undefined : h('p', { class: 'reason' }, [h('bdi', { dir: 'ltr' }, reason)]),
      ]);
    }

    return () =>
      h(
        'main',
        {
          class: ['playground', `view-${state.view.value}`, { dropping: isDropping.value }],
          'data-busy': state.isBusy.value ? 'true' : 'false',
          'data-runs': state.runs.value,
          onDragover: (event: DragEvent) => {
            event.preventDefault();
            isDropping.value = true;
          },
          onDragleave: () => {
            isDropping.value = false;
          },
          onDrop: (event: DragEvent) => {
            event.preventDefault();
            isDropping.value = false;
            if (event.dataTransfer) state.openFiles(event.dataTransfer.files);
          },
        },
        [
          h('div', { class: 'title' }, [
            h('h1', 'Sitemap playground'),
            h(
              'p',
              'Read and check sitemaps in this page. Nothing is sent anywhere: the parser runs in your browser.',
            ),
          ]),
          h(InputBar, { state }),
          status(),
          h('div', { class: 'narrow-tabs', role: 'group', 'aria-label': 'Show' }, [
            narrowTab('text', 'Text'),
            narrowTab('findings', `Findings ${(state.result.value?.findings ?? 0).toLocaleString('en')}`),
            narrowTab('items', `Pages ${(state.selectedResult.value?.items ?? 0).toLocaleString('en')}`),
          ]),
          h('div', { class: 'panels' }, [h(TextPanel, { state }), h(ResultsPanel, { state })]),
        ],
      );

    function narrowTab(view: 'text' | 'findings' | 'items', text: string): VNode {
      return h(
        'button',
        {
          type: 'button',
          'aria-pressed': state.view.value === view ? 'true' : 'false',
          onClick: () => {
            state.view.value = view;
          },
        },
        text,
      );
    }
  },
});
