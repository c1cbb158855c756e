import { type DoorContext, isJson, isRecord, type Json } from '@parleyhq/core';
import * as z from 'zod';

/** The pattern permits only ids that can also name a channel. */
const session = { session_id: z.string().regex(/^[A-Za-z0-9._-]{1,57}$/) };
/** Not `z.json()`, which takes a hundred times as long. */
const json = z.custom<Json>(isJson, 'must be JSON');
const agent = { agent_id: z.string().max(256).optional() };
/** Parsed JSON contains nothing but JSON: checking each member again, as `z.record()` does, takes longer than parsing them. */
const members = z.custom<Readonly<Record<string, Json>>>(isRecord, 'must be an object');
const folder = { cwd: z.string().max(4096).default('') };
const use = {
  ...agent,
  ...folder,
  tool_name: z.string(),
  tool_input: members,
  permission_mode: z.string().max(100).catch('').default(''),
};
const call = { tool_use_id: z.string().min(1).max(256) };

/** A text for people to read, cut rather than refused if it is long. */
const words = z.string().transform((text) => text.slice(0, 10_000));

/** The hooks that are handled here; additional members from later releases of Claude Code are accepted. */
const hookSchema = z.discriminatedUnion('hook_event_name', [
  z.object({
    hook_event_name: z.literal('PermissionRequest'),
    ...session,
    ...use,
    permission_suggestions: z.array(json).max(20).catch([]).default([]),
  }),
  z.object({
    hook_event_name: z.literal('PermissionDenied'),
    ...session,
    ...use,
    reason: words.default(''),
  }),
  z.object({ hook_event_name: z.literal('PreToolUse'), ...session, ...use, ...call }),
  z.object({ hook_event_name: z.enum(['PostToolUse', 'PostToolUseFailure']), ...session, ...call }),
  z.object({
    hook_event_name: z.literal('Elicitation'),
    ...session,
    ...agent,
    ...folder,
    mcp_server_name: z.string().min(1).max(200),
    message: z.string().catch('').default(''),
    mode: z.string().max(100).default('form'),
    url: json.optional(),
    requested_schema: json.optional(),
  }),
  z.object({
    hook_event_name: z.literal('Notification'),
    ...session,
    ...folder,
    message: words,
    notification_type: z.string().max(100).catch('').default(''),
  }),
  z.object({ hook_event_name: z.literal('Stop'), ...session, ...agent }),
  z.object({
    hook_event_name: z.literal('SubagentStop'),
    ...session,
    ...agent,
    ...folder,
    agent_type: z.string().max(100).catch('').default(''),
    last_assistant_message: z.string().catch('').default(''),
  }),
  z.object({ hook_event_name: z.literal('SessionEnd'), ...session }),
]);

export type Hook = z.infer<typeof hookSchema>;
export type PermissionRequest = Extract<Hook, { hook_event_name: 'PermissionRequest' }>;
export type PermissionDenied = Extract<Hook, { hook_event_name: 'PermissionDenied' }>;
export type PreToolUse = Extract<Hook, { hook_event_name: 'PreToolUse' }>;
export type ElicitationHook = Extract<Hook, { hook_event_name: 'Elicitation' }>;
export type Notification = Extract<Hook, { hook_event_name: 'Notification' }>;
export type SubagentStop = Extract<Hook, { hook_event_name: 'SubagentStop' }>;

const known: ReadonlySet<unknown> = new Set(
  hookSchema.options.flatMap(({ shape }) => [...shape.hook_event_name._zod.values]),
);

/** Returns undefined for a hook that is not handled here. @throws RefusalError `bad_frame` */
export function readHook({ json: readBody, refuse }: Pick<DoorContext, 'json' | 'refuse'>): Hook | undefined {
  const body = readBody();
  if (!isRecord(body)) throw refuse('bad_frame', 'Invalid request: it is not an object.');
  if (typeof body.hook_event_name === 'string' && !known.has(body.hook_event_name)) return undefined;
  const parsed = hookSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse('bad_frame', `Invalid request: ${issue?.path.join('.')}: ${issue?.message}.`);
  }
  const hook = parsed.data;
  return 'tool_name' in hook && isNobodys(hook.tool_name) ? undefined : hook;
}

/** Whether no tool can have this name: Parley does not ask about it, but leaves the question to Claude Code's own prompt. */
function isNobodys(toolName: string): boolean {
  return !/^[A-Za-z0-9_.:/-]{1,200}$/.test(toolName);
}
