import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Folders and files whose content is later run as commands or read as rules. Names in lower case. */
const guarded = new Set(
  [
    '.git .ssh .gnupg .claude .vscode .idea .husky .devcontainer .config .aws .kube .docker',
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout',
    '.gitconfig .gitmodules .gitattributes .mcp.json .claude.json .npmrc .yarnrc .envrc .netrc .inputrc .vimrc .exrc',
  ].flatMap((names) => names.split(' ')),
);

/**
 * Whether mode `acceptEdits` lets this file be changed without asking (APR3): it lies in the working folder, links followed, and
 * no part of its path is guarded. A dangling link does not count: its target could still be created anywhere.
 */
export async function isInEditZone(folder: string, path: unknown): Promise<boolean> {
  if (typeof path !== 'string' || path === '') return false;
  const zone = await realpath(folder);
  const wanted = resolve(zone, path);
  const real = await toRealPath(wanted);
  return real !== undefined && isFree(zone, real) && !isGuarded(wanted);
}

/** Whether neither a path nor any folder between it and `folder` is a link. */
export async function isLinkFree(folder: string, path: string): Promise<boolean> {
  const zone = await realpath(folder);
  return (await toRealPath(path)) === join(zone, relative(folder, path));
}

function isFree(zone: string, real: string): boolean {
  const inside = relative(zone, real);
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isGuarded(inside);
}

/** Whether the path names a folder or file whose content becomes a command or a rule. */
export function isGuarded(path: string): boolean {
  return path.split(sep).some((name) => guarded.has(name.toLowerCase()));
}

/** Resolves links in the part of the path that exists; undefined if a link is dangling. */
async function toRealPath(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return join(real, ...missing);
    const isLink = await lstat(at).then(
      () => true,
      () => false,
    );
    if (isLink || at === dirname(at)) return undefined;
    missing.unshift(at.slice(dirname(at).length).replaceAll(sep, ''));
  }
}
