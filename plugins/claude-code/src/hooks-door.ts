import {
  type CallerContext,
  type Door,
  type DoorCall,
  type DoorOutcome,
  isRecord,
  type Principal,
} from '@parleyhq/core';
import { ClaudeSessions, type Waiting } from './claude-sessions.ts';
import { type Decision, decide, toCall } from './decision.ts';
import { readElicited, toElicitationCall } from './elicitation.ts';
import {
  type ElicitationHook,
  type Hook,
  type PermissionDenied,
  type PermissionRequest,
  type PreToolUse,
  readHook,
} from './hook.ts';
import { describeEnd, describeNotification, show } from './news.ts';
import { isOverruled, toOverruling } from './overrule.ts';
import { policyNames } from './policy-names.ts';

type Effect = ReturnType<CallerContext['policyFor']>;
type Judged = Pick<PreToolUse, 'tool_name' | 'cwd'> & { readonly tool_input: Readonly<Record<string, unknown>> };

/** In bytes; `PostToolUse` contains what the tool returned. */
const maxHookBytes = 4 * 1024 * 1024;

/** Says how Claude Code was started: `cli` in a terminal, `sdk-cli` and others without one. `connect claude` sets it. */
const entrypointHeader = 'claude-entrypoint';

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
    async handle(request, context) {
      try {
        const hook = readHook(context);
        const entrypoint = request.headers.get(entrypointHeader);
        return Response.json(hook ? await reply(sessions, context, hook, entrypoint) : {});
      } catch (error) {
        const judged = judgeUnread(context, await request.json().catch(() => undefined));
        if (!judged) throw error;
        context.log.warn('policies alone decided about a call that could not be read', { error });
        return Response.json(judged);
      }
    },
  };
}

async function reply(
  sessions: ClaudeSessions,
  context: CallerContext,
  hook: Hook,
  entrypoint: string | null,
): Promise<object> {
  const session = sessionOf(context.caller, hook);
  switch (hook.hook_event_name) {
    case 'PermissionRequest':
      return ask(sessions, context, hook);
    case 'PermissionDenied':
      return askToOverrule(sessions, context, hook);
    case 'PreToolUse':
      return judge(sessions, context, hook);
    case 'Elicitation':
      return elicit(sessions, context, hook, entrypoint);
    case 'Notification': {
      const text = describeNotification(hook, { isAsking: sessions.isAsking(session) });
      if (text !== undefined) await show(context, hook, text);
      break;
    }
    case 'PostToolUse':
    case 'PostToolUseFailure':
      sessions.finish(session, hook.tool_use_id, inTerminal);
      break;
    case 'Stop':
      sessions.stop(session, hook, inTerminal);
      break;
    case 'SubagentStop':
      sessions.stop(session, hook, inTerminal);
      if (sessions.isNews(session, hook)) await show(context, hook, describeEnd(hook));
      break;
    case 'SessionEnd':
      sessions.end(session, noLongerWaiting);
      break;
    default:
      hook satisfies never;
  }
  return {};
}

/**
 * Decides about a call before Claude Code does: a policy of the server may deny it, or make Claude Code ask in every mode, which
 * it then does in its terminal and here (ACP4).
 */
function judge(sessions: ClaudeSessions, context: CallerContext, hook: PreToolUse): object {
  const judged = answerPolicy(effectOn(context, hook));
  if (judged === denied) return denied;
  const session = sessionOf(context.caller, hook);
  if (sessions.takePass(session, hook)) return answerUse('allow', 'A person let this call pass once.');
  sessions.announce(session, hook.tool_use_id, hook);
  return judged ?? {};
}

/**
 * Decides by the policies alone about a call that could not be read, because Claude Code would make it: one with a number that is
 * not kept exactly, for instance. Undefined if there is nothing to say.
 */
