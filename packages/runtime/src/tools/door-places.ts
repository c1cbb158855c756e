import type { Door, Plugin } from '@parleyhq/core';

/** A door at its path, which is absolute. */
export interface PlacedDoor {
  readonly plugin: string;
  readonly path: string;
  readonly door: Door;
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
      const path = findPath(plugin, door);
      const name = `${door.method} ${path}`;
      const other = placed.get(name)?.plugin;
      if (other === plugin) throw new Error(`Plugin "${plugin}" has two doors ${name}.`);
      if (other !== undefined) throw new Error(`Plugin "${plugin}" and plugin "${other}" both have a door ${name}.`);
      placed.set(name, { plugin, path, door });
    }
  }
  return [...placed.values()];
}

function findPath(plugin: string, { path }: Door): string {
  const own = `/plugins/${plugin}/`;
  if (!path.startsWith('/')) return own + path;
  const [, root = '', ...others] = path.split('/');
  const place = `Plugin "${plugin}": door ${JSON.stringify(path)}`;
  if (others.length === 0)
    throw new Error(`${place}: an absolute path has two parts or more; "${root}" alone is a path below ${own}`);
  if (ownRoots.has(root) && !path.startsWith(own))
    throw new Error(`${place}: the server has "/${root}" for itself; a path without the first "/" is below ${own}`);
  return path;
}
