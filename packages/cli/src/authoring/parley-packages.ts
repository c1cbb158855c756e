import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ExitError } from '@parleyhq/core';
import { ownFolder, readVersion } from '../own-package.ts';

/** The packages of Parley that a new plugin needs. */
export interface ParleyPackages {
  readonly version: string;
  /** Whether they are files in the plugin's folder. */
  readonly isPacked: boolean;
  /** The development dependencies, with the range or file of each. */
  readonly forDevelopment: Readonly<Record<string, string>>;
}

/**
 * Names the packages in the registry. A checkout is not in one: it packs them into the plugin's folder, so that `npm install` is
 * enough there, too.
 * @throws ExitError if they cannot be packed
 */
export async function findParleyPackages(folder: string): Promise<ParleyPackages> {
  const version = readVersion();
  const list = (names: readonly string[], specify: (name: string) => string) =>
    Object.fromEntries(names.map((name) => [`@parleyhq/${name}`, specify(name)]));
  const packages = join(ownFolder, '../..');
  if (packages.includes('node_modules'))
    return { version, isPacked: false, forDevelopment: list(['core', 'testkit'], () => `^${version}`) };
  const packed = ['core', 'runtime', 'testkit'];
  const paths = packed.map((name) => join(packages, name));
  await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', folder, ...paths]).catch((cause) => {
    throw new ExitError(1, `The packages of this checkout could not be packed: ${cause.message}`, { cause });
  });
  return { version, isPacked: true, forDevelopment: list(packed, (name) => `file:parleyhq-${name}-${version}.tgz`) };
}
