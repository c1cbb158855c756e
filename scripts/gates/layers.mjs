import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isTest, listSources } from './files.mjs';

/** Who may import whom. `cli` is the composition root and may import all. */
const ALLOWED = {
  'packages/core': [],
  'packages/client': ['packages/core'],
  'packages/server': ['packages/core'],
  'packages/web': ['packages/core', 'packages/client'],
  plugins: ['packages/core'],
};
/** A third party's SDK stays behind one file of ours, so that replacing it is one file's work. */
const SINGLE_FILE = ['@anthropic-ai/sdk', 'better-sqlite3', 'ws'];
const FORBIDDEN = { 'packages/client': ['ws'], 'packages/web': ['ws'] };
/** The laws take time, chance and timers as arguments. */
const IMPURE =
  /\b(Date\.now|Math\.random|performance\.now|crypto\.\w+|setTimeout|setInterval|queueMicrotask|fetch)\b|\bnew Date\(\)/;

export function checkLayers(root) {
  const sources = listSources(root)
    .filter((file) => /^(packages|plugins)\/[^/]+\/src\//.test(file) && !isTest(file))
    .map((file) => ({ file, text: stripComments(readFileSync(join(root, file), 'utf8')) }));
  return [...findCrossings(sources), ...findSpreadSdks(sources), ...findImpurities(sources)];
}

function findCrossings(sources) {
  return eachImport(sources).flatMap(({ file, specifier }) => {
    const from = workspaceOf(file);
    const to = specifier.startsWith('.')
      ? workspaceOf(posix.join(posix.dirname(file), specifier))
      : ownWorkspace(specifier);
    if (FORBIDDEN[from]?.includes(specifier)) return [`${file} imports ${specifier}, which ${from} may not`];
    const allowed = ALLOWED[from] ?? ALLOWED[from.split('/')[0]];
    if (!to || to === from || !allowed || allowed.includes(to)) return [];
    return [`${file} imports ${specifier}: ${from} may not know ${to}`];
  });
}

function findSpreadSdks(sources) {
  return SINGLE_FILE.flatMap((sdk) => {
    const files = new Set(
      eachImport(sources)
        .filter(({ specifier }) => specifier === sdk)
        .map(({ file }) => file),
    );
    return files.size > 1 ? [`${sdk} is imported by ${[...files].join(', ')}: keep it in one file`] : [];
  });
}

function findImpurities(sources) {
  return sources
    .filter(({ file }) => file.startsWith('packages/core/'))
    .flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, index) => {
        const impure = IMPURE.exec(line)?.[0];
        return impure ? [`${file}:${index + 1} uses ${impure}: core takes it as an argument`] : [];
      }),
    );
}

const workspaceOf = (path) => path.split('/').slice(0, 2).join('/');

function ownWorkspace(specifier) {
  const [, plugin, name] = /^@parleyhq\/(plugin-)?([\w-]+)/.exec(specifier) ?? [];
  return name && `${plugin ? 'plugins' : 'packages'}/${name}`;
}

function eachImport(sources) {
  const IMPORT = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;
  return sources.flatMap(({ file, text }) => [...text.matchAll(IMPORT)].map(([, specifier]) => ({ file, specifier })));
}

/** Blanks comments but keeps line numbers. */
function stripComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}
