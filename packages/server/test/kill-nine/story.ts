import type { InteractionAnswer, InteractionDemand, Outcome, Plugin, Tool, ToolContext } from '@parleyhq/core';
import type { World } from './effects.ts';

interface Stage {
  readonly world: World;
  /** Passes a place where the process may end. */
  pass(place: string): void;
}

const parameters = { type: 'object' };

/** What two tools want leave for; the person answers one of them, for the session. */
const asConsent = { key: ['consent'], scopes: ['once', 'session'], onUnavailable: 'wait', timeoutMs: null } as const;

/** A question with one field of text; people answer it whoever is connected. */
function ask(id: string, more: Partial<InteractionDemand> = {}): InteractionDemand {
  return {
    type: 'input',
    prompt: `${id}?`,
    inputSchema: { type: 'form', fields: [{ id, type: 'text' }] },
    onUnavailable: 'wait',
    ...more,
  } as InteractionDemand;
}

/** What the tools of the story have in common: effects that tell how often they ran. */
class Actor {
  readonly #stage: Stage;
  readonly #ctx: ToolContext;
  readonly #token: string;

  constructor(stage: Stage, ctx: ToolContext) {
    this.#stage = stage;
    this.#ctx = ctx;
    stage.world.run(ctx.toolCallId, 'handler');
    stage.pass('in the handler');
    this.#token = ctx.uuid();
  }

  /** An effect that must happen once. */
  step(name: string): Promise<string> {
    return this.#ctx.step(name, () => {
      this.#stage.world.run(this.#ctx.toolCallId, `step ${name}`);
      this.#stage.pass('in a step, before its effect');
      this.#stage.world.perform(this.#ctx.toolCallId, name, `${this.#token} ${name}`);
      this.#stage.pass('in a step, after its effect');
      return `${name} done`;
    });
  }

  /** A question whose hook has an effect; asks once more where the answer ends in "again". */
  async question(id: string, more: Partial<InteractionDemand> = {}): Promise<unknown> {
    const onResponse = (answer: InteractionAnswer): Outcome => {
      const value = String(answer.input?.[id]);
      const name = `hook ${answer.interactionId}`;
      this.#stage.world.run(this.#ctx.toolCallId, name);
      this.#stage.pass('in the hook, before its effect');
      this.#stage.world.perform(this.#ctx.toolCallId, name, answer.interactionId);
      this.#stage.pass('in the hook, after its effect');
      return value.endsWith('again') ? { reprompt: { error: 'Once more, please.' } } : { complete: value };
    };
    const value = await this.#ctx.requestInteraction(ask(id, { onResponse, ...more }));
    this.#stage.pass('between prompts');
    return value;
  }
}

/** Tools that can be cut off at every place where a stop can cut. `answers` in a result is by slot. */
export function makeStory(stage: Stage): Plugin {
  const tool = (name: string, play: (actor: Actor, ctx: ToolContext) => unknown, more: Partial<Tool> = {}): Tool => ({
    name,
    description: `The story "${name}".`,
    parameters,
    handler: (_, ctx) => play(new Actor(stage, ctx), ctx),
    ...more,
  });
  const onTimeout = (outcome: Outcome) => () => {
    stage.pass('in the timeout hook');
    return outcome;
  };
  const onLateResponse = ({ input }: InteractionAnswer) => {
    stage.pass('in the late hook');
    return { text: `late: ${Object.values(input ?? {})}` };
  };
  const brief = { timeoutMs: 100 };
  const put = { pending: { message: 'Put off.' } };
  return {
    name: 'story',
    tools: [
      tool('wizard', async (actor) => {
        const first = await actor.question('first');
        const held = await actor.step('hold');
        const second = await actor.question('second');
        const third = await actor.question('third');
        return { answers: { 1: first, 2: second, 3: third }, held };
      }),
      tool('allow', async (actor, ctx) => {
        const answer = await ctx.requestInteraction({ type: 'approval', onUnavailable: 'wait' });
        return [answer, await actor.step('allowed')];
      }),
      tool('branches', async (actor) => {
        const walk = async (key: string) => {
          const one = await actor.question('one', { key: `${key}-one` });
          await actor.step(key);
          return [one, await actor.question('two', { key: `${key}-two` })];
        };
        const [a, b] = (await Promise.all(['a', 'b'].map(walk))) as [unknown[], unknown[]];
        return { answers: { 'a-one': a[0], 'a-two': a[1], 'b-one': b[0], 'b-two': b[1] } };
      }),
      tool('survey', (actor) => actor.question('mood', { ...brief, onTimeout: onTimeout(put) })),
      tool('review', (actor) => actor.question('verdict', { ...brief, onTimeout: onTimeout(put), onLateResponse })),
      tool('deadline', (actor) =>
        actor.question('quick', { ...brief, onTimeout: onTimeout({ complete: 'too late' }) }),
      ),
      tool('later', async (actor, ctx) => {
        const first = await ctx.requestInteraction(ask('off', { onResponse: () => put, onLateResponse }));
        return { first, answers: { 2: await actor.question('on') } };
      }),
      tool('gated', (actor) => actor.step('gated'), { approval: 'always' }),
      tool('consent', async (actor, ctx) => {
        const { approved } = await ctx.approve({ ...asConsent, title: 'consent' });
        stage.pass('between claim and use');
        const took = await ctx.approvals.get(asConsent.key);
        const fine = await actor.question('fine', { key: 'fine' });
        return { approved, took, answers: { fine }, once: await actor.step('consented') };
      }),
      tool('covered', async (actor, ctx) => {
        const { approved } = await ctx.approve({ ...asConsent, title: 'covered' });
        return { approved, once: await actor.step('was covered') };
      }),
      tool('lookup', () => 'looked up', { readOnly: true }),
      tool('retry', (actor) => actor.step('tried'), { onInterrupted: 'retry' }),
      tool('fail', (actor) => actor.step('failed'), { onInterrupted: 'fail' }),
    ],
  };
}
