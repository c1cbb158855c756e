import { definePlugin, recoverySlot, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { openStepUpStage, type StepUpStage } from '../support/step-up-stage.ts';

/** Calls a tool and returns what let it run or, if it asks, the prompt. */
async function call({ owner, session }: StepUpStage, tool: string, args = {}) {
  const { seq } = await owner.tab.say(session, `/call ${tool} ${JSON.stringify(args)}`);
  const asked = owner.tab.event(session, 'interaction_request', undefined, seq);
  const ended = owner.tab.event(session, 'turn_end', undefined, seq);
  asked.catch(() => undefined);
  ended.catch(() => undefined);
  const first = await Promise.race([asked, ended]);
  return first.type === 'interaction_request' ? first.payload : undefined;
}

const forSession = { action: 'approve', approvalScope: 'session' } as const;

test('[SIGN2] a grant covers such a prompt only if a passkey signed the answer that gave it', async () => {
  const stage = await openStepUpStage();
  const { owner, session } = stage;
  const low = await stage.ask('vault_low');
  await owner.tab.answer(session, low, forSession); // the same key, without a passkey
  expect(await call(stage, 'vault_low')).toBeUndefined();
  const prompt = await stage.ask('vault_high');
  expect(prompt.stepUp).toBe(true);
  await owner.tab.answer(session, prompt, stage.sign(owner, prompt, forSession));
  expect(await call(stage, 'vault_high')).toBeUndefined();
  const [grant] = (await stage.server.local.store.grants.list(Date.now())).slice(-1);
  expect(grant).toMatchObject({ isSigned: true });
});

test('[SIGN2] a grant that a passkey signed covers nothing once the passkey was revoked', async () => {
  const stage = await openStepUpStage();
  const { owner, session } = stage;
  const { passkeys } = stage.server.local.store;
  const prompt = await stage.ask('vault_high');
  await owner.tab.answer(session, prompt, stage.sign(owner, prompt, forSession));
  expect(await call(stage, 'vault_high')).toBeUndefined();
  for (const { id } of await passkeys.list('owner')) await passkeys.revoke(id);
  expect(await call(stage, 'vault_high')).toMatchObject({ stepUp: true });
});

test('[SIGN2, APR2] a passkey that is revoked before the grant of an edit is stored gives no signed grant', async () => {
  let wait: Promise<void> | undefined;
  let release = () => {};
  const plugin = definePlugin({
    name: 'desk',
    tools: [
      {
        name: 'desk_edit',
        description: 'May be edited.',
        parameters: { type: 'object' },
        approval: 'always',
        edits: true,
        describe: async ({ path }: Record<string, unknown>) => {
          if (path === 'b') await wait; // looks the folder up
          return { title: 'Run it?', risk: 'high' };
        },
        handler: (args: Record<string, unknown>) => JSON.stringify(args),
      },
    ],
  });
  const stage = await openStepUpStage({ plugins: [plugin] });
  const { owner, session, server } = stage;
  const prompt = await stage.ask('desk_edit', { path: 'a' });
  wait = new Promise((resolve) => {
    release = resolve;
  });
  const answer = { ...forSession, editedArgs: { path: 'b' } };
  expect(await owner.tab.answer(session, prompt, stage.sign(owner, prompt, answer))).toMatchObject({ ok: true });
  const { passkeys, grants } = server.local.store;
  for (const { id } of await passkeys.list('owner')) await passkeys.revoke(id); // the device was lost
  release();
  await owner.tab.event(session, 'turn_end');
  expect(await grants.list(Date.now())).toEqual([]);
  expect(await call(stage, 'desk_edit', { path: 'b' })).toMatchObject({ stepUp: true });
});

test('[SIGN2] so does a grant of exactly these arguments at the gate, and an open prompt is covered alike', async () => {
  const stage = await openStepUpStage({ stepUp: { tools: ['vault_g*'] } });
  const { owner, session } = stage;
  const prompt = await stage.ask('vault_gate');
  expect(prompt.stepUp).toBe(true);
  await owner.tab.answer(session, prompt, stage.sign(owner, prompt, forSession));
  expect((await stage.settled(prompt)).assertion).toBeDefined();
  expect(await call(stage, 'vault_gate')).toBeUndefined();
  const [grant] = await stage.server.local.store.grants.list(Date.now());
  await stage.server.local.store.grants.revoke({ id: String(grant?.id) });
  const { isSigned: _, ...unsigned } = { ...grant } as NonNullable<typeof grant>;
  await stage.server.local.store.grants.put({ ...unsigned, id: 'g-2' });
  expect(await call(stage, 'vault_gate')).toMatchObject({ stepUp: true });
});

test.each(['bypassPermissions', 'acceptEdits'])('[SIGN2] the mode %s does not stand in for a passkey', async (mode) => {
  const stage = await openStepUpStage();
  const { owner, session } = stage;
  await owner.tab.ask({ type: 'update_session', sessionId: session, permissionMode: mode as never });
  expect(await call(stage, 'vault_quiet')).toBeUndefined(); // asks nobody in any mode
  const asked = await call(stage, 'vault_gate');
  expect(asked).toMatchObject({ stepUp: true });
  const denied = await owner.tab.answer(session, asked as never, { action: 'deny' });
  const { seq } = (denied as { result: { seq: number } }).result;
  await owner.tab.event(session, 'turn_end', undefined, seq);
  expect(await call(stage, 'vault_high')).toMatchObject({ stepUp: true });
});

test('[SIGN2] in a mode that asks nobody, what is below the configured risk asks nobody', async () => {
  const stage = await openStepUpStage();
  await stage.owner.tab.ask({ type: 'update_session', sessionId: stage.session, permissionMode: 'bypassPermissions' });
  expect(await call(stage, 'vault_low')).toBeUndefined();
});

test('[SIGN2] a policy of the configuration that allows a tool means that nobody is asked', async () => {
  const stage = await openStepUpStage({ policies: [{ tool: 'vault_*', effect: 'allow' }] });
  expect(await call(stage, 'vault_gate')).toBeUndefined();
});

test('[SIGN2, LESS3] a reviewer does not stand in for a passkey', async () => {
  const seen: string[] = [];
  const reviewer = {
    name: 'kind',
    tools: [],
    reviewers: [
      {
        name: 'kind',
        review: async ({ toolName }: { toolName: string }) => {
          seen.push(toolName);
          return { verdict: 'pass' as const, reason: 'Looks fine' };
        },
      },
    ],
  };
  const policies = [{ tool: 'vault_*', effect: 'review' as const, reviewer: 'kind', sample: 0 }];
  const stage = await openStepUpStage({ plugins: [reviewer], policies, stepUp: { tools: ['vault_low'] } });
  expect(await call(stage, 'vault_low')).toMatchObject({ stepUp: true });
  expect(seen).toEqual([]);
});

test('[SIGN2, APR2] the grant of an edit lasts as long as its card said, whatever the tool says after a restart', async () => {
  const state: { grantTtlMs?: number; wait?: Promise<void> } = { grantTtlMs: 60_000, wait: new Promise(() => {}) };
  const plugin = definePlugin({
    name: 'desk',
    tools: [
      {
        name: 'desk_edit',
        description: 'May be edited.',
        parameters: { type: 'object' },
        handler: async (_: Record<string, unknown>, ctx: ToolContext) => {
          const { grantTtlMs } = state;
          const { approved } = await ctx.approve({
            ...{ key: (args: Record<string, unknown>) => ['run', String(args.path)], title: 'Run it?', risk: 'high' },
            ...{ editable: true, ...(grantTtlMs && { grantTtlMs }) },
            check: async () => void (await state.wait),
          });
          return String(approved);
        },
      },
    ],
  });
  const stage = await openStepUpStage({ plugins: [plugin] });
  const { owner, session, server } = stage;
  const prompt = await stage.ask('desk_edit', { path: 'a' });
  expect(prompt.grantTtlMs).toBe(60_000);
  const answer = { action: 'approve', approvalScope: 'session', editedArgs: { path: 'b' } } as const;
  expect(await owner.tab.answer(session, prompt, stage.sign(owner, prompt, answer))).toMatchObject({ ok: true });
  delete state.grantTtlMs;
  delete state.wait;
  await server.local.restart();
  const tab = await server.local.open({ hello: { token: owner.token } });
  await tab.follow(session);
  const again = await tab.event(session, 'interaction_request', ({ payload }) => payload.slot === recoverySlot);
  const yes = { action: 'approve', approvalScope: 'once' } as const;
  expect(await tab.answer(session, again.payload, stage.sign(owner, again.payload, yes))).toMatchObject({ ok: true });
  await tab.event(session, 'turn_end');
  const [grant] = await server.local.store.grants.list(Date.now());
  expect(grant).toMatchObject({ isSigned: true, expiresAt: expect.any(String) });
});
