import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './files.mjs';

/** The fields with exact versions. Peer dependencies have ranges, and so may a dependency with the same range as a peer. */
const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies'];

/** Requires one exact version of each dependency and one version of all workspaces (npm has no catalogue for that). */
export function checkVersions(root) {
  const manifests = listFiles(root)
    .filter((file) => /^((packages|plugins)\/[^/]+\/)?package\.json$/.test(file))
    .map((file) => ({ file, manifest: JSON.parse(readFileSync(join(root, file), 'utf8')) }));
  const first = new Map();
  const problems = [];
  const expectSame = (name, version, file) => {
    const known = first.get(name) ?? { version, file };
    first.set(name, known);
    if (known.version !== version)
      problems.push(`${name} is ${version} in ${file} but ${known.version} in ${known.file}`);
  };
  const own = new Set(manifests.map(({ manifest }) => manifest.name));
  for (const { file, manifest } of manifests) {
    if (manifest.version) expectSame('a workspace', manifest.version, file);
    for (const [name, version] of FIELDS.flatMap((field) => Object.entries(manifest[field] ?? {}))) {
      if (manifest.peerDependencies?.[name] === version) continue;
      if (!/^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        problems.push(`${name} is ${version} in ${file}: pin an exact version`);
      expectSame(own.has(name) ? 'a workspace' : name, version, file);
    }
  }
  return [...problems, ...checkLock(join(root, 'package-lock.json'))];
}

/** The lock file must install on any machine: no registry addresses, and the optional binaries of every platform. */
function checkLock(file) {
  if (!existsSync(file)) return [];
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(packages).flatMap(([path, { resolved, optionalDependencies }]) => {
    const missing = Object.keys(optionalDependencies ?? {}).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    );
    const address = /^\w+:/.test(resolved ?? '') ? [`package-lock.json has the registry address of ${path}`] : [];
    return [...address, ...missing.map((name) => `package-lock.json lacks ${name}, an optional dependency of ${path}`)];
  });
}
