import { dirname, join, resolve } from 'node:path';
import { ExitError } from '@parleyhq/core';

/** Where an app server of Codex listens, and the command that lets it listen there. */
export type Address = { readonly name: string; readonly command: string } & (
  | { readonly type: 'socket'; readonly path: string }
  | { readonly type: 'url'; readonly url: string }
);

const listen = 'codex app-server --listen';

/**
 * Finds the app server.
 * @param wanted - a path, `unix://PATH` or `ws://127.0.0.1:PORT`; without it, where Codex looks for it
 * @param settings - Codex's settings file, whose folder is its home
 * @throws ExitError for another address: on a network anybody could read and answer what is asked
 */
export function readAddress(wanted: string | undefined, settings: string): Address {
  if (wanted === undefined || wanted === 'unix://')
    return {
      ...toSocket(join(dirname(settings), 'app-server-control', 'app-server-control.sock')),
      command: `codex app-server daemon start, or: ${listen} unix://`,
    };
  if (wanted.startsWith('unix://')) return toSocket(wanted.slice('unix://'.length));
  if (!/^[a-z]+:\/\//i.test(wanted)) return toSocket(wanted);
  const url = URL.canParse(wanted) ? new URL(wanted) : undefined;
  if (url?.protocol === 'ws:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    return { type: 'url', url: url.href, name: wanted, command: `${listen} ${wanted}` };
  throw new ExitError(
    2,
    `--socket: must be a path, unix://PATH or ws://127.0.0.1:PORT, an address of this machine, not "${wanted}".`,
  );
}

function toSocket(given: string): Address {
  const path = resolve(given);
  return { type: 'socket', path, name: path, command: `${listen} unix://${path}` };
}
