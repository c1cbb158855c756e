import { createParser } from 'eventsource-parser';
import { type Id, mendMessage, mendNoJson, type Pending } from './mend-message.ts';

/** What of the SDK's transports is used here. */
interface Wire {
  send(message: object, options?: object): Promise<void>;
}

interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: { readonly requestId?: Id };
}

type Mend = (text: string) => string;

/** Reads what a server says before the SDK does: see `mendMessage`. */
export class Mender {
  /** The requests that wait for their answers; a server may write a number of theirs as a text. */
  readonly #asked = new Map<string, Required<Pick<Message, 'id' | 'method'>>>();
  readonly #onFault: (words: string) => void;

  constructor(onFault: (words: string) => void) {
    this.#onFault = onFault;
  }

  /** Hears what is asked of the server. */
  hear(wire: Wire): void {
    const send = wire.send.bind(wire);
    wire.send = (message, options) => {
      const { id, method, params } = message as Message;
      if (id !== undefined && method !== undefined) this.#asked.set(String(id), { id, method });
      if (method === 'notifications/cancelled') this.#asked.delete(String(params?.requestId));
      return send(message, options);
    };
  }

  /** @param request - the body of the request that it answers */
  mendResponse(response: Response, request: unknown): Response {
    const { body, status, statusText, headers } = response;
    const type = headers.get('content-type') ?? '';
    const makeMended = /^text\/event-stream/i.test(type)
      ? mendEvents
      : /^application\/json/i.test(type)
        ? mendWhole
        : null;
    if (!body || !response.ok || !makeMended) return response;
    const only = typeof request === 'string' ? readMessage(request).id : undefined;
    const mended = body.pipeThrough(makeMended((text) => this.#mend(text, only)));
    return new Response(mended, { status, statusText, headers });
  }

  /** Each line that a local server writes, on its way to the SDK's buffer. */
  mendLines(buffer: { append(chunk: Buffer): void }, maxBytes: number): void {
    const append = buffer.append.bind(buffer);
    let started: Buffer[] = [];
    let bytes = 0;
    buffer.append = (chunk) => {
      const end = chunk.lastIndexOf('\n');
      if (end >= 0) {
        const lines = Buffer.concat([...started, chunk.subarray(0, end)]).toString();
        [started, bytes] = [[], 0];
        for (const line of lines.split('\n')) append(Buffer.from(`${this.#mend(line, this.#only)}\n`));
      }
      started.push(chunk.subarray(end + 1));
      bytes += chunk.length - end - 1;
      if (bytes > maxBytes) append(Buffer.concat(started)); // throws: it is too large
    };
  }

  get #only(): Id | undefined {
    const [only] = this.#asked.values();
    return this.#asked.size === 1 ? only?.id : undefined;
  }

  #mend(text: string, only: Id | undefined): string {
    const methodOf = (id: Id) => this.#asked.get(String(id))?.method;
    const mended = mendText(text, { only, methodOf, onFault: this.#onFault });
    if (mended === undefined) return text;
    for (const { id, method } of [mended].flat() as Message[]) if (method === undefined) this.#asked.delete(String(id)); // it is answered
    return JSON.stringify(mended);
  }
}

/** @returns undefined where it is to be read as it is */
function mendText(text: string, pending: Pending): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return mendNoJson(text, pending);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? value.map((each) => mendMessage(each, pending)) : mendMessage(value, pending);
}

function readMessage(text: string): Message {
  return JSON.parse(text) as Message;
}

function mendWhole(mend: Mend): TransformStream<Uint8Array, Uint8Array> {
  const chunks: Uint8Array[] = [];
  return new TransformStream({
    transform: (chunk) => void chunks.push(chunk),
    flush: (controller) => controller.enqueue(Buffer.from(mend(Buffer.concat(chunks).toString()))),
  });
}

function mendEvents(mend: Mend): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let write: (text: string) => void = () => undefined;
  const parser = createParser({
    onEvent({ id, event, data }) {
      const head = [id !== undefined && `id: ${id}`, event !== undefined && `event: ${event}`].filter(Boolean);
      const isMessage = event === undefined || event === 'message';
      const lines = (isMessage ? mend(data) : data).split('\n').map((line) => `data: ${line}`);
      write(`${[...head, ...lines].join('\n')}\n\n`);
    },
    onRetry: (interval) => write(`retry: ${interval}\n\n`),
    onComment: (comment) => write(`: ${comment}\n`), // shows that somebody is there
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
