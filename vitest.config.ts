import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    // Most tests wait for servers and child processes: one core is not to be left idle for the others' sake.
    maxWorkers: '100%',
    // Property tests print their seed when they fail; a failure must be reproducible, not retried.
    retry: 0,
  },
});

export default config;
