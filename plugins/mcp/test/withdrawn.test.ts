import { useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { HttpToy } from './http-toy.ts';
import { begin, startMcp, toyServer } from './mcp-stage.ts';

const link = { mode: 'url', message: 'Log in.', url: 'https://login.example.org/', elicitationId: 'e-1' };
const form = {
  mode: 'form',
  message: 'Which one?',
  requestedSchema: { type: 'object', properties: { word: { type: 'string' } } },
};

test.each([
  ['form', form],
  ['address', link],
])('[AGT4] a server that withdraws its question closes the prompt, and its call continues: %s', async (_, params) => {
  const toy = await useInTest(new HttpToy('legacy'));
  const server = await startMcp({ toy: { type: 'http', url: toy.url } });
  const journey = await begin(server);
  const prompt = await journey.ask('toy__ask', { params });
  await toy.isHeard; // a server drops notifications that it sends before that
  toy.withdraw();
  const { payload } = await journey.event('interaction_closed');
  expect(payload).toMatchObject({
    interactionId: prompt.interactionId,
    reason: 'withdrawn',
    note: 'The MCP server "toy" no longer waits for the answer.',
  });
  expect(await journey.result()).toEqual({ result: '"went on"' });
});

test('[AGT4] a server that waits no longer than it says closes the prompt itself', async () => {
  const toy = await useInTest(new HttpToy('legacy'));
  const server = await startMcp({ toy: { type: 'http', url: toy.url } });
  await toy.isHeard; // a server drops notifications that it sends before that
  const journey = await begin(server);
  const prompt = await journey.ask('toy__ask', { params: form, timeout: 300 });
  const { payload } = await journey.event('interaction_closed');
  expect(payload).toMatchObject({ interactionId: prompt.interactionId, reason: 'withdrawn' });
  expect(await journey.result()).toEqual({ result: '"went on"' });
});

test('[AGT4] a server that dies while it waits for an answer ends the call, and its prompt', async () => {
  const server = await startMcp({ toy: toyServer('legacy') });
  const journey = await begin(server);
  const prompt = await journey.ask('toy__ask', { params: form, dies: true });
  const { payload } = await journey.event('interaction_closed');
  expect(payload).toMatchObject({ interactionId: prompt.interactionId });
  expect((await journey.result()).error).toMatchObject({ code: 'mcp_closed' });
});
