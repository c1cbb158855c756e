import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey, loadPlugin, question } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs')] });

const complete = { return: { complete: '$answer' } };

test('[INT8] the next prompt has a new id, a new deadline, the error and what was typed, and inherits the rest', async () => {
  const journey = await Journey.begin(server);
  const request = question('answer', {
    title: 'Name',
    risk: 'low',
    subject: { kind: 'text', text: 'the ship' },
    presentation: 'questionnaire',
    completedView: { summaryTemplate: '{{input.answer}}' },
    timeoutMs: 60_000,
    key: 'name',
  });
  const reprompt = { error: 'Too short', fieldErrors: { answer: 'Two letters at least' } };
  const first = await journey.ask('scripted', { request, onResponse: [{ return: { reprompt } }, complete] });
  await journey.submit(first, { answer: 'x' });
  const second = await journey.next(first);
  expect(second).toMatchObject({
    ...shown(first),
    ...reprompt,
    interactionId: `${first.toolCallId}.2`,
    replaces: first.interactionId,
    attempt: 2,
    initialValues: { answer: 'x' },
  });
  expect(Date.parse(second.expiresAt!)).toBeGreaterThan(Date.parse(first.expiresAt!));
  expect(second.digest).not.toBe(first.digest);
  await journey.submit(second, { answer: 'xy' });
  expect((await journey.outcome()).result).toMatchObject({ input: { answer: 'xy' } });
  expect(journey.settlements(first)).toMatchObject([{ type: 'interaction_response' }]);
  expect(journey.settlements(second)).toMatchObject([{ type: 'interaction_response' }]);
});

test("[INT8] error and fieldErrors are shown once; the reprompt's initialValues override what was typed", async () => {
  const journey = await Journey.begin(server);
  const first = await journey.ask('scripted', {
    request: question(),
    onResponse: [
      { return: { reprompt: { error: 'No' } } },
      { return: { reprompt: { initialValues: { answer: 'mine' }, prompt: 'Again?' } } },
      complete,
    ],
  });
  await journey.submit(first, { answer: 'one' });
  const second = await journey.next(first);
  await journey.submit(second, { answer: 'two' });
  const third = await journey.next(second);
  expect(third).toMatchObject({ attempt: 3, prompt: 'Again?', initialValues: { answer: 'mine' } });
  expect(third).not.toHaveProperty('error');
  await journey.submit(third, { answer: 'three' });
  expect((await journey.outcome()).result).toMatchObject({ input: { answer: 'three' } });
});

test('[INT8] a form with other fields keeps what was typed into those that stay', async () => {
  const journey = await Journey.begin(server);
  const fields = [
    { id: 'kept', type: 'text' },
    { id: 'new', type: 'number' },
  ];
  const both = question('kept', {
    inputSchema: { type: 'form', fields: [fields[0], { id: 'gone', type: 'text' }] },
  });
  const first = await journey.ask('scripted', {
    request: both,
    onResponse: [{ return: { reprompt: { inputSchema: { type: 'form', fields } } } }, complete],
  });
  await journey.submit(first, { kept: 'a', gone: 'b' });
  const second = await journey.next(first);
  expect(second.initialValues).toEqual({ kept: 'a' });
  await journey.submit(second, { kept: 'a', new: 1 });
  expect((await journey.outcome()).result).toMatchObject({ input: { kept: 'a', new: 1 } });
});

test('[INT8, SIGN2] another type inherits only the risk', async () => {
  const journey = await Journey.begin(server);
  const first = await journey.ask('scripted', {
    request: question('answer', { title: 'T', presentation: 'composer', risk: 'high' }),
    onResponse: [{ return: { reprompt: { type: 'approval', prompt: 'Sure?' } } }, complete],
  });
  await journey.submit(first, { answer: 'x' });
  const second = await journey.next(first);
  expect(second).toMatchObject({ interactionType: 'approval', prompt: 'Sure?', approvalScopes: ['once', 'session'] });
  expect(second.risk).toBe('high');
  for (const member of ['title', 'inputSchema', 'initialValues']) expect(second).not.toHaveProperty(member);
  expect(second.presentation).toBe('tool');
  await journey.answer(second, { action: 'approve', approvalScope: 'session' });
  expect((await journey.outcome()).result).toMatchObject({ approvalScope: 'session' });
});

