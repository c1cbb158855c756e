import { isRecord, type ToolOffer } from '@parleyhq/core';
import type { Outcome } from './pending-call.ts';

const serverName = 'parley';
const prefix = `mcp__${serverName}__`;

/** A tool of Parley's, by the name that the model calls it. */
export function ownToolName(name: string): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}

interface JsonRpc {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

interface Transport {
  onmessage?: (message: JsonRpc) => void;
  start?(): Promise<void>;
  send(message: object): Promise<void>;
}

/**
 * The plugins' tools as an MCP server in this process, in the shape of the SDK's `createSdkMcpServer`: that one takes zod
 * schemas only, and tools may come with JSON Schema. Arguments are checked where the call runs (AGT6).
 */
export function makeOwnServer(offers: readonly ToolOffer[], wait: (toolUseId: string) => Promise<Outcome>) {
  const tools = offers.map(({ name, description, parameters: { $schema: _, ...schema } }) => ({
    name,
    description,
    inputSchema: { ...schema, type: 'object' },
  }));
  const answer = async ({ method, params = {} }: JsonRpc): Promise<object> => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: serverName, version: '1' },
        };
      case 'tools/list':
        return { tools };
      case 'tools/call': {
        const meta = isRecord(params._meta) ? params._meta : {};
        const { text, isError } = await wait(String(meta['claudecode/toolUseId']));
        return { content: [{ type: 'text', text }], isError };
      }
      default:
        return {};
    }
  };
  const connect = async (transport: Transport): Promise<void> => {
    transport.onmessage = (message) => {
      if (message.id === undefined) return;
      void answer(message)
        .then(
          (result) => ({ jsonrpc: '2.0', id: message.id, result }),
          (error: Error) => ({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: error.message } }),
        )
        .then((reply) => transport.send(reply))
        .catch(() => undefined); // the process that asked is gone
    };
    await transport.start?.();
  };
  const instance = { connect, close: async () => undefined };
  return { [serverName]: { type: 'sdk', name: serverName, alwaysLoad: true, instance } };
}
