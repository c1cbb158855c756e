import { createParser } from 'eventsource-parser';
import { type Link, type LinkHandlers, lostCode } from './transport.ts';

/** Opens a link over plain HTTP: the server's frames arrive as server-sent events, the client's are sent as requests. */
export function openHttp(origin: string, fetch: typeof globalThis.fetch, handlers: LinkHandlers): Link {
  const link = new HttpLink(origin, fetch, handlers);
  queueMicrotask(() => link.isClosed || handlers.onOpen());
  return link;
}

/** The most characters of a batch, each of at most three bytes: a request may have as many bytes as a frame (SEC6). */
const maxBatchLength = 80_000;

/** Sends frames in order, one request at a time; each carries the frames that were queued during the one before. */
class HttpLink implements Link {
  readonly #origin: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #handlers: LinkHandlers;
  readonly #ended = new AbortController();
  #headers: Record<string, string> = {};
  #hasGreeted = false;
  #connectionId: string | undefined;
  #unsent: string[] = [];
  #isSending = false;
  /** Number of frames that were received by the stream. */
  #received = 0;
  #held: { readonly behind: number; readonly answers: readonly unknown[] }[] = [];

  constructor(origin: string, fetch: typeof globalThis.fetch, handlers: LinkHandlers) {
    this.#origin = origin;
    this.#fetch = fetch;
    this.#handlers = handlers;
  }

  get isClosed(): boolean {
    return this.#ended.signal.aborted;
  }

  /** Sends a frame. Frames before the hello are dropped, because there is no connection yet (FRM2). */
  send(text: string): void {
    if (this.isClosed) return;
    if (this.#hasGreeted) {
      this.#unsent.push(text);
      this.#transmit();
      return;
    }
    const { type, ...hello } = JSON.parse(text);
    if (type !== 'hello') return;
    this.#hasGreeted = true;
    this.#guard(this.#open(hello));
  }

  close(): void {
    this.#end(1000, '');
  }

  async #open({ token, ...hello }: Record<string, unknown>): Promise<void> {
    if (token !== undefined) this.#headers = { Authorization: `Bearer ${token}` };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(hello))
      query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    const response = await this.#request(`/api/stream?${query}`, {});
    if (!response.ok || !response.body) return this.#refused(response);
    const parser = createParser({ onEvent: ({ event, data }) => this.#receive(event, data) });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      parser.feed(value);
    }
    this.#end(lostCode, 'the stream ended');
  }

  #receive(event: string | undefined, data: string): void {
    if (this.isClosed) return;
    if (event === 'close') {
      const { code, reason } = JSON.parse(data);
      this.#end(code, reason);
      return;
    }
    if (this.#connectionId === undefined) this.#connectionId = JSON.parse(data).connectionId; // the welcome
    this.#received += 1;
    this.#deliver(data);
    this.#release();
    this.#transmit();
  }

  #transmit(): void {
    if (this.#isSending || this.#connectionId === undefined || this.#unsent.length === 0) return;
    this.#isSending = true;
    this.#guard(this.#post(this.#takeBatch(), this.#connectionId));
  }

  /** Takes as many frames as fit into a request, but at least one, even if it is too large. */
  #takeBatch(): string {
    let length = 0;
    const end = this.#unsent.findIndex((text, index) => {
      length += text.length;
      return index > 0 && length > maxBatchLength;
    });
    const batch = this.#unsent.splice(0, end < 0 ? this.#unsent.length : end);
    return batch.length === 1 ? String(batch[0]) : `[${batch.join(',')}]`;
  }

  async #post(body: string, connectionId: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json', 'Parley-Connection': connectionId };
    const response = await this.#request('/api/frames', { method: 'POST', headers, body });
    if (response.status === 429) {
      await this.#pause(response); // none of the frames was handled
      return this.#post(body, connectionId);
    }
    const isTooLarge = response.status === 413;
    if (!response.ok && !isTooLarge) return this.#refused(response);
    const answers = isTooLarge ? [await toReply(response, body)] : await readAnswers(response);
    this.#held.push({ behind: Number(response.headers.get('parley-sent') ?? 0), answers });
    this.#release();
    this.#isSending = false;
    this.#transmit();
  }

  /** Delivers replies after the frames that the server sent before them, in the same order as over a WebSocket. */
  #release(): void {
    while (this.#held[0] && this.#held[0].behind <= this.#received)
      for (const answer of this.#held.shift()?.answers ?? []) this.#deliver(JSON.stringify(answer));
  }

  #request(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    const all = { ...this.#headers, ...(headers as Record<string, string>) };
    return this.#fetch(`${this.#origin}${path}`, { ...init, headers: all, signal: this.#ended.signal });
  }

  #pause(response: Response): Promise<void> {
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }

  /** Ends the link with close code 4000 + HTTP status (FRM3); 503 means that the connection should be opened again. */
  async #refused(response: Response): Promise<void> {
    const { error } = await response.json().catch(() => ({}));
    if (error) this.#deliver(JSON.stringify({ type: 'error', ...error }));
    this.#end(response.status === 503 ? 1012 : 4000 + response.status, '');
  }

  /** Ends the link if a request fails. */
  #guard(work: Promise<void>): void {
    work.catch(() => this.#end(lostCode, 'a request failed'));
  }

  /** Delivers a frame in a microtask of its own, so that an error in a listener does not end the link. */
  #deliver(text: string): void {
    if (!this.isClosed) queueMicrotask(() => this.#handlers.onText(text));
  }

  #end(code: number, reason: string): void {
    if (this.isClosed) return;
    this.#ended.abort();
    queueMicrotask(() => this.#handlers.onClose(code, reason));
  }
}

async function readAnswers(response: Response): Promise<readonly unknown[]> {
  return response.status === 204 ? [] : [await response.json()].flat();
}

/** Makes a reply from a request that was refused as too large; such a request has a single frame. */
async function toReply(response: Response, frame: string): Promise<unknown> {
  const { requestId } = JSON.parse(frame);
  const { error } = await response.json();
  return requestId === undefined ? { type: 'error', ...error } : { type: 'reply', requestId, ok: false, error };
}
