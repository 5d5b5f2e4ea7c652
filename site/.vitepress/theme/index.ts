import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent } from 'vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component(
      'SitemapPlayground',
      defineAsyncComponent(() => import('../../playground/playground.ts')),
    );
  },
} satisfies Theme;
