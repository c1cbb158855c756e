import { defineConfig } from 'vite';

/** None of our modules does anything on import but the entry, so a chunk holds only what its command uses. */
const inert = /[\\/](packages|plugins)[\\/][^\\/]+[\\/]src[\\/](?!main\.ts$)/;

const pluginEntry = /[\\/]plugins[\\/]([^\\/]+)[\\/]src[\\/]index\.ts$/;

/** The `parley` command: an entry that loads nearly nothing, and chunks for what its commands need. */
export default defineConfig({
  publicDir: false,
  ssr: {
    noExternal: true,
    // A native addon, a compiler that only plugins in TypeScript need, and an SDK that people install themselves.
    external: ['better-sqlite3', 'tsx/esm/api', '@anthropic-ai/claude-agent-sdk'],
    resolve: { conditions: ['source', 'node'] },
  },
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist',
    target: 'node20',
    license: { fileName: 'licenses.md' }, // of what is bundled
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: inert, sideEffects: false }] },
      output: {
        keepNames: true, // a log names the class of what was thrown
        entryFileNames: '[name].js',
        // A shipped plugin keeps its folder, by which a stack trace tells whose fault it is (cli/src/serve/guard.ts).
        chunkFileNames: ({ facadeModuleId }) => {
          const [, plugin] = pluginEntry.exec(facadeModuleId ?? '') ?? [];
          return plugin === undefined ? '[name]-[hash].js' : `plugins/${plugin}/index.js`;
        },
      },
    },
  },
});
