import {
  argsOf,
  asHidden,
  type ChatEvent,
  describeAudience,
  describeCallback,
  describePass,
  type InteractionRequest,
  type Items,
  type Json,
  nameOf,
  nameRuleScope,
  type Payload,
  wordsOfMessage,
} from '@parleyhq/core';
import { describeActor, describeAnswer, describeEnd, describeRequest, describeVote } from './prompt-words.ts';
import type { StyledText } from './styled-text.ts';

/** The longest arguments or result to print, in characters; `--json` prints them whole. */
const mostShown = 600;

/** Describes an event for people; undefined if there is nothing to show. @param items - holds what the event refers to */
export function describeEvent(event: ChatEvent, items: Items): StyledText | undefined {
  const hidden = asHidden(event);
  if (hidden) return hidden.type === 'tool_call' ? note('A call that is hidden from you.') : undefined;
  switch (event.type) {
    case 'user_message':
      return describeMessage(event.payload, '');
    case 'message_queued':
      return describeMessage(event.payload, event.payload.isEdit ? ' (changed, waits)' : ' (waits)');
    case 'message_unqueued':
      return note(
        event.payload.reason === 'removed' ? 'A waiting message was withdrawn.' : 'A waiting message was returned.',
      );
    case 'turn_start':
      return undefined;
    case 'turn_resumed':
      return note('Resumed after a restart of the server.');
    case 'assistant_done':
      return {
        tone: 'agent',
        mark: `${agentOf(event, items)}:`,
        text: `${event.payload.text}${event.payload.interrupted ? ' (interrupted)' : ''}`,
      };
    case 'thinking_done':
      return { tone: 'quiet', mark: 'thinking:', text: event.payload.text };
    case 'tool_call':
      return { tone: 'tool', mark: '>', text: describeCall(event.payload) };
    case 'tool_result':
      return describeResult(event.payload);
    case 'interaction_request':
      return describeRequest(event.payload);
    case 'interaction_vote':
      return describeVote(event.payload, findRequest(items, event.payload.interactionId));
    case 'interaction_comment':
      return describeComment(event.payload);
    case 'interaction_escalated':
      return note(`Nobody has answered yet: ${describeAudience(event.payload.audience)} can answer, too.`);
    case 'interaction_response':
      return describeAnswer(event.payload, findRequest(items, event.payload.interactionId));
    case 'interaction_expired':
      return note('Timed out.');
    case 'interaction_pending':
      return note(`Its tool goes on without the answer, which is still taken: ${event.payload.message}`);
    case 'interaction_closed':
      return describeEnd(event.payload);
    case 'callback_settled':
      return note(`"${event.payload.key}" ${describeCallback(event.payload.outcome)}.`);
    case 'session_changed':
      return describeChange(event.payload);
    case 'turn_end':
      return describeTurnEnd(event.payload);
    case 'error':
      return { tone: 'bad', mark: '!', text: `${event.payload.code}: ${event.payload.message}` };
    default:
      return note(`Event "${(event satisfies never as ChatEvent).type}" is from another release.`);
  }
}

export function findRequest(items: Items, interactionId: string): InteractionRequest | undefined {
  const item = items.get(`interaction:${interactionId}`);
  return item?.kind === 'interaction' ? item.request?.payload : undefined;
}

/** The name of the agent that writes in this turn. */
export function agentOf({ turnId }: Pick<ChatEvent, 'turnId'>, items: Items): string {
  const turn = items.get(`turn:${turnId}`);
  return (turn?.kind === 'turn' && turn.start?.payload.agent) || 'agent';
}

function note(text: string): StyledText {
  return { tone: 'quiet', mark: '--', text };
}

/** Describes what somebody said under a prompt (REV4). */
export function describeComment({ by, text, isAskers }: Payload<'interaction_comment'>): StyledText {
  return note(`${nameOf(by)}${isAskers ? ' (asks this)' : ''} says: ${text}`);
}

function describeMessage(message: Payload<'user_message'>, state: string): StyledText {
  const { from, origin } = message;
  const who = from ? nameOf(from) : origin === 'interaction' ? 'late answer' : 'somebody';
  return { tone: 'person', mark: `${who}${state}:`, text: wordsOfMessage(message) };
}

function describeCall(call: Payload<'tool_call'>): string {
  const words = `${call.toolName} ${toText(argsOf(call))}`;
  return call.authorised.by === 'reviewer' ? `${words}\n${describePass(call.authorised)}` : words;
}

function describeResult({ toolName, result, error, authorised }: Payload<'tool_result'>): StyledText {
  if (error) return { tone: 'bad', mark: '!', text: `${toolName} ${error.code}: ${error.message}` };
  const passed = authorised?.by === 'reviewer' ? `${describePass(authorised)}\n` : '';
  return { tone: 'tool', mark: '<', text: `${passed}${toolName} ${toText(result ?? null)}` };
}

function describeChange({
  title,
  agent,
  permissionMode,
  pinned,
  archived,
  rule,
  by,
}: Payload<'session_changed'>): StyledText {
  const named = Object.entries({ title, agent, 'permission mode': permissionMode })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} is now "${value}"`);
  const marked = Object.entries({ pinned, archived })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${value ? 'now' : 'no longer'} ${name}`);
  const allowed = rule ? [`allowed from here on: ${rule.label}, ${nameRuleScope(rule)}`] : [];
  return note(`${[...named, ...marked, ...allowed].join(', ')}, by ${describeActor(by)}`);
}

function describeTurnEnd({ status, error }: Payload<'turn_end'>): StyledText {
  if (error) return { tone: 'bad', mark: '!', text: `The turn failed: ${error.code}: ${error.message}` };
  return note(status === 'cancelled' ? 'Stopped.' : 'Done.');
}

/** Returns a string unchanged and anything else as JSON, shortened to `mostShown`. */
function toText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= mostShown
    ? text
    : `${text.slice(0, mostShown)} ... (${text.length - mostShown} more characters)`;
}
