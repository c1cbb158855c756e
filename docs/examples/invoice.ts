import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

const payment = z.object({ paid: z.boolean(), amount: z.number() });
const hour = 60 * 60_000;

/** Stands for a payment service that posts to an address once somebody has paid. */
const requests: { amount: number; notify: string }[] = [];

const chargeCustomer = defineTool({
  name: 'charge_customer',
  description: 'Send an invoice and wait until it is paid.',
  parameters: z.object({ amount: z.number().positive() }),
  async handler({ amount }, ctx) {
    const url = await ctx.callback('payment', { schema: payment, ttlMs: 72 * hour });
    await ctx.step('send', () => void requests.push({ amount, notify: url }));
    const { paid } = await ctx.waitFor('payment', payment, { timeoutMs: 24 * hour });
    return paid ? 'Paid.' : 'Refused by the customer.';
  },
});

export default definePlugin({ name: 'invoice', tools: [chargeCustomer] });
