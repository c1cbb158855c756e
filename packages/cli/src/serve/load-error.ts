import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownFolder } from '../own-package.ts';

/** Explains why a module could not be loaded, with the line of the error if it is known. */
export function describeLoadFault(cause: unknown, file: string): string {
  if (!(cause instanceof Error)) return String(cause);
  const [, missing] = missingPackage.exec(cause.message) ?? [];
  if (missing !== undefined) return describeMissing(missing);
  const place = findPlace(cause.stack ?? '', file) ?? (cause instanceof SyntaxError ? checkSyntax(file) : undefined);
  return place === undefined || cause.message.includes(place) ? cause.message : `${cause.message} (${place})`;
}

/** Matches the messages of Node's ESM and CommonJS loaders. */
const missingPackage = /^Cannot find (?:package|module) '([^'./][^']*)'/;

const onlyTypes =
  'A plugin that uses only definePlugin, defineTool and types of it works without it: leave the import out, for those two return their argument';

function describeMissing(name: string): string {
  const words = `it imports "${name}", which is not installed in its folder or one above it: npm install it there`;
  const isOurs = name === '@parleyhq/core';
  return isOurs ? `${words}. ${onlyTypes}` : words;
}

/** Finds `<file>:<line>` in Node's message or the stack: in the module, otherwise in a file of its folder. */
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
