import { isRecord } from '@parleyhq/core';
import { createParser } from 'eventsource-parser';
import { type Asked, type Id, mendMessage, mendNoJson, type Pending, unreadable } from './mend-message.ts';

/** The part of the SDK's transports that is used here. */
interface Wire {
  send(message: object, options?: SendOptions): Promise<void>;
}

interface SendOptions {
  readonly onRequestStreamEnd?: (() => void) | undefined;
}

interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: { readonly requestId?: Id };
}

/** @returns texts with one message each; undefined if the original text should be used */
type Mend = (text: string) => readonly string[] | undefined;

/** Limit for pending requests: above it the oldest are dropped, which have usually ended without an answer. */
const maxAsked = 10_000;

/** JSON-RPC codes for requests that the server could not read, so that its answer cannot contain their id. */
const unread = new Set<unknown>([-32_700, -32_600]);

/** Repairs a server's messages before the SDK reads them: see `mendMessage`. */
export class Mender {
  /** The requests that wait for their answers. */
  readonly #asked = new Map<string, Asked>();
  /** The last message that was sent, if it was a request. */
  #last: Asked | undefined;
  readonly #onFault: (words: string) => void;

  constructor(onFault: (words: string) => void) {
    this.#onFault = onFault;
  }

  /** Records the requests that are sent to the server. */
  hear(wire: Wire): void {
    const send = wire.send.bind(wire);
    wire.send = async (message, options) => {
      const asked = readAsked(message);
      const { method, params } = message as Message;
      if (method === 'notifications/cancelled' && params?.requestId !== undefined) this.#forget(params.requestId);
      this.#last = asked;
      if (!asked) return send(message, options);
      this.#remember(asked);
      const end = options?.onRequestStreamEnd;
      const onRequestStreamEnd = () => {
        this.#forget(asked.id);
        end?.();
      };
      try {
        return await send(message, { ...options, ...(end && { onRequestStreamEnd }) });
      } catch (error) {
        this.#forget(asked.id);
        throw error;
      }
    };
  }

  /** Repairs an HTTP response. @param request - the body of the request that it answers */
  mendResponse(response: Response, request: unknown): Response {
    const asked = typeof request === 'string' ? readAsked(JSON.parse(request)) : undefined;
    const { body, status, statusText, headers } = response;
    const type = headers.get('content-type') ?? '';
    if (!response.ok) return response;
    if (asked && (status === 202 || !body)) return Response.json(unreadable(asked, 'it has no content'));
    const mend = (text: string) => this.#mend(text, () => asked);
    const mended = /^text\/event-stream/i.test(type)
      ? mendEvents(mend)
      : /^application\/json/i.test(type)
        ? mendWhole(mend, () => asked && this.#find(asked.id))
        : undefined;
    return body && mended ? new Response(body.pipeThrough(mended), { status, statusText, headers }) : response;
  }

  /** Repairs each line of a local server on its way to the SDK's buffer. */
  mendLines(buffer: { append(chunk: Buffer): void }, maxBytes: number): void {
    const append = buffer.append.bind(buffer);
    const findLast = (error: unknown) =>
      this.#last && isRecord(error) && unread.has(error.code) ? this.#find(this.#last.id) : undefined;
    const mend = (line: string) => this.#mend(line, findLast) ?? line;
    let started: Buffer[] = [];
    let bytes = 0;
    buffer.append = (chunk) => {
      const end = chunk.lastIndexOf('\n');
      if (end >= 0) {
        const lines = Buffer.concat([...started, chunk.subarray(0, end)]).toString();
        [started, bytes] = [[], 0];
        for (const line of lines.split('\n').flatMap(mend)) append(Buffer.from(`${line}\n`));
      }
      started.push(chunk.subarray(end + 1));
      bytes += chunk.length - end - 1;
      if (bytes > maxBytes) append(Buffer.concat(started)); // the SDK throws, because it is too large
    };
  }

  #remember(asked: Asked): void {
    this.#asked.set(String(asked.id), asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > maxAsked && oldest !== undefined) this.#asked.delete(oldest);
  }

  #find(id: Id): Asked | undefined {
    return this.#asked.get(String(id));
  }

  #forget(id: Id): void {
    this.#asked.delete(String(id));
  }

  #mend(text: string, findNameless: Pending['findNameless']): readonly string[] | undefined {
    const pending = { find: (id: Id) => this.#find(id), findNameless, onFault: this.#onFault };
    const messages = mendText(text, pending);
    if (!messages) return undefined;
    // the request has its answer
    for (const { message } of messages) if (isRecord(message) && !('method' in message)) this.#forget(message.id as Id);
    return messages.map(({ line }) => line);
  }
}

function readAsked(message: unknown): Asked | undefined {
  const { id, method } = isRecord(message) ? (message as Message) : {};
  return id !== undefined && method !== undefined ? { id, method } : undefined;
}

/** A message, parsed and as the line that the SDK receives. */
interface Mended {
  readonly message: unknown;
  readonly line: string;
}

/** @returns undefined if the original text should be used, such as JSON that is nested too deep: its reader reports that */
function mendText(text: string, pending: Pending): readonly Mended[] | undefined {
  try {
    return readMessages(text, pending)?.map((message) => ({ message, line: JSON.stringify(message) }));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readMessages(text: string, pending: Pending): readonly unknown[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^[\ufeff\0]+/, ''));
  } catch {
    const mended = mendNoJson(text, pending);
    return mended && [mended];
  }
  return (Array.isArray(value) ? value : [value]).map((each) => mendMessage(each, pending));
}

/** @param findWaiting - returns the request of this response if no message in it was its answer */
function mendWhole(mend: Mend, findWaiting: () => Asked | undefined): TransformStream<Uint8Array, Uint8Array> {
  const chunks: Uint8Array[] = [];
  return new TransformStream({
    transform: (chunk) => void chunks.push(chunk),
    flush(controller) {
      const text = Buffer.concat(chunks).toString();
      const lines = mend(text);
      const waiting = lines && findWaiting();
      const all = [
        ...(lines ?? [text]),
        ...(waiting ? [JSON.stringify(unreadable(waiting, 'it names another call, or none'))] : []),
      ];
      controller.enqueue(Buffer.from(all.length === 1 ? (all[0] ?? '') : `[${all.join()}]`));
    },
  });
}

function mendEvents(mend: Mend): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let write: (text: string) => void = () => undefined;
  const parser = createParser({
    onEvent({ id, event, data }) {
      const isMessage = event === undefined || event === 'message';
      const texts = (isMessage ? mend(data) : undefined) ?? [data];
      const head = [id !== undefined && `id: ${id}`, event !== undefined && `event: ${event}`].filter(Boolean);
      for (const text of texts)
        write(`${[...head, ...text.split('\n').map((line) => `data: ${line}`)].join('\n')}\n\n`);
    },
    onRetry: (interval) => write(`retry: ${interval}\n\n`),
    onComment: (comment) => write(`: ${comment}\n`), // comments keep the connection alive
  });
  return new TransformStream({
    start(controller) {
      const encoder = new TextEncoder();
      write = (text) => controller.enqueue(encoder.encode(text));
    },
    transform: (chunk) => parser.feed(decoder.decode(chunk, { stream: true })),
    flush: () => parser.feed(decoder.decode()),
  });
}
