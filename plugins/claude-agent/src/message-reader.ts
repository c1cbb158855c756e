import { type AgentPart, addUsage, type Json, noUsage, type TokenUsage } from '@parleyhq/core';
import type { ClaudeProcess, ProcessMessage } from './claude-process.ts';
import { ownToolName } from './own-tools.ts';
import type { ModelCall } from './pending-call.ts';
import type { ContentBlock, StreamEvent } from './sdk.ts';
import { codeOf, toFault } from './turn-error.ts';
import { readUsage } from './usage.ts';

type Assistant = Extract<ProcessMessage, { type: 'assistant' }>;

/**
 * Reads one message of the model: to its end if it has calls, else to the end of the turn. A message that the SDK restarts
 * after an error is restarted here too.
 */
export class MessageReader {
  readonly calls: ModelCall[] = [];
  #uuid: string | undefined;
  #sessionId: string | undefined;
  #usage: TokenUsage;
  #spending = noUsage;
  #messageId: string | undefined;
  #isStreaming = false;
  readonly #streamed = new Set<string>();
  readonly #toolUses = new Map<number, string>();

  constructor(usage: TokenUsage) {
    this.#usage = usage;
  }

  /** Tokens used by the turn so far. */
  get usage(): TokenUsage {
    return addUsage(this.#usage, this.#spending);
  }

  /** The last entry read, from which the SDK can resume, and its session once the process has named it. */
  get position(): { readonly uuid: string | undefined; readonly sessionId: string | undefined } {
    return { uuid: this.#uuid, sessionId: this.#sessionId };
  }

  /** @throws ToolError if the turn failed, ProcessGone if the process ended early */
  async *read(process: ClaudeProcess): AsyncGenerator<AgentPart> {
    for await (const message of process.messages) {
      switch (message.type) {
        case 'stream_event':
          yield* this.#readEvent(message.event, process);
          if (message.event.type === 'message_stop' && this.#isComplete) return;
          break;
        case 'assistant':
          yield* this.#readAssistant(message, process);
          break;
        case 'call': // a message that did not stream is complete once the SDK comes to one of its calls
          if (this.#isComplete) return;
          break;
        case 'system':
          if (message.subtype === 'init') this.#sessionId = message.session_id;
          if (message.subtype === 'api_retry') yield this.#restart(codeOf(message.error_status), process);
          break;
        case 'result':
          if (message.is_error) throw toFault(message);
          return;
        default:
          message satisfies never; // a later SDK may send other messages
      }
    }
  }

  /** Whether the message has calls and is complete. */
  get #isComplete(): boolean {
    return !this.#isStreaming && this.calls.length > 0;
  }

  *#readEvent(event: StreamEvent, process: ClaudeProcess): Generator<AgentPart> {
    switch (event.type) {
      case 'message_start':
        if (this.#isStreaming) yield this.#restart('connection_lost', process);
        this.#begin(event.message?.id);
        this.#isStreaming = true;
        this.#spending = readUsage(event.message?.usage ?? {});
        yield { type: 'usage', usage: this.usage };
        break;
      case 'content_block_start':
        if (event.content_block?.id) this.#toolUses.set(event.index ?? 0, event.content_block.id);
        break;
      case 'content_block_delta':
        yield* this.#readDelta(event);
        break;
      case 'content_block_stop':
        yield { type: 'block_end' };
        break;
      case 'message_delta':
        if (event.delta?.stop_reason) this.#isStreaming = false; // without a reason the message broke off
        this.#spending = readUsage(event.usage ?? {}, this.#spending);
        yield { type: 'usage', usage: this.usage };
        break;
      default: // pings, and events of later versions
    }
  }

  *#readDelta({ delta, index = 0 }: StreamEvent): Generator<AgentPart> {
    if (delta?.type === 'text_delta') yield { type: 'text', text: delta.text ?? '' };
    if (delta?.type === 'thinking_delta') yield { type: 'thinking', text: delta.thinking ?? '' };
    const toolCallId = this.#toolUses.get(index);
    if (delta?.type === 'input_json_delta' && toolCallId !== undefined)
      yield { type: 'tool_input', toolCallId, text: delta.partial_json ?? '' };
  }

  /** Reads complete blocks. Their text is skipped if it was streamed before. */
  *#readAssistant({ message, uuid, error }: Assistant, process: ClaudeProcess): Generator<AgentPart> {
    if (error !== undefined) return; // an API error, which the SDK repeats in its result
    if (this.#messageId !== message.id) {
      if (this.#isStreaming) yield this.#restart('connection_lost', process);
      this.#isStreaming = false;
      this.#messageId = message.id;
    }
    this.#uuid = uuid;
    for (const block of message.content) {
      if (!this.#streamed.has(message.id)) yield* toParts(block);
      if (block.type === 'tool_use' && block.id && block.name)
        this.calls.push({
          id: block.id,
          name: ownToolName(block.name) ?? block.name,
          input: process.toArgs(block.name, block.input),
        });
    }
  }

  #begin(messageId: string | undefined): void {
    this.#usage = this.usage;
    this.#spending = noUsage;
    this.#toolUses.clear();
    this.#messageId = messageId;
    if (messageId !== undefined) this.#streamed.add(messageId);
  }

  /** Drops the message. It has had no effect yet, because its calls wait until they are in the log. */
  #restart(code: string, process: ClaudeProcess): AgentPart {
    for (const { id } of this.calls)
      process.call(id).decision.resolve({ kind: 'deny', message: 'The message is being restarted.' });
    this.calls.length = 0;
    this.#isStreaming = false;
    return { type: 'restart', error: { code, message: 'The message broke off and is being restarted.' } };
  }
}

function* toParts({ type, text, thinking }: ContentBlock): Generator<AgentPart> {
  if (type === 'text') yield { type: 'text', text: text ?? '' };
  if (type === 'thinking') yield { type: 'thinking', text: thinking ?? '' };
  yield { type: 'block_end' };
}

/** Converts a call to a part of the agent's message. */
export function toCallPart({ id, name, input }: ModelCall): AgentPart {
  return { type: 'tool_call', toolCallId: id, toolName: name, args: input as Json };
}
