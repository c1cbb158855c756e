import type { InteractionRequest, Json, Plugin } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { FileDesk } from '../support/file-desk.ts';
import type { Journey } from '../support/journey.ts';

/** A tool that asks again until somebody says "done". */
const insister: Plugin = {
  name: 'insister',
  tools: [
    {
      name: 'insist',
      description: 'Asks until the work is done.',
      parameters: { type: 'object' },
      handler: async (_, ctx) =>
        (await ctx.requestInteraction({
          type: 'input',
          inputSchema: { type: 'form', fields: [{ id: 'word', type: 'text' }] },
          onUnavailable: 'wait',
          onResponse: ({ input }) =>
            input?.word === 'done' ? { complete: 'Done.' } : { reprompt: { error: 'Not yet.' } },
        })) as Json,
    },
  ],
};

async function begin() {
  const desk = await FileDesk.open([insister]);
  const prompt = await desk.journey.ask('insist');
  const attach = async (to: InteractionRequest, name: string) =>
    (await desk.upload(to, { field: '', name, content: name })).file;
  return { desk, prompt, attach };
}

async function submit(journey: Journey, prompt: InteractionRequest, word: string, files: readonly object[]) {
  expect(await journey.answer(prompt, { action: 'submit', input: { word }, files })).toMatchObject({ ok: true });
}

test('[REV6] files of an answer that was asked again go with the result, each once and in order, and are named', async () => {
  const { desk, prompt, attach } = await begin();
  const { journey } = desk;
  const [one, two] = [await attach(prompt, 'one.txt'), await attach(prompt, 'two.txt')];
  await submit(journey, prompt, 'wait', [two, one]);
  const again = await journey.next(prompt);
  const three = await attach(again, 'three.txt');
  await submit(journey, again, 'done', [three, two]);
  const { files, note } = (await journey.event('tool_result')).payload;
  expect(files).toEqual([two, one, three]);
  expect(note).toBe('Attached: one.txt (7 bytes)\nAttached: three.txt (9 bytes), two.txt (7 bytes)');
});

test('[REV6, DUR2] they are not forgotten when the server restarts while it asks again', async () => {
  const { desk, prompt, attach } = await begin();
  const one = await attach(prompt, 'one.txt');
  await submit(desk.journey, prompt, 'wait', [one]);
  const again = await desk.journey.next(prompt);
  await desk.server.local.restart();
  const journey = await desk.journey.join(desk.server.local, { hello: { token: desk.server.token } });
  const two = await attach(again, 'two.txt');
  await submit(journey, again, 'done', [two]);
  expect((await journey.event('tool_result')).payload).toMatchObject({ result: 'Done.', files: [one, two] });
});
