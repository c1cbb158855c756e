import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** Matches our modules except the entry: importing them has no side effects, so a chunk holds only what its command uses. */
const inert = /[\\/](packages|plugins)[\\/][^\\/]+[\\/]src[\\/](?!main\.ts$)/;

const pluginEntry = /[\\/]plugins[\\/]([^\\/]+)[\\/]src[\\/]index\.ts$/;

/** Keeps the entry executable, which `npm link` makes it only once. */
const executable: Plugin = {
  name: 'executable',
  writeBundle({ dir = '' }) {
    chmodSync(join(dir, 'main.js'), 0o755);
  },
};

/** Builds the `parley` command: an entry that loads almost nothing, and chunks for its commands. */
export default defineConfig({
  publicDir: false,
  plugins: [executable],
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
    license: { fileName: 'licenses.md' }, // the licenses of bundled packages
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: inert, sideEffects: false }] },
      output: {
        keepNames: true, // logs name the class of a thrown error
        comments: false, // a fifth of what every start reads; licenses.md has the licenses
        entryFileNames: '[name].js',
        // A shipped plugin keeps its folder name, by which a stack trace identifies the plugin (cli/src/serve/guard.ts).
        chunkFileNames: ({ facadeModuleId }) => {
          const [, plugin] = pluginEntry.exec(facadeModuleId ?? '') ?? [];
          return plugin === undefined ? '[name]-[hash].js' : `plugins/${plugin}/index.js`;
        },
      },
    },
  },
});
