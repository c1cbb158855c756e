import { randomUUID } from 'node:crypto';
import { isRecord } from '@parleyhq/core';
import { askTokenHint, explainUnsent, NoServerError } from '../running-server/running-server.ts';

interface RelayOptions {
  readonly url: string;
  readonly token: string | undefined;
  /** Receives one message from the server. */
  readonly write: (line: string) => void;
}

/** JSON-RPC 2.0 error codes. */
const parseError = -32_700;
const internalError = -32_603;

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** Relays MCP from stdio to HTTP: each message of the client is a POST request, whose response carries the server's messages. */
export class McpRelay {
  readonly #options: RelayOptions;
  readonly #over = new AbortController();
  /** Identifies this client in all protocol versions, so that the server finds the request which a client cancels. */
  #sessionId: string = randomUUID();

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Relays one message; resolves when the next may follow: after `initialize`, once the response has named the session. */
  async pass(line: string): Promise<void> {
    const message = parse(line);
    if (!message) return this.#refuse(null, parseError, 'The message is not a JSON object.');
    const sent = this.#send(line, message).catch((error: unknown) => {
      if (message.id === undefined || this.#over.signal.aborted) return;
      this.#refuse(message.id, internalError, describe(error, this.#options.url));
    });
    if (message.method === 'initialize') await sent;
  }

  /** Aborts all requests, because the client has disconnected. */
  close(): void {
    this.#over.abort();
  }

  async #send(body: string, message: Record<string, unknown>): Promise<void> {
    const { url, write } = this.#options;
    const headers = { ...this.#headers, ...describeInHeaders(message) };
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: this.#over.signal });
    this.#sessionId = response.headers.get('mcp-session-id') ?? this.#sessionId;
    if (/^text\/event-stream\b/.test(response.headers.get('content-type') ?? '')) {
      for await (const data of readEvents(response)) write(data);
      return;
    }
    const answer = parse(await response.text());
    if (answer?.jsonrpc !== undefined) write(JSON.stringify(answer));
    else if (!response.ok) throw new Error(describeRefusal(response.status, answer));
  }

  get #headers(): Record<string, string> {
    const { token } = this.#options;
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': this.#sessionId,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
  }

  #refuse(id: unknown, code: number, message: string): void {
    this.#options.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }
}

/** Headers that repeat what the message is: the 2026 protocol requires them, the 2025 one does not know them. */
function describeInHeaders({ method, params }: Record<string, unknown>): Record<string, string> {
  const { _meta: meta, taskId, name = taskId } = isRecord(params) ? params : {};
  const version = isRecord(meta) ? meta[versionKey] : undefined;
  if (typeof version !== 'string') return {};
  return {
    'mcp-protocol-version': version,
    'mcp-method': String(method),
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}

/** Yields the data of each server-sent event; Parley writes it on one line. */
async function* readEvents({ body }: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield line.slice('data: '.length);
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function describeRefusal(status: number, answer: Record<string, unknown> | undefined): string {
  const { message } = isRecord(answer?.error) ? answer.error : {};
  if (typeof message !== 'string') return `The server answered with ${status}.`;
  return status === 401 ? `${message} ${askTokenHint}` : message;
}

/** The message for a failed request. `fetch` fails with a TypeError whose own message does not name the reason. */
function describe(error: unknown, url: string): string {
  const { origin, host } = new URL(url);
  if (error instanceof TypeError)
    return (explainUnsent({ url: origin, place: host }, error) ?? new NoServerError(host)).message;
  return error instanceof Error ? error.message : String(error);
}
