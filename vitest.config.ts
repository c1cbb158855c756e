import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { findChromium } from './scripts/chromium.mjs';

// Workspaces are read from their source, so that tests need no build of what they import.
const conditions = ['source', ...defaultServerConditions];

/** What needs the Claude Agent SDK: only `npm run test:claude-agent` installs that, and says where it is. */
const claudeAgent = {
  extends: true as const,
  test: {
    name: 'claude-agent',
    include: ['plugins/claude-agent/test/*.sdk.test.ts'],
    maxWorkers: 2,
    sequence: { groupOrder: 2 },
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
        },
      },
      {
        extends: true,
        test: {
          name: 'journeys',
          include: ['packages/*/test/**/*.test.ts', 'plugins/*/test/**/*.test.ts', 'docs/examples/*.test.ts'],
          exclude: ['**/*.sdk.test.ts'],
          // Real processes and browsers: two at a time, with time to start.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          env: { CHROMIUM: findChromium() ?? '' },
        },
      },
      ...(process.env.PARLEY_CLAUDE_SDK === undefined ? [] : [claudeAgent]),
    ],
  },
});