function judgeUnread(context: CallerContext, body: unknown): object | undefined {
  const { hook_event_name: event, tool_name, tool_input, cwd } = isRecord(body) ? body : {};
  if (event !== 'PreToolUse' || typeof tool_name !== 'string') return undefined;
  const input = isRecord(tool_input) ? tool_input : {};
  return answerPolicy(effectOn(context, { tool_name, tool_input: input, cwd: typeof cwd === 'string' ? cwd : '' }));
}

/** What the policies say about a call. */
function effectOn({ policyFor }: CallerContext, { tool_name, tool_input, cwd }: Judged): Effect {
  return policyFor(policyNames(tool_name, tool_input, cwd));
}

/** Asks people what an MCP server wants to know. */
async function elicit(
  sessions: ClaudeSessions,
  context: CallerContext,
  hook: ElicitationHook,
  entrypoint: string | null,
): Promise<object> {
  const elicited = readElicited(await wait(sessions, context, hook, () => toElicitationCall(hook, entrypoint)));
  return elicited ? { hookSpecificOutput: elicited } : {};
}

/**
 * Asks people, unless a policy denies the call. Claude Code closes its request once its own prompt was answered. Policies also judge
 * the input that is returned, because `PreToolUse` has not seen what a person edited (APR3).
 */
async function ask(sessions: ClaudeSessions, context: CallerContext, hook: PermissionRequest): Promise<object> {
  if (effectOn(context, hook) === 'deny') return answerRequest({ behavior: 'deny', message: denial });
  const outcome = await wait(sessions, context, hook, (waiting) => toCall(hook, waiting));
  const decision = outcome && decide(hook, outcome);
  if (!decision) return {};
  if (decision.behavior === 'deny' || effectOn(context, { ...hook, tool_input: decision.updatedInput }) !== 'deny')
    return answerRequest(decision);
  await show(context, hook, 'A policy of the server denies the call as it was edited: it did not run.').catch((error) =>
    context.log.warn('people were not shown that a policy denies an edited call', { error }),
  );
  return answerRequest({ behavior: 'deny', message: denial });
}

/** Asks people whether a call that the automatic mode refused may be tried once more; the model decides whether it does (ACP4). */
async function askToOverrule(
  sessions: ClaudeSessions,
  context: CallerContext,
  hook: PermissionDenied,
): Promise<object> {
  const outcome = await wait(sessions, context, hook, ({ folder }) => toOverruling(hook, folder));
  if (!isOverruled(outcome)) return {};
  sessions.letPass(sessionOf(context.caller, hook), hook);
  return { hookSpecificOutput: { hookEventName: hook.hook_event_name, retry: true } };
}

/** Makes a call that ends with the request of the hook, and with whatever else says that Claude Code waits no more. */
async function wait(
  sessions: ClaudeSessions,
  { call, caller, signal }: CallerContext,
  hook: PermissionRequest | PermissionDenied | ElicitationHook,
  describe: (waiting: Waiting) => DoorCall,
): Promise<DoorOutcome | undefined> {
  const session = sessionOf(caller, hook);
  const waiting = sessions.begin(session, hook);
  const end = () => waiting.ended.abort(signal.reason.code === 'disconnected' ? inTerminal : noLongerWaiting);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    return await call({ ...describe(waiting), signal: waiting.ended.signal });
  } finally {
    sessions.leave(session, waiting);
  }
}

const denial = 'A policy of the Parley server denies this call.';
const denied = answerUse('deny', denial);
const asked = answerUse('ask', 'A policy of the Parley server: a person decides about this call.');

function answerPolicy(effect: Effect): object | undefined {
  if (effect === 'deny') return denied;
  return effect === 'ask' ? asked : undefined;
}

function answerUse(permissionDecision: 'allow' | 'ask' | 'deny', permissionDecisionReason: string): object {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } };
}

function answerRequest(decision: Decision): object {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
}

function sessionOf({ id }: Principal, { session_id }: Hook): string {
  return JSON.stringify([id, session_id]);
}
