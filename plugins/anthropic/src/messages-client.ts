import type { Anthropic, ClientOptions } from '@anthropic-ai/sdk';
import { MessagesError, toFault } from './messages-error.ts';

export type ContentBlock = Anthropic.ContentBlock;
export type ContentBlockParam = Anthropic.ContentBlockParam;
export type MessageRequest = Anthropic.MessageCreateParamsNonStreaming;
export type StreamEvent = Anthropic.MessageStreamEvent;
export type ToolResultBlockParam = Anthropic.ToolResultBlockParam;
export type ToolUseBlockParam = Anthropic.ToolUseBlockParam;
export type ImageBlockParam = Anthropic.ImageBlockParam;
type Message = Anthropic.Message;
type Fetch = typeof fetch;

/** A message to send: its content is always a list of blocks. */
export interface MessageParam {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
}

export interface MessagesClientOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** How long the connection may be silent, without even a ping, before it is given up, in ms. */
  readonly stallMs: number;
}

/**
 * Client of the Messages API. Sets everything that the SDK would otherwise read from the environment or the disk, and turns off
 * its retries.
 */
export class MessagesClient {
  readonly #options: MessagesClientOptions;

  constructor(options: MessagesClientOptions) {
    this.#options = options;
  }

  /**
   * Makes one attempt at one message: yields its events and returns the complete message.
   * @throws MessagesError, or the signal's reason
   */
  async *stream(request: MessageRequest, signal: AbortSignal): AsyncGenerator<StreamEvent, Message> {
    const { Anthropic } = await import('@anthropic-ai/sdk'); // loaded on demand
    const stall = new StallTimer(this.#options.stallMs);
    const client = new Anthropic({ ...this.#settings, fetch: listenTo(stall) });
    try {
      const stream = client.messages.stream(request, { signal: AbortSignal.any([signal, stall.signal]) });
      yield* stream;
      return await stream.finalMessage();
    } catch (error) {
      signal.throwIfAborted();
      if (stall.signal.aborted)
        throw new MessagesError('stalled', 'The model has gone silent.', { isPassing: true, cause: error });
      throw toFault(error, Date.now());
    } finally {
      stall.stop();
    }
  }

  get #settings(): ClientOptions {
    const { apiKey, baseUrl: baseURL } = this.#options;
    return {
      apiKey,
      authToken: null,
      baseURL,
      defaultHeaders: { authorization: `Bearer ${apiKey}` }, // overrides ANTHROPIC_CUSTOM_HEADERS, which the SDK adds by itself
      maxRetries: 0,
      logLevel: 'off',
      openTelemetry: false,
    };
  }
}

/** Aborts when no byte arrives for a while. The SDK's own timeout covers only the headers, and the SDK hides pings. */
class StallTimer {
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(stallMs: number) {
    this.#timer = setTimeout(() => this.#abort.abort(), stallMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  restart(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function listenTo(stall: StallTimer): Fetch {
  return async (...request) => {
    const response = await fetch(...request);
    const watched = new TransformStream({
      transform(chunk, controller) {
        stall.restart();
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(watched), response);
  };
}
