import {
  createMcpHandler,
  type McpHttpHandler,
  type ProgressToken,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Json } from '@parleyhq/core';
import type { CallingClient } from '../outside/outside-calls.ts';
import { nameOf, readSessionName } from './mcp-session.ts';
import type { McpTools } from './mcp-tools.ts';
import type { OpenRequests } from './open-requests.ts';

/** One HTTP request, and who sent it. */
export interface McpMessage {
  readonly request: Request;
  readonly body: unknown;
  readonly client: CallingClient;
  readonly sessionId: string | undefined;
}

export interface McpHandlerOptions {
  readonly tools: McpTools;
  readonly requests: OpenRequests;
  readonly version: string;
  readonly onError: (error: Error) => void;
}

type Sender = Pick<McpMessage, 'client' | 'sessionId'>;

const instructions =
  'These tools reach people. A call waits until somebody answers. If it returns {"open": true, "callId": …}, nobody has answered yet: call check_answer with that callId.';

/** Both eras of the protocol, each request on its own: the only file that knows the SDK. */
export function makeMcpHandler(options: McpHandlerOptions): (message: McpMessage) => Promise<Response> {
  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) => makeServer(options, authInfo?.extra as unknown as Sender),
    {
      responseMode: 'sse', // headers at once: a client waits five minutes for them, and for people as long as it takes
      maxSubscriptions: 0, // nothing changes here that could be subscribed to
      onerror: options.onError,
    },
  );
  return ({ request, body, client, sessionId }) => {
    const authInfo = { token: '', clientId: client.principal.id, scopes: [], extra: { client, sessionId } };
    return handler.fetch(request, { parsedBody: body, authInfo });
  };
}

function makeServer({ tools, requests, version }: McpHandlerOptions, { client, sessionId }: Sender): Server {
  const server = new Server({ name: 'parley', version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', () => ({
    tools: tools.offers.map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: { ...parameters, type: 'object' as const },
      annotations: { readOnlyHint: true }, // else clients ask a person for leave to ask a person
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { id: requestId, _meta: meta = {}, signal: lost } = context.mcpReq;
    const clientName = nameOf(server.getClientVersion()) ?? readSessionName(sessionId);
    const call = { toolName: params.name, args: (params.arguments ?? {}) as Json, meta, clientName };
    const onProgress = meta.progressToken === undefined ? undefined : reportTo(context, meta.progressToken);
    const answer = await requests.run({ principal: client.principal.id, sessionId, requestId }, (cancelled) =>
      tools.call(client, call, { lost, cancelled, onProgress }),
    );
    return { ...answer };
  });
  return server;
}

function reportTo({ mcpReq }: ServerContext, progressToken: ProgressToken): () => void {
  let progress = 0;
  return () => {
    progress += 1;
    const params = { progressToken, progress, message: 'Waiting for a person.' };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined); // the client is gone
  };
}
