// Finds or downloads the programs with which tests check the files of docs/examples/deploy.
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { unpackPackage } from './debian.mjs';

/** Each program, the variable that names its path and has precedence, and what unpacks it. */
const PROGRAMS = {
  nginx: { variable: 'NGINX', unpack: () => join(unpackPackage('nginx'), 'usr/sbin/nginx') },
  caddy: { variable: 'CADDY', unpack: () => join(unpackPackage('caddy'), 'usr/bin/caddy') },
  'systemd-analyze': { variable: 'SYSTEMD_ANALYZE', unpack: unpackSystemd },
};

/** Returns the path of a program. @throws Error that says how to get it */
export function ensureProgram(name, env = process.env) {
  const { variable, unpack } = PROGRAMS[name];
  if (env[variable]) {
    if (existsSync(env[variable])) return env[variable];
    throw new Error(`${variable} is set to ${env[variable]}, which does not exist.`);
  }
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/sbin'];
  const installed = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (installed) return installed;
  const advice = `Tests of docs/deploy.md need ${name}: install it, or set ${variable} to the path of an installed one.`;
  if (!existsSync('/usr/bin/apt-get')) throw new Error(advice);
  try {
    return unpack();
  } catch (error) {
    throw new Error(`${advice}\n${error.message}`);
  }
}

/** Unpacks systemd, which then has its libraries and the units of Debian in another folder. @returns a script that runs it there */
function unpackSystemd() {
  const folder = unpackPackage('systemd');
  const libraries = unpackPackage('libsystemd-shared');
  const script = join(folder, 'systemd-analyze');
  const lines = [
    '#!/bin/sh',
    `LD_LIBRARY_PATH=$(echo '${libraries}'/usr/lib/*/systemd) SYSTEMD_UNIT_PATH='${folder}/lib/systemd/system:' exec '${folder}/usr/bin/systemd-analyze' "$@"`,
  ];
  writeFileSync(script, `${lines.join('\n')}\n`, { mode: 0o755 });
  return script;
}
