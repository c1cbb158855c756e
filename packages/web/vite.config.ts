import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

export default defineConfig({
  // Workspaces are bundled from their source: the web build needs no other build first.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  plugins: [squeezeTemplates(), compress()],
  build: {
    target: 'es2022',
    // What `light-dark()` needs: older targets would have it rewritten.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A strict CSP has no place for data: URLs of scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Core's schemas are the server's to run; the page takes the laws and leaves zod behind.
    rolldownOptions: {
      // What the first screen needs is one file, however much of it the parts that are loaded later need, too.
      output: { codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] } },
      treeshake: {
        moduleSideEffects: [{ test: /packages[\\/]core[\\/]|node_modules[\\/]zod/, sideEffects: false }],
        manualPureFunctions: ['z'],
      },
    },
  },
});

/** Puts a compressed copy beside each file of text: the server sends it to whoever can read it. */
function compress(): Plugin {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  return {
    name: 'compress',
    apply: 'build',
    writeBundle: ({ dir = '' }) => {
      for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg)$/.test(file)) continue;
        const bytes = readFileSync(join(dir, file));
        writeFileSync(join(dir, `${file}.br`), brotliCompressSync(bytes, quality));
        writeFileSync(join(dir, `${file}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

/** Takes the white space out of elements' styles and the indents out of their templates; no minifier looks into either. */
function squeezeTemplates(): Plugin {
  const squeezeStyles = (css: string) =>
    css
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,]) ?|(:) /g, '$1$2')
      .replaceAll(';}', '}');
  return {
    name: 'squeeze-templates',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /packages[\\/]web[\\/]src/ },
      handler: (code) => code.replace(/\bcss`[^`]*`/g, squeezeStyles).replace(/\n\s+/g, '\n'),
    },
  };
}
