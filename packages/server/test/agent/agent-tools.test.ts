import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { useServer } from '../support/use-server.ts';

/** An agent that calls its own tool once per turn, and lists the tools that it is offered. */
const source = `
  const own = {
    name: 'echo', description: 'Its own.', parameters: { type: 'object' },
    async handler(args, ctx) {
      const { approved } = await ctx.approve({ key: 'own', title: 'May it?' });
      return approved ? 'the agent\\'s own' : 'no';
    },
  };
  const delegate = {
    name: 'delegate', description: 'Lets a helper work.', parameters: { type: 'object' }, onInterrupted: 'fail',
    async handler(args, ctx) {
      const call = (n, toolName) => ctx.callTool({ toolCallId: ctx.toolCallId + '-' + n, toolName, args: {}, from: 'helper' });
      return Promise.all([call(1, 'echo'), call(2, 'nothing_like_it')]);
    },
  };
  const agent = {
    name: 'bringing', tools: [own, delegate],
    async *run(turn) {
      const events = await turn.read(turn.startSeq);
      if (events.some(({ type }) => type === 'tool_result')) {
        yield { type: 'text', text: turn.permissionMode + ': ' + turn.tools.map(({ description }) => description).join(' ') };
        return;
      }
      const said = (await turn.read()).findLast(({ type }) => type === 'user_message').payload.text;
      yield { type: 'tool_call', toolName: said === 'Delegate' ? 'delegate' : 'echo', args: {} };
    },
  };
  const echo = {
    name: 'echo', description: 'Of the plugin.', parameters: { type: 'object' },
    handler: () => 'the plugin\\'s',
  };
  export default { name: 'bringer', tools: [echo], agents: [agent] };`;

const server = useServer({ plugins: [pluginOf(source)] });

test("[AGT2] an agent's own tool takes precedence in its calls, is not offered to others, and asks like any tool", async () => {
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

async function delegate() {
  const journey = await Journey.begin(server);
  const { tab, session } = journey;
  await tab.ask({ type: 'update_session', sessionId: session, agent: 'bringing' });
  const { seq } = await tab.say(session, 'Delegate');
  return { journey, prompt: await tab.prompt(session, seq) };
}

test("[AGT7] a nested call has its parent's id, and asks in the name of its caller", async () => {
  const { journey, prompt } = await delegate();
  expect(prompt.source).toEqual({ kind: 'agent', name: 'helper' });
  await journey.answer(prompt, { action: 'approve' });
  await journey.event('turn_end');
  const [outer, ...inner] = journey.events('tool_call').map(({ payload }) => payload);
  const { toolCallId } = outer as { toolCallId: string };
  expect(inner).toHaveLength(2);
  for (const toolName of ['echo', 'nothing_like_it']) {
    expect(inner).toContainEqual(expect.objectContaining({ toolName, parentToolCallId: toolCallId })); // made side by side
  }
  const { payload } = await journey.event('tool_result', (event) => event.payload.toolCallId === toolCallId);
  expect(payload.result).toMatchObject([{ result: "the agent's own" }, { error: { code: 'unknown_tool' } }]);
});

test('[AGT7, INT11] a stop ends nested calls with their parent', async () => {
  const { journey, prompt } = await delegate();
  await journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session });
  await journey.event('turn_end');
  expect(journey.settlements(prompt)).toMatchObject([{ payload: { reason: 'cancelled' } }]);
  const cancelled = { error: { code: 'cancelled' } };
  expect(journey.events('tool_result').map(({ payload }) => payload)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ toolName: 'delegate' }),
      expect.objectContaining({ toolName: 'echo' }),
    ]),
  );
  expect(await journey.outcome(prompt)).toMatchObject(cancelled);
});

test('[AGT7, DUR6] killed while a nested call asks, it is orphaned and its parent interrupted', async () => {
  const { journey, prompt } = await delegate();
  await server.restart();
  const later = await journey.join(server);
  await later.event('turn_end');
  expect(later.settlements(prompt)).toMatchObject([{ payload: { reason: 'orphaned' } }]);
  expect(await later.outcome(prompt)).toMatchObject({ error: { code: 'orphaned' } });
});

test("[AGT2] another agent's calls do not reach an agent's own tool", async () => {
  const journey = await Journey.begin(server);
  expect(await journey.run('echo')).toEqual({ result: "the plugin's" });
});

test("[AGT2, DUR1] killed while it waits, a call continues with its agent's own tool", async () => {
  const journey = await Journey.begin(server);
  await journey.tab.ask({ type: 'update_session', sessionId: journey.session, agent: 'bringing' });
  const { seq } = await journey.tab.say(journey.session, 'Go');
  const prompt = await journey.tab.prompt(journey.session, seq);
  await server.restart();
  const later = await journey.join(server);
  await later.answer(prompt, { action: 'approve' });
  expect(await later.outcome()).toEqual({ result: "the agent's own" });
});
