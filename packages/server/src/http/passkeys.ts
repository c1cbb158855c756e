import { assertionSchema, includesRole, type Passkey, RefusalError } from '@parleyhq/core';
import { fingerprintOfPasskey } from '@parleyhq/store-kit';
import type { Context, Hono } from 'hono';
import * as z from 'zod';
import type { Holder, PasskeyDesk } from '../auth/passkeys/passkey-desk.ts';
import { registrationSchema } from '../auth/passkeys/registration.ts';
import { type Entry, enter, parse, readBody } from './frame-request.ts';
import { describe, json, nothing } from './operation.ts';
import type { Env } from './request.ts';

export interface PasskeyRoutes extends Entry {
  readonly passkeys: PasskeyDesk;
}

const nameSchema = z.string().trim().min(1).max(100);
const ticketSchema = z.string().max(4000);

const beginSchema = z.strictObject({ remove: z.string().max(200).optional() });
const addSchema = z.strictObject({
  ticket: ticketSchema,
  name: nameSchema,
  registration: registrationSchema,
  assertion: z.optional(assertionSchema),
});
const renameSchema = z.strictObject({ name: nameSchema });
const removeSchema = z.strictObject({ ticket: ticketSchema, assertion: assertionSchema });

const shownSchema = z.object({
  id: z.string(),
  credentialId: z.string(),
  /** The SHA-256 of its public key, by which receipts name it. */
  fingerprint: z.string(),
  name: z.string(),
  origin: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string().optional(),
  transports: z.array(z.string()).optional(),
});

const shown = {
  ...{ id: 'p-1', credentialId: 'Zm9v', name: 'Phone', origin: 'https://parley.example.org' },
  fingerprint: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
  createdAt: '2026-03-01T12:00:00.000Z',
};
const signed = { id: 'Zm9v', response: { authenticatorData: 'Zm9v', clientDataJSON: 'Zm9v', signature: 'Zm9v' } };
const made = { id: 'YmFy', response: { clientDataJSON: 'Zm9v', attestationObject: 'Zm9v' } };
const group = 'Passkeys';
const refusals = {
  403: 'The log-in must show its token again (`login_again`), or a passkey must sign the change (`step_up_required`).',
};

/** Serves one’s own passkeys (SIGN2). */
export function servePasskeys(app: Hono<Env>, routes: PasskeyRoutes): void {
  const { passkeys } = routes;
  const enterAsHolder = async (context: Context<Env>): Promise<Holder> => {
    const { principal, credential = {} } = await enter(context, routes, { as: 'person' });
    if (routes.auth.isOpen) throw new RefusalError('not_found', { message: openDoor });
    if (!includesRole(principal.role, 'responder')) throw new RefusalError('forbidden'); // it could not sign any answer
    return { principal, credential };
  };

  const aboutList = describe({
    ...{ group, summary: 'One’s own passkeys.' },
    responses: {
      200: json('Oldest first.', z.object({ passkeys: z.array(shownSchema) }), { passkeys: [shown] }),
    },
  });
  app.get('/api/passkeys', aboutList, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const own = routes.auth.isOpen ? [] : await passkeys.list(principal);
    return context.json({ passkeys: own.map(toShown) });
  });

  const aboutBegin = describe({
    summary: 'Begins to add a passkey, or to remove one. The origin is that of the page.',
    ...{ group, body: beginSchema, example: {}, refusals },
    responses: {
      200: json(
        '`creation` makes the passkey; `signing` is what one of the existing ones must sign, if there are any.',
        z.object({ ticket: z.string(), creation: z.looseObject({}).optional(), signing: z.looseObject({}).optional() }),
      ),
    },
  });
  app.post('/api/passkeys/options', aboutBegin, async (context) => {
    const holder = await enterAsHolder(context);
    const { remove } = parse(beginSchema, await readBody(context));
    const purpose = remove === undefined ? 'add' : { remove };
    return context.json(await passkeys.begin(holder, purpose, context.req.header('origin')));
  });

  const aboutAdd = describe({
    summary: 'Adds the passkey that was begun, within five minutes.',
    ...{ group, body: addSchema, example: { ticket: '…', name: 'Phone', registration: made }, refusals },
    responses: { 200: json('The new passkey.', z.object({ passkey: shownSchema }), { passkey: shown }) },
  });
  app.post('/api/passkeys', aboutAdd, async (context) => {
    const holder = await enterAsHolder(context);
    const given = parse(addSchema, await readBody(context));
    return context.json({ passkey: toShown(await passkeys.add(holder, given)) });
  });

  const aboutRename = describe({
    summary: 'Renames one’s own passkey.',
    ...{ group, body: renameSchema, example: { name: 'Old phone' }, responses: nothing },
  });
  app.patch('/api/passkeys/:passkeyId', aboutRename, async (context) => {
    const holder = await enterAsHolder(context);
    const { name } = parse(renameSchema, await readBody(context));
    if (!(await passkeys.rename(holder, context.req.param('passkeyId'), name))) throw new RefusalError('not_found');
    return context.body(null, 204);
  });

  const aboutRemoval = describe({
    summary: 'Removes one’s own passkey; one of them must sign that.',
    ...{ group, body: removeSchema, example: { ticket: '…', assertion: signed }, responses: nothing, refusals },
  });
  app.delete('/api/passkeys/:passkeyId', aboutRemoval, async (context) => {
    const holder = await enterAsHolder(context);
    const given = parse(removeSchema, await readBody(context));
    if (!(await passkeys.remove(holder, context.req.param('passkeyId'), given))) throw new RefusalError('not_found');
    return context.body(null, 204);
  });
}

const openDoor = 'This server admits everybody (--no-auth), so nobody can have a passkey here.';

function toShown(passkey: Passkey): z.infer<typeof shownSchema> {
  const { person: _, publicKey: __, counter: ___, transports, ...shown } = passkey;
  return { ...shown, fingerprint: fingerprintOfPasskey(passkey), ...(transports && { transports: [...transports] }) };
}
