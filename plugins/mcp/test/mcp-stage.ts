import { fileURLToPath } from 'node:url';
import { Journey } from '../../../packages/server/test/support/journey.ts';
import { type LocalOptions, LocalServer } from '../../../packages/server/test/support/local-server.ts';
import { useInFile, useInTest } from '../../../packages/server/test/support/use-server.ts';
import { makeMcpPlugin } from '../src/index.ts';

const toy = fileURLToPath(new URL('toy-stdio.mjs', import.meta.url));

/** The toy server as a program, as other hosts of MCP write it. */
export function toyServer(era: 'legacy' | 'modern', ...args: string[]) {
  return { command: process.execPath, args: [toy, era, ...args] };
}

function makeServer(mcpServers: Readonly<Record<string, object>>, options: LocalOptions): LocalServer {
  return new LocalServer({ plugins: [makeMcpPlugin()], pluginConfigs: { mcp: { mcpServers } }, ...options });
}

/** A server of Parley with these servers of MCP, for the tests of a file. */
export function useMcp(mcpServers: Readonly<Record<string, object>>, options: LocalOptions = {}): LocalServer {
  return useInFile(makeServer(mcpServers, options));
}

/** The same for one test. */
export function startMcp(
  mcpServers: Readonly<Record<string, object>>,
  options: LocalOptions = {},
): Promise<LocalServer> {
  return useInTest(makeServer(mcpServers, options));
}

/** What a tool of the toy returned, which asks nobody. */
export async function run(server: LocalServer, tool: string, args: object = {}): Promise<unknown> {
  const { result, error } = await (await Journey.begin(server)).run(tool, args);
  return error ?? result;
}

/** What follows first when a tool is called in a session of its own: a prompt, or its result. */
export async function callOf(server: LocalServer, tool: string, args: object = {}): Promise<string> {
  const journey = await Journey.begin(server);
  await journey.call(tool, args);
  const first = await Promise.race([journey.event('interaction_request'), journey.event('tool_result')]);
  return first.type;
}
