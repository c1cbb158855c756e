import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ownFolder = fileURLToPath(new URL('.', import.meta.url));

/** Why a module could not be loaded, with the line at fault where there is one. */
export function describeLoadFault(cause: unknown, file: string): string {
  if (!(cause instanceof Error)) return String(cause);
  const place = findPlace(cause.stack ?? '', file) ?? (cause instanceof SyntaxError ? checkSyntax(file) : undefined);
  return place === undefined || cause.message.includes(place) ? cause.message : `${cause.message} (${place})`;
}

/** `<file>:<line>` in the module, else in one next to it: from Node's message, or from the first stack frame. */
function findPlace(stack: string, file: string): string | undefined {
  const folder = `${dirname(file)}/`;
  const places = stack.replaceAll(pathToFileURL(folder).href, folder).matchAll(/(\/[^\s():]+):\d+/g);
  const near = [...places].filter(
    ([, path = '']) => path.startsWith(folder) && !path.includes('/node_modules/') && !path.startsWith(ownFolder),
  );
  return (near.find(([, path]) => path === file) ?? near[0])?.[0];
}

/** The stack of an ES module's syntax error has no line; `node --check` reports it. */
function checkSyntax(file: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 5000 });
  return findPlace(stderr, file);
}
