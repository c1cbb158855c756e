import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { actor } from '../../test/support/samples.ts';
import type { InteractionAnswer } from '../prompt/answer.ts';
import { type AskOptions, askForm, confirm } from './ask.ts';
import type { InteractionDemand, Outcome } from './demand.ts';
import { readSchema } from './schemas.ts';

const trip = z.object({ city: z.string(), nights: z.coerce.number().int().default(1) });

function answerOf(parts: Partial<InteractionAnswer>): InteractionAnswer {
  return { interactionId: 'call.1', action: 'submit', by: actor(), at: '2026-03-01T09:00:00.000Z', ...parts };
}

/** Asks once, answers, and returns the demand and the hook's outcome. */
async function judge(answer: Partial<InteractionAnswer>, options: AskOptions<z.output<typeof trip>> = {}) {
  let demand: InteractionDemand | undefined;
  let outcome: Outcome | undefined;
  const asked = askForm(
    async (given) => {
      demand = given;
      outcome = await given.onResponse?.(answerOf(answer));
      return outcome && 'complete' in outcome
        ? JSON.parse(JSON.stringify(outcome.complete))
        : { ok: false, error: 'timeout' };
    },
    'trip',
    readSchema(trip, 'trip'),
    options,
  );
  const result = await asked.catch((error: unknown) => error);
  return { demand, outcome, result };
}

describe('ctx.ask', () => {
  test('[PLG3] asks for a form made of the schema, in its own slot', async () => {
    const { demand } = await judge({}, { title: 'Trip', timeoutMs: null, initialValues: { city: 'Bern' } });
    expect(demand).toMatchObject({
      type: 'input',
      key: 'trip',
      title: 'Trip',
      timeoutMs: null,
      initialValues: { city: 'Bern' },
      inputSchema: { type: 'form', fields: [{ id: 'city', type: 'text', required: true }, { id: 'nights' }] },
    });
    expect(demand).not.toHaveProperty('validate');
  });

  test('[PLG3, PLG10] passes a view on, which shows the form', async () => {
    const view = { name: 'map', data: { near: 'Bern' } };
    expect((await judge({}, { view })).demand).toMatchObject({ view });
  });

  test('[PLG3] returns the values as the schema gives them', async () => {
    const { result } = await judge({ input: { city: 'Bern', nights: 3 } });
    expect(result).toEqual({ city: 'Bern', nights: 3 });
    expect((await judge({ input: { city: 'Bern' } })).result).toEqual({ city: 'Bern', nights: 1 });
  });

  test('[PLG3] asks again, with a sentence under each field, until the schema takes the values', async () => {
    const { outcome } = await judge({ input: { nights: 1.5 } });
    expect(outcome).toEqual({
      reprompt: {
        error: 'Some values do not fit.',
        fieldErrors: { city: expect.any(String), nights: expect.any(String) },
      },
    });
  });

  test.each<[string | Record<string, string> | undefined, object]>([
    [undefined, { complete: { input: { city: 'Bern' } } }],
    ['Full.', { reprompt: { error: 'Full.' } }],
    [{ city: 'Full.' }, { reprompt: { error: 'Some values do not fit.', fieldErrors: { city: 'Full.' } } }],
  ])('[PLG3] asks again if its author reports a problem: %j', async (fault, expected) => {
    const { outcome } = await judge({ input: { city: 'Bern' } }, { validate: async () => fault });
    expect(outcome).toEqual(expected);
  });

  test('[PLG3] shows the first of several errors of a field', async () => {
    const schema = z.object({ code: z.string().min(5, 'Too short.').regex(/x/, 'No x.') });
    let outcome: Outcome | undefined;
    const asked = askForm(
      async (demand) => {
        outcome = await demand.onResponse?.(answerOf({ input: { code: 'ab' } }));
      },
      'code',
      readSchema(schema, 'code'),
    );
    await expect(asked).rejects.toThrow();
    expect(outcome).toMatchObject({ reprompt: { fieldErrors: { code: 'Too short.' } } });
  });

  test('[PLG9] shows errors that belong to no field above the form', async () => {
    const schema = trip.refine(({ nights }) => nights < 3, 'Two nights at most.');
    let outcome: Outcome | undefined;
    const asked = askForm(
      async (demand) => {
        outcome = await demand.onResponse?.(answerOf({ input: { city: 'Bern', nights: 4 } }));
      },
      'trip',
      readSchema(schema, 'trip'),
    );
    await expect(asked).rejects.toThrow();
    expect(outcome).toEqual({ reprompt: { error: 'Two nights at most.', fieldErrors: {} } });
  });

  test('[PLG9] accepts a form’s options apart from its fields', async () => {
    const sections = [{ id: 'where', title: 'Where', fields: ['city'] }];
    const { demand } = await judge({}, { layout: 'stepper', submitLabel: 'Go', cancelLabel: 'Stay', sections });
    expect(demand?.inputSchema).toMatchObject({ layout: 'stepper', submitLabel: 'Go', cancelLabel: 'Stay', sections });
  });

  test('[PLG3, TEAM1] passes on the audience and the visibility', async () => {
    const options = { audience: { principals: ['Ann'] }, visibility: 'audience' as const };
    let demand: object | undefined;
    const asked = askForm(
      async (made) => {
        demand = made;
      },
      'trip',
      readSchema(z.object({}), 'trip'),
      options,
    );
    await expect(asked).rejects.toThrow();
    expect(demand).toMatchObject(options);
  });

  test('[PLG3] its author validates typed values, and only those that the schema accepts', async () => {
    const seen: unknown[] = [];
    const validate = (values: unknown) => {
      seen.push(values);
      return undefined;
    };
    await judge({ input: { nights: 2 } }, { validate });
    await judge({ input: { city: 'Bern' } }, { validate });
    expect(seen).toEqual([{ city: 'Bern', nights: 1 }]);
  });

  test('[PLG3] throws cancelled if a person cancels, timeout if nobody answers', async () => {
    expect((await judge({ action: 'cancel' })).result).toMatchObject({ name: 'ToolError', code: 'cancelled' });
    const silence = askForm(async () => ({ ok: false, error: 'timeout' }), 'trip', readSchema(trip, 'trip'));
    await expect(silence).rejects.toMatchObject({ name: 'ToolError', code: 'timeout' });
  });
});

describe('ctx.confirm', () => {
  test('[PLG3] asks for an approval that counts once', async () => {
    const demands: InteractionDemand[] = [];
    await confirm(async (demand) => demands.push(demand), 'sure', 'Really?');
    expect(demands).toEqual([{ type: 'approval', key: 'sure', prompt: 'Really?', approvalScopes: ['once'] }]);
  });

  test.each<[string, unknown, boolean]>([
    ['consent', { action: 'approve' }, true],
    ['denial', { action: 'deny' }, false],
    ['cancel', { action: 'cancel' }, false],
    ['timeout', { ok: false, error: 'timeout' }, false],
    ['nothing', undefined, false],
  ])('[PLG3] %s is %#', async (_, result, expected) => {
    expect(await confirm(async () => result, 'sure', 'Really?')).toBe(expected);
  });
});
