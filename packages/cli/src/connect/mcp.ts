import { readLines } from '../io/plain-text.ts';
import { findServer } from '../running-server/named-server.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { McpRelay } from './mcp-relay.ts';

/** `parley mcp`: relays MCP messages from stdin to a running server, and the server's messages to stdout (ASK6). */
export async function relayMcp(flags: ServerFlags): Promise<void> {
  const { url, token, check } = await findServer(flags, { isAsking: true });
  await check();
  const relay = new McpRelay({
    url: `${url}/mcp`,
    token,
    write: (line) => process.stdout.write(`${line}\n`),
  });
  for await (const line of readLines()) if (line.trim() !== '') await relay.pass(line);
  relay.close();
}
