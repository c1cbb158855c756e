import { afterAll, beforeAll, expect, test } from 'vitest';
import { Journey } from './support/journey.ts';
import { pluginOf } from './support/plugin-file.ts';
import { ServerProcess } from './support/server-process.ts';

/** An agent that calls its own tool, once in a turn, and says in words what tools it is offered. */
const source = `
  const own = {
    name: 'echo', description: 'Its own.', parameters: { type: 'object' },
    async handler(args, ctx) {
      const { approved } = await ctx.approve({ key: 'own', title: 'May it?' });
      return approved ? 'the agent\\'s own' : 'no';
    },
  };
  const agent = {
    name: 'bringing', tools: [own],
    async *run(turn) {
      const events = await turn.read(turn.startSeq);
      if (events.some(({ type }) => type === 'tool_result')) {
        yield { type: 'text', text: turn.permissionMode + ': ' + turn.tools.map(({ description }) => description).join(' ') };
        return;
      }
      yield { type: 'tool_call', toolName: 'echo', args: {} };
    },
  };
  const echo = {
    name: 'echo', description: 'Of the plugin.', parameters: { type: 'object' },
    handler: () => 'the plugin\\'s',
  };
  export default { name: 'bringer', tools: [echo], agents: [agent] };`;

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({ plugins: [await pluginOf(source)] });
});
afterAll(() => server.remove());

test('[AGT2] a tool that an agent brings is what its calls mean; it is not offered, and asks like any other', async () => {
  const journey = await Journey.begin(server);
  const { tab, session } = journey;
  await tab.ask({ type: 'update_session', sessionId: session, agent: 'bringing', permissionMode: 'acceptEdits' });
  const { seq } = await tab.say(session, 'Go');
  await journey.answer(await tab.prompt(session, seq), { action: 'approve' });
  expect(await journey.outcome()).toEqual({ result: "the agent's own" });
  const { payload } = await journey.event('tool_call');
  expect(payload).toMatchObject({ toolName: 'echo', plugin: { name: 'bringer' } });
  const words = await journey.words();
  expect(words).toMatch(/^acceptEdits: .*Of the plugin\./);
  expect(words).not.toContain('Its own.');
});

test('[AGT2] a call of another agent does not reach it', async () => {
  const journey = await Journey.begin(server);
  expect(await journey.run('echo')).toEqual({ result: "the plugin's" });
});

test('[AGT2, DUR1] killed while it waits, the call goes on with the tool of its agent', async () => {
  const journey = await Journey.begin(server);
  await journey.tab.ask({ type: 'update_session', sessionId: journey.session, agent: 'bringing' });
  const { seq } = await journey.tab.say(journey.session, 'Go');
  const prompt = await journey.tab.prompt(journey.session, seq);
  await server.kill();
  server = await server.restart();
  const later = await journey.join(server);
  await later.answer(prompt, { action: 'approve' });
  expect(await later.outcome()).toEqual({ result: "the agent's own" });
});
