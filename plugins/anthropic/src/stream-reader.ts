import { type AgentPart, findInexactNumber } from '@parleyhq/core';
import type { CallIds } from './call-ids.ts';
import type { StreamEvent } from './messages-client.ts';
import { MessagesError } from './messages-error.ts';

/** Reads one message's events, and checks that its calls are complete. */
export class StreamReader {
  readonly #ids: CallIds;
  readonly #calls = new Map<number, { readonly id: string; json: string }>();

  /** @param ids - collects the ids of the message's calls */
  constructor(ids: CallIds) {
    this.#ids = ids;
  }

  read(event: StreamEvent): AgentPart | undefined {
    switch (event.type) {
      case 'content_block_start': {
        const { content_block: block, index } = event;
        if (block.type === 'tool_use') this.#calls.set(index, { id: this.#ids.add(block.id), json: '' });
        return undefined;
      }
      case 'content_block_delta':
        return this.#readDelta(event.delta, event.index);
      case 'content_block_stop':
        return { type: 'block_end' };
      default:
        return undefined;
    }
  }

  #readDelta(delta: Extract<StreamEvent, { type: 'content_block_delta' }>['delta'], index: number) {
    switch (delta.type) {
      case 'text_delta':
        return { type: 'text', text: delta.text } as const;
      case 'thinking_delta':
        return { type: 'thinking', text: delta.thinking } as const;
      case 'input_json_delta': {
        const call = this.#calls.get(index);
        if (!call) return undefined; // one of the provider's own tools
        call.json += delta.partial_json;
        return { type: 'tool_input', toolCallId: call.id, text: delta.partial_json } as const;
      }
      default:
        return undefined; // the record keeps signatures and citations
    }
  }

  /** Calls with a number in their arguments that JSON cannot carry exactly: arguments as written, by call id (AGT6). */
  get inexact(): ReadonlyMap<string, string> {
    const calls = [...this.#calls.values()].filter(({ json }) => findInexactNumber(json) !== undefined);
    return new Map(calls.map(({ id, json }) => [id, json]));
  }

  /** @throws MessagesError `invalid_call` if arguments are truncated: the SDK would repair them and pass them on */
  requireWhole(): void {
    try {
      for (const { json } of this.#calls.values()) if (json !== '') JSON.parse(json);
    } catch (cause) {
      const message = 'The model called a tool with arguments that are not valid JSON.';
      throw new MessagesError('invalid_call', message, { isPassing: true, cause });
    }
  }
}
