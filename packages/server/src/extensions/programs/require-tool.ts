import { outsideAgent, type Principal, RefusalError } from '@parleyhq/core';
import type { ToolRegistry } from '@parleyhq/runtime';

/**
 * Checks the role: askers may call only tools that ask, operators may call all tools, others none (ASK2).
 * @throws RefusalError `forbidden`, `invalid` if there is no such tool
 */
export function requireTool(registry: ToolRegistry, { role }: Principal, toolName: string): void {
  if (role !== 'operator' && role !== 'asker') throw new RefusalError('forbidden', { message: roleWords });
  const tool = registry.get(toolName, outsideAgent)?.tool;
  if (!tool && role === 'operator') throw new RefusalError('invalid', { message: registry.unknown(toolName).message });
  if (role === 'operator' || tool?.asking) return;
  const names = registry.offers.map(({ name }) => name).filter((name) => registry.get(name, outsideAgent)?.tool.asking);
  throw new RefusalError('forbidden', { message: `${askerWords} ${names.join(', ') || 'it has none'}.` });
}

const roleWords = 'Calling tools requires the role asker or operator.';
const askerWords = 'An asker may only call tools of this server that say they only ask (asking: true):';
