import { hash } from 'node:crypto';
import {
  type CallArgs,
  type CallDescription,
  canonicalise,
  describeUnknown,
  interactionSpecSchema,
  isRecord,
  type Json,
  ToolError,
} from '@parleyhq/core';
import * as z from 'zod';
import { limitTime } from '../node/limit-time.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { refuseSlow } from './slow-tool.ts';

const { title, prompt, subject, risk, view } = interactionSpecSchema.shape;
const descriptionSchema = z.object({ title, prompt, subject, risk, view });

/**
 * Returns how the tool describes a call with these arguments to people; empty if it has no `describe`.
 * @throws ToolError `tool_error` if the description is invalid, `handler_timeout` after `limitMs` (INT12)
 */
export async function describeCall(
  { tool }: Pick<RegisteredTool, 'tool'>,
  args: CallArgs,
  limitMs: number,
): Promise<CallDescription> {
  if (!tool.describe) return {};
  const described: unknown = await limitTime(limitMs, () => tool.describe?.(args.value()), refuseSlow('describe'));
  if (!isRecord(described)) throw new ToolError('tool_error', 'describe: must return an object.');
  const unknown = describeUnknown(described, Object.keys(descriptionSchema.shape));
  if (unknown.length > 0) throw new ToolError('tool_error', `describe: ${unknown.join(' ')}`);
  const { data, error } = descriptionSchema.safeParse(described);
  if (error) throw new ToolError('tool_error', `describe: ${describeFaults(error)}`);
  // members set to undefined do not count
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}

/** Identifies everything that a description shows. */
export function digestOfDescription(described: CallDescription): string {
  return hash('sha256', canonicalise(described as Json));
}

function describeFaults({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
