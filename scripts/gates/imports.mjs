import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const IMPORT = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;

/** The sources without their comments; line numbers stay. */
export function readSources(root, files) {
  return files.map((file) => ({ file, text: stripComments(readFileSync(join(root, file), 'utf8')) }));
}

/** Every import and re-export, also lazy and type-only ones; `target` is the imported file where it is one of ours. */
export function findImports(sources) {
  return sources.flatMap(({ file, text }) =>
    [...text.matchAll(IMPORT)].map(([, specifier]) => ({ file, specifier, target: resolve(file, specifier) })),
  );
}

/** `packages/core` of `packages/core/src/index.ts`. */
export const workspaceOf = (path) => path.split('/').slice(0, 2).join('/');

function resolve(file, specifier) {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  const [, plugin, name, folder = ''] = /^@parleyhq\/(plugin-)?([\w-]+)(\/[\w-]+)?$/.exec(specifier) ?? [];
  return name && `${plugin ? 'plugins' : 'packages'}/${name}/src${folder}/index.ts`;
}

function stripComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}
