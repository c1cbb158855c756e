import {
  callerSchema,
  channelSchema,
  type DoorCall,
  findUnknownMembers,
  isDeeper,
  isJson,
  isRecord,
  type Json,
  limits,
  maxTitleLength,
  pathOf,
} from '@parleyhq/core';
import * as z from 'zod/mini';

const callSchema = z.object({
  channel: channelSchema,
  toolName: z.string(),
  args: z.custom<Json>((value) => isJson(value) && !isDeeper(value, limits.jsonDepth), 'must be JSON'),
  title: z.optional(z.string().check(z.maxLength(maxTitleLength))),
  from: z.optional(callerSchema),
  signal: z.optional(z.instanceof(AbortSignal)),
});

/** Checks what a plugin's door passes to `call` (PLG8). @throws TypeError that names the invalid member */
export function readDoorCall(call: DoorCall): DoorCall {
  const [unknown] = isRecord(call) ? findUnknownMembers(callSchema, call) : [];
  if (unknown !== undefined) throw new TypeError(`call: ${unknown}`);
  const parsed = z.safeParse(callSchema, call);
  if (parsed.success) return parsed.data as DoorCall;
  const [issue] = parsed.error.issues;
  throw new TypeError(`call: ${issue ? pathOf(issue).join('.') : ''}: ${issue?.message}`);
}
