import type { PersonTab } from '@parleyhq/client/process';
import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { begin, run, startMcp, toyServer, useMcp } from './mcp-stage.ts';

const server = useMcp({ old: toyServer('legacy'), new: toyServer('modern') });
const eras = ['old', 'new'] as const;

const form = (properties: object, required: string[] = []) => ({
  mode: 'form',
  message: 'Tell me.',
  requestedSchema: { type: 'object', properties, required },
});

/** Makes the toy ask. @returns the prompt */
async function ask(era: string, params: object, tool = 'ask'): Promise<[PersonTab, InteractionRequest]> {
  const journey = await begin(server);
  return [journey, await journey.ask(`${era}__${tool}`, { params })];
}

/** Returns the answer that the server received. */
async function told(journey: PersonTab): Promise<unknown> {
  const { result, error } = (await journey.result()) as { result?: string; error?: unknown };
  return error ?? JSON.parse(result ?? '');
}

const everything = {
  name: {
    type: 'string',
    title: 'Your name',
    description: 'As on the card',
    minLength: 1,
    maxLength: 20,
    default: 'Ada',
  },
  mail: { type: 'string', format: 'email' },
  site: { type: 'string', format: 'uri' },
  day: { type: 'string', format: 'date' },
  moment: { type: 'string', format: 'date-time' },
  'odd name': { type: 'string' },
  count: { type: 'integer', minimum: 1, maximum: 5 },
  share: { type: 'number', default: 0.5 },
  sure: { type: 'boolean', default: true },
  idle: { type: 'boolean' },
  plain: { type: 'string', enum: ['a', 'b'] },
  titled: {
    type: 'string',
    oneOf: [
      { const: 'x', title: 'The X' },
      { const: 'y', title: 'The Y' },
    ],
  },
  many: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['p', 'q', 'r'] } },
  manyTitled: { type: 'array', items: { anyOf: [{ const: 'k', title: 'The K' }] }, default: ['k'] },
};

test.each(eras)('[AGT4] a question of the %s era is a form with everything the schema can express', async (era) => {
  const [journey, prompt] = await ask(era, form(everything, ['name', 'odd name']));
  expect(prompt).toMatchObject({
    interactionType: 'input',
    title: `The MCP server “${era}” asks`,
    prompt: 'Tell me.\n\nWhat you fill in goes to this server.',
    source: { kind: 'mcp', name: era },
  });
  const fields = prompt.inputSchema!.fields;
  expect(fields.map(({ type }) => type)).toEqual([
    'text',
    'text',
    'text',
    'date',
    'datetime',
    'text',
    'number',
    'number',
    'checkbox',
    'checkbox',
    'radio',
    'radio',
    'multiselect',
    'multiselect',
  ]);
  expect(fields[0]).toMatchObject({
    label: 'Your name',
    description: 'As on the card',
    defaultValue: 'Ada',
    required: true,
    maxLength: 20,
  });
  expect(fields[5]).toMatchObject({ id: 'field5', label: 'odd name', required: true });
  expect(fields[11]).toMatchObject({
    options: [
      { value: 'x', label: 'The X' },
      { value: 'y', label: 'The Y' },
    ],
  });
  const values = {
    name: 'Bob',
    mail: 'bob@example.org',
    day: '2026-11-23',
    moment: '2026-11-23T01:00:00Z',
    count: 3,
    share: 0.25,
    sure: false,
    titled: 'y',
    many: ['p', 'r'],
  };
  const tooMany = journey.submit(prompt, { ...values, field5: 'odd', count: 9 });
  await expect(tooMany).rejects.toMatchObject({ code: 'invalid' });
  await journey.submit(prompt, { ...values, field5: 'odd' });
  const untouched = { idle: false, manyTitled: [] }; // the server's defaults do not replace what the person left empty
  expect(await told(journey)).toEqual({ action: 'accept', content: { ...values, 'odd name': 'odd', ...untouched } });
});

test.each(eras)(
  '[AGT4] in the %s era a person’s cancel is a decline, and a prompt that closed a cancel',
  async (era) => {
    const [journey, prompt] = await ask(era, form({ a: { type: 'string' } }));
    await journey.answer(prompt, { action: 'cancel' });
    expect(await told(journey)).toEqual({ action: 'decline' });

    const short = await startMcp(
      { toy: toyServer(era === 'old' ? 'legacy' : 'modern') },
      { durations: { interactionTimeoutMs: 50 } },
    );
    const waiting = await begin(short);
    await waiting.call('toy__ask', { params: form({ a: { type: 'string' } }) });
    expect(await told(waiting)).toEqual({ action: 'cancel' });
  },
);

test.each(eras)('[AGT4, INT14] in the %s era a question with nobody there to ask is a cancel', async (era) => {
  const own = await startMcp({ [era]: toyServer(era === 'old' ? 'legacy' : 'modern') });
  const journey = await begin(own, { isInteractive: false });
  await journey.call(`${era}__ask`, { params: form({ a: { type: 'string' } }) });
  expect(await told(journey)).toEqual({ action: 'cancel' });
});

