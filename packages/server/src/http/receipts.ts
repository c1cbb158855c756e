import type { KeyObject } from 'node:crypto';
import { type AuditStore, callOfInteraction, RefusalError, requestKey, settlementKey } from '@parleyhq/core';
import type { SessionHub } from '@parleyhq/runtime';
import type { Hono } from 'hono';
import { makeReceipt, type SettledPrompt } from '../auth/receipt.ts';
import { signReceipt } from '../auth/receipt-envelope.ts';
import { publicKeyOf } from '../auth/receipt-key.ts';
import { type Entry, enter } from './frame-request.ts';
import { describe, text } from './operation.ts';
import type { Env } from './request.ts';

export interface ReceiptRoutes extends Entry {
  readonly hub: SessionHub;
  readonly audit: AuditStore;
  /** Opens the key that signs receipts; undefined if this server has none. */
  readonly receiptKey: (() => KeyObject) | undefined;
}

const keyless = 'This server has no key for receipts: an embedding application passes receiptKey.';

/** Serves signed receipts of settled prompts, and the key that verifies them (SIGN3). */
export function serveReceipts(app: Hono<Env>, routes: ReceiptRoutes): void {
  const group = 'Receipts';
  const openKey = () => {
    if (!routes.receiptKey) throw new RefusalError('not_found', { message: keyless });
    return routes.receiptKey();
  };
  const aboutReceipt = describe({
    ...{ group, summary: 'The signed receipt of a settled prompt, for whoever may see the prompt.' },
    responses: { 200: text('A DSSE envelope.', 'application/json') },
    refusals: { 404: 'There is no such prompt, it is not settled, or the log does not hold exactly what was shown.' },
  });
  app.get('/api/sessions/:sessionId/interactions/:interactionId/receipt', aboutReceipt, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const { sessionId, interactionId } = context.req.param();
    const { session } = await routes.hub.openFor(principal, sessionId);
    const [asked, settled] = await Promise.all([
      session.reader.findEvent(requestKey(interactionId)),
      session.reader.findEvent(settlementKey(interactionId)),
    ]);
    if (!asked || !settled || session.visibility.hides(principal, callOfInteraction(interactionId)))
      throw new RefusalError('not_found');
    const request: SettledPrompt['request'] = JSON.parse(asked);
    const settlement: SettledPrompt['settlement'] = JSON.parse(settled);
    const votes = await session.reader.readVotes(request, settlement);
    const receipt = makeReceipt({ request, votes, settlement, rows: await routes.audit.read(sessionId) });
    return context.body(signReceipt(receipt, openKey()), 200, {
      'Content-Type': 'application/json',
      'Content-Disposition': `attachment; filename="receipt-${fileName(interactionId)}.json"`,
      'Cache-Control': 'no-store',
    });
  });

  const aboutKey = describe({
    ...{ group, summary: 'The public key that verifies this server’s receipts: Ed25519, as PEM.' },
    responses: { 200: text('The key.', 'application/x-pem-file') },
  });
  app.get('/api/receipt-key', aboutKey, async (context) => {
    await enter(context, routes, { as: 'person' });
    return context.body(publicKeyOf(openKey()), 200, { 'Content-Type': 'application/x-pem-file' });
  });
}

/** Ids may have any characters; a file name has only these. */
const fileName = (id: string) => id.replace(/[^\w.-]/g, '_').slice(0, 100);
