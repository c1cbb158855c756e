import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { ModuleKind, ScriptTarget, transpileDeclaration, transpileModule } from 'typescript';
import {
  type BuildEnvironmentOptions,
  defaultClientConditions,
  defineConfig,
  mergeConfig,
  type Plugin,
  type UserConfig,
} from 'vite';

/**
 * Workspaces are bundled from their source, so the web build needs no other build first. The condition is always `production`, so
 * that tests run what people use: for any other NODE_ENV, Vite would take Lit's slower development build.
 */
const conditions = defaultClientConditions.map((name) => (name === 'development|production' ? 'production' : name));
const common: UserConfig = { resolve: { conditions: ['source', ...conditions] } };

/** Browsers that support `light-dark()`: for older targets it would be rewritten. */
const cssTarget = ['chrome123', 'firefox120', 'safari17.5'];

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

// A strict CSP does not allow data: URLs of scripts and styles.
const strict = { target: 'es2022', assetsInlineLimit: 0, modulePreload: false } as const;

/** Core's schemas run on the server only; the page uses the decision functions and leaves zod out. */
const treeshake: NonNullable<BuildEnvironmentOptions['rolldownOptions']>['treeshake'] = {
  moduleSideEffects: [{ test: /packages[\\/](core|client)[\\/]|node_modules[\\/]zod/, sideEffects: false }],
  manualPureFunctions: ['z'],
};

/** What a session first shows, and its cards, which are loaded after it. */
const entries = {
  views: ['session/session-view.ts'],
  cards: ['prompt/interaction-card.ts', 'form/interaction-form.ts'],
} as const;

/** Modules that these do not use; they are in the graph because core and client export everything from one file. */
const unusedByCards = [
  'challenge',
  'difference',
  'earlier-version',
  'exact-json',
  'file-name',
  'file-upload',
  'image-size',
  'line-diff',
  'media-type',
  'result-media',
  'statistics',
  'statistics-words',
  'terms',
  'version',
  'view-message',
];
const unused: Readonly<Record<keyof typeof entries, readonly string[]>> = {
  views: [
    ...unusedByCards,
    ...[
      'annotated-lines',
      'answer',
      'complete-values',
      'exact-number',
      'field-check',
      'file-check',
      'grant',
      'local-datetime',
      'typed-number',
    ],
  ],
  cards: unusedByCards,
};

/** Returns the name of a module of core or client; undefined for others. */
function nameModule(id: string): string | undefined {
  return /packages[\\/](?:core|client)[\\/]src[\\/](?:[\w-]+[\\/])?([\w-]+)\.ts$/.exec(id)?.[1];
}

/** Fails the build if a name in `unused` does not belong to a module any more. */
function requireKnown(): Plugin {
  return {
    name: 'require-known',
    apply: 'build',
    buildEnd(error) {
      if (error) return;
      const known = new Set([...this.getModuleIds()].map(nameModule));
      const gone = unused.views.filter((name) => !known.has(name));
      if (gone.length > 0) this.error(`vite.config.ts names modules that are not there: ${gone.join(', ')}.`);
    },
  };
}

/** @returns the name if the entry needs this module */
function findFile(name: keyof typeof entries, id: string, graph: Graph): string | null {
  if (unused[name].includes(nameModule(id) ?? '')) return null;
  const needed = new Set<string>();
  const add = (at: string) => {
    if (needed.has(at)) return;
    needed.add(at);
    graph.getModuleInfo(at)?.importedIds.forEach(add);
  };
  entries[name].map(source).forEach(add);
  return needed.has(id) ? name : null;
}

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** Hashes of seven characters instead of eight: chunks name each other often, and hashes cannot be compressed. */
const chunkNames = 'assets/[name]-[hash:7].js';

const page: UserConfig = {
  plugins: [
    squeezeTemplates(),
    takeLexer(),
    takeHighlighter(),
    loadPlainly(),
    preloadViews(),
    addWorker(),
    requireKnown(),
    compress(),
  ],
  build: {
    ...strict,
    cssTarget: cssTarget,
    rolldownOptions: {
      // All that the first screen needs is one file, even the parts that later code needs, too; so is what is loaded right after
      // it.
      output: {
        entryFileNames: chunkNames,
        chunkFileNames: chunkNames,
        codeSplitting: {
          groups: [
            { name: 'page', tags: ['$initial'], priority: 3 },
            { name: (id, graph) => findFile('views', id, graph), priority: 2 }, // including what both need
            { name: (id, graph) => findFile('cards', id, graph), priority: 1 },
          ],
        },
      },
      treeshake,
    },
  },
};

