import {
  type Agent,
  type Audience,
  type ChatEvent,
  definePlugin,
  type FormSchema,
  type Json,
  type ToolContext,
} from '@parleyhq/core';

/** Texts that outsiders must never see, by their origin. */
export const marks = {
  args: 'mark-of-args',
  prompt: 'mark-of-prompt',
  answer: 'mark-of-answer',
  output: 'mark-of-output',
  result: 'mark-of-result',
  late: 'mark-of-late-words',
} as const;

/** An agent whose messages only name a tool, so that the subject of the call is in the call alone. */
export const caller: Agent = {
  name: 'caller',
  async *run({ read, startSeq }) {
    const events = await read();
    const turn = events.filter(({ seq }) => seq > startSeq);
    const asked = events.findLast((event): event is ChatEvent<'user_message'> => event.type === 'user_message');
    if (turn.some(({ type }) => type === 'tool_result') || asked?.payload.origin === 'interaction') {
      yield { type: 'text', text: 'Done.' };
      return;
    }
    const toolCallId = `call-${startSeq}`;
    yield { type: 'tool_input', toolCallId, text: JSON.stringify({ about: marks.args }) };
    yield { type: 'tool_call', toolCallId, toolName: asked?.payload.text ?? '', args: { about: marks.args } };
  },
};

const form: FormSchema = { type: 'form', fields: [{ id: 'word', type: 'text', label: 'Word' }] };

/** Makes tools that ask only Ann. What they print is held until `release` is called. */
export function makeVault(asks: { audience?: Audience; visibility?: 'audience' }) {
  let release = () => {};
  const gate = { wait: Promise.resolve() };
  const hold = () => {
    gate.wait = new Promise((resolve) => {
      release = resolve;
    });
  };
  const ask = (ctx: ToolContext) =>
    ctx.requestInteraction({ type: 'input', title: marks.prompt, prompt: marks.prompt, inputSchema: form, ...asks });
  const tool = (name: string, handler: (ctx: ToolContext) => Promise<unknown>) => ({
    name,
    description: name,
    parameters: { type: 'object' },
    handler: (_: Record<string, unknown>, ctx: ToolContext) => handler(ctx),
  });
  const plugin = definePlugin({
    name: 'vault',
    tools: [
      tool('vault_ask', async (ctx) => {
        const answer = (await ask(ctx)) as { input: Record<string, Json> };
        ctx.progress(marks.output);
        await gate.wait;
        return { word: answer.input.word, result: marks.result };
      }),
      tool('vault_later', (ctx) =>
        ctx.requestInteraction({
          type: 'input',
          prompt: marks.prompt,
          inputSchema: form,
          timeoutMs: 20,
          ...asks,
          onTimeout: () => ({ pending: { message: marks.result } }),
          onLateResponse: () => ({ text: marks.late }),
        }),
      ),
      tool('vault_allow', async (ctx) => {
        const subject = { kind: 'text', text: marks.prompt } as const;
        return ctx.approve({ key: [marks.prompt], title: marks.prompt, subject, scopes: ['once', 'session'], ...asks });
      }),
    ],
  });
  return { plugin, hold, release: () => release() };
}
