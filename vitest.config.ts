import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfigFnObject } from 'vitest/config';

const config: ViteUserConfigFnObject = defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
    // Read by test/support/tier.ts. `npm run test:all` asks for the mode `full`.
    env: { TEST_TIER: process.env['TEST_TIER'] ?? (mode === 'full' ? 'full' : 'fast') },
    // A limit for what hangs. At full strength some tests take a minute on two cores, and share them with others.
    testTimeout: mode === 'full' ? 400_000 : 120_000,
    // The first hook of a file may wait for a build.
    hookTimeout: 120_000,
    // Some files wait for servers most of the time: one more worker than cores keeps every core busy meanwhile.
    maxWorkers: availableParallelism() + 1,
    // Property tests print their seed when they fail; a failure must be reproducible, not retried.
    retry: 0,
  },
}));

export default config;
