import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfigFnObject } from 'vitest/config';
import { builtSources } from './test/support/built-sources.ts';
import { FULL_TIER_ONLY, HEAVY, LongestFirst, NOT_HERE, OWN_PROCESS } from './test/support/file-order.ts';
import { keepNetworkForNpm } from './test/support/npm.ts';

keepNetworkForNpm();
// Files that a server of another user reads, and what processes print, are as on most machines.
process.umask(0o022);
delete process.env['FORCE_COLOR'];

/**
 * V8 optimizes a function after six times as much work as by default: few tests run long enough to gain by it, and all
 * together need 1/15 less CPU time. Newer versions of Node refuse the flag.
 */
const LATER_OPTIMIZED = process.versions.node.startsWith('20.') ? ['--interrupt-budget=400000'] : [];

const config: ViteUserConfigFnObject = defineConfig(({ mode }) => {
  const tier = process.env['TEST_TIER'] ?? (mode === 'full' ? 'full' : 'fast');
  // Set by `npm test` (scripts/test.js).
  const heavy = process.env['TEST_HEAVY'] === 'no' ? HEAVY : [];
  const leftOut = [...NOT_HERE, ...(tier === 'full' ? [] : [...FULL_TIER_ONLY, ...heavy])];
  const every = {
    // Read by test/support/tier.ts. `npm run test:all` asks for the mode `full`.
    env: { TEST_TIER: tier },
    // A limit for what hangs. At full strength some tests take a minute on two cores, and share them with others.
    testTimeout: mode === 'full' ? 400_000 : 120_000,
    // Ends a test that hangs long before that, with a sentence.
    runner: './test/support/test-runner.ts',
    // The first hook of a file may wait for a build.
    hookTimeout: 400_000,
    // `expect.poll` goes on as soon as what it waits for is so; what takes 5 s alone took 20 s on a busy machine.
    expect: { poll: { timeout: 90_000 } },
    // A seed is chosen once for a run: a property that fails, fails again. What passes only the second time waited too
    // briefly beside the others; `.ci/run` names it.
    retry: mode === 'full' ? 1 : 0,
    // Node loads these by itself: the packages, and what is built of the sources (test/support/built-sources.ts).
    server: { deps: { external: [/\/(?:dist|\.build)\/.*\.js$/] } },
  };
  return {
    test: {
      // Some files wait for servers most of the time, in the full tier for minutes: more workers than cores keep every core
      // busy meanwhile.
      maxWorkers: availableParallelism() + (tier === 'full' ? 3 : 2),
      sequence: { sequencer: LongestFirst },
      globalSetup: ['test/support/built-sources.ts'],
      projects: [
        {
          plugins: [builtSources()],
          test: { ...every, name: 'own process', include: [...OWN_PROCESS], exclude: [...leftOut] },
        },
        {
          plugins: [builtSources()],
          test: {
            ...every,
            name: 'shared process',
            include: ['test/**/*.test.ts'],
            exclude: [...OWN_PROCESS, ...leftOut],
            isolate: false,
            // A young generation of 16 MB, which is Node's own, costs a tenth of the CPU time of tests that make many objects.
            execArgv: ['--max-semi-space-size=64', ...LATER_OPTIMIZED],
          },
        },
      ],
    },
  };
});

export default config;
