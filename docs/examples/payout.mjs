const object = { type: 'object' };
const day = 24 * 3_600_000;

/** The bank pays once per idempotency key, however often it is asked. */
async function transfer(key, amount) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const body = JSON.stringify({ amount });
  const reply = await fetch(process.env.BANK_URL, { method: 'POST', headers, body });
  if (!reply.ok) throw new Error(`the bank said ${reply.status}`);
  return reply.json();
}

const payOut = {
  name: 'pay_out',
  description: 'Pay an amount, once two people have agreed.',
  parameters: { ...object, properties: { amount: { type: 'number' } }, required: ['amount'] },
  onInterrupted: 'retry', // every effect below is idempotent
  async handler({ amount }, ctx) {
    const due = new Date(ctx.now() + day).toISOString(); // recorded: a restart does not change it
    const payment = ctx.uuid(); // recorded, too: the idempotency key of this payment
    const ask = (key, prompt) => ctx.requestInteraction({ key, type: 'approval', prompt, timeoutMs: null });
    const answers = await Promise.all([
      ask('manager', `Pay ${amount} by ${due}?`),
      ask('accounts', `Is an invoice of ${amount} in the books?`),
    ]);
    if (answers.some(({ action }) => action !== 'approve')) throw ctx.error('denied', 'Nobody was paid.');
    const receipt = await ctx.step('transfer', () => transfer(payment, amount));
    return { ...receipt, due };
  },
};

const probes = new Map();

/** The probe lives in this process: after a restart there is nothing to continue with. */
const keepProbe = {
  name: 'keep_probe',
  description: 'Start a probe and ask whether to keep it.',
  parameters: object,
  durable: false,
  async handler(_args, ctx) {
    probes.set(ctx.toolCallId, { since: Date.now() });
    const isKept = await ctx.confirm('keep', 'Keep the probe that has just been started?');
    if (!isKept) probes.delete(ctx.toolCallId);
    return { isKept, probes: probes.size };
  },
};

export default { name: 'payout', tools: [payOut, keepProbe] };
