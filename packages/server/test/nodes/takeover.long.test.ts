import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, pluginOf } from '../support/plugin-file.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startTwo } from './support/start-nodes.ts';

/** Notes in a file each time that a call's step ran, on any node, and then asks. */
const plugin = `
import { appendFileSync } from 'node:fs';
export default {
  name: 'noting',
  tools: [{
    name: 'note',
    description: 'Notes, then asks.',
    parameters: { type: 'object' },
    durable: true,
    handler: async (args, ctx) => {
      await ctx.step('note', () => { appendFileSync(args.file, 'done\\n'); return 1; });
      const answer = await ctx.requestInteraction({ type: 'approval', title: 'Go on?', timeoutMs: args.timeoutMs ?? null });
      appendFileSync(args.file, 'answered\\n');
      return { action: answer.action ?? 'timeout' };
    },
  }],
};
`;

interface Fleet {
  readonly nodes: readonly [ServerProcess, ServerProcess];
  /** Returns the notes, one word a line. */
  readonly notes: () => string[];
  readonly file: string;
}

async function startFleet(): Promise<Fleet> {
  const file = join(makeFolder(), 'notes');
  writeFileSync(file, '');
  const { nodes } = await startTwo({ plugins: [pluginOf(plugin)] });
  return { nodes, file, notes: () => readFileSync(file, 'utf8').split('\n').filter(Boolean) };
}

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  '[OPS4] after %s of the node that ran it a turn goes on at the other, once: nothing is done twice, and who wakes does nothing',
  { timeout: 90_000 },
  async (signal) => {
    const { nodes, notes, file } = await startFleet();
    const [a, b] = nodes;
    const atA = await a.open();
    const session = await atA.createSession();
    await atA.follow(session);
    await atA.say(session, `/call note ${JSON.stringify({ file })}`);
    const prompt = await atA.prompt(session);
    const atB = await b.open();
    await atB.follow(session);
    process.kill(a.ready.pid, signal);
    await atB.event(session, 'turn_resumed');
    expect((await atB.answer(session, prompt, { action: 'approve' })).ok).toBe(true);
    const result = await atB.event(session, 'tool_result');
    expect(result.payload).toMatchObject({ result: { action: 'approve' } });
    await atB.event(session, 'turn_end');
    if (signal === 'SIGSTOP') {
      process.kill(a.ready.pid, 'SIGCONT');
      const woken = await a.open();
      await woken.follow(session);
      await woken.event(session, 'turn_end');
      await atB.say(session, '/call note {"file":"/dev/null"}'); // both nodes see what follows
      const next = await woken.prompt(session, result.seq);
      expect((await woken.answer(session, next, { action: 'deny' })).ok).toBe(true);
      await atB.event(session, 'turn_end', undefined, next.expiresAt ? 0 : result.seq + 2);
    }
    expect(notes()).toEqual(['done', 'answered']);
    const types = atB.events(session).map(({ type }) => type);
    expect(types.filter((type) => type === 'turn_resumed')).toHaveLength(1);
    expect(atB.events(session).map(({ seq }) => seq)).toEqual(types.map((_, n) => n + 1));
  },
);

test('[OPS4, INT10] a deadline fires once, even if its node has ended', { timeout: 90_000 }, async () => {
  const { nodes, notes, file } = await startFleet();
  const [a, b] = nodes;
  const [atA, atB] = [await a.open(), await b.open()];
  const session = await atA.createSession();
  await Promise.all([atA.follow(session), atB.follow(session)]);
  await atA.say(session, `/call note ${JSON.stringify({ file, timeoutMs: 2000 })}`);
  await atA.prompt(session);
  await atB.event(session, 'turn_end'); // both nodes have its timer
  await atA.say(session, `/call note ${JSON.stringify({ file, timeoutMs: 20_000 })}`);
  const second = await atB.prompt(session, atB.events(session).at(-1)?.seq);
  await a.kill();
  const closed = await atB.event(
    session,
    'interaction_closed',
    ({ payload }) => payload.interactionId === second.interactionId,
  );
  expect(closed.payload.reason).toBe('timeout');
  await atB.event(session, 'turn_end', undefined, closed.seq);
  expect(notes().filter((note) => note === 'done')).toHaveLength(2);
  const ends = atB.events(session).filter(({ type }) => type === 'interaction_closed');
  expect(ends).toHaveLength(2);
});

test('[OPS4, DUR10] the sleeping call of a node that has ended is woken by the node that takes its answer, secret and all', {
  timeout: 90_000,
}, async () => {
  const sleepy = `
export default {
  name: 'sleepy',
  tools: [{
    name: 'pin',
    description: 'Asks for a PIN.',
    parameters: { type: 'object' },
    hibernates: true,
    handler: (_, ctx) => ctx.requestInteraction({
      type: 'input', timeoutMs: null, onUnavailable: 'wait',
      inputSchema: { type: 'form', fields: [{ id: 'pin', type: 'secret' }] },
      onResponse: ({ input }) => ({ complete: String(input?.pin).length + ' digits' }),
    }),
  }],
};
`;
  const { nodes } = await startTwo({ plugins: [pluginOf(sleepy)] });
  const [a, b] = nodes;
  const [atA, atB] = [await a.open(), await b.open()];
  const session = await atA.createSession();
  await atA.follow(session);
  await atA.say(session, '/call pin {}');
  const prompt = await atA.prompt(session);
  await atB.follow(session);
  const { seq } = atB.events(session).at(-1) ?? { seq: 0 };
  await a.kill();
  await b.says('a node has ended');
  await expect(fetch(`${b.httpUrl}/metrics`).then((found) => found.text())).resolves.toContain('parley_open_prompts 1');
  expect(atB.events(session).at(-1)?.seq).toBe(seq);
  expect(await atB.answer(session, prompt, { action: 'submit', input: { pin: '4711' } })).toMatchObject({ ok: true });
  expect((await atB.event(session, 'tool_result')).payload).toMatchObject({ result: '4 digits' });
  const types = atB.events(session).map(({ type }) => type);
  expect(types.slice(seq, seq + 3)).toEqual(['interaction_response', 'turn_resumed', 'tool_result']);
  expect((await atB.event(session, 'turn_end')).payload.status).toBe('completed');
});
