import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord, type Json, type ToolOffer } from '@parleyhq/core';
import { toModelTool } from '@parleyhq/core/schemas';
import type { OwnResult } from './request.ts';

/** How often a connection that waits for people is kept alive, in ms: clients give up on silent ones after minutes. */
const keepMs = 15_000;
/** Limit of a request, in bytes. */
const maxBody = 4 * 1024 * 1024;

/** What one session of an agent may call. */
export interface OwnTools {
  readonly offers: readonly ToolOffer[];
  /** @param signal - aborts if the agent no longer waits */
  call(toolName: string, args: unknown, signal: AbortSignal): Promise<OwnResult>;
}

/**
 * The tools of Parley's plugins as an MCP server on this machine, for the agents alone: each session has an address with a secret,
 * which ends with it.
 */
export class OwnToolServer {
  readonly #sessions = new Map<string, { readonly secret: Buffer; readonly tools: () => OwnTools }>();
  #server: Promise<Server> | undefined;

  /** @returns the entry for the agent's list of MCP servers */
  async add(sessionId: string, tools: () => OwnTools) {
    const secret = randomBytes(32).toString('base64url');
    this.#sessions.set(sessionId, { secret: Buffer.from(`Bearer ${secret}`), tools });
    this.#server ??= listen((request, response) => void this.#serve(request, response).catch(() => response.destroy()));
    const { port } = (await this.#server).address() as AddressInfo;
    return {
      type: 'http' as const,
      name: 'parley',
      url: `http://127.0.0.1:${port}/mcp`,
      headers: [{ name: 'Authorization', value: `Bearer ${secret}` }],
    };
  }

  remove(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  async close(): Promise<void> {
    const server = await this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    server?.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = this.#find(request.headers.authorization);
    if (!session) return refuse(response, 401);
    if (request.method !== 'POST') return refuse(response, 405);
    const message = await readBody(request);
    if (!isRecord(message)) return refuse(response, 400);
    if (message.id === undefined || typeof message.method !== 'string') return refuse(response, 202);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const timer = setInterval(() => response.write(': waiting\n\n'), keepMs);
    const reply = await answer(message.method, message.params, session.tools(), gone.signal).catch((error: Error) => ({
      error: { code: -32603, message: error.message },
    }));
    clearInterval(timer);
    response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply })}\n\n`);
  }

  #find(given: string | undefined) {
    const sent = Buffer.from(given ?? '');
    return [...this.#sessions.values()].find(
      ({ secret }) => secret.length === sent.length && timingSafeEqual(secret, sent),
    );
  }
}

async function answer(method: string, params: unknown, tools: OwnTools, signal: AbortSignal) {
  const given = isRecord(params) ? params : {};
  switch (method) {
    case 'initialize': {
      const capabilities = { tools: {} };
      const serverInfo = { name: 'parley', version: '1' };
      return { result: { protocolVersion: given.protocolVersion, capabilities, serverInfo } };
    }
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: tools.offers.map(toMcpTool) } };
    case 'tools/call': {
      const offer = tools.offers.find(({ name }) => name === given.name);
      if (!offer) return { error: { code: -32602, message: `There is no tool "${String(given.name)}".` } };
      const args = toModelTool(offer).toArgs((given.arguments ?? {}) as Json);
      const { text, isError } = await tools.call(offer.name, args, signal);
      return { result: { content: [{ type: 'text', text }], isError } };
    }
    default:
      return { error: { code: -32601, message: `There is no method "${method}".` } };
  }
}

function toMcpTool(offer: ToolOffer) {
  const { description, schema } = toModelTool(offer);
  return { name: offer.name, description, inputSchema: schema };
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > maxBody) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer({ requestTimeout: 0 }, handle);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server.unref()));
  });
}
