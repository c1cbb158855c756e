import type {
  AgentPart,
  Asked,
  CodedError,
  InnerCall,
  Json,
  ResponseId,
  ToolCall,
  Turn,
  WrittenBlock,
} from '@parleyhq/core';
import { newId } from '../node/new-id.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { ReachedLimit } from '../tools/limit-error.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { readInnerCall, readPart, refuseTaken, requireParts } from './agent-part.ts';
import { requireFewCalls } from './turn-limits.ts';

type WrittenCall = Extract<AgentPart, { type: 'tool_call' }>;

export interface WrittenMessage {
  readonly blocks: readonly WrittenBlock[];
  readonly calls: readonly ToolCall[];
  /** Private record of the agent for this message. */
  readonly record: Json | undefined;
}

/** Collects what an agent writes into blocks and calls, and streams it meanwhile (EVT4). */
export class MessageWriter {
  readonly #tools: Pick<ToolRegistry, 'get'>;
  readonly #session: SessionWriter;
  readonly #turn: Turn;
  readonly #inputWatchers: () => readonly Asked[];
  readonly #reached: ReachedLimit;
  /** Ids of this turn's calls; those of earlier turns are in the log. */
  readonly #taken = new Set<string>();
  /** Cost of the turn as reported by the agent. */
  usage: Json | undefined;

  constructor(
    tools: Pick<ToolRegistry, 'get'>,
    session: SessionWriter,
    turn: Turn,
    { watchers, reached }: { readonly watchers: () => readonly Asked[]; readonly reached: ReachedLimit },
  ) {
    this.#inputWatchers = watchers;
    this.#reached = reached;
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
    requireParts(parts);
    for await (const yielded of parts) {
      if (signal.aborted) break;
      const part = readPart(yielded);
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
          requireFewCalls(calls.length, this.#reached);
          if (isOpen) block += 1;
          isOpen = false;
          calls.push(this.#toCall(part, false));
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
          for (const { toolCallId } of calls) this.#taken.delete(toolCallId);
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

  /** Starts the message over. The tabs discard what they have of it when they receive the error. */
  async #restart(responseId: ResponseId, error: CodedError, signal: AbortSignal): Promise<void> {
    const { turnId } = this.#turn;
    this.#session.tabs.stream.discard(responseId);
    await this.#session.persist({ type: 'report', error, turnId }, { signal });
  }

  /** Converts a call that a handler makes. @throws ToolError `tool_error` naming what is invalid */
  toInnerCall(call: InnerCall): ToolCall {
    return this.#toCall(readInnerCall(call), true);
  }

  /** Converts a call to the form stored in the log. */
  #toCall({ toolCallId = newId(), toolName, args }: WrittenCall, isInner: boolean): ToolCall {
    if (this.#taken.has(toolCallId)) throw refuseTaken(toolCallId, isInner);
    this.#taken.add(toolCallId);
    const plugin = this.#tools.get(toolName, this.#turn.agent)?.plugin;
    return { toolCallId, toolName, args, ...(plugin && { plugin }), authorised: { by: 'tool' } };
  }
}
