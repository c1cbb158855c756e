import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startParley } from '@parleyhq/client/process';
import { FakeMessagesApi, type FakeReply, type SentBody, say } from '@parleyhq/plugin-anthropic/testing';
import { type AgentStage, type JourneyCues, testAgent, testAgentJourney } from '@parleyhq/server/testing';
import { afterAll, beforeAll } from 'vitest';
import { type ClaudeAgent, claudeAgent } from '../src/agent.ts';
import { call, patienceMs, sdk, startOptions } from './claude-server.ts';

const cues: JourneyCues = {
  talk: 'Say something',
  call: 'Call echo',
  ramble: 'Never stop',
  wait: 'Ask me for the word',
  fail: 'Call what is not there',
};

let api: FakeMessagesApi;
let dataDir: string;
const agents: ClaudeAgent[] = [];
beforeAll(async () => {
  api = await FakeMessagesApi.start({ isLenient: true });
  api.otherwise(play);
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
});
afterAll(async () => {
  for (const agent of agents) await agent.dispose();
  await api.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

testAgent(
  'claude-agent',
  () => {
    const options = {
      sdk,
      dataDir,
      apiKey: 'sk-test',
      settingSources: [],
      liveMs: 60_000,
      promptTimeoutMs: null,
      baseUrl: api.url,
    };
    const agent = claudeAgent(() => options);
    agents.push(agent);
    return agent;
  },
  cues,
);

testAgentJourney('claude-agent', openStage, cues);

/** A server process that can crash, and a person in it. */
async function openStage(): Promise<AgentStage> {
  const server = await startParley(startOptions(api));
  const tab = await server.tab({ patienceMs });
  return {
    say: (words) => tab.say(words),
    event: (type, accepts, after) => tab.event(type, accepts, after),
    async streamed() {
      await tab.until(({ streams }) => streams.find(({ kind }) => kind === 'text'));
    },
    answer: (prompt, input) => tab.submit(prompt, { ...input }),
    stop: () => tab.session.cancelTurn(),
    crash: () => server.restart(),
    remove: () => server.stop(),
  };
}

/** A fake model that does what the last message says. */
function play({ messages }: SentBody): FakeReply {
  const { content } = messages.findLast(({ role }) => role === 'user') ?? { content: [] };
  const result = content.find(({ type }) => type === 'tool_result');
  if (result) return { content: [say(`It returned ${JSON.stringify(result.content)}.`)] };
  switch (content.at(-1)?.text) {
    case cues.call:
      return { content: [call('mcp__parley__echo', { n: 1 })] };
    case cues.wait:
      return { content: [call('mcp__parley__ask_user', { question: 'What is the word?' })] };
    case cues.fail:
      return { content: [call('nothing_like_it')] };
    case cues.ramble:
      return { content: [say('On and on and on.')], fault: { kind: 'stall', after: 3 } };
    default:
      return { content: [say('Something.')] };
  }
}
