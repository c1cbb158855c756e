import type { Door, Plugin, SocketDoor } from '@parleyhq/core';

/** A door at its path, which is absolute. */
export interface PlacedDoor {
  readonly plugin: string;
  readonly path: string;
  readonly door: Door;
}

/** A socket of a plugin. */
export interface PlacedSocket {
  readonly plugin: string;
  readonly socket: SocketDoor;
}

/** First parts of the server's own paths and of the page's folders: no plugin may take a path below them. */
export const ownRoots: ReadonlySet<string> = new Set([
  'api',
  'assets',
  'callbacks',
  'elements',
  'healthz',
  'inbox',
  'mcp',
  'metrics',
  'once',
  'plugins',
  'readyz',
  'return',
  's',
  'views',
  'ws',
]);

/**
 * Returns the doors of all plugins with their paths.
 * @throws Error naming the plugin whose path belongs to the server, or both plugins that have the same door
 */
export function placeDoors(plugins: readonly Plugin[]): readonly PlacedDoor[] {
  const placed = new Map<string, PlacedDoor>();
  for (const { name: plugin, doors = [] } of plugins) {
    for (const door of doors) {
      const path = findPath(plugin, door.path, 'door');
      const name = `${door.method} ${path}`;
      const other = placed.get(name)?.plugin;
      if (other === plugin) throw new Error(`Plugin "${plugin}" has two doors ${name}.`);
      if (other !== undefined) throw new Error(`Plugin "${plugin}" and plugin "${other}" both have a door ${name}.`);
      placed.set(name, { plugin, path, door });
    }
  }
  return [...placed.values()];
}

/**
 * Returns the sockets of all plugins by their paths.
 * @throws Error naming the plugin whose path belongs to the server, or both plugins that have the same socket
 */
export function placeSockets(plugins: readonly Plugin[]): ReadonlyMap<string, PlacedSocket> {
  const placed = new Map<string, PlacedSocket>();
  for (const { name: plugin, sockets = [] } of plugins) {
    for (const socket of sockets) {
      const path = findPath(plugin, socket.path, 'socket');
      const other = placed.get(path)?.plugin;
      if (other !== undefined) throw new Error(`Plugin "${plugin}" and plugin "${other}" both have a socket ${path}.`);
      placed.set(path, { plugin, socket });
    }
  }
  return placed;
}

/** @param kind - a door is not directly below the root, where the files of the page are */
function findPath(plugin: string, path: string, kind: 'door' | 'socket'): string {
  const own = `/plugins/${plugin}/`;
  if (!path.startsWith('/')) return own + path;
  const [, root = '', ...others] = path.split('/');
  const place = `Plugin "${plugin}": ${kind} ${JSON.stringify(path)}`;
  if (kind === 'door' && others.length === 0)
    throw new Error(`${place}: an absolute path has two parts or more; "${root}" alone is a path below ${own}`);
  if (ownRoots.has(root) && !path.startsWith(own))
    throw new Error(`${place}: the server has "/${root}" for itself; a path without the first "/" is below ${own}`);
  return path;
}
