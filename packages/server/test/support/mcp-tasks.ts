import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  type TaskEnabledSession,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';
import { isRecord } from '@parleyhq/core';
import { onTestFinished } from 'vitest';
import { connectMcp, type Era } from './mcp-client.ts';

const clientInfo = { name: 'Test client', version: '1.0.0' };
const version = '2026-07-28';

/** Connects the official client of tasks, over the official MCP client; closed when the test has finished. */
export async function connectTasks(origin: string, era: Era, token?: string): Promise<TaskEnabledSession> {
  const client = await connectMcp(origin, { era, ...(token !== undefined && { token }) });
  const { tools } = await client.listTools();
  const known = new Map(tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
  const session = createTaskSessionFromClient(client, {
    endpointId: 'parley',
    tools: { currentTool: (name) => known.get(name) },
    ...(era === '2026' && {
      rawDispatch: (message) => sendModern(origin, message, token),
      v2RequestFraming: { protocolVersion: version, clientInfo, clientCapabilities: {} },
    }),
  });
  onTestFinished(() => session.close());
  return session;
}

/** Sends a request of 2026, because the official MCP client does not support tasks there. */
export async function sendModern(origin: string, message: unknown, token?: string): Promise<JsonRpcResponse> {
  const { method, params } = message as { method: string; params: Record<string, string> };
  const name = params.name ?? params.taskId;
  const response = await fetch(new URL('/mcp', origin), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ ...(message as object), jsonrpc: '2.0', id: 1 }),
  });
  const text = await response.text();
  const { result, error } = JSON.parse(text.replace(/^(?:event: message\n)?data: /, ''));
  return isRecord(error) ? { kind: 'error', error: error as never } : { kind: 'result', result };
}
