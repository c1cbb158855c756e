import type { InteractionAnswer, InteractionDemand, Outcome, Plugin, Tool, ToolContext } from '@parleyhq/core';
import { refused } from './answers.ts';
import type { EffectLog } from './effects.ts';

/** Receives what the tools report. */
interface Monitor {
  readonly effects: Pick<EffectLog, 'run' | 'perform'>;
  /** A place where the process may be killed. */
  pass(place: string): void;
  /** Whether the tools' calls may sleep while they wait (DUR10). */
  readonly hibernates?: boolean;
}

/** Tools that a random scenario calls. */
export const randomTools = [
  'wizard',
  'allow',
  'gated',
  'consent',
  'branches',
  'survey',
  'review',
  'deadline',
  'later',
  'retry',
  'fail',
  'lookup',
];

const parameters = { type: 'object' };

/** The approval that two tools ask for; the client grants it to one of them, for the session. */
const asConsent = { key: ['consent'], scopes: ['once', 'session'], onUnavailable: 'wait', timeoutMs: null } as const;

/** A question with one text field that waits until somebody is connected. */
function ask(id: string, more: Partial<InteractionDemand> = {}): InteractionDemand {
  return {
    type: 'input',
    prompt: `${id}?`,
    inputSchema: { type: 'form', fields: [{ id, type: 'text' }] },
    onUnavailable: 'wait',
    ...more,
  } as InteractionDemand;
}

/** What the tools do in a call, with effects that show how often they happened. */
class CallProbe {
  readonly #monitor: Monitor;
  readonly #ctx: ToolContext;
  readonly #token: string;

  constructor(monitor: Monitor, ctx: ToolContext) {
    this.#monitor = monitor;
    this.#ctx = ctx;
    monitor.effects.run(ctx.toolCallId, 'handler');
    monitor.pass('in the handler');
    this.#token = ctx.uuid();
  }

  /** A durable step with an effect that must happen once. */
  step(name: string): Promise<string> {
    return this.#ctx.step(name, () => {
      this.#monitor.effects.run(this.#ctx.toolCallId, `step ${name}`);
      this.#monitor.pass('in a step, before its effect');
      this.#monitor.effects.perform(this.#ctx.toolCallId, name, `${this.#token} ${name}`);
      this.#monitor.pass('in a step, after its effect');
      return `${name} done`;
    });
  }

  /** A question whose hook has an effect, and asks once more if the answer ends in "again". */
  async question(id: string, more: Partial<InteractionDemand> = {}): Promise<unknown> {
    const onResponse = (answer: InteractionAnswer): Outcome => {
      const value = String(answer.input?.[id]);
      const name = `hook ${answer.interactionId}`;
      this.#monitor.effects.run(this.#ctx.toolCallId, name);
      this.#monitor.pass('in the hook, before its effect');
      this.#monitor.effects.perform(this.#ctx.toolCallId, name, answer.interactionId);
      this.#monitor.pass('in the hook, after its effect');
      return value.endsWith('again') ? { reprompt: { error: 'Once more, please.' } } : { complete: value };
    };
    const value = await this.#ctx.requestInteraction(ask(id, { onResponse, ...more }));
    this.#monitor.pass('between prompts');
    return value;
  }
}

/** Makes a tool for programs that asks for permission: everybody gives it to `permit`, nobody to `refuse`. */
function askFor(name: string): Tool {
  return {
    name,
    description: `Asks for leave to ${name}.`,
    parameters,
    asking: true,
    readOnly: true,
    onInterrupted: 'retry',
    handler: (_, ctx) =>
      ctx.requestInteraction({
        type: 'approval',
        title: name === 'refuse' ? refused : name,
        onUnavailable: 'wait',
        timeoutMs: null,
        onResponse: ({ action }) => ({ complete: { approved: action === 'approve' } }),
      }),
  };
}

