import { expect, test } from 'vitest';
import { Journey, loadPlugin, loadShippedPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadShippedPlugin('ask-user'), await loadPlugin('approve.mjs')] });

const request = { title: 'Carry out?', subject: { kind: 'markdown', text: '1. Build\n2. Deploy' } };
const annotations = [{ lines: [2, 2], quote: '2. Deploy', comment: 'Not on a Friday.' }];
const words = 'Line 2:\n> 2. Deploy\n\nNot on a Friday.';

test.each([
  ['deny', false],
  ['approve', true],
])('[REV1, REV2] request_approval returns the annotations of %s, typed and in the reason', async (action, approved) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('request_approval', request);
  const { digest } = prompt;
  expect(await journey.answer(prompt, { action, digest, annotations })).toMatchObject({ ok: true });
  expect(await journey.outcome(prompt)).toMatchObject({ result: { approved, reason: words, annotations } });
  expect((await journey.event('interaction_response')).payload).toMatchObject({ annotations });
});

test('[REV1, RPL1] a tab that joins later replays them', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('request_approval', request);
  await journey.answer(prompt, { action: 'deny', digest: prompt.digest, annotations });
  const later = await journey.join(server);
  expect((await later.event('interaction_response')).payload).toMatchObject({ annotations });
});

test.each([
  ['a quote of other lines', { annotations: [{ ...annotations[0], lines: [1, 1] }] }, 'annotations'],
  ['no digest', { digest: undefined }, 'digest'],
  ['too much', { annotations: Array.from({ length: 101 }, () => annotations[0]) }, 'annotations'],
])('[REV1] an answer with %s is invalid, and the prompt stays open', async (_, given, member) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('request_approval', request);
  const answer = { action: 'deny', digest: prompt.digest, annotations, ...given };
  expect(await journey.answer(prompt, answer)).toMatchObject({
    ok: false,
    error: { code: 'invalid', details: { fieldErrors: { [member]: expect.any(String) } } },
  });
  expect(await journey.answer(prompt, { action: 'deny' })).toMatchObject({ ok: true });
});

test('[REV1] annotations of the wrong form are a bad frame', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('request_approval', request);
  const answer = { action: 'deny', digest: prompt.digest, annotations: [{ lines: 2, quote: '2. Deploy' }] };
  expect(await journey.answer(prompt, answer)).toMatchObject({ ok: false, error: { code: 'bad_frame' } });
});

test('[REV1] the route for answers takes them', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('request_approval', request);
  const path = `/api/sessions/${journey.session}/interactions/${prompt.interactionId}/response`;
  const send = (given: object) =>
    fetch(`${server.httpUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'deny', digest: prompt.digest, ...given }),
    });
  const refused = await send({ annotations: [{ ...annotations[0], quote: '2. Destroy' }] });
  expect(refused.status).toBe(400);
  expect((await send({ annotations })).status).toBe(200);
  expect(await journey.outcome(prompt)).toMatchObject({ result: { annotations } });
});

test('[REV2, APR5] the model reads them where the tool does not report them, with a yes and with a no', async () => {
  const allowed = await Journey.begin(server);
  const gate = await allowed.ask('guarded', { path: 'a' });
  const [first = ''] = gate.subject?.text.split('\n') ?? [];
  const remarks = [{ lines: [1, 1], quote: first, comment: 'Watch out.' }];
  await allowed.answer(gate, { action: 'approve', digest: gate.digest, reason: 'Go.', annotations: remarks });
  const { note } = (await allowed.event('tool_result')).payload;
  expect(note).toBe(
    `A person said yes: “Go.”\nA person annotated what was shown:\n\nLine 1:\n> ${first}\n\nWatch out.`,
  );
  const denied = await Journey.begin(server);
  const other = await denied.ask('guarded', { path: 'a' });
  await denied.answer(other, { action: 'deny', digest: other.digest, annotations: remarks });
  expect(await denied.outcome(other)).toMatchObject({
    error: { code: 'denied', message: `Line 1:\n> ${first}\n\nWatch out.` },
  });
});
