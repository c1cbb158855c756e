// Builds the test pages that need no server, each into a folder of its own. scripts/ensure.mjs runs this.
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

for (const page of ['test/gallery.html', 'test/gallery/page.html'])
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error', // the page's own build prints the warnings
    mode: 'test', // skips compression
    build: {
      outDir: join(root, 'test/dist', basename(page, '.html')),
      emptyOutDir: true,
      rolldownOptions: { input: join(root, page) },
    },
  });
