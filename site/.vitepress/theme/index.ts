import { type Theme, useData, useRoute, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent, h, nextTick, onMounted, watch } from 'vue';
import './style.css';

/** From a page that does not exist. */
const LEADING_ON = [
  ['Get started', '/get-started.html'],
  ['The playground', '/playground.html'],
  ['Check rules', '/check-rules.html'],
  ['The command line', '/cli.html'],
] as const;

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'not-found': () =>
        h('main', { class: 'not-found' }, [
          h('h1', 'There is no such page'),
          h('p', 'It may have moved. The search at the top looks through all pages, and these lead on:'),
          h(
            'ul',
            LEADING_ON.map(([name, path]) => h('li', h('a', { href: withBase(path) }, name))),
          ),
        ]),
    }),
  setup() {
    const { frontmatter } = useData();
    const route = useRoute();
    /** The start page of the default theme has no main landmark, which screen readers jump to. */
    function markMain(): void {
      const content = document.getElementById('VPContent');
      if (frontmatter.value['layout'] === 'home') content?.setAttribute('role', 'main');
      else content?.removeAttribute('role');
    }
    watch(
      () => route.path,
      () => nextTick(markMain),
    );
    onMounted(() => {
      markMain();
      // Tells tests, and anyone who drives the page, that it can be used.
      document.documentElement.dataset['ready'] = 'true';
    });
  },
  enhanceApp({ app }) {
    app.component(
      'SitemapPlayground',
      defineAsyncComponent(() => import('../../playground/playground.ts')),
    );
  },
} satisfies Theme;
