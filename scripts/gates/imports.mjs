import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const IMPORT = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;

/** Reads sources without their comments; line numbers stay the same. */
export function readSources(root, files) {
  return files.map((file) => ({ file, text: stripComments(readFileSync(join(root, file), 'utf8')) }));
}

/**
 * Finds every import and re-export, including lazy and type-only ones; `target` is set if the import is a file of the repository.
 */
export function findImports(sources) {
  return sources.flatMap(({ file, text }) =>
    [...text.matchAll(IMPORT)].map(([, specifier]) => ({ file, specifier, target: resolve(file, specifier) })),
  );
}

/** Returns the workspace of a file, such as `packages/core` for `packages/core/src/index.ts`. */
export const workspaceOf = (path) => path.split('/').slice(0, 2).join('/');

function resolve(file, specifier) {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  const [, plugin, name, folder = ''] = /^@parleyhq\/(plugin-)?([\w-]+)(\/[\w-]+)?$/.exec(specifier) ?? [];
  return name && `${plugin ? 'plugins' : 'packages'}/${name}/src${folder}/index.ts`;
}

function stripComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}
