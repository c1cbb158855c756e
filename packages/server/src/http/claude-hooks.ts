import {
  canonicalise,
  type InteractionResponse,
  isJson,
  isRecord,
  type Json,
  type Principal,
  RefusalError,
  readAt,
} from '@parleyhq/core';
import { readChosen } from '@parleyhq/core/claude-code';
import type { Context, Hono } from 'hono';
import * as z from 'zod';
import type { CallingClient } from '../extensions/programs/call-request.ts';
import { noLongerWaiting } from '../extensions/programs/program-calls.ts';
import { type Programs, runForCaller } from '../extensions/programs/run-for-caller.ts';
import { newId } from '../runtime/node/new-id.ts';
import { ClaudeSessions } from './claude-sessions.ts';
import { admit, type Entry, enter, parse, readBody } from './frame-request.ts';
import { describe, json as describeJson } from './operation.ts';
import type { Env } from './request.ts';

export interface HookRoutes extends Entry {
  readonly programs: Programs;
}

/** In bytes; `PostToolUse` contains what the tool returned. */
const maxHookBytes = 4 * 1024 * 1024;

/** The pattern permits only ids that can also name a channel. */
const session = { session_id: z.string().regex(/^[A-Za-z0-9._-]{1,57}$/) };
/** Not `z.json()`, which takes a hundred times as long. */
const json = z.custom<Json>(isJson, 'must be JSON');
const agent = { agent_id: z.string().max(256).optional() };
/** Parsed JSON contains nothing but JSON: checking each member again, as `z.record()` does, takes longer than parsing them. */
const members = z.custom<Readonly<Record<string, Json>>>(isRecord, 'must be an object');
const use = { ...agent, tool_name: z.string(), tool_input: members };
const call = { tool_use_id: z.string().min(1).max(256) };

/** The hooks that are handled here; additional members from later releases of Claude Code are accepted. */
const hookSchema = z.discriminatedUnion('hook_event_name', [
  z.object({
    hook_event_name: z.literal('PermissionRequest'),
    ...session,
    ...use,
    cwd: z.string().max(4096).default(''),
    permission_suggestions: z.array(json).max(20).catch([]).default([]),
  }),
  z.object({ hook_event_name: z.literal('PreToolUse'), ...session, ...use, ...call }),
  z.object({ hook_event_name: z.enum(['PostToolUse', 'PostToolUseFailure']), ...session, ...call }),
  z.object({ hook_event_name: z.enum(['Stop', 'SubagentStop']), ...session, ...agent }),
  z.object({ hook_event_name: z.literal('SessionEnd'), ...session }),
]);

type Hook = z.infer<typeof hookSchema>;
type PermissionRequest = Extract<Hook, { hook_event_name: 'PermissionRequest' }>;

const known: ReadonlySet<unknown> = new Set(
  hookSchema.options.flatMap(({ shape }) => [...shape.hook_event_name._zod.values]),
);

/** A decision in the format of Claude Code; without one, its own prompt decides. */
type Decision =
  | { readonly behavior: 'allow'; readonly updatedInput: Json; readonly updatedPermissions?: readonly Json[] }
  | { readonly behavior: 'deny'; readonly message: string };

/**
 * Serves Claude Code's hooks: its permission requests become calls of `permission`, and a person's answer becomes its decision.
 * Its own prompt stays open meanwhile and decides if anything fails here: nothing but a person's approval is an allow (ASK7).
 */
export function serveClaudeHooks(app: Hono<Env>, routes: HookRoutes): void {
  const sessions = new ClaudeSessions();
  const { programs } = routes;

  const ask = async (context: Context<Env>, client: CallingClient, hook: PermissionRequest): Promise<Response> => {
    const { principal } = client;
    const place = placeOf(principal, hook);
    const waiting = sessions.begin(place, hook);
    const ended = waiting.ended.signal;
    const findNote = () => (ended.aborted ? String(ended.reason) : undefined);
    const onClosed = () => waiting.ended.abort(inTerminal);
    const { signal } = context.req.raw;
    signal.addEventListener('abort', onClosed);
    if (signal.aborted) onClosed();
    context.env.incoming.socket.setKeepAlive(true, keepAliveMs); // detects a peer that vanished without closing
    try {
      const decision = await programs.requests.hold(client, ended, async (gone) => {
        const call = await programs.calls.begin(client, toCall(hook, waiting.id));
        const outcome = await runForCaller(programs, client, call, { until: gone, findNote });
        if (ended.aborted || !isRecord(outcome?.result)) return undefined;
        return decide(hook, outcome.result, await programs.calls.readAnswers(client.principal, call));
      });
      if (!decision) return context.json({});
      if (!(await admit(context, routes, 'program'))) throw new RefusalError('unauthorised'); // revoked meanwhile (SEC9)
      return context.json({ hookSpecificOutput: { hookEventName: hook.hook_event_name, decision } });
    } finally {
      signal.removeEventListener('abort', onClosed);
      sessions.leave(place, waiting);
    }
  };

  const aboutHook = describe({
    ...{ group: 'Programs outside', summary: 'A hook of Claude Code.', body: hookSchema },
    example: { hook_event_name: 'Stop', session_id: 'c-1' },
    responses: { 200: describeJson('In the format of Claude Code.', z.looseObject({}), {}) },
  });
  app.post('/hooks/claude', aboutHook, async (context) => {
    const client = await enter(context, routes, { maxBytes: maxHookBytes });
    const hook = readHook(await readBody(context, maxHookBytes));
    if (!hook) return context.json({});
    const place = placeOf(client.principal, hook);
    switch (hook.hook_event_name) {
      case 'PermissionRequest':
        return ask(context, client, hook);
      case 'PreToolUse':
        sessions.announce(place, hook.tool_use_id, hook);
        break;
      case 'PostToolUse':
      case 'PostToolUseFailure':
        sessions.finish(place, hook.tool_use_id, inTerminal);
        break;
      case 'Stop':
      case 'SubagentStop':
        sessions.stop(place, hook, inTerminal);
        break;
      case 'SessionEnd':
        sessions.end(place, noLongerWaiting);
        break;
      default:
        hook satisfies never;
    }
    return context.json({});
  });
}

