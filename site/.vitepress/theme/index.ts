import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent, onMounted } from 'vue';
import './style.css';

export default {
  extends: DefaultTheme,
  setup() {
    // Tells tests, and anyone who drives the page, that it can be used.
    onMounted(() => {
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
