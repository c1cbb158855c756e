import type { ServerFrameOf } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../../plugins/postgres/src/index.ts';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { pluginOf } from '../support/plugin-file.ts';
import type { ServerProcess } from '../support/server-process.ts';
import type { Tab } from '../support/tab.ts';
import { startTwo } from './support/start-nodes.ts';

/** A tool that shows its progress and waits for an answer, and an agent that writes and waits for the end of its turn. */
const plugin = `
export default {
  name: 'slow',
  tools: [{
    name: 'dig',
    description: 'Says what it finds.',
    parameters: { type: 'object' },
    handler: async (args, ctx) => {
      ctx.progress('clay, ');
      const answer = await ctx.requestInteraction({ type: 'approval', title: 'Deeper?' });
      ctx.progress('sand');
      await ctx.requestInteraction({ type: 'approval', title: 'Done?' });
      return { action: answer.action };
    },
  }],
  agents: [{
    name: 'endless',
    async *run(turn, signal) {
      yield { type: 'text', text: 'Once upon ' };
      yield { type: 'text', text: 'a time' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  }],
};
`;

async function startSlow(): Promise<readonly [ServerProcess, ServerProcess]> {
  return (await startTwo({ plugins: [pluginOf(plugin)] })).nodes;
}

/** Returns the text being written that a tab received, without what durable events contain. */
function streamed(tab: Tab, kind: 'text' | 'tool_output'): string {
  let text = '';
  for (const frame of tab.frames) {
    if (frame.type !== 'stream' || frame.kind !== kind) continue;
    expect(frame.offset).toBe(text.length);
    text += frame.text;
  }
  return text;
}

const isStream = (kind: string, end: string) => (frame: { type: string }) =>
  frame.type === 'stream' &&
  (frame as ServerFrameOf<'stream'>).kind === kind &&
  (frame as ServerFrameOf<'stream'>).text.endsWith(end);

test('[OPS4, EVT4] text shows at every node while it is written, also to tabs that join later, and is kept if it is stopped from another node', async () => {
  const [a, b] = await startSlow();
  const [atA, atB] = [await a.open(), await b.open()];
  const {
    session: { id },
  } = await atA.ask<{ session: { id: string } }>({ type: 'create_session', agent: 'endless' });
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === id);
  await Promise.all([atA.follow(id), atB.follow(id)]);
  await atA.say(id, 'Tell me a story.');
  await atB.until(isStream('text', 'a time'));
  expect(streamed(atB, 'text')).toBe('Once upon a time');
  const late = await b.open();
  expect((await late.follow(id)).streams).toMatchObject([{ kind: 'text', offset: 0, text: 'Once upon a time' }]);
  await atB.ask({ type: 'cancel_turn', sessionId: id });
  const done = await atA.event(id, 'assistant_done');
  expect(done.payload).toMatchObject({ text: 'Once upon a time' });
  await atB.event(id, 'turn_end');
  const next = await b.open();
  expect((await next.follow(id)).streams).toEqual([]);
});

test("[OPS4, EVT4] a tool's output shows at every node, and none of it after its result", async () => {
  const [a, b] = await startSlow();
  const [atA, atB] = [await a.open(), await b.open()];
  const id = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === id);
  await Promise.all([atA.follow(id), atB.follow(id)]);
  await atA.say(id, '/call dig {}');
  await atB.until(isStream('tool_output', 'clay, '));
  const first = await atB.prompt(id);
  await atB.answer(id, first, { action: 'approve' });
  await atB.until(isStream('tool_output', 'sand'));
  expect(streamed(atB, 'tool_output')).toBe('clay, sand');
  const second = await atB.event(id, 'interaction_request', ({ payload }) => payload.title === 'Done?');
  await atB.answer(id, second.payload, { action: 'approve' });
  await atB.event(id, 'turn_end');
  const result = atB.frames.findIndex((frame) => frame.type === 'chat_event' && frame.event.type === 'tool_result');
  expect(atB.frames.slice(result).filter((frame) => frame.type === 'stream' && frame.kind === 'tool_output')).toEqual(
    [],
  );
});

test('[OPS4, INT18, TEAM4] drafts, claims and presence are published at every node, and to a node that joins later', async () => {
  const [a, b] = await startSlow();
  const [atA, atB] = [await a.open(), await b.open()];
  const id = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === id);
  await Promise.all([atA.follow(id), atB.follow(id)]);
  const hasTwo = (frame: { type: string }) =>
    frame.type === 'presence' && (frame as ServerFrameOf<'presence'>).connections === 2;
  await Promise.all([atA.until(hasTwo), atB.until(hasTwo)]);
  await atA.say(id, '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}');
  const prompt = await atB.prompt(id);
  const { interactionId } = prompt;
  atB.send({ type: 'draft', sessionId: id, interactionId, values: { answer: 'Te' } });
  expect(await atA.waitFor('draft')).toMatchObject({ interactionId, values: { answer: 'Te' } });
  await atA.ask({ type: 'claim_interaction', sessionId: id, interactionId });
  const [here, there] = [await atA.waitFor('claimed'), await atB.waitFor('claimed')];
  expect(there.by).toEqual(here.by);
  expect(Date.parse(there.until) - Date.now()).toBeGreaterThan(0);
  await b.kill('SIGTERM');
  await atA.until((frame) => frame.type === 'presence' && frame.connections === 1, atA.frames.findIndex(hasTwo));
  await b.restart();
  const joining = await b.open();
  expect(await joining.waitFor('claimed')).toMatchObject({ interactionId, by: here.by });
});

test("[OPS4] the bus delivers to all nodes except the sender, in order, whatever a message's length and characters", async () => {
  const url = await (await usePostgres()).createDatabase();
  const open = async () => {
    const { bus, close } = await openPostgresStore(url);
    if (!bus) throw new Error('no bus');
    const heard: unknown[] = [];
    await bus.subscribe((message) => heard.push(message));
    onTestFinished(close);
    return { bus, heard };
  };
  const [a, b] = [await open(), await open()];
  const long = ['ü👋'.repeat(20_000), `"${'\\'.repeat(9000)}`, 'plain'];
  for (const message of [...long, 1, 2]) a.bus.publish(message);
  b.bus.publish('other');
  a.bus.publish('x'.repeat(4_000_000)); // too long: only this message is dropped
  a.bus.publish('last');
  await expect.poll(() => b.heard.at(-1), { timeout: 30_000 }).toBe('last');
  expect(b.heard).toEqual([...long, 1, 2, 'last']);
  await expect.poll(() => a.heard, { timeout: 30_000 }).toEqual(['other']);
});
