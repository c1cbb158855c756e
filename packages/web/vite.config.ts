import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  // Workspaces are bundled from their source: the web build needs no other build first.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: { target: 'es2022', sourcemap: true },
});
