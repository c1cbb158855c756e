/** A block of a scripted answer. */
export type FakeBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      /** An object, unless the model goes wrong. */
      readonly input: unknown;
      /** The input's JSON as sent, if it is to be cut or malformed. */
      readonly json?: string;
    };

/** A fault; `after` is the number of chunks of text, thinking and input sent before it. */
export type FakeFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly type: string;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** An `error` event in the stream. */
  | { readonly kind: 'error'; readonly after: number; readonly type?: string }
  /** The socket breaks, or the stream ends cleanly but too early. */
  | { readonly kind: 'drop' | 'end'; readonly after: number }
  /** Sends nothing more until released. */
  | { readonly kind: 'stall'; readonly after: number };

export interface FakeUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
}

/** The answer to one request. */
export interface FakeReply {
  readonly content?: readonly FakeBlock[];
  /** `tool_use` by default if it calls tools, else `end_turn`. */
  readonly stopReason?: string;
  readonly usage?: FakeUsage;
  readonly fault?: FakeFault;
}

export type FakeEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Makes a text block. */
export function say(text: string): FakeBlock {
  return { type: 'text', text };
}

export function think(thinking: string, signature = `signed: ${thinking}`): FakeBlock {
  return { type: 'thinking', thinking, signature };
}

export function callTool(id: string, name: string, input: unknown = {}): FakeBlock {
  return { type: 'tool_use', id, name, input };
}

/** Makes a refusal in the API's format. */
export function failWith(
  status: number,
  type: string,
  headers: Record<string, string> = {},
  message?: string,
): FakeReply {
  return { fault: { kind: 'status', status, type, headers, ...(message !== undefined && { message }) } };
}

/** Returns the complete block, as the client must send it back. */
export function toContent(block: FakeBlock): object {
  switch (block.type) {
    case 'text':
      return { ...block, citations: null };
    case 'tool_use': {
      const { json: _, ...rest } = block;
      return { ...rest, caller: { type: 'direct' } };
    }
    case 'thinking':
    case 'redacted_thinking':
      return block;
    default:
      return block satisfies never;
  }
}

/** Returns the whole answer, for requests without a stream. */
export function toMessage(reply: FakeReply, id: string, model: string) {
  const { content = [], usage = {} } = reply;
  const counted = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, input_tokens: 10, output_tokens: 5 };
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: content.map(toContent),
    stop_reason: reply.stopReason ?? (content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: { ...counted, ...usage },
  };
}

/** Returns the events of a streamed answer. */
export function toEvents(reply: FakeReply, id: string, model: string): FakeEvent[] {
  const { stop_reason, usage, ...message } = toMessage(reply, id, model);
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: 'message_start', message: begun },
    { type: 'ping' },
    ...(reply.content ?? []).flatMap(toBlockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

function toBlockEvents(block: FakeBlock, index: number): FakeEvent[] {
  return [
    { type: 'content_block_start', index, content_block: emptied(block) },
    ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function emptied(block: FakeBlock): object {
  switch (block.type) {
    case 'text':
      return { ...toContent(block), text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
      return { ...toContent(block), input: {} };
    case 'redacted_thinking':
      return block;
    default:
      return block satisfies never;
  }
}

function deltasOf(block: FakeBlock): object[] {
  switch (block.type) {
    case 'text':
      return cut(block.text).map((text) => ({ type: 'text_delta', text }));
    case 'thinking':
      return [
        ...cut(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'tool_use': {
      const pieces = ['', ...cut(block.json ?? JSON.stringify(block.input))];
      return pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    }
    case 'redacted_thinking':
      return [];
    default:
      return block satisfies never;
  }
}

/** Splits text into words, as a model streams it. */
function cut(text: string): string[] {
  return text.match(/\S*\s*/g)?.filter((piece) => piece !== '') ?? [];
}
