import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { findChromium } from './scripts/chromium.mjs';

// Workspaces are read from their source: only processes under test need a build.
const conditions = ['source', ...defaultServerConditions];

/** What needs the Claude Agent SDK: only `npm run test:claude-agent` installs that, and says where it is. */
const claudeAgent = {
  extends: true as const,
  test: {
    name: 'claude-agent',
    include: ['plugins/claude-agent/test/*.sdk.test.ts'],
    globalSetup: ['scripts/vitest-setup.mjs'],
    maxWorkers: 2,
    sequence: { groupOrder: 2 },
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    env: { PATIENCE_MS: '60000' }, // each process of the SDK takes a second to start, and ten where the machine is busy
  },
};

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
          exclude: ['**/*.sdk.test.ts'],
          globalSetup: ['scripts/vitest-setup.mjs'],
          // Real processes and browsers, with time to start. They wait as often as they work: three keep two cores busy.
          maxWorkers: 3,
          isolate: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          server: { deps: { inline: [/@modelcontextprotocol\/client/, /eventsource-parser/] } }, // the latter names its sources `source`, too, in TypeScript
          env: { CHROMIUM: findChromium() ?? '' },
        },
      },
      ...(process.env.PARLEY_CLAUDE_SDK === undefined ? [] : [claudeAgent]),
    ],
  },
});
