import { isRecord, type Json, type ToolOffer } from '@parleyhq/core';
import { toModelTool } from '@parleyhq/core/schemas';
import type { CallOutput } from './pending-call.ts';

const serverName = 'parley';
const prefix = `mcp__${serverName}__`;

/** Returns the name of one of Parley's tools from the name that the model uses; undefined for other tools. */
export function ownToolName(name: string): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}

/** Converts the model's input to the argument names of the tool, which may differ for Parley's tools (AGT8). */
export function toOwnArgs(offers: readonly ToolOffer[], name: string, input: unknown): unknown {
  const own = ownToolName(name);
  const offer = own === undefined ? undefined : offers.find((each) => each.name === own);
  return offer ? toModelTool(offer).toArgs(input as Json) : input;
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
 * The plugins' tools as an in-process MCP server. The SDK's `createSdkMcpServer` accepts zod schemas only, while these tools may
 * have JSON Schema. Parley checks the arguments when the call runs (AGT6).
 */
export function makeOwnServer(offers: readonly ToolOffer[], wait: (toolUseId: string) => Promise<CallOutput>) {
  const tools = offers.map(({ name, ...offer }) => {
    const { description, schema } = toModelTool(offer);
    return { name, description, inputSchema: schema };
  });
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
        .catch(() => undefined); // the process that asked has ended
    };
    await transport.start?.();
  };
  const instance = { connect, close: async () => undefined };
  return { [serverName]: { type: 'sdk', name: serverName, alwaysLoad: true, instance } };
}
