import { callTool, FakeMessagesApi, type FakeReply, type SentBody, say } from '@parleyhq/plugin-anthropic/testing';
import { type JourneyCues, testAgentJourney } from '@parleyhq/server/testing';
import { afterAll, beforeAll } from 'vitest';
import { openStage } from '../support/agent-stage.ts';

testAgentJourney('demo', () => openStage({ isAlone: true }), {
  talk: 'hello',
  call: '/call echo {"n": 1}',
  ramble: '/stream 10000 5',
  wait: '/call ask_user {"question": "What is the word?"}',
  fail: '/call nothing_like_it',
});

const cues: JourneyCues = {
  talk: 'Say something',
  call: 'Call echo',
  ramble: 'Never stop',
  wait: 'Ask me for the word',
  fail: 'Call what is not there',
};

let api: FakeMessagesApi;
beforeAll(async () => {
  api = await FakeMessagesApi.start();
  api.otherwise(play);
});
afterAll(() => api.close());

testAgentJourney('anthropic', openModel, cues);

function openModel() {
  const env = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: api.url };
  return openStage({ args: ['--no-auth', '--agent', 'anthropic'], env, isAlone: true });
}

/** A model that follows its instructions. */
function play({ messages }: SentBody): FakeReply {
  const last = messages.at(-1)?.content.at(-1);
  if (last?.type === 'tool_result') return { content: [say(`It returned ${last.content}.`)] };
  const id = `call-${api.requests.length}`;
  switch (last?.text) {
    case cues.call:
      return { content: [callTool(id, 'echo', { n: 1 })] };
    case cues.wait:
      return { content: [callTool(id, 'ask_user', { question: 'What is the word?' })] };
    case cues.fail:
      return { content: [callTool(id, 'nothing_like_it')] };
    case cues.ramble:
      return { content: [say('On and on and on.')], fault: { kind: 'stall', after: 3 } };
    default:
      return { content: [say('Something.')] };
  }
}
