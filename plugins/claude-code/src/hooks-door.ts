import type { CallerContext, Door, DoorCall, DoorOutcome, Principal } from '@parleyhq/core';
import { ClaudeSessions } from './claude-sessions.ts';
import { decide, toCall } from './decision.ts';
import { type Hook, type PermissionDenied, type PermissionRequest, readHook } from './hook.ts';
import { isOverruled, toOverruling } from './overrule.ts';

/** In bytes; `PostToolUse` contains what the tool returned. */
const maxHookBytes = 4 * 1024 * 1024;

const inTerminal = 'Answered in the terminal';
const noLongerWaiting = 'No longer waiting';

/**
 * Makes the door for Claude Code's hooks: its permission requests become calls of `permission`, and a person's answer becomes its
 * decision. Its own prompt stays open meanwhile and decides if anything fails here: nothing but a person's approval is an allow
 * (ASK7).
 */
export function makeHooksDoor(): Door {
  const sessions = new ClaudeSessions();
  return {
    method: 'POST',
    path: '/hooks/claude',
    access: 'program',
    maxBytes: maxHookBytes,
    timeoutMs: null,
    async handle(_request, context) {
      const hook = readHook(context);
      return Response.json(hook ? await reply(sessions, context, hook) : {});
    },
  };
}

async function reply(sessions: ClaudeSessions, context: CallerContext, hook: Hook): Promise<object> {
  const place = placeOf(context.caller, hook);
  switch (hook.hook_event_name) {
    case 'PermissionRequest':
      return ask(sessions, context, hook);
    case 'PermissionDenied':
      return askToOverrule(sessions, context, hook);
    case 'PreToolUse':
      if (sessions.takePass(place, hook)) return { hookSpecificOutput: passed };
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
  return {};
}

/** Asks people. Claude Code closes its request once its own prompt was answered. */
async function ask(sessions: ClaudeSessions, context: CallerContext, hook: PermissionRequest): Promise<object> {
  const outcome = await wait(sessions, context, hook, (id) => toCall(hook, id));
  const decision = outcome && decide(hook, outcome);
  return decision ? { hookSpecificOutput: { hookEventName: hook.hook_event_name, decision } } : {};
}

/** Asks people whether a call that the automatic mode refused may be tried once more; the model decides whether it does (ACP4). */
async function askToOverrule(
  sessions: ClaudeSessions,
  context: CallerContext,
  hook: PermissionDenied,
): Promise<object> {
  const outcome = await wait(sessions, context, hook, () => toOverruling(hook));
  if (!isOverruled(outcome)) return {};
  sessions.letPass(placeOf(context.caller, hook), hook);
  return { hookSpecificOutput: { hookEventName: hook.hook_event_name, retry: true } };
}

/** Makes a call that ends with the request of the hook, and with whatever else says that Claude Code waits no more. */
async function wait(
  sessions: ClaudeSessions,
  { call, caller, signal }: CallerContext,
  hook: PermissionRequest | PermissionDenied,
  describe: (toolUseId: string | undefined) => DoorCall,
): Promise<DoorOutcome | undefined> {
  const place = placeOf(caller, hook);
  const waiting = sessions.begin(place, hook);
  const end = () => waiting.ended.abort(signal.reason.code === 'disconnected' ? inTerminal : noLongerWaiting);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    return await call({ ...describe(waiting.id), signal: waiting.ended.signal });
  } finally {
    sessions.leave(place, waiting);
  }
}

const passed = {
  hookEventName: 'PreToolUse',
  permissionDecision: 'allow',
  permissionDecisionReason: 'A person let this call pass once.',
} as const;

function placeOf({ id }: Principal, { session_id }: Hook): string {
  return JSON.stringify([id, session_id]);
}
