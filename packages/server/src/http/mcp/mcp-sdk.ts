import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  type McpHttpHandler,
  MissingRequiredClientCapabilityError,
  type ProgressToken,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isRecord, type Json } from '@parleyhq/core';
import { toRefusal } from '@parleyhq/runtime';
import * as z from 'zod';
import type { CallingClient } from '../../extensions/programs/call-request.ts';
import { nameOf, readSessionName } from './mcp-session.ts';
import type { Era, McpTasks } from './mcp-tasks.ts';
import type { McpRequest, McpTools } from './mcp-tools.ts';
import type { OpenRequests } from './open-requests.ts';

/** An HTTP request and its sender. */
export interface McpMessage {
  readonly request: Request;
  readonly body: unknown;
  readonly client: CallingClient;
  readonly sessionId: string | undefined;
}

export interface McpHandlerOptions {
  readonly tools: McpTools;
  readonly tasks: McpTasks;
  readonly requests: OpenRequests;
  readonly version: string;
  readonly onError: (error: Error) => void;
}

type Sender = Pick<McpMessage, 'client' | 'sessionId'>;

/** Name of the tasks extension in the protocol of 2026. */
const tasksExtension = 'io.modelcontextprotocol/tasks';

const capabilities = {
  tools: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } }, // for 2025
  extensions: { [tasksExtension]: {} }, // for 2026
};

const taskParams = z.object({ taskId: z.string().optional(), cursor: z.uuid().optional() });

const instructions =
  'These tools reach people. A call waits until somebody answers. If it returns {"open": true, "callId": …}, nobody has answered yet: call check_answer with that callId. It may come with comments of people: reply_comment replies to them.';

/**
 * Creates the handler for both eras of the protocol; each request is handled on its own. This is the only file that uses the SDK.
 */
export function makeMcpHandler(options: McpHandlerOptions): (message: McpMessage) => Promise<Response> {
  const handler: McpHttpHandler = createMcpHandler(
    ({ era, authInfo }) =>
      makeServer(options, era === 'modern' ? '2026' : '2025', authInfo?.extra as unknown as Sender),
    {
      // send headers at once: clients wait only five minutes for headers, but as long as necessary for an answer
      responseMode: 'sse',
      onerror: options.onError,
    },
  );
  return async ({ request, body, client, sessionId }) => {
    if (isRecord(body) && body.method === listenMethod && body.id !== undefined) return refuseToListen(body.id);
    const authInfo = { token: '', clientId: client.principal.id, scopes: [], extra: { client, sessionId } };
    return handler.fetch(request, { parsedBody: body, authInfo });
  };
}

const listenMethod = 'subscriptions/listen';

/** Refuses subscriptions, because nothing here changes; the SDK would wrongly report too many subscriptions. */
function refuseToListen(id: unknown): Response {
  const error = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' };
  return Response.json({ jsonrpc: '2.0', id, error }, { status: 404 });
}

function makeServer(options: McpHandlerOptions, era: Era, sender: Sender): Server {
  const { tools, tasks, requests, version } = options;
  const { client, sessionId } = sender;
  const server = new Server({ name: 'parley', version }, { capabilities, instructions });
  const open = <T>(context: ServerContext, work: (request: McpRequest) => Promise<T>): Promise<T> => {
    const { id: requestId, _meta: meta = {}, signal: lost } = context.mcpReq;
    const onProgress = meta.progressToken === undefined ? undefined : reportTo(context, meta.progressToken);
    return requests.run({ principal: client.principal.id, sessionId, requestId }, (cancelled) =>
      work({ lost, cancelled, onProgress }),
    );
  };
  server.setRequestHandler('tools/list', () => ({
    tools: tools.offers.map(({ name, description, parameters, isLasting }) => ({
      name,
      description,
      inputSchema: { ...parameters, type: 'object' as const },
      annotations: { readOnlyHint: true }, // otherwise clients ask a person for permission to ask a person
      ...(isLasting && { execution: { taskSupport: 'optional' as const } }),
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name: toolName, arguments: args = {}, task } = params;
    const clientName = nameOf(server.getClientVersion()) ?? readSessionName(sessionId) ?? 'MCP client';
    const call = { toolName, args: args as Json, meta: context.mcpReq._meta ?? {}, clientName };
    const isTask = era === '2025' ? task !== undefined : declaresTasks(context);
    const isLasting = tools.offers.some((offer) => offer.name === toolName && offer.isLasting);
    if (isTask && era === '2025' && !isLasting)
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `"${toolName}" cannot be a task.`);
    return open(context, async (request) => {
      if (!isTask || !isLasting) return { ...(await tools.call(client, call, request)) };
      return asProtocolError(tasks.begin(client, { era, call, request }));
    });
  });
  for (const [method, handle] of Object.entries(tasks.methods))
    server.setRequestHandler(method, { params: taskParams }, (params, context) => {
      if (era === '2026' && !declaresTasks(context)) throw new MissingRequiredClientCapabilityError(missing);
      return asProtocolError(open(context, (request) => handle(client, { era, params, request })));
    });
  return server;
}

const missing = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } };

/** Whether a client of 2026 declares with this request that it supports tasks. */
function declaresTasks({ mcpReq }: ServerContext): boolean {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY];
  const { extensions } = isRecord(declared) ? declared : {};
  return isRecord(extensions) && isRecord(extensions[tasksExtension]);
}

/** Converts a refusal to a JSON-RPC error. */
async function asProtocolError<T>(replying: Promise<T>): Promise<T> {
  try {
    return await replying;
  } catch (error) {
    const { code, message } = toRefusal(error);
    const isOurs = code === 'internal' || code === 'retry_later' || code.startsWith('storage');
    const { InternalError, InvalidParams } = ProtocolErrorCode;
    throw new ProtocolError(isOurs ? InternalError : InvalidParams, `${message} (${code})`);
  }
}

function reportTo({ mcpReq }: ServerContext, progressToken: ProgressToken): () => void {
  let progress = 0;
  return () => {
    progress += 1;
    const params = { progressToken, progress, message: 'Waiting for a person.' };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined); // the client has disconnected
  };
}
