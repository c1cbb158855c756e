import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

export default defineConfig({
  // Workspaces are bundled from their source: the web build needs no other build first.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  plugins: [squeezeTemplates()],
  build: {
    target: 'es2022',
    // What `light-dark()` needs: older targets would have it rewritten.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A strict CSP has no place for data: URLs of scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Core's schemas are the server's to run; the page takes the laws and leaves zod behind.
    rolldownOptions: {
      treeshake: {
        moduleSideEffects: [{ test: /packages[\\/]core[\\/]|node_modules[\\/]zod/, sideEffects: false }],
        manualPureFunctions: ['z'],
      },
    },
  },
});

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
