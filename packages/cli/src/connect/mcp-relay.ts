import { randomUUID } from 'node:crypto';
import { isRecord } from '@parleyhq/core';
import { askTokenHint, placeHint } from '../running-server/running-server.ts';

interface RelayOptions {
  readonly url: string;
  readonly token: string | undefined;
  /** Takes one message of the server's. */
  readonly write: (line: string) => void;
}

/** Of JSON-RPC. */
const parseError = -32_700;
const internalError = -32_603;

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** Each message of a client over stdio is a request over HTTP; the server's are the lines of the responses. */
export class McpRelay {
  readonly #options: RelayOptions;
  readonly #over = new AbortController();
  /** Of this client, in either era: by it the server finds what a client cancels. */
  #sessionId: string = randomUUID();

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Resolves when the next message may be passed on: the greeting's response names the session of all others. */
  async pass(line: string): Promise<void> {
    const message = parse(line);
    if (!message) return this.#refuse(null, parseError, 'This is no JSON object.');
    const sent = this.#send(line, message).catch((error: unknown) => {
      if (message.id === undefined || this.#over.signal.aborted) return;
      this.#refuse(message.id, internalError, describe(error, this.#options.url));
    });
    if (message.method === 'initialize') await sent;
  }

  /** The client is gone: what it waits for, nobody waits for any more. */
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

/** The protocol of 2026 repeats in headers what a message is; that of 2025 knows nothing of it. */
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

/** The data of each event; each has one line. */
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

/** What `fetch` fails with says why only in its cause. */
function describe(error: unknown, url: string): string {
  if (error instanceof TypeError) return `No server answers at ${new URL(url).host}. ${placeHint}`;
  return error instanceof Error ? error.message : String(error);
}
