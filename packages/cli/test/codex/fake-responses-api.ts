import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An output item of OpenAI's Responses API. */
export type Item = { readonly type: string } & Readonly<Record<string, unknown>>;

/** An item, or one that depends on the results of calls so far. */
export type Scripted = Item | ((outputs: string) => Item);

interface Sent {
  readonly input: readonly Item[];
  readonly tools?: readonly unknown[];
}

const say = (words: string): Item => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: words }],
});

let calls = 0;

/** A call of one of the program's tools, or of an MCP server's tool if a namespace is given. */
export function call(name: string, args: object, namespace?: string): Item {
  calls += 1;
  const place = namespace !== undefined && { namespace };
  return { type: 'function_call', name, ...place, call_id: `call_${calls}`, arguments: JSON.stringify(args) };
}

/** A local Responses API: real HTTP, real server-sent events, and scripted answers, then "Done.". */
export class FakeResponsesApi {
  readonly url: string;
  readonly #server: Server;
  #script: Scripted[] = [];
  #requests: Sent[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  static async start(): Promise<FakeResponsesApi> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const api = new FakeResponsesApi(server);
    server.on('request', (request, response) => api.#answer(request, response));
    return api;
  }

  script(...items: readonly Scripted[]): void {
    this.#script = [...items];
    this.#requests = [];
  }

  /** The results of calls that the model has received. */
  get outputs(): string {
    return JSON.stringify(this.#requests.at(-1)?.input.filter(({ type }) => type === 'function_call_output') ?? []);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST' || !request.url?.endsWith('/responses')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"There is none."}}');
      return;
    }
    const sent: Sent = JSON.parse(await text(request));
    const isForTitle = !JSON.stringify(sent.tools ?? []).includes('exec_command');
    if (!isForTitle) this.#requests.push(sent);
    const next = isForTitle ? say('A title') : (this.#script.shift() ?? say('Done.'));
    const item = typeof next === 'function' ? next(this.outputs) : next;
    const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null };
    const events = [
      { type: 'response.created', response: { id: 'resp' } },
      { type: 'response.output_item.done', output_index: 0, item: { id: 'item', ...item } },
      { type: 'response.completed', response: { id: 'resp', usage: { ...usage, total_tokens: 2 } } },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  }
}
