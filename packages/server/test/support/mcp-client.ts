import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { isRecord } from '@parleyhq/core';
import { onTestFinished } from 'vitest';

/** `2025` greets with `initialize` and has a session, `2026` has neither. */
export type Era = '2025' | '2026';

interface McpOptions {
  readonly token?: string;
  readonly era?: Era;
  readonly name?: string;
}

/** Connects the official MCP client over HTTP; closed when the test has finished. */
export async function connectMcp(
  origin: string,
  { token, era = '2025', name = 'Test client' }: McpOptions = {},
): Promise<Client> {
  const mode = era === '2026' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode } });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** Parses a tool's result: its text, parsed if it is JSON, and whether it is an error. */
export function readAnswer(answer: unknown): { isError: boolean; text: string; value: Record<string, unknown> } {
  const { content, isError = false } = answer as { content: { text: string }[]; isError?: boolean };
  const text = content[0]?.text ?? '';
  const value: unknown = text.startsWith('{') ? JSON.parse(text) : {};
  return { isError, text, value: isRecord(value) ? value : {} };
}

/** Posts a message without a client. */
export function postMcp(origin: string, body: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  const accept = 'application/json, text/event-stream';
  return fetch(`${origin}/mcp`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', accept, ...headers },
  });
}
