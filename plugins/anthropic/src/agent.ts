import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Agent,
  type AgentPart,
  addUsage,
  type Json,
  noUsage,
  type TokenUsage,
  type TurnInput,
} from '@parleyhq/core';
import { toModelTool } from '@parleyhq/core/schemas';
import { CallIds } from './call-ids.ts';
import { type Conversation, type MessageRecord, readConversation } from './conversation.ts';
import { type ContentBlock, MessagesClient, type StreamEvent } from './messages-client.ts';
import { MessagesError } from './messages-error.ts';
import { replyToComment } from './reply.ts';
import { defaultAnthropicModel, makeRequest, type RequestOptions } from './request.ts';
import { StreamReader } from './stream-reader.ts';
import { readUsage } from './usage.ts';

export interface AnthropicOptions extends Partial<RequestOptions> {
  readonly apiKey: string;
  readonly baseUrl?: string | undefined;
  /** How long the stream may be silent before an attempt is given up, in ms. */
  readonly stallMs?: number;
}

const defaults = {
  baseUrl: 'https://api.anthropic.com',
  system:
    'You work for people through Parley: they read what you write and see the tools you call. ' +
    'Where a fact, a choice or a permission is theirs to give, ask them with a tool, if you have one for it, and wait.',
  maxTokens: 32_000,
  thinking: 'adaptive',
  cacheTtl: '5m',
  stallMs: 120_000,
} as const;

/** Attempts at one message, in total. */
const maxAttempts = 5;
const firstRetryMs = 500;

/** The longest wait before a retry, in ms. If the API asks for a longer one, the turn ends and says when to try again. */
const maxRetryMs = 10 * 60_000;

/** How often the model may pause within one message. */
const maxPauses = 10;

/** Claude over the Messages API. Keeps nothing in memory between messages: each request is built from the log (DUR7). */
export function anthropicAgent(options: AnthropicOptions): Agent {
  const settings = { ...defaults, ...options, baseUrl: options.baseUrl ?? defaults.baseUrl };
  const client = new MessagesClient(settings);
  return {
    name: 'anthropic',
    description: 'Claude over the Messages API: a paid service.',
    async *run(turn, signal) {
      const history = await readConversation(turn);
      if (history.messages.at(-1)?.role !== 'user') return; // only in old logs: no new message has visible text (AGT8)
      const message = new AssistantMessage(client, settings, turn, history);
      yield* message.write(signal);
    },
    reply: (turn, comment, signal) => replyToComment(client, settings, turn, comment, signal),
  };
}

/** One assistant message, over one or more attempts. */
class AssistantMessage {
  readonly #client: MessagesClient;
  readonly #options: RequestOptions;
  readonly #turn: TurnInput;
  readonly #history: Conversation;
  /** Usage of the earlier requests for this message, including failed ones. */
  #spent = noUsage;
  #spending = noUsage;
  /**
   * By call id: arguments with numbers that JSON cannot carry exactly, as the model wrote them. The tool call then fails with an
   * explanation (AGT6).
   */
  readonly #inexact = new Map<string, string>();

  constructor(client: MessagesClient, options: RequestOptions, turn: TurnInput, history: Conversation) {
    this.#client = client;
    this.#options = options;
    this.#turn = turn;
    this.#history = history;
  }

