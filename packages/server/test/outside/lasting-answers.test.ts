import { expect, test } from 'vitest';
import { openDoors, promptIn, staysOpen } from '../support/asking-programs.ts';

const forEver = { id: '0', means: 'always', label: 'every command that begins with `rm`, kept for all sessions' };
const decline = { id: 'decline', means: 'decline' };
const option = (optionId: string, kind: string, name = optionId) => ({ optionId, name, kind });
const ever = option('ever', 'allow_always', 'Yes, and bypass all permissions');
const no = option('no', 'reject_once');
const call = { rawInput: { command: 'rm -rf /' } };

test('[SEC4, ACP5] where Codex offers only what lasts for all sessions, operators alone are asked', async () => {
  const { server, ann, rita, askCodex } = await openDoors();
  const asking = askCodex('rm -rf /', [forEver, decline]);
  const { session, prompt } = await promptIn(rita, 'codex:th');
  const answer = { action: 'submit', input: { choice: '0' }, digest: prompt.digest } as const;
  expect(await rita.answer(session, prompt, answer)).toMatchObject({ error: { code: 'forbidden' } });
  const sue = await server.enter({ role: 'operator', name: 'Sue', sessions: [session] }); // she may not decide for all
  await sue.follow(session);
  expect(await sue.answer(session, prompt, answer)).toMatchObject({ error: { code: 'forbidden' } });
  expect(await staysOpen(asking)).toBe(true);
  await ann.follow(session);
  expect(await ann.answer(session, prompt, answer)).toMatchObject({ ok: true });
  expect(await asking).toEqual({ status: 200, body: { result: { choice: '0' } } });
});

test('[SEC4, ACP5] where Codex offers less than that as well, nobody is offered it', async () => {
  const { rita, askCodex } = await openDoors();
  const asking = askCodex('rm -rf /', [{ id: 's', means: 'session', label: 'every `rm`' }, forEver, decline]);
  const { session, prompt } = await promptIn(rita, 'codex:th');
  expect(prompt.inputSchema?.fields).toMatchObject([{ options: [{ value: 's' }, { value: 'decline' }] }]);
  expect(prompt.prompt).toContain('One answer that lasts is not offered here.');
  await rita.answer(session, prompt, { action: 'submit', input: { choice: 's' } });
  expect(await asking).toEqual({ status: 200, body: { result: { choice: 's' } } });
});

test('[SEC4, ACP2] where an agent offers several options for once, nobody is offered one that lasts', async () => {
  const { rita, askAcp } = await openDoors();
  const asking = askAcp(call, [option('a', 'allow_once'), option('b', 'allow_once'), ever, no]);
  const { session, prompt } = await promptIn(rita, 'acp:s');
  expect(await rita.answer(session, prompt, { action: 'submit', input: { choice: '2' } })).toMatchObject({ ok: false });
  expect(await staysOpen(asking)).toBe(true);
  expect(prompt.prompt).toContain('One answer that lasts is not offered here.');
  await rita.answer(session, prompt, { action: 'submit', input: { choice: '1' } });
  expect(await asking).toMatchObject({ body: { result: { outcome: { optionId: 'b' } } } });
});

test('[SEC4, ACP2] an option that lasts is never a plain yes, also if no other allows', async () => {
  const { rita, askAcp } = await openDoors();
  const asking = askAcp(call, [ever, no]);
  const { session, prompt } = await promptIn(rita, 'acp:s');
  expect(await rita.answer(session, prompt, { action: 'approve', digest: prompt.digest })).toMatchObject({ ok: false });
  const submit = { action: 'submit', input: { choice: '0' } } as const;
  expect(await rita.answer(session, prompt, submit)).toMatchObject({ error: { code: 'forbidden' } });
  expect(await staysOpen(asking)).toBe(true);
});

test('[SEC4, ACP2] more options that last than a card can have are counted, and a yes stays one for once', async () => {
  const { rita, askAcp } = await openDoors();
  const many = Array.from({ length: 9 }, (_, index) => option(`ever ${index}`, 'allow_always'));
  const asking = askAcp(call, [
    option('a', 'allow_once'),
    ...many,
    option('long', 'allow_always', 'x'.repeat(301)),
    no,
  ]);
  const { session, prompt } = await promptIn(rita, 'acp:s');
  expect(prompt.rules).toHaveLength(8);
  expect(prompt.prompt).toContain('2 answers that last are not offered here.');
  await rita.answer(session, prompt, { action: 'approve', digest: prompt.digest });
  expect(await asking).toMatchObject({ body: { result: { outcome: { optionId: 'a' } } } });
});
