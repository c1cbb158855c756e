import type { ChatEvent, Plugin } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';
import { hold } from '../support/hold.ts';
import { Journey } from '../support/journey.ts';

const base = { description: 'Publishes.', parameters: { type: 'object' } } as const;
let checking = hold();
let checked = hold();
const plugin: Plugin = {
  name: 'publisher',
  tools: [
    {
      ...base,
      name: 'publish',
      handler: (_, ctx) =>
        ctx.approve({
          key: ({ v }) => ['publish', v as number],
          scopes: ['once', 'session', 'always'],
          editable: true,
          check: async () => {
            checking.release();
            await checked.until;
            return undefined;
          },
        }),
    },
    { ...base, name: 'gated', approval: 'always', handler: (args) => args as never },
  ],
};
const server = useGuardedServer({ plugins: [plugin] });
const approval = { action: 'approve', approvalScope: 'always', editedArgs: { v: 2 } };

/** Starts a call that Ann answers with an edit and for always, and that the owner watches. */
async function begin(tool: string, own = server) {
  [checking, checked] = [hold(), hold()];
  const { id, token } = await own.makeToken({ role: 'operator', name: `Ann ${tool}` });
  const ann = await Journey.begin(own.local, { hello: { token } });
  const owner = await ann.join(own.local, { hello: { token: own.token } });
  const prompt = await owner.ask(tool, { v: 1 });
  return { id, ann, owner, prompt };
}

const grantsOf = async (owner: Journey) => (await owner.tab.ask<{ grants: object[] }>({ type: 'list_grants' })).grants;

test.each([false, true])(
  '[SEC9] a token that is revoked while the tool checks an edit leaves no grant: the consent counts once (other grants kept: %s)',
  async (keepGrants) => {
    const own = await startGuardedServer({ plugins: [plugin] });
    const { id, ann, owner, prompt } = await begin('publish', own);
    expect(await ann.answer(prompt, approval)).toMatchObject({ ok: true });
    await checking.until;
    await own.local.store.tokens.remove(id, { keepGrants });
    checked.release();
    expect((await owner.outcome(prompt)).result).toMatchObject({ approved: true, scope: 'once', args: { v: 2 } });
    expect(await grantsOf(owner)).toEqual([]);
  },
);

test('[SEC9, APR2] a token that is still valid gives the grant', async () => {
  const { id, ann, owner, prompt } = await begin('publish');
  await ann.answer(prompt, approval);
  checked.release();
  expect((await owner.outcome(prompt)).result).toMatchObject({ approved: true, scope: 'always' });
  expect(await grantsOf(owner)).toMatchObject([{ by: { principal: id }, scope: 'always' }]);
  await owner.tab.ask({ type: 'revoke_grant', grantId: await owner.grantOf(prompt) });
});

test('[SEC9, DUR1] a token that is revoked before the call is entered again after a restart gives no grant either', async () => {
  const own = await startGuardedServer({ plugins: [plugin] });
  const { id, ann, owner: before, prompt } = await begin('gated', own);
  const storing = hold();
  own.local.store.intercept('grants', 'put', () => {
    storing.release();
    return new Promise(() => undefined); // the process ends before it is stored
  });
  await ann.answer(prompt, approval);
  await storing.until;
  await own.local.store.tokens.remove(id);
  await own.local.restart();
  const owner = await before.join(own.local, { hello: { token: own.token } });
  const isRecovery = ({ payload }: ChatEvent<'interaction_request'>) => payload.source.kind === 'recovery';
  const { payload: again } = await owner.event('interaction_request', isRecovery);
  await owner.answer(again, { action: 'approve' });
  expect(await owner.outcome(prompt)).toMatchObject({ result: { v: 2 } });
  expect(await grantsOf(owner)).toEqual([]);
});
