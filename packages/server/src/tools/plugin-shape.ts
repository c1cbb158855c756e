import type { Plugin, Tool } from '@parleyhq/core';
import { describeUnknown } from './typo-check.ts';

const pluginMembers: Record<keyof Plugin, true> = {
  name: true,
  version: true,
  configSchema: true,
  tools: true,
  agents: true,
  covers: true,
  setup: true,
  dispose: true,
};

const isFunction = (value: unknown) => typeof value === 'function';
const isSwitch = (value: unknown) => typeof value === 'boolean';

/** What each member of a tool may be, and how that is said. */
const toolMembers: Record<keyof Tool, readonly [fits: (value: unknown) => boolean, words: string]> = {
  name: [(value) => typeof value === 'string', 'a string'],
  description: [(value) => typeof value === 'string', 'a string'],
  parameters: [(value) => typeof value === 'object' && value !== null, 'a zod schema or JSON Schema'],
  approval: [
    (value) => value === 'never' || value === 'always' || typeof value === 'function',
    '"never", "always" or a function',
  ],
  rules: [isFunction, 'a function'],
  readOnly: [isSwitch, 'true or false'],
  durable: [isSwitch, 'true or false'],
  edits: [isSwitch, 'true or false'],
  onInterrupted: [(value) => value === 'ask' || value === 'retry' || value === 'fail', '"ask", "retry" or "fail"'],
  timeoutMs: [(value) => typeof value === 'number' && value > 0, 'a number above 0'],
  handler: [isFunction, 'a function'],
};

const toolNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A member with a typo would do nothing in silence: `aproval` must not be a tool that nobody approves (PLG2). @throws Error */
export function requirePlugin(plugin: Plugin): void {
  const [fault] = describeUnknown(plugin, Object.keys(pluginMembers));
  if (fault !== undefined) throw new Error(`Plugin "${plugin.name}": ${fault}`);
  if (plugin.covers !== undefined && !isFunction(plugin.covers)) {
    throw new Error(`Plugin "${plugin.name}": its "covers" must be a function.`);
  }
  const offering = plugin.tools.find(({ rules }) => rules !== undefined);
  if (offering && !plugin.covers) {
    throw new Error(
      `Plugin "${plugin.name}": tool "${offering.name}" offers rules, so the plugin needs a function "covers".`,
    );
  }
}

/** @throws Error naming the plugin, the tool and the member that does not fit */
export function requireTool(tool: Tool, place: string): void {
  if (typeof tool.name !== 'string' || !toolNamePattern.test(tool.name)) {
    throw new Error(`${place} has a tool with the invalid name ${JSON.stringify(tool.name)}.`);
  }
  if (typeof tool.handler !== 'function') throw new Error(`${place}: tool "${tool.name}" has no handler.`);
  const [fault] = describeUnknown(tool, Object.keys(toolMembers));
  if (fault !== undefined) throw new Error(`${place}: tool "${tool.name}": ${fault}`);
  for (const [name, [fits, words]] of Object.entries(toolMembers)) {
    const value = tool[name as keyof Tool];
    if (value === undefined || fits(value)) continue;
    throw new Error(`${place}: tool "${tool.name}": its "${name}" must be ${words}.`);
  }
}
