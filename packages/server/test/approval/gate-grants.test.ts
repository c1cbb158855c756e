import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const plugins = [pluginPath('approvals.mjs')];
const server = useServer({ plugins });

const say = ({ tab, session }: Journey, path: string) =>
  tab.say(session, `/call guarded_path ${JSON.stringify({ path })}`);

async function ask(journey: Journey, path: string) {
  const { seq } = await say(journey, path);
  return journey.tab.prompt(journey.session, seq);
}

/** Runs a call that nobody is asked about. */
async function run(journey: Journey, path: string): Promise<unknown> {
  const { seq } = await say(journey, path);
  const { result } = (await journey.event('tool_result', undefined, seq)).payload;
  await journey.event('turn_end', undefined, seq);
  return result;
}

test.each([
  ['session', false],
  ['always', true],
] as const)(
  '[APR3, APR4] after an approval for %s, this tool with exactly these arguments is not asked about again',
  async (approvalScope, isElsewhere) => {
    const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
    const path = `for ${approvalScope}`;
    const prompt = await ask(one, path);
    expect(prompt).toMatchObject({ approvalScopes: ['once', 'session', 'always'], editable: true });
    expect(JSON.parse(prompt.grantKey!)).toEqual({ tool: 'guarded_path', args: { path } });
    expect(await one.answer(prompt, { action: 'approve', approvalScope, digest: undefined })).toMatchObject({
      error: { code: 'invalid' },
    });
    await one.answer(prompt, { action: 'approve', approvalScope });
    expect((await one.outcome(prompt)).result).toBe(path);
    await one.event('turn_end');
    expect(await run(one, path)).toBe(path);
    await one.answer(await ask(one, `${path}, nearly`), { action: 'deny' });
    const { grants } = await one.tab.ask<{ grants: object[] }>({ type: 'list_grants', sessionId: one.session });
    expect(grants).toContainEqual(
      expect.objectContaining({
        plugin: 'approvals',
        toolName: 'guarded_path',
        scope: approvalScope,
        uses: 1,
        interactionId: prompt.interactionId,
        digest: prompt.digest,
        subject: { kind: 'json', text: JSON.stringify({ path }, null, 2) },
      }),
    );
    if (isElsewhere) expect(await run(two, path)).toBe(path);
    else await two.answer(await ask(two, path), { action: 'deny' });
  },
);

test('[APR4] an approval for always settles the other prompts for the same call, in every session, and each use is counted', async () => {
  const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
  const first = await ask(one, 'same');
  const elsewhere = await ask(two, 'same');
  await one.answer(first, { action: 'approve', approvalScope: 'always' });
  expect((await two.outcome(elsewhere)).result).toBe('same');
  const grantId = await one.grantOf(first);
  const [settlement] = two.settlements(elsewhere);
  expect(settlement?.payload).toMatchObject({ action: 'approve', grantId });
  const { grants } = await one.tab.ask<{ grants: { id: string; uses: number }[] }>({ type: 'list_grants' });
  expect(grants.find(({ id }) => id === grantId)).toMatchObject({ uses: 1 });
});

test("[APR2, APR3] edited arguments are checked like a call's own, run, and are covered by a lasting grant", async () => {
  const journey = await Journey.begin(server);
  const first = await ask(journey, 'theirs');
  await journey.answer(first, { action: 'approve', editedArgs: { path: 7 } });
  const second = await journey.next(first);
  expect(second.error).toMatch(/path/);
  await journey.answer(second, { action: 'approve', approvalScope: 'session', editedArgs: { path: 'mine' } });
  expect((await journey.outcome(first)).result).toBe('mine');
  await journey.event('turn_end');
  expect(await run(journey, 'mine')).toBe('mine');
  await journey.answer(await ask(journey, 'theirs'), { action: 'deny' });
});

test("[APR2] changes that a tool's predicate makes to the arguments reach neither the prompt nor the handler", async () => {
  const journey = await Journey.begin(server);
  const prompt = await ask(journey, 'shown');
  expect(JSON.parse(prompt.subject!.text)).toEqual({ path: 'shown' });
  await journey.answer(prompt, { action: 'approve' });
  expect((await journey.outcome(prompt)).result).toBe('shown');
});

test('[APR3, DUR1] after kill -9 during an approval, the edited and approved arguments run, and stay approved after the next kill', async () => {
  const own = await startServer({ plugins });
  const before = await Journey.begin(own);
  const prompt = await ask(before, 'before');
  await own.restart();
  const journey = await before.join(own);
  await journey.answer(prompt, { action: 'approve', approvalScope: 'always', editedArgs: { path: 'after' } });
  expect((await journey.outcome(prompt)).result).toBe('after');
  await own.restart();
  expect(await run(await Journey.begin(own), 'after')).toBe('after');
});
