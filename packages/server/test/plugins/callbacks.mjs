// Tools that wait for programs outside (PLG11). The address stands in the log as output, so that a test can post there.
const schema = { type: 'object', properties: { paid: { type: 'boolean' } }, required: ['paid'] };

async function waitForPayment({ ttlMs, timeoutMs, isStrict }, ctx) {
  const url = await ctx.callback('payment', { ...(isStrict && { schema }), ...(ttlMs && { ttlMs }) });
  const payment = ctx.waitFor('payment', isStrict ? schema : undefined, { timeoutMs: timeoutMs ?? null });
  await ctx.step('waiting', () => undefined); // stored after the wait: whoever reads the address knows that it is
  ctx.progress(url);
  return payment;
}

export default {
  name: 'callbacks',
  tools: [
    {
      name: 'pay',
      description: 'Waits for a payment.',
      parameters: { type: 'object' },
      handler: async (args, ctx) => ({ payment: await waitForPayment(args, ctx) }),
    },
    {
      name: 'pay_early',
      description: 'Waits for a payment once somebody has answered.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        ctx.progress(await ctx.callback('payment'));
        await ctx.confirm('go', 'Go on?');
        return { payment: await ctx.waitFor('payment') };
      },
    },
    {
      name: 'pay_with_pin',
      description: 'Waits for a payment that says the PIN.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        ctx.progress(await ctx.callback('payment'));
        const inputSchema = { type: 'form', fields: [{ id: 'pin', type: 'secret', required: true }] };
        const { input } = await ctx.requestInteraction({ type: 'input', key: 'pin', inputSchema });
        ctx.progress('typed\n');
        const { note } = await ctx.waitFor('payment');
        await ctx.confirm('sure', 'Sure?');
        return { isKnown: note === `PIN ${input.pin}` };
      },
    },
    {
      name: 'pay_and_ask',
      description: 'Waits for a person and a payment.',
      parameters: { type: 'object' },
      async handler(args, ctx) {
        const [payment, isSure] = await Promise.all([waitForPayment(args, ctx), ctx.confirm('sure', 'Sure?')]);
        return { payment, isSure };
      },
    },
    {
      name: 'impatient_pay',
      description: 'Has little time of its own, and waits for a payment.',
      parameters: { type: 'object' },
      timeoutMs: 200,
      handler: async (args, ctx) => ({ payment: await waitForPayment(args, ctx) }),
    },
    {
      name: 'pay_or_skip',
      description: 'Waits for a payment until somebody says that none is needed.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        ctx.progress(await ctx.callback('payment'));
        const skipped = new AbortController();
        const payment = ctx.waitFor('payment', undefined, { signal: skipped.signal });
        if (await ctx.confirm('skip', 'Skip the payment?')) skipped.abort();
        const { code } = await payment.catch((error) => error);
        await ctx.confirm('on', 'Go on?');
        return { code };
      },
    },
    {
      name: 'idle',
      description: 'Takes longer than the time that it has.',
      parameters: { type: 'object' },
      timeoutMs: 200,
      handler: () => new Promise(() => {}),
    },
    {
      name: 'wait_wrongly',
      description: 'Waits for what was never given away.',
      parameters: { type: 'object' },
      handler: (_, ctx) => ctx.waitFor('nothing'),
    },
  ],
};
