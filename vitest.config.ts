import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    // Property tests print their seed when they fail; a failure must be reproducible, not retried.
    retry: 0,
  },
});

export default config;
