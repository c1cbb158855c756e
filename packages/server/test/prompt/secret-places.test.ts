import { afterAll, beforeAll, expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { ServerProcess } from '../support/server-process.ts';

const source = `
const form = { type: 'form', fields: [{ id: 'password', type: 'secret', label: 'Password', required: true }] };
const tool = (name, use) => ({
  name, description: 'x', parameters: { type: 'object' },
  async handler(_args, ctx) {
    const { input } = await ctx.requestInteraction({ type: 'input', key: 'login', inputSchema: form });
    return use(input.password, ctx);
  },
});
export default { name: 'places', tools: [
  tool('encoded', (secret) => ({
    json: JSON.stringify({ secret }), url: encodeURIComponent(secret), hex: Buffer.from(secret).toString('hex'),
    basic: Buffer.from('ada:' + secret).toString('base64'),
  })),
  tool('split', async (secret, ctx) => {
    ctx.progress('it is ');
    for (const letter of secret) {
      ctx.progress(letter);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    ctx.progress(' indeed.\\n');
    const { action } = await ctx.requestInteraction({ type: 'approval', key: 'go', prompt: 'Go?' });
    return action;
  }),
  tool('posted', (secret, ctx) => ctx.callback('it', { schema: { const: secret } }).catch(({ code }) => code)),
  tool('whole', (secret) => ({ is: secret, number: Number(secret) })),
  tool('keep', async (secret, ctx) => {
    await ctx.state.set('kept', 'nothing');
    const refused = await ctx.state.set('kept', { deep: ['x' + secret] }).catch(({ code }) => code);
    return { refused, kept: await ctx.state.get('kept') };
  }),
  tool('words', async (secret, ctx) => {
    const { input } = await ctx.requestInteraction({ type: 'input', key: 'more', prompt: secret, inputSchema: { type: 'form',
      fields: [{ id: 'password', type: 'text', label: secret }] } });
    return { result: input.password, outcome: 'ok' };
  }),
  tool('named', async (secret, ctx) => {
    const tryTo = (work) => Promise.resolve(work()).then(() => 'kept', ({ code }) => code);
    return [
      await tryTo(() => ctx.requestInteraction({ type: 'approval', key: 'as ' + secret, prompt: 'Go?' })),
      await tryTo(() => ctx.approve({ key: ['deploy', secret], prompt: 'Go?' })),
      await tryTo(() => ctx.approvals.set(['deploy', secret], 'session')),
      await tryTo(() => ctx.step(secret, () => 1)),
    ];
  }),
  tool('fail', (secret, ctx) => { throw ctx.error('cancelled', 'The word is ' + secret); }),
] };`;

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({ plugins: [await pluginOf(source)] });
});
afterAll(() => server.remove());

async function logIn(tool: string, password: string): Promise<Journey> {
  const journey = await Journey.begin(server);
  await journey.submit(await journey.ask(tool), { password });
  return journey;
}

test('[INT17] a secret is found in the encodings that programs print', async () => {
  const journey = await logIn('encoded', 'pass "word" /1');
  expect(await journey.outcome()).toEqual({
    result: {
      json: '{"secret":"[redacted]"}',
      url: '[redacted]',
      hex: '[redacted]',
      basic: expect.stringMatching(/^.{0,6}\[redacted\].{0,3}$/),
    },
  });
});

test('[INT17] a secret that is streamed letter by letter is in no frame', async () => {
  const journey = await logIn('split', 'swordfish');
  const go = await journey.event('interaction_request', ({ payload }) => payload.slot === 'go');
  const shown = () =>
    journey.tab.frames.flatMap((frame) => (frame.type === 'stream' && frame.kind === 'tool_output' ? frame.text : []));
  await journey.tab.until(() => shown().join('').includes('indeed'));
  expect(shown().join('')).toBe('it is [redacted] indeed.\n');
  await journey.answer(go.payload, { action: 'approve' });
  await journey.outcome();
});

test('[INT17] a secret of three characters is found if it is a whole value', async () => {
  const journey = await logIn('whole', '042');
  expect(await journey.outcome()).toEqual({ result: { is: '[redacted]', number: 42 } });
  const pin = await logIn('whole', '421');
  expect(await pin.outcome()).toEqual({ result: { is: '[redacted]', number: '[redacted]' } });
});

test('[INT17] the state of a plugin refuses a secret, with a code', async () => {
  const journey = await logIn('keep', 'swordfish');
  expect(await journey.outcome()).toEqual({ result: { refused: 'secret_refused', kept: 'nothing' } });
});

test.each(['result', 'outcome', 'password', 'return', 'text', 'form', 'more'])(
  '[INT17] a secret that is a word of the protocol, "%s", changes only the values of events',
  async (word) => {
    const journey = await logIn('words', word);
    const { payload } = await journey.event('interaction_request', (event) => event.payload.slot === 'more');
    expect(payload).toMatchObject({ prompt: '[redacted]', inputSchema: { type: 'form' } });
    expect(payload.inputSchema?.fields).toEqual([{ id: 'password', type: 'text', label: '[redacted]' }]);
    await journey.submit(payload, { password: 'fine' });
    expect(await journey.outcome()).toEqual({ result: { result: 'fine', outcome: 'ok' } });
  },
);

test('[INT17] the code of an error is kept if it is one of ours', async () => {
  const journey = await logIn('fail', 'cancelled');
  expect(await journey.outcome()).toEqual({ error: { code: 'cancelled', message: 'The word is [redacted]' } });
});

test('[INT17] no key of a prompt, an approval, a grant or a step contains a secret, because keys are stored in plain text', async () => {
  const journey = await logIn('named', 'swordfish');
  expect((await journey.outcome()).result).toEqual(Array(4).fill('secret_refused'));
  expect(JSON.stringify(journey.tab.events(journey.session))).not.toContain('swordfish');
});

test('[INT17, PLG11] no schema of a callback contains a secret, because it is stored in plain text', async () => {
  const journey = await logIn('posted', 'swordfish');
  expect((await journey.outcome()).result).toBe('secret_refused');
});