test.each(eras)('[AGT4] an address of the %s era is shown whole, and consented to or not', async (era) => {
  const url = 'https://login.example.org/device?code=1234';
  const [journey, prompt] = await ask(era, { url, message: 'Log in, please.' }, 'open');
  expect(prompt).toMatchObject({
    interactionType: 'url',
    url,
    prompt: 'Log in, please.',
    title: `The MCP server “${era}” asks`,
  });
  await journey.answer(prompt, { action: 'approve' });
  expect(await told(journey)).toEqual({ action: 'accept' });

  const [other, again] = await ask(era, { url, message: 'Log in, please.' }, 'open');
  await other.answer(again, { action: 'deny' });
  expect(await told(other)).toEqual({ action: 'decline' });
});

test('[AGT4] a call that needs an address first continues once people have finished there', async () => {
  const [journey, prompt] = await ask('old', { url: 'https://login.example.org/a' }, 'gated');
  expect(prompt).toMatchObject({ interactionType: 'url', url: 'https://login.example.org/a' });
  await journey.answer(prompt, { action: 'approve' });
  expect(await journey.result()).toEqual({ result: 'inside' });

  const [other, again] = await ask('old', { url: 'https://login.example.org/b' }, 'gated');
  await other.answer(again, { action: 'deny' });
  expect((await other.result()).error).toMatchObject({ code: 'mcp_error' });
});

test.each([
  ['a password', { password: { type: 'string' } }],
  ['a key by its title', { k: { type: 'string', title: 'API key' } }],
  ['a card', { cardNumber: { type: 'number' } }],
  ['a PIN', { pin: { type: 'integer' } }],
])(
  '[AGT4, INT17] %s is not asked for: the question is declined, and the call’s output says so',
  async (_, properties) => {
    for (const era of eras) {
      const journey = await begin(server);
      await journey.call(`${era}__ask`, { params: form(properties) });
      expect(await told(journey)).toEqual({ action: 'decline' });
      expect(journey.events('interaction_request')).toEqual([]);
    }
  },
);

test('[INT17] no schema of a server makes a field that hides what is typed', async () => {
  const [journey, prompt] = await ask('new', form({ note: { type: 'string', secret: true } }));
  expect(prompt.inputSchema!.fields[0]!.type).toBe('text');
  await journey.answer(prompt, { action: 'cancel' });
});

test.each(eras)('[AGT4] sampling of the %s era is rejected with a reason', async (era) => {
  const refused = await run(server, `${era}__sample`);
  const words = typeof refused === 'string' ? refused : (refused as { message: string }).message;
  expect(words).toMatch(/declares? no "sampling"|do not declare|does not support sampling/i);
});

test('[AGT4, SEC4] questions of two sessions reach their own people, whoever is asked first', async () => {
  const asking = await Promise.all([1, 2, 3].map((n) => ask('old', form({ [`for${n}`]: { type: 'string' } }))));
  for (const [index, [journey, prompt]] of [...asking.entries()].reverse()) {
    const name = `for${index + 1}`;
    expect(prompt.inputSchema!.fields.map(({ id }) => id)).toEqual([name]);
    await journey.submit(prompt, { [name]: 'mine' });
    expect(await told(journey)).toEqual({ action: 'accept', content: { [name]: 'mine' } });
  }
});

test('[AGT4] a server of the era of 2026 may ask several times in a call', async () => {
  const journey = await begin(server);
  const first = await journey.ask('new__ask', { params: form({ a: { type: 'string' } }), rounds: 2 });
  await journey.submit(first, { a: 'one' });
  const [, second] = await journey.prompts(2);
  await journey.submit(second!, { a: 'two' });
  const contents = ['one', 'two'].map((a) => ({ action: 'accept', content: { a } }));
  expect(await told(journey)).toEqual(contents);
});

test('[AGT4] a call fails whose server asks too many questions at once', async () => {
  const journey = await begin(server);
  await journey.call('new__ask', { params: form({ a: { type: 'string' } }), questions: 11 });
  expect((await journey.result()).error).toMatchObject({ code: 'mcp_error' });
  expect(journey.events('interaction_request')).toEqual([]);
});

test('[AGT4] questions beyond the tenth that a server of the 2025 era asks at once are declined', async () => {
  const journey = await begin(server);
  await journey.call('old__ask', { params: form({ a: { type: 'string' } }), questions: 12 });
  const prompts = await journey.prompts(10);
  for (const prompt of prompts) await journey.submit(prompt, { a: 'mine' });
  const answers = (await told(journey)) as { action: string }[];
  expect(answers.map(({ action }) => action).sort()).toEqual([...Array(10).fill('accept'), 'decline', 'decline']);
  expect(journey.events('interaction_request')).toHaveLength(10);
});
