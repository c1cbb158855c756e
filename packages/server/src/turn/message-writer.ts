import type { AgentPart, Asked, CodedError, Json, ResponseId, ToolCall, Turn, WrittenBlock } from '@parleyhq/core';
import { isDeeper, storedDepth } from '../node/json-depth.ts';
import { newId } from '../node/new-id.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';

export interface WrittenMessage {
  readonly blocks: readonly WrittenBlock[];
  readonly calls: readonly ToolCall[];
  /** What the agent keeps with it for itself. */
  readonly record: Json | undefined;
}

/** Gathers what an agent writes into blocks and calls, and streams it on the way (EVT4). */
export class MessageWriter {
  readonly #tools: Pick<ToolRegistry, 'get'>;
  readonly #session: LiveSession;
  readonly #turn: Turn;
  readonly #inputWatchers: () => readonly Asked[];
  /** What the agent said that the turn cost. */
  usage: Json | undefined;

  constructor(
    tools: Pick<ToolRegistry, 'get'>,
    session: LiveSession,
    turn: Turn,
    inputWatchers: () => readonly Asked[],
  ) {
    this.#inputWatchers = inputWatchers;
    this.#tools = tools;
    this.#session = session;
    this.#turn = turn;
  }

  async write(parts: AsyncIterable<AgentPart>, responseId: ResponseId, signal: AbortSignal): Promise<WrittenMessage> {
    const blocks: { kind: 'text' | 'thinking'; block: number; text: string }[] = [];
    const calls: ToolCall[] = [];
    const { turnId } = this.#turn;
    let record: Json | undefined;
    let block = 0;
    let isOpen = false;
    for await (const part of parts) {
      if (signal.aborted) break;
      switch (part.type) {
        case 'text':
        case 'thinking': {
          const last = blocks.at(-1);
          if (isOpen && last?.kind === part.type) {
            last.text += part.text;
          } else {
            if (isOpen) block += 1;
            blocks.push({ kind: part.type, block, text: part.text });
            isOpen = true;
          }
          this.#session.tabs.stream.write({ turnId, responseId, block, kind: part.type }, part.text);
          break;
        }
        case 'tool_input':
          if (isOpen) block += 1;
          isOpen = false;
          this.#session.tabs.stream.write(
            { turnId, responseId, block, kind: 'tool_input', toolCallId: part.toolCallId },
            part.text,
            this.#inputWatchers(),
          );
          break;
        case 'tool_call':
          if (isOpen) block += 1;
          isOpen = false;
          calls.push(this.toCall(part));
          block += 1;
          break;
        case 'block_end':
          if (isOpen) block += 1;
          isOpen = false;
          break;
        case 'record':
          record = part.value;
          break;
        case 'restart':
          await this.#restart(responseId, part.error, signal);
          [blocks.length, calls.length, record, block, isOpen] = [0, 0, undefined, 0, false];
          break;
        case 'usage':
          this.usage = part.usage;
          break;
        default:
          part satisfies never;
      }
    }
    return { blocks: blocks.filter(({ text }) => text !== ''), calls, record };
  }

  /** The tabs drop what they have of the message when they hear of the error. */
  async #restart(responseId: ResponseId, error: CodedError, signal: AbortSignal): Promise<void> {
    const { turnId } = this.#turn;
    this.#session.tabs.stream.discard(responseId);
    await this.#session.persist({ type: 'report', error, turnId }, { signal });
  }

  /** A call as the log has it. Arguments that nest too deep are a sentence instead, which no tool takes (AGT6). */
  toCall({ toolCallId = newId(), toolName, args }: Extract<AgentPart, { type: 'tool_call' }>): ToolCall {
    const plugin = this.#tools.get(toolName, this.#turn.agent)?.plugin;
    const isTooDeep = isDeeper(args, storedDepth);
    const read = isTooDeep ? `Left out: the arguments nest deeper than ${storedDepth} levels.` : args;
    return { toolCallId, toolName, args: read, ...(plugin && { plugin }), authorised: { by: 'tool' } };
  }
}
