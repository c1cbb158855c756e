import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { findChromium } from './scripts/chromium.mjs';

// Workspaces are read from their source: only processes under test need a build.
const conditions = ['source', ...defaultServerConditions];

const inline = [/@modelcontextprotocol\/(client|ext-tasks)/, /eventsource/]; // these name their sources `source`, too, in TypeScript

/** Tests that need programs of others: only `npm run test:claude-agent` and `npm run test:clients` install those, and name their project. */
const programTests = [
  { name: 'claude-agent', include: ['plugins/claude-agent/test/*.sdk.test.ts'] },
  { name: 'clients', include: ['packages/*/test/**/*.clients.test.ts', 'plugins/*/test/**/*.clients.test.ts'] },
].map((named) => ({
  extends: true as const,
  test: {
    ...named,
    globalSetup: ['scripts/vitest-setup.mjs'],
    maxWorkers: 2,
    sequence: { groupOrder: 2 },
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    server: { deps: { inline } },
    env: { PATIENCE_MS: '60000' }, // each of these processes takes a second to start, and ten where the machine is busy
  },
}));

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**/*.ts'],
      reporter: [['text', { skipFull: true }]],
      thresholds: { lines: 95 },
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'plugins/*/src/**/*.test.ts', 'scripts/**/*.test.mjs'],
          // Most files run for less time than a process takes to start and to load zod: they share two threads.
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          testTimeout: 30_000, // properties, on a busy machine
        },
      },
      {
        extends: true,
        test: {
          name: 'journeys',
          include: ['packages/*/test/**/*.test.ts', 'plugins/*/test/**/*.test.ts', 'docs/examples/*.test.ts'],
          exclude: ['**/*.{sdk,clients}.test.ts'],
          globalSetup: ['scripts/vitest-setup.mjs'],
          // Real processes and browsers, with time to start. They wait as often as they work: three keep two cores busy.
          maxWorkers: 3,
          isolate: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          server: { deps: { inline } },
          env: { CHROMIUM: findChromium() ?? '' },
        },
      },
      ...programTests.filter(({ test }) => test.name === process.env.PARLEY_PROGRAM_TESTS),
    ],
  },
});
