import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Agent, definePlugin, type Plugin, type PluginHost } from '@parleyhq/core';
import * as z from 'zod';
import { type AgentConfig, configSchema, readAgents } from './config.ts';
import { Conversation } from './conversation.ts';
import { OwnToolServer } from './own-tools.ts';
import { coversAgentCall, suggestAgentCalls } from './suggested-rules.ts';
import { makeTools } from './tools.ts';

type Host = Pick<PluginHost, 'state' | 'log' | 'dataDir'>;

/**
 * Makes the plugin with the agents of its settings, which must be known before the server starts.
 * @throws Error if the settings are invalid
 */
export function makeAcpPlugin(settings: unknown): Plugin {
  const { data: config, error } = configSchema.safeParse(settings ?? {});
  if (!config) throw new Error(`The settings of the plugin "acp" are invalid: ${z.prettifyError(error)}`);
  let host: Host | undefined;
  const ownTools = new OwnToolServer();
  const hostOf = (): Host => {
    if (!host) throw new Error('The plugin "acp" is not set up yet.');
    return host;
  };
  const agents = [...readAgents(config)].map(([name, agent]) =>
    makeAgent(name, agent, { ...config, ownTools, host: hostOf }),
  );
  return definePlugin({
    name: 'acp',
    version: '0.1.0',
    configSchema,
    tools: [],
    agents,
    covers: coversAgentCall,
    suggestRules: suggestAgentCalls,
    setup({ state, log, dataDir }) {
      host = { state, log, dataDir };
    },
    async dispose() {
      await Promise.all(agents.map((agent) => agent.dispose()));
      await ownTools.close();
    },
  });
}

interface Common {
  readonly liveMs: number;
  readonly promptTimeoutMs: number | null;
  readonly ownTools: OwnToolServer;
  host(): Host;
}

/** An agent whose own loop runs in its process: a run writes one message of it, up to its next calls. */
function makeAgent(
  name: string,
  config: AgentConfig,
  { liveMs, promptTimeoutMs, ownTools, host }: Common,
): Agent & { dispose(): Promise<void> } {
  const conversations = new Map<string, Conversation>();
  const folderOf = (sessionId: string) => join(resolve(host().dataDir), name, encodeURIComponent(sessionId));
  const find = (sessionId: string): Conversation => {
    const cwd = config.cwd === undefined ? folderOf(sessionId) : resolve(config.cwd);
    const options = { agent: name, config, cwd, liveMs, host: host(), ownTools };
    const known = conversations.get(sessionId) ?? new Conversation(sessionId, options);
    conversations.set(sessionId, known);
    return known;
  };
  const calls = {
    agent: name,
    promptTimeoutMs,
    turnOf: (sessionId: string) => conversations.get(sessionId)?.turn,
    noteWords: (sessionId: string, words: string) => find(sessionId).noteWords(words),
  };
  return {
    name,
    description: `${config.command}, over the Agent Client Protocol.`,
    tools: makeTools(() => calls),
    async *run(turn, signal) {
      const conversation = find(turn.sessionId);
      const stop = () => void conversation.stop();
      signal.addEventListener('abort', stop, { once: true });
      const written = await conversation.proceed(turn, signal);
      if (signal.aborted) return stop();
      yield* written.read();
    },
    async forget(sessionId) {
      await find(sessionId).close();
      conversations.delete(sessionId);
      await rm(folderOf(sessionId), { recursive: true, force: true, maxRetries: 10 });
    },
    async dispose() {
      await Promise.all([...conversations.values()].map((conversation) => conversation.leave()));
      conversations.clear();
    },
  };
}
