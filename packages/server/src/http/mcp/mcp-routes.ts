import { InexactNumberError, isRecord, limits, RefusalError } from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import type { Logger } from 'pino';
import * as z from 'zod';
import { type Entry, enter, parseJson, readText } from '../frame-request.ts';
import { describe, json, refusalSchema, text } from '../operation.ts';
import type { Env } from '../request.ts';
import type { McpHandlerOptions } from './mcp-sdk.ts';
import { makeSessionId } from './mcp-session.ts';
import { McpTasks } from './mcp-tasks.ts';
import { McpTools, type McpToolsOptions } from './mcp-tools.ts';
import { OpenRequests } from './open-requests.ts';

export interface McpRoutes extends Entry, McpToolsOptions, Pick<McpHandlerOptions, 'version'> {
  readonly log: Logger;
}

const sessionHeader = 'mcp-session-id';

/** Serves the asking tools to MCP clients, over Streamable HTTP (ASK6). */
export function serveMcp(app: Hono<Env>, routes: McpRoutes): void {
  const requests = new OpenRequests();
  const tools = new McpTools(routes);
  const tasks = new McpTasks(routes.programs, tools);
  const onError = (error: Error) => routes.log.debug({ error }, 'a request of MCP was refused');
  const handlerOptions = { tools, tasks, requests, version: routes.version, onError };
  const load = async () => (await import('./mcp-sdk.ts')).makeMcpHandler(handlerOptions); // large, and most servers never need it
  let loading: ReturnType<typeof load> | undefined;

  const answer = async (context: Context<Env>): Promise<Response> => {
    const client = await enter(context, routes, { transport: 'mcp' });
    const { id: principal, role } = client.principal;
    if (role !== 'asker' && role !== 'operator') throw new RefusalError('forbidden');
    const text = context.req.method === 'POST' ? await readText(context, limits.frameBytes) : undefined;
    let body: unknown;
    try {
      body = text === undefined ? undefined : parseJson(text);
    } catch (error) {
      const answer = text === undefined ? undefined : answerInexact(text, error);
      if (!answer) throw error;
      return context.json(answer);
    }
    const sessionId = context.req.header(sessionHeader);
    const messages = [body].flat().map((message) => (isRecord(message) ? message : {}));
    // each message of a batch counts; the first was counted with its request
    for (const _ of messages.slice(1)) routes.quotas.pace(client.principal);
    for (const { method, params } of messages) {
      const { requestId, reason } = isRecord(params) ? params : {};
      if (method === 'notifications/cancelled') requests.cancel({ principal, sessionId, requestId }, reason);
    }
    const { method, params } = isRecord(body) ? body : {};
    const { clientInfo } = isRecord(params) ? params : {};
    loading ??= load();
    const handle = await loading;
    const response = await handle({ request: context.req.raw, body, client, sessionId });
    if (method === 'initialize' && response.ok) response.headers.set(sessionHeader, makeSessionId(clientInfo));
    return response;
  };

  const group = 'Programs outside';
  const jsonRpc = z.looseObject({ jsonrpc: z.literal('2.0') });
  const aboutMessage = describe({
    summary: 'A message of MCP, over Streamable HTTP.',
    ...{ group, body: jsonRpc, example: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    responses: {
      200: text('The response, and progress before it.', 'text/event-stream'),
      202: { description: 'A notification was accepted.' },
      400: json('In the format of MCP, if the message could be read.', z.union([jsonRpc, refusalSchema])),
      406: json('The client does not accept both JSON and events.', jsonRpc),
    },
  });
  const describeRefused = (summary: string) => {
    const responses = { 405: json('The server keeps no sessions of MCP.', jsonRpc) };
    return describe({ group, summary, responses });
  };
  app.post('/mcp', aboutMessage, answer);
  app.get('/mcp', describeRefused('Streams of MCP.'), answer);
  app.delete('/mcp', describeRefused('Ends a session of MCP.'), answer);
}

/**
 * Returns the reply to a request that contains a number that cannot be represented exactly, so that its model can read why and
 * correct it.
 */
function answerInexact(text: string, error: unknown) {
  const { cause } = error as Error;
  if (!(cause instanceof InexactNumberError) || cause.path[0] !== 'params') return undefined;
  return { jsonrpc: '2.0', id: JSON.parse(text).id ?? null, error: { code: invalidParams, message: cause.message } };
}

/** Error code of JSON-RPC. */
const invalidParams = -32_602;
