import {
  authorityOf,
  type ChatLink,
  type Credential,
  includesRole,
  ownerId,
  type Principal,
  RefusalError,
  type Store,
} from '@parleyhq/core';
import type { Hono } from 'hono';
import * as z from 'zod';
import { hashLinkCode, linkCodeMs, makeLinkCode } from '../auth/link-code.ts';
import type { NotificationService } from '../extensions/notifications/notification-service.ts';
import { nameWay } from '../extensions/notifications/ways.ts';
import { type Entry, enter, parse, readBody } from './frame-request.ts';
import { describe, json, nothing } from './operation.ts';
import type { Env } from './request.ts';

export interface LinkRoutes extends Entry {
  readonly notifications: NotificationService;
  readonly links: Store['links'];
  readonly now: () => number;
}

const accountSchema = z.object({ id: z.string(), name: z.string().optional() });
const linkSchema = z.object({
  id: z.string(),
  createdAt: z.string(),
  notifier: z.string(),
  account: accountSchema,
});
const chatSchema = z.object({ name: z.string(), title: z.string(), howToLink: z.string().optional() });
const idSchema = z.strictObject({ id: z.string().max(200) });
const group = 'Chat';

const link = {
  ...{ id: 'l-1', createdAt: '2026-03-01T12:00:00.000Z', notifier: 'chat' },
  account: { id: '48151623', name: 'Ann' },
};
const chat = { name: 'chat', title: 'Chat', howToLink: 'Send /start {code} to the bot.' };

/** Serves the links of one's chat accounts (CHAT2). */
export function serveLinks(app: Hono<Env>, routes: LinkRoutes): void {
  const { links, notifications, now } = routes;
  const aboutLinks = describe({
    ...{ group, summary: 'One’s own linked chat accounts, and the chats in which accounts can be linked.' },
    responses: {
      200: json('Oldest first.', z.object({ links: z.array(linkSchema), chats: z.array(chatSchema) }), {
        links: [link],
        chats: [chat],
      }),
    },
  });
  app.get('/api/links', aboutLinks, async (context) => {
    const { principal, credential } = await enter(context, routes, { as: 'person' });
    const own = (await links.list()).filter((each) => each.principal === principal.id);
    const linkable = mayLink(principal, credential) ? notifications.chats.all : [];
    const chats = linkable.map(({ way, notifier: { howToLink } }) => ({
      ...{ name: way, title: nameWay(way) },
      ...(howToLink !== undefined && { howToLink }),
    }));
    return context.json({ links: own.map(toShown), chats });
  });

  const aboutCode = describe({
    summary: 'Makes a code that links a chat account, once.',
    ...{ group, body: z.strictObject({}), example: {} },
    responses: {
      200: json('It is not shown again.', z.object({ code: z.string(), expiresAt: z.string() }), {
        ...{ code: '0f7kq2mzd91bxw4c', expiresAt: '2026-03-01T12:10:00.000Z' },
      }),
    },
  });
  app.post('/api/links', aboutCode, async (context) => {
    const { principal, credential = {} } = await enter(context, routes, { as: 'person' });
    if (!mayLink(principal, credential)) throw new RefusalError('forbidden');
    parse(z.strictObject({}), await readBody(context));
    const [code, at] = [makeLinkCode(), now()];
    const expiresAt = new Date(at + linkCodeMs).toISOString();
    const made = { principal: principal.id, credential, expiresAt };
    await links.addCode(hashLinkCode(code), made, authorityOf(credential, at));
    return context.json({ code, expiresAt });
  });

  const aboutEnd = describe({
    summary: 'Ends the link of a chat account.',
    ...{ group, body: idSchema, example: { id: 'l-1' }, responses: nothing },
  });
  app.delete('/api/links', aboutEnd, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const { id } = parse(idSchema, await readBody(context));
    const own = (await links.list()).find((each) => each.id === id && each.principal === principal.id);
    if (!own || !(await links.remove(id))) throw new RefusalError('not_found');
    await notifications.chats.look();
    return context.body(null, 204);
  });
}

/** Whether an account of this person could answer, and somebody could end its link. */
function mayLink({ id, role }: Principal, { tokenId, loginHash }: Credential = {}): boolean {
  const isNamed = tokenId !== undefined || loginHash !== undefined;
  return includesRole(role, 'responder') && (isNamed || id === ownerId);
}

function toShown({ id, createdAt, notifier, account }: ChatLink): z.infer<typeof linkSchema> {
  const { name } = account;
  return { id, createdAt, notifier, account: { id: account.id, ...(name !== undefined && { name }) } };
}
