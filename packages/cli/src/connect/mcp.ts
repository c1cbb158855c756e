import { readLines } from '../io/plain-text.ts';
import { requireOwnServer } from '../running-server/running-server.ts';
import { toUrlHost } from '../running-server/url-host.ts';
import { type Flags, findAskToken, readSettings } from '../settings/settings.ts';
import { McpRelay } from './mcp-relay.ts';

/** `parley mcp`: relays MCP messages from stdin to a running server, and the server's messages to stdout (ASK6). */
export async function relayMcp(flags: Flags): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  await requireOwnServer(settings, flags);
  const { host, port } = settings;
  const relay = new McpRelay({
    url: `http://${toUrlHost(host)}:${port}/mcp`,
    token: findAskToken(flags, process.env, settings),
    write: (line) => process.stdout.write(`${line}\n`),
  });
  for await (const line of readLines()) if (line.trim() !== '') await relay.pass(line);
  relay.close();
}