/** Returns undefined for a hook that is not handled here. @throws RefusalError `bad_frame` */
function readHook(body: Record<string, unknown>): Hook | undefined {
  if (typeof body.hook_event_name === 'string' && !known.has(body.hook_event_name)) return undefined;
  const hook = parse(hookSchema, body);
  return 'tool_name' in hook && isNobodys(hook.tool_name) ? undefined : hook;
}

/** Whether no tool can have this name: Parley does not ask about it, but leaves the question to Claude Code's own prompt. */
function isNobodys(toolName: string): boolean {
  return !/^[A-Za-z0-9_.:/-]{1,200}$/.test(toolName);
}

function toCall(
  { session_id, tool_name, tool_input, cwd, permission_suggestions }: PermissionRequest,
  toolUseId: string | undefined,
) {
  const folder = cwd.split(/[\\/]/).findLast((part) => part !== '');
  return {
    channel: `claude:${session_id}`,
    callId: newId(),
    isLive: true,
    toolName: 'permission',
    args: {
      tool_name,
      input: tool_input,
      ...(toolUseId !== undefined && { tool_use_id: toolUseId }),
      ...(permission_suggestions.length > 0 && { permission_suggestions }),
    },
    title: (folder ?? 'Claude Code').slice(0, 200),
    from: { name: 'Claude Code', ...(cwd !== '' && { detail: cwd.slice(0, 1000) }) },
  };
}

/** Returns a person's approval or denial. Anything else that ended the call (a cancel, a deadline, an error) decides nothing. */
function decide(
  hook: PermissionRequest,
  { behavior, updatedInput, message }: Record<string, unknown>,
  answers: readonly InteractionResponse[],
): Decision | undefined {
  const answer = answers.at(-1);
  if (!answer) return undefined;
  if (behavior === 'allow' && answer.action === 'submit' && hook.tool_name === 'AskUserQuestion')
    return { behavior, updatedInput: updatedInput as Json };
  if (behavior === 'allow' && answer.action === 'approve') {
    // taken from the original request, because the result is redacted
    const updatedPermissions = readChosen(hook.permission_suggestions, answer.ruleId);
    const allowed = findAllowed(hook, updatedInput, answers);
    if (!allowed) return undefined;
    return { behavior, updatedInput: allowed, ...(updatedPermissions && { updatedPermissions }) };
  }
  if (behavior === 'deny' && answer.action === 'deny') return { behavior, message: String(message) };
  return undefined;
}

/**
 * Returns the input that a person allowed: as shown, or as edited. It is returned even if unchanged, because plans and other
 * calls that wait for a person need it to continue. Undefined if a secret was removed from it: that is not what the person
 * allowed.
 */
function findAllowed(
  { tool_input }: PermissionRequest,
  updatedInput: unknown,
  answers: readonly InteractionResponse[],
): Record<string, Json> | undefined {
  const edits = answers.flatMap(({ editedArgs }) => (editedArgs === undefined ? [] : [readAt(editedArgs, ['input'])]));
  if (edits.length === 0) return tool_input;
  const isAllowed = (input: unknown): input is Record<string, Json> =>
    isRecord(input) && canonicalise(input) === canonicalise(updatedInput);
  return [tool_input, ...edits].find(isAllowed);
}

function placeOf({ id }: Principal, { session_id }: Hook): string {
  return JSON.stringify([id, session_id]);
}

const inTerminal = 'Answered in the terminal';
const keepAliveMs = 30_000;
