import type { Plugin, ToolOffer } from '@parleyhq/core';
import { readSchema } from '@parleyhq/core/schemas';
import { ToolRegistry } from './tool-registry.ts';

/** Judges a plugin as the start of a server does, without one (PLG12). @returns its tools as agents see them @throws Error that names what does not fit */
export function checkPlugin(plugin: Plugin): readonly ToolOffer[] {
  const { offers } = new ToolRegistry([plugin]);
  if (plugin.configSchema) readSchema(plugin.configSchema, `Plugin "${plugin.name}": its configSchema`);
  return offers;
}
