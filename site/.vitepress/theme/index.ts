import { type Theme, useData, useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent, nextTick, onMounted, watch } from 'vue';
import './style.css';

export default {
  extends: DefaultTheme,
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
