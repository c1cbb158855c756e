import { definePlugin, type Plugin, type PluginHost } from '@parleyhq/core';
import type { Views } from './app-pages.ts';
import { McpServer } from './mcp-server.ts';
import { configSchema, findForeignConsents, readServers } from './server-config.ts';
import { type CurrentTool, coversTool, suggestForTool } from './server-rules.ts';
import { findCurrent, makeSignInTool, makeTool } from './server-tool.ts';
import { makeSignIn } from './sign-in/make-sign-in.ts';

/** How long a start waits for a server whose tools are not known yet, in ms. After that it continues without the server. */
const patienceMs = 15_000;

/** Makes the plugin for one Parley server. */
export function makeMcpPlugin(): Plugin {
  let servers: McpServer[] = [];
  /** The current tools, by name. */
  let current: ReadonlyMap<string, CurrentTool> = new Map();
  /** Pages of the servers, added as requests need them. */
  const views: Views = {};
  return definePlugin({
    name: 'mcp',
    version: '0.1.0',
    configSchema,
    tools: [],
    views,
    covers: (rule, args) => coversTool(rule, args, current),
    suggestRules: (calls) => suggestForTool(calls, current),
    async setup(host) {
      const { log, state } = host;
      const told = new Set<string>();
      const publish = () => {
        const tools = servers.flatMap((server) =>
          server.isShut ? [makeSignInTool(server)] : server.tools.map((definition) => makeTool(server, definition)),
        );
        current = new Map(
          servers.flatMap((server) => (server.isShut ? [] : server.tools.map((each) => findCurrent(server, each)))),
        );
        for (const { name, reason } of host.setTools(tools)) warnOnce(host, told, `"${name}" is left out: ${reason}`);
      };
      const entries = [...readServers(configSchema.parse(host.config ?? {}), (words) => log.warn(words))];
      for (const [name, config] of entries) {
        const foreign = findForeignConsents(config);
        if (foreign.length > 0)
          log.warn(`the MCP server "${name}" has ${foreign.join(', ')}, which Parley ignores: it still asks`);
      }
      servers = entries.map(([name, config]) => {
        const signIn = makeSignIn(name, config, host.dataDir);
        return new McpServer(name, config, { log, state, signIn, views, onChanged: publish });
      });
      await Promise.all(servers.map((server) => server.start(patienceMs)));
      publish();
    },
    async dispose() {
      await Promise.all(servers.map((server) => server.close()));
    },
  });
}

export default makeMcpPlugin();

function warnOnce({ log }: PluginHost, told: Set<string>, words: string): void {
  if (told.has(words)) return;
  told.add(words);
  log.warn(words);
}
