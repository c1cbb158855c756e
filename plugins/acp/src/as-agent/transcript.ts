import {
  asHidden,
  type ChatEvent,
  type InteractionId,
  type InteractionRequest,
  isRecord,
  type Json,
  nameOf,
  type OpenCall,
  type StreamPart,
  showHidden,
  type ToolCallId,
  wordsOfMessage,
} from '@parleyhq/core';
import { type CallKind, callKinds } from '../agent-call.ts';
import type { SessionUpdate, ToolCallContent, ToolKind } from '../sdk.ts';
import { describeAnswer, describeClosed, describeVote } from './words.ts';

/** Turns the log of a session, and what is streamed meanwhile, into updates for an editor. Each event is taken once, in order. */
export class Transcript {
  /** What was streamed of each block that has not ended. */
  readonly #streamed = new Map<string, string>();
  readonly #calls: Set<ToolCallId>;
  readonly #requests = new Map<InteractionId, InteractionRequest>();

  /** @param calls - that are open where it begins */
  constructor(calls: readonly OpenCall[] = []) {
    this.#calls = new Set(calls.map(({ toolCallId }) => toolCallId));
  }

  follow(event: ChatEvent): readonly SessionUpdate[] {
    if (asHidden(event)) return [];
    switch (event.type) {
      case 'user_message':
        return [say('user_message_chunk', wordsOfMessage(event.payload), event.payload.messageId)];
      case 'assistant_done':
        return this.#end('agent_message_chunk', 'text', event);
      case 'thinking_done':
        return this.#end('agent_thought_chunk', 'thinking', event);
      case 'tool_call':
        this.#calls.add(event.payload.toolCallId);
        return describeCall(event.payload);
      case 'tool_result':
        this.#calls.delete(event.payload.toolCallId);
        return [describeResult(event.payload)];
      case 'interaction_request':
        this.#requests.set(event.payload.interactionId, event.payload);
        return [];
      case 'interaction_response':
      case 'interaction_closed':
        return this.#settle(event);
      case 'interaction_vote':
        return [
          say(
            'agent_thought_chunk',
            describeVote(event.payload, this.#requests.get(event.payload.interactionId)),
            event.id,
          ),
        ];
      case 'interaction_comment':
        return [say('agent_thought_chunk', `${nameOf(event.payload.by)}: ${event.payload.text}`, event.id)];
      case 'error':
        this.#streamed.clear(); // the message is written anew
        return [say('agent_thought_chunk', event.payload.message, event.id)];
      case 'turn_end': {
        this.#streamed.clear();
        const { error } = event.payload;
        return error ? [say('agent_thought_chunk', `The turn has failed: ${error.message}`, event.id)] : [];
      }
      default:
        return [];
    }
  }

  /** Returns the update for streamed text, without what is known of it. */
  stream({ responseId, block, kind, offset, text }: StreamPart): readonly SessionUpdate[] {
    if (kind !== 'text' && kind !== 'thinking') return [];
    const id = `${responseId}.${block}`;
    const known = this.#streamed.get(`${kind} ${id}`) ?? '';
    const more = offset <= known.length ? text.slice(known.length - offset) : ''; // after a gap the end of the block has all of it
    if (more === '') return [];
    this.#streamed.set(`${kind} ${id}`, known + more);
    return [say(kind === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk', more, id)];
  }

  #end(
    update: 'agent_message_chunk' | 'agent_thought_chunk',
    kind: 'text' | 'thinking',
    { id: eventId, responseId = eventId, payload: { block, text } }: ChatEvent<'assistant_done' | 'thinking_done'>,
  ): readonly SessionUpdate[] {
    const id = `${responseId}.${block}`;
    const known = this.#streamed.get(`${kind} ${id}`) ?? '';
    this.#streamed.delete(`${kind} ${id}`);
    if (!text.startsWith(known)) return [say(update, text, eventId)]; // another text than was streamed is a message of its own
    return text === known ? [] : [say(update, text.slice(known.length), id)];
  }

  /** Says at an open call how its prompt ended. */
  #settle(event: ChatEvent<'interaction_response' | 'interaction_closed'>): readonly SessionUpdate[] {
    const { interactionId, toolCallId } = event.payload;
    const request = this.#requests.get(interactionId);
    this.#requests.delete(interactionId);
    if (!request || !this.#calls.has(toolCallId)) return [];
    const words =
      event.type === 'interaction_response'
        ? describeAnswer(request, event.payload)
        : describeClosed(request, event.payload);
    return [{ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content: [toContent(words)] }];
  }
}

function say(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
  messageId: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text: showHidden(text) }, messageId };
}

export function toContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

function describeCall({
  toolCallId,
  toolName,
  args,
  parsedArgs = args,
}: ChatEvent<'tool_call'>['payload']): SessionUpdate[] {
  const title = describeArgs(toolName, parsedArgs);
  const call = { toolCallId, title, name: toolName, kind: toKind(toolName), status: 'in_progress' as const };
  const plan = readPlan(parsedArgs);
  return [{ sessionUpdate: 'tool_call', ...call, rawInput: parsedArgs }, ...(plan ? [plan] : [])];
}

/** In characters: a title is one line, and the arguments are with the call as a whole. */
const maxTitle = 120;

/** Names a call by its tool and its first argument that is a text. */
function describeArgs(toolName: string, args: Json): string {
  const first = isRecord(args) ? Object.values(args).find((value) => typeof value === 'string') : undefined;
  const about = typeof first === 'string' ? first.trim().split('\n', 1)[0] : '';
  const title = about ? `${toolName}: ${about}` : toolName;
  return showHidden(title.length > maxTitle ? `${title.slice(0, maxTitle)} …` : title);
}

const commands: ReadonlySet<string> = new Set(['run_command', 'Bash', 'shell']);

function toKind(toolName: string): ToolKind {
  if (commands.has(toolName)) return 'execute';
  const isKind = toolName !== 'question' && (callKinds as readonly string[]).includes(toolName);
  return isKind ? (toolName as Exclude<CallKind, 'question'>) : 'other';
}

function describeResult({
  toolCallId,
  result = null,
  error,
  note,
}: ChatEvent<'tool_result'>['payload']): SessionUpdate {
  const outcome = error
    ? `${error.code}: ${error.message}`
    : typeof result === 'string'
      ? result
      : JSON.stringify(result, null, 2);
  const text = note === undefined ? outcome : `${outcome}\n\n${note}`;
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: error ? 'failed' : 'completed',
    content: [toContent(showHidden(text))],
    rawOutput: error ?? result,
  };
}

const planStates = ['pending', 'in_progress', 'completed'] as const;
type PlanState = (typeof planStates)[number];

/** Reads the to-do list that an agent keeps with a tool. */
function readPlan(args: Json): SessionUpdate | undefined {
  const todos: unknown = isRecord(args) ? args.todos : undefined;
  if (!Array.isArray(todos)) return undefined;
  const entries = todos
    .filter((todo) => isRecord(todo))
    .map(({ content, status }) => ({
      content: showHidden(String(content)),
      priority: 'medium' as const,
      status: planStates.includes(status as PlanState) ? (status as PlanState) : 'pending',
    }));
  return { sessionUpdate: 'plan', entries };
}