/** `vite build --mode elements`: the elements for other pages with everything they need, as modules that need no bundling. */
const elements: UserConfig = {
  publicDir: false,
  plugins: [squeezeTemplates(), takeLexer(), takeHighlighter(), declareTypes()],
  build: {
    ...strict,
    cssTarget: cssTarget,
    outDir: 'dist/elements',
    lib: { entry: source('embed/index.ts'), formats: ['es'], fileName: 'index' },
    rolldownOptions: { output: { chunkFileNames: '[name]-[hash].js', minify: true }, treeshake },
  },
};

/** Preloads the chunks that the first script always imports, with their dependencies, instead of waiting until it runs. */
function preloadViews(): Plugin {
  return {
    name: 'preload-views',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {}, chunk: first }) => {
        const needed = new Set<string>();
        const add = (fileName: string) => {
          const part = bundle[fileName];
          if (part?.type !== 'chunk' || part.fileName === first?.fileName || needed.has(fileName)) return;
          needed.add(fileName);
          part.imports.forEach(add);
        };
        for (const part of Object.values(bundle))
          if (part.type === 'chunk' && /^(views|cards|after-start|markdown)$/.test(part.name)) add(part.fileName);
        return [...needed].map((fileName) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}

/** Adds the service worker next to the page: a single script without imports, so that it needs no bundling. */
function addWorker(): Plugin {
  return {
    name: 'add-worker',
    apply: 'build',
    generateBundle() {
      const text = readFileSync(fileURLToPath(new URL('worker/sw.ts', import.meta.url)), 'utf8');
      const compilerOptions = { target: ScriptTarget.ES2022, removeComments: true };
      this.emitFile({
        type: 'asset',
        fileName: 'sw.js',
        source: transpileModule(text, { compilerOptions }).outputText,
      });
    },
  };
}

/** Writes the declarations of what other pages can use: one file that contains only types. */
function declareTypes(): Plugin {
  return {
    name: 'declare-types',
    apply: 'build',
    writeBundle: ({ dir = '' }) => {
      const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
      const { outputText } = transpileDeclaration(readFileSync(source('embed/public.ts'), 'utf8'), { compilerOptions });
      writeFileSync(join(dir, 'index.d.ts'), outputText);
    },
  };
}

export default defineConfig(({ mode }) => mergeConfig(common, mode === 'elements' ? elements : page));

/** Writes a compressed copy next to each text file; the server sends it to clients that accept it. */
function compress(): Plugin {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  return {
    name: 'compress',
    apply: (_, { command, mode }) => command === 'build' && mode === 'production',
    writeBundle: ({ dir = '' }) => {
      for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg|webmanifest)$/.test(file)) continue;
        const bytes = readFileSync(join(dir, file));
        writeFileSync(join(dir, `${file}.br`), brotliCompressSync(bytes, quality));
        writeFileSync(join(dir, `${file}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

/** Reduces marked to its lexer: the code at its end uses all parts, and would keep bundlers from removing the others. */
function takeLexer(): Plugin {
  const wiring = /;var \w+=new \w+;function \w+\([\s\S]*export\{[^}]*?(\w+) as Lexer[\s\S]*$/;
  return {
    name: 'take-lexer',
    apply: 'build',
    transform: {
      filter: { id: /marked\.esm\.js$/ },
      handler(code) {
        if (!wiring.test(code)) this.error('marked is put together in another way: see take-lexer.');
        return code.replace(wiring, ';export{$1 as Lexer};');
      },
    },
  };
}

/** Loads chunks without Vite's helper: `preloadViews` lists what to preload, and no chunk has a style sheet of its own. */
function loadPlainly(): Plugin {
  return {
    name: 'load-plainly',
    apply: 'build',
    transform: {
      filter: { id: /vite[\\/]preload-helper/ },
      handler: () => 'export const __vitePreload = (load) => load();',
    },
  };
}

/** Makes the highlighter an ES module: for a CommonJS module the bundler would add its interop helpers. */
function takeHighlighter(): Plugin {
  const wiring = 'module.exports = highlight;';
  return {
    name: 'take-highlighter',
    apply: 'build',
    transform: {
      filter: { id: /highlight\.js[\\/]lib[\\/]core\.js$/ },
      handler(code) {
        if (!code.includes(wiring)) this.error('highlight.js is put together in another way: see take-highlighter.');
        return code.replace(wiring, 'export default highlight;');
      },
    },
  };
}

/** Removes the white space from elements' styles and the indentation from their templates; minifiers do not process either. */
function squeezeTemplates(): Plugin {
  const squeezeStyles = (css: string) =>
    css
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,>]) ?|(:) /g, '$1$2')
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