/** Tools that pass every place where a kill can interrupt a call. `answers` in a result is by slot. */
export function makeTools(monitor: Monitor): Plugin {
  const tool = (
    name: string,
    run: (probe: CallProbe, ctx: ToolContext) => unknown,
    more: Partial<Tool> = {},
  ): Tool => ({
    name,
    description: `The scenario "${name}".`,
    parameters,
    handler: (_, ctx) => run(new CallProbe(monitor, ctx), ctx),
    ...more,
  });
  const onTimeout = (outcome: Outcome) => () => {
    monitor.pass('in the timeout hook');
    return outcome;
  };
  const onLateResponse = ({ input }: InteractionAnswer) => {
    monitor.pass('in the late hook');
    return { text: `late: ${Object.values(input ?? {})}` };
  };
  const brief = { timeoutMs: 100 };
  const put = { pending: { message: 'Put off.' } };
  const { hibernates = false } = monitor;
  const tools: readonly Tool[] = [
    tool('wizard', async (probe) => {
      const first = await probe.question('first');
      const held = await probe.step('hold');
      const second = await probe.question('second');
      const third = await probe.question('third');
      return { answers: { 1: first, 2: second, 3: third }, held };
    }),
    tool('allow', async (probe, ctx) => {
      const answer = await ctx.requestInteraction({ type: 'approval', onUnavailable: 'wait' });
      return [answer, await probe.step('allowed')];
    }),
    tool('branches', async (probe) => {
      const walk = async (key: string) => {
        const one = await probe.question('one', { key: `${key}-one` });
        await probe.step(key);
        return [one, await probe.question('two', { key: `${key}-two` })];
      };
      const [a, b] = (await Promise.all(['a', 'b'].map(walk))) as [unknown[], unknown[]];
      return { answers: { 'a-one': a[0], 'a-two': a[1], 'b-one': b[0], 'b-two': b[1] } };
    }),
    tool('survey', (probe) => probe.question('mood', { ...brief, onTimeout: onTimeout(put) })),
    tool('review', (probe) => probe.question('verdict', { ...brief, onTimeout: onTimeout(put), onLateResponse })),
    tool('deadline', (probe) => probe.question('quick', { ...brief, onTimeout: onTimeout({ complete: 'too late' }) })),
    tool('later', async (probe, ctx) => {
      const first = await ctx.requestInteraction(ask('off', { onResponse: () => put, onLateResponse }));
      return { first, answers: { 2: await probe.question('on') } };
    }),
    tool('gated', (probe) => probe.step('gated'), { approval: 'always' }),
    tool('consent', async (probe, ctx) => {
      const { approved } = await ctx.approve({ ...asConsent, title: 'consent' });
      monitor.pass('between claim and use');
      const took = await ctx.approvals.get(asConsent.key);
      const fine = await probe.question('fine', { key: 'fine' });
      return { approved, took, answers: { fine }, once: await probe.step('consented') };
    }),
    tool('covered', async (probe, ctx) => {
      const { approved } = await ctx.approve({ ...asConsent, title: 'covered' });
      return { approved, once: await probe.step('was covered') };
    }),
    {
      ...tool('release', (_, ctx) => ctx.approve({ key: 'release', decide: { approve: 2 }, timeoutMs: null })),
      onInterrupted: 'retry',
    },
    {
      ...tool('widen', () => undefined),
      handler: ({ afterMs }: { afterMs: number }, ctx: ToolContext) =>
        ctx.requestInteraction(
          ask('word', {
            audience: { principals: ['Ann'] },
            escalate: [{ afterMs, audience: { principals: ['Bob'] } }],
          }),
        ),
      onInterrupted: 'retry',
    } as Tool,
    tool('lookup', () => 'looked up', { readOnly: true }),
    ...['permit', 'refuse'].map((name) => askFor(name)),
    { ...askFor('greet'), handler: () => 'hello' },
    tool('retry', (probe) => probe.step('tried'), { onInterrupted: 'retry' }),
    tool('fail', (probe) => probe.step('failed'), { onInterrupted: 'fail' }),
  ];
  return { name: 'story', tools: tools.map((each) => ({ ...each, hibernates })) };
}
