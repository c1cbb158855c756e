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
 * Workspaces are bundled from their source: the web build needs no other build first. And whoever builds, tests included, builds
 * what people use: under another NODE_ENV than production Vite would take Lit's slower half for developers.
 */
const conditions = defaultClientConditions.map((name) => (name === 'development|production' ? 'production' : name));
const common: UserConfig = { resolve: { conditions: ['source', ...conditions] } };

/** What `light-dark()` needs: older targets would have it rewritten. */
const cssTarget = ['chrome123', 'firefox120', 'safari17.5'];

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

// A strict CSP has no place for data: URLs of scripts and styles.
const strict = { target: 'es2022', assetsInlineLimit: 0, modulePreload: false } as const;

/** Core's schemas are the server's to run; the page takes the laws and leaves zod behind. */
const treeshake: NonNullable<BuildEnvironmentOptions['rolldownOptions']>['treeshake'] = {
  moduleSideEffects: [{ test: /packages[\\/](core|client)[\\/]|node_modules[\\/]zod/, sideEffects: false }],
  manualPureFunctions: ['z'],
};

/** A session's first sight, and its cards, which come behind it. */
const entries = {
  rooms: ['session/session-view.ts'],
  cards: ['prompt/interaction-card.ts', 'form/interaction-form.ts'],
} as const;

/** Modules that nothing of these uses: they are reached because core and client export all that they have from one file. */
const unusedByCards = ['exact-json', 'file-name', 'file-upload', 'image-size', 'media-type', 'result-media'];
const unused: Readonly<Record<keyof typeof entries, readonly string[]>> = {
  rooms: [
    ...unusedByCards,
    ...['answer', 'complete-values', 'exact-number', 'field-check', 'file-check', 'grant', 'moment', 'typed-number'],
  ],
  cards: unusedByCards,
};

/** The name of a module of core or client; undefined for others. */
function nameModule(id: string): string | undefined {
  return /packages[\\/](?:core|client)[\\/]src[\\/](?:[\w-]+[\\/])?([\w-]+)\.ts$/.exec(id)?.[1];
}

/** Fails the build if a name in `unused` is no module's any more. */
function requireKnown(): Plugin {
  return {
    name: 'require-known',
    apply: 'build',
    buildEnd(error) {
      if (error) return;
      const known = new Set([...this.getModuleIds()].map(nameModule));
      const gone = unused.rooms.filter((name) => !known.has(name));
      if (gone.length > 0) this.error(`vite.config.ts names modules that are not there: ${gone.join(', ')}.`);
    },
  };
}

/** @returns the name where it cannot be shown without this module */
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

const page: UserConfig = {
  plugins: [
    squeezeTemplates(),
    takeLexer(),
    takeHighlighter(),
    loadPlainly(),
    preloadRooms(),
    addWorker(),
    requireKnown(),
    compress(),
  ],
  build: {
    ...strict,
    cssTarget: cssTarget,
    rolldownOptions: {
      // What the first screen needs is one file, however much of it the parts that are loaded later need, too; and so is what
      // comes right behind it.
      output: {
        codeSplitting: {
          groups: [
            { name: 'page', tags: ['$initial'], priority: 3 },
            { name: (id, graph) => findFile('rooms', id, graph), priority: 2 }, // with what both need
            { name: (id, graph) => findFile('cards', id, graph), priority: 1 },
          ],
        },
      },
      treeshake,
    },
  },
};

/** `vite build --mode elements`: the elements for other pages, with all that they need, as modules that no page has to bundle. */
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

/** What the first script loads in any case, and whatever that needs, comes along with it, and not once it has run. */
function preloadRooms(): Plugin {
  return {
    name: 'preload-rooms',
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
          if (part.type === 'chunk' && /^(rooms|cards|after-start|markdown)$/.test(part.name)) add(part.fileName);
        return [...needed].map((fileName) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}

/** The service worker, beside the page that it serves: one script that imports nothing, so that there is nothing to bundle. */
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

/** The declarations of what other pages see: one file, of types alone. */
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

/** Puts a compressed copy beside each file of text: the server sends it to whoever can read it. */
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

/** Of marked we use the lexer alone; a last part that wires all parts together keeps bundlers from leaving the others out. */
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

/** What is loaded later is loaded as it is: `preloadRooms` names what comes along, and no part has a style sheet of its own. */
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

/** The highlighter as a module: one that is none would bring what all others need to load such modules. */
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

/** Takes the white space out of elements' styles and the indents out of their templates; no minifier looks into either. */
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
