import { fileURLToPath } from 'node:url';
import { openTab, type PersonOptions, type PersonTab } from '@parleyhq/client/process';
import { TestServer, type TestServerOptions, useInFile, useInTest } from '@parleyhq/server/testing';
import { onTestFinished } from 'vitest';
import { makeMcpPlugin } from '../src/index.ts';

const toy = fileURLToPath(new URL('toy-stdio.mjs', import.meta.url));

/** The settings of the toy server as a program, in the format of other MCP hosts. */
export function toyServer(era: 'legacy' | 'modern', ...args: string[]) {
  return { command: process.execPath, args: [toy, era, ...args] };
}

function makeServer(mcpServers: Readonly<Record<string, object>>, options: TestServerOptions): TestServer {
  return new TestServer({ plugins: [makeMcpPlugin()], pluginConfigs: { mcp: { mcpServers } }, ...options });
}

/** Starts Parley with these MCP servers, for the tests of a file. */
export function useMcp(mcpServers: Readonly<Record<string, object>>, options: TestServerOptions = {}): TestServer {
  return useInFile(makeServer(mcpServers, options));
}

/** Starts Parley with these MCP servers, for one test. */
export function startMcp(
  mcpServers: Readonly<Record<string, object>>,
  options: TestServerOptions = {},
): Promise<TestServer> {
  return useInTest(makeServer(mcpServers, options));
}

/** A person in a new session, who leaves when the test has finished. */
export async function begin(server: TestServer, person?: PersonOptions): Promise<PersonTab> {
  const tab = await openTab(server, person);
  onTestFinished(() => tab.close());
  return tab;
}

/** Calls a tool that asks nobody. @returns its result or error */
export async function run(server: TestServer, tool: string, args: object = {}): Promise<unknown> {
  const { result, error } = await (await begin(server)).run(tool, args);
  return error ?? result;
}

/** Calls a tool in a new session. @returns what comes first: a prompt or its result */
export async function callOf(server: TestServer, tool: string, args: object = {}): Promise<string> {
  const journey = await begin(server);
  await journey.call(tool, args);
  const first = await Promise.race([journey.event('interaction_request'), journey.event('tool_result')]);
  return first.type;
}
