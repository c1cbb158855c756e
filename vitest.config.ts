import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { findChromium, findHeadlessShell } from './scripts/chromium.mjs';
import { LongestFirst } from './scripts/longest-first.ts';

// Workspaces are read from their source: only processes under test need a build.
// `module` is a condition for bundlers: Node does not know it, and cannot load all files to which it leads.
const conditions = ['source', ...defaultServerConditions.filter((name) => name !== 'module')];

// these packages also use the condition `source`, for files in TypeScript
const inline = [/@modelcontextprotocol\/(client|ext-tasks)/, /eventsource/];

const cores = availableParallelism();
/** Tests that start real processes and browsers wait a part of the time, so three workers keep two cores busy. */
const workers = Math.max(3, Math.ceil(cores * 1.5));

/** The settings that all journeys share, except the number of workers. */
const journeys = {
  globalSetup: ['scripts/vitest-setup.mjs'],
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } }, // expected values appear at once, except on a busy machine
  server: { deps: { inline } },
  env: { CHROMIUM: findChromium() ?? '', CHROMIUM_SHELL: findHeadlessShell() ?? '' },
};

/** Tests that are not part of `npm test`: scripts/more-tests.mjs names their projects, and installs the programs they need. */
const leftOut = [
  {
    ...journeys,
    name: 'long',
    testTimeout: 180_000, // some of them keep a machine busy for minutes
    expect: { poll: { timeout: 60_000 } },
    include: ['packages/*/test/**/*.long.test.ts', 'plugins/*/test/**/*.long.test.ts', 'scripts/**/*.long.test.mjs'],
    maxWorkers: workers,
  },
  { ...withPrograms(), name: 'packages', include: ['packages/*/test/**/*.packages.test.ts'] },
  { ...journeys, name: 'firefox', include: ['packages/*/test/**/*.firefox.test.ts'], maxWorkers: 1 },
  { ...withPrograms(), name: 'claude-agent', include: ['plugins/claude-agent/test/*.sdk.test.ts'] },
  { ...withPrograms(), name: 'clients', include: ['{packages,plugins}/*/test/**/*.clients.test.ts'] },
].map((test) => ({ extends: true as const, test: { ...test, sequence: { groupOrder: 2 } } }));

function withPrograms() {
  return {
    ...journeys,
    isolate: true,
    maxWorkers: 2,
    testTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    env: { PATIENCE_MS: '60000' }, // each of these processes takes a second to start, and ten on a busy machine
  };
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    sequence: { sequencer: LongestFirst },
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
          exclude: ['**/*.long.test.mjs'],
          // Most files run for less time than a process takes to start and to load zod: they share a thread for each core.
          pool: 'threads',
          isolate: false,
          maxWorkers: Math.max(2, cores),
          testTimeout: 30_000, // for property tests on a busy machine
        },
      },
      {
        extends: true,
        test: {
          ...journeys,
          name: 'journeys',
          include: ['packages/*/test/**/*.test.ts', 'plugins/*/test/**/*.test.ts', 'docs/examples/*.test.ts'],
          exclude: ['**/*.{long,packages,firefox,sdk,clients}.test.ts'],
          maxWorkers: workers,
          sequence: { groupOrder: 1 },
        },
      },
      ...leftOut.filter(({ test }) => test.name === process.env.PARLEY_TEST_PROJECT),
    ],
  },
});
