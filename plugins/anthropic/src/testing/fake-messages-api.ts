import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type FakeEvent, type FakeFault, type FakeReply, toContent, toEvents, toMessage } from './reply.ts';
import { findFault, type SentBlock, type SentBody } from './rules.ts';

/** A request as received. */
export interface SentRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: SentBody;
  /** Resolves when its connection is closed, by either side. */
  readonly closed: Promise<void>;
}

/**
 * A local Messages API: real HTTP, real server-sent events, scripted answers and faults on demand. It refuses what the real
 * one would refuse, records every request and costs nothing.
 */
export class FakeMessagesApi {
  readonly url: string;
  readonly requests: SentRequest[] = [];
  readonly #server: Server;
  readonly #isLenient: boolean;
  readonly #script: FakeReply[] = [];
  readonly #issued = new Map<string, Set<readonly SentBlock[]>>();
  readonly #watchers = new Set<() => void>();
  readonly #stalled = new Set<() => void>();
  #fallback: ((body: SentBody) => FakeReply) | undefined;

  private constructor(server: Server, url: string, isLenient: boolean) {
    this.#server = server;
    this.url = url;
    this.#isLenient = isLenient;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  /** @param isLenient - refuses only requests without a key; for clients whose requests we do not control */
  static async start({ isLenient = false } = {}): Promise<FakeMessagesApi> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakeMessagesApi(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isLenient);
  }

  /** Scripts the answers to the next requests, in order. Drops what is left of an earlier script. */
  script(...replies: readonly FakeReply[]): void {
    this.#script.splice(0, this.#script.length, ...replies);
  }

  /** The answer to requests after the end of the script. */
  otherwise(reply: (body: SentBody) => FakeReply): void {
    this.#fallback = reply;
  }

  /** Waits for the n-th request, counting from 1. */
  async request(n: number): Promise<SentRequest> {
    for (;;) {
      const request = this.requests[n - 1];
      if (request) return request;
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** Lets stalled streams continue. */
  release(): void {
    for (const goOn of this.#stalled) goOn();
    this.#stalled.clear();
  }

  /** Destroys all open connections. */
  drop(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await readAll(request)) as SentBody;
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    this.requests.push({ headers: request.headers, body, closed });
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
    await this.#answer(request, body, response);
  }

  async #answer({ method, url, headers }: IncomingMessage, body: SentBody, response: ServerResponse): Promise<void> {
    if (method !== 'POST' || url?.split('?')[0] !== '/v1/messages')
      return refuse(response, 404, 'not_found_error', `no ${url} here`);
    if (!headers.authorization && !headers['x-api-key'])
      return refuse(response, 401, 'authentication_error', 'a key is required');
    const fault = this.#isLenient ? undefined : findFault(body, this.#issued);
    if (fault !== undefined) return refuse(response, 400, 'invalid_request_error', fault);
    const reply = this.#script.shift() ?? this.#fallback?.(body);
    if (!reply) return refuse(response, 400, 'invalid_request_error', 'nothing is scripted for this request');
    if (reply.fault?.kind === 'status') {
      const { status, type, message = type, headers: more } = reply.fault;
      return refuse(response, status, type, message, more);
    }
    const written = (reply.content ?? []).map(toContent) as SentBlock[];
    for (const { type, id = '' } of written)
      if (type === 'tool_use') this.#issued.set(id, (this.#issued.get(id) ?? new Set()).add(written));
    const id = `msg_${this.requests.length}`;
    if (body.stream) await this.#stream(toEvents(reply, id, body.model), reply.fault, response);
    else answer(response, 200, toMessage(reply, id, body.model));
  }

  async #stream(
    events: readonly FakeEvent[],
    fault: Exclude<FakeFault, { kind: 'status' }> | undefined,
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${this.requests.length}` });
    let pieces = 0;
    for (const event of events) {
      if (event.type === 'content_block_delta' || event.type === 'message_stop') {
        const isDue = pieces === fault?.after || event.type === 'message_stop';
        if (fault && isDue && fault.kind !== 'stall') return breakOff(fault, response);
        if (pieces === fault?.after) await this.#stall(response);
        pieces += 1;
      }
      if (response.destroyed) return;
      response.write(toText(event));
      await setImmediate(); // so that the rest goes out in another packet
    }
    response.end();
  }

  /** Waits until released, or until the client hangs up. */
  #stall(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      this.#stalled.add(resolve);
      response.once('close', resolve);
    });
  }
}

function breakOff(fault: Exclude<FakeFault, { kind: 'status' | 'stall' }>, response: ServerResponse): void {
  switch (fault.kind) {
    case 'error': {
      const { type = 'overloaded_error' } = fault;
      response.end(toText({ type: 'error', error: { type, message: type } }));
      return;
    }
    case 'drop':
      response.destroy();
      return;
    case 'end':
      response.end();
      return;
    default:
      fault satisfies never;
  }
}

function refuse(response: ServerResponse, status: number, type: string, message: string, headers: object = {}): void {
  answer(response, status, { type: 'error', error: { type, message } }, headers);
}

function answer(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function toText(event: FakeEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
