import type { Plugin, ToolOffer } from '@parleyhq/core';
import { readSchema } from '@parleyhq/core/schemas';
import { placeDoors, placeSockets } from './door-places.ts';
import { ToolRegistry } from './tool-registry.ts';

/**
 * Checks a plugin as the start of a server does, without a server (PLG12).
 * @param others - plugins that it is loaded together with
 * @returns its tools as agents see them
 * @throws Error naming what is invalid
 */
export function checkPlugin(plugin: Plugin, others: readonly Plugin[] = []): readonly ToolOffer[] {
  const { offers } = new ToolRegistry([...others, plugin]);
  placeDoors([...others, plugin]);
  placeSockets([...others, plugin]);
  if (plugin.configSchema) readSchema(plugin.configSchema, `Plugin "${plugin.name}": its configSchema`);
  const own = new Set(plugin.tools.map(({ name }) => name));
  return offers.filter(({ name }) => own.has(name));
}