test('[INT8, INT10] a reprompt from onTimeout closes the old prompt and opens the next in one append', async () => {
  const journey = await Journey.begin(server);
  const first = await journey.ask('scripted', {
    request: question('answer', { timeoutMs: 100, initialValues: { answer: 'default' } }),
    onTimeout: [{ return: { reprompt: { timeoutMs: 60_000, prompt: 'Still there?' } } }],
    onResponse: [complete],
  });
  const second = await journey.next(first);
  expect(second).toMatchObject({
    attempt: 2,
    prompt: 'Still there?',
    timeoutMs: 60_000,
    initialValues: { answer: 'default' },
  });
  const [closed] = journey.settlements(first);
  expect(closed).toMatchObject({
    type: 'interaction_closed',
    payload: { reason: 'timeout', replacedBy: second.interactionId },
  });
  const opened = journey.events('interaction_request').at(-1);
  expect(opened?.seq).toBe((closed?.seq ?? 0) + 1);
  await journey.submit(second, { answer: 'yes' });
  expect((await journey.outcome()).result).toMatchObject({ input: { answer: 'yes' } });
});

test('[INT8] after twenty reprompts the call ends with reprompt_limit', async () => {
  const journey = await Journey.begin(server);
  let prompt = await journey.ask('scripted', { request: question(), onResponse: [{ return: { reprompt: {} } }] });
  for (let n = 1; n <= 20; n += 1) {
    await journey.submit(prompt, { answer: String(n) });
    prompt = await journey.next(prompt);
  }
  expect(prompt.attempt).toBe(21);
  await journey.submit(prompt, { answer: 'the last' });
  expect((await journey.outcome()).error).toMatchObject({ code: 'reprompt_limit' });
  expect(journey.events('interaction_request')).toHaveLength(21);
});

test('[INT8] the limit holds for reprompts from onTimeout, and the last prompt is closed', async () => {
  const journey = await Journey.begin(server);
  await journey.call('scripted', {
    request: question('answer', { timeoutMs: 10 }),
    onTimeout: [{ return: { reprompt: {} } }],
  });
  expect((await journey.outcome()).error).toMatchObject({ code: 'reprompt_limit' });
  const requests = journey.events('interaction_request');
  expect(requests).toHaveLength(21);
  for (const { payload } of requests) expect(journey.settlements(payload as InteractionRequest)).toHaveLength(1);
});

test('[INT8, INT13] two prompts of a call are reprompted independently', async () => {
  const journey = await Journey.begin(server);
  const demand = (id: string) => ({
    request: question(id, { key: id }),
    onResponse: [{ return: { reprompt: { error: id } } }, complete],
  });
  const a = await journey.ask('parallel', { demands: [demand('a'), demand('b')] });
  const b = (await journey.event('interaction_request', ({ payload }) => payload.slot === 'b')).payload;
  await Promise.all([journey.submit(b, { b: '1' }), journey.submit(a, { a: '1' })]);
  const [again, other] = await Promise.all([journey.next(a), journey.next(b)]);
  expect([again.error, other.error]).toEqual(['a', 'b']);
  expect([again.initialValues, other.initialValues]).toEqual([{ a: '1' }, { b: '1' }]);
  await Promise.all([journey.submit(again, { a: '2' }), journey.submit(other, { b: '2' })]);
  expect((await journey.outcome()).result).toMatchObject([{ input: { a: '2' } }, { input: { b: '2' } }]);
});

/** What a reprompt inherits if it names nothing. */
function shown(request: InteractionRequest): object {
  const { title, prompt, risk, subject, presentation, completedView, inputSchema, timeoutMs, slot } = request;
  return { title, prompt, risk, subject, presentation, completedView, inputSchema, timeoutMs, slot };
}