  /** Retries until the message is complete or fails for good. Starting over is safe because nothing has had an effect yet. */
  async *write(signal: AbortSignal): AsyncGenerator<AgentPart> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return yield* this.#attempt(signal);
      } catch (error) {
        if (!(error instanceof MessagesError && error.isPassing) || attempt === maxAttempts) throw error;
        const { code, message, retryAfterMs: retryMs = firstRetryMs * 2 ** (attempt - 1) } = error;
        if (retryMs > maxRetryMs) throw new MessagesError(code, `${message} Come back ${at(retryMs)}.`);
        const again = `Trying again ${at(retryMs)} (${attempt + 1} of ${maxAttempts}).`;
        yield { type: 'restart', error: { code, message: `${message} ${again}` } };
        await sleep(retryMs, undefined, { signal });
      }
    }
  }

  async *#attempt(signal: AbortSignal): AsyncGenerator<AgentPart> {
    const content: ContentBlock[] = [];
    const ids = new CallIds(this.#history.callIds);
    for (let pauses = 0; pauses <= maxPauses; pauses += 1) {
      const { model = defaultAnthropicModel, tools } = this.#turn;
      const request = makeRequest(this.#options, model, tools, this.#history.messages, content);
      const message = yield* this.#stream(request, ids, signal);
      content.push(...message.content);
      switch (message.stop_reason) {
        case 'pause_turn':
          break; // the next request continues where it paused
        case 'tool_use':
          return yield* this.#finish(content, ids);
        case 'max_tokens':
          throw new MessagesError('max_tokens', `The message is cut: it reached ${request.max_tokens} tokens.`);
        case 'refusal':
          throw new MessagesError('refusal', 'The model declined to go on with this.');
        case 'model_context_window_exceeded':
          throw new MessagesError('context_too_long', 'The session is too long for the model: start a new one.');
        case 'end_turn':
        case 'stop_sequence':
        case null:
          return yield* this.#finish(content.filter(isNoCall), ids);
        default:
          message.stop_reason satisfies never; // an unknown stop reason of a later API version ends the message like any other
          return yield* this.#finish(content.filter(isNoCall), ids);
      }
    }
    throw new MessagesError('too_many_pauses', `The model paused more than ${maxPauses} times.`);
  }

  async *#stream(request: Parameters<MessagesClient['stream']>[0], ids: CallIds, signal: AbortSignal) {
    const stream = this.#client.stream(request, signal);
    const reader = new StreamReader(ids);
    this.#spent = addUsage(this.#spent, this.#spending);
    this.#spending = noUsage;
    try {
      for (;;) {
        const { done, value } = await stream.next();
        if (done) {
          if (value.stop_reason === 'tool_use') reader.requireWhole();
          for (const [id, json] of reader.inexact) this.#inexact.set(id, json);
          return value;
        }
        if (this.#count(value)) yield { type: 'usage', usage: this.#usage } as const;
        const part = reader.read(value);
        if (part) yield part;
      }
    } finally {
      await stream.return(undefined as never); // closes the connection if the reader stops early
    }
  }

  /** Yields the calls last, and only if the model stopped to call tools: a call that was cut off would look complete. */
  async *#finish(content: readonly ContentBlock[], ids: CallIds): AsyncGenerator<AgentPart> {
    const usage = addUsage(this.#spent, this.#spending);
    const record: MessageRecord = { agent: 'anthropic', content, usage };
    yield { type: 'record', value: record as unknown as Json };
    const calls = content.filter((block) => block.type === 'tool_use');
    for (const [index, { name, input }] of calls.entries()) {
      const toolCallId = ids.all[index] as string;
      const args = this.#inexact.get(toolCallId) ?? this.#toArgs(name, input as Json);
      yield { type: 'tool_call', toolCallId, toolName: name, args };
    }
  }

  #toArgs(toolName: string, input: Json): Json {
    const offer = this.#turn.tools.find(({ name }) => name === toolName);
    return offer ? toModelTool(offer).toArgs(input) : input;
  }

  #count(event: StreamEvent): boolean {
    if (event.type !== 'message_start' && event.type !== 'message_delta') return false;
    const counted = event.type === 'message_start' ? event.message.usage : event.usage;
    this.#spending = readUsage(counted, this.#spending);
    return true;
  }

  get #usage(): TokenUsage {
    return addUsage(addUsage(this.#history.usage, this.#spent), this.#spending);
  }
}

function isNoCall({ type }: ContentBlock): boolean {
  return type !== 'tool_use';
}

/** Describes when to try again: short waits as a duration, long ones as a point in time. */
function at(ms: number): string {
  if (ms < 60_000) return `in ${Math.ceil(ms / 1000)} s`;
  return `at ${new Date(Date.now() + ms).toISOString()}`;
}
