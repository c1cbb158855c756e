import {
  type Card,
  type ChatAccount,
  type ChatAnswer,
  type ChatLink,
  type ChatReply,
  type ClientFrameOf,
  clientFrameSchema,
  describeResponse,
  type FormValues,
  findPrompt,
  type InteractionRequest,
  isRecord,
  maySend,
  type OpenPrompt,
  type PastPrompt,
  RefusalError,
  type Store,
  type WireErrorCode,
  wireErrors,
} from '@parleyhq/core';
import { hashOf, newId, type SessionHub, type SessionRuntime, toRefusal } from '@parleyhq/runtime';
import type { Admission, Auth } from '../auth/auth.ts';
import { hashLinkCode } from '../auth/link-code.ts';
import type { Tickets } from '../auth/ticket.ts';
import { type CardCode, isTicketOf, makeCardTicket, readCardTicket } from '../extensions/notifications/card-ticket.ts';
import { targetOf } from '../extensions/notifications/chat-target.ts';
import type { Chat } from '../extensions/notifications/chats.ts';
import { findCard } from '../extensions/notifications/find-card.ts';
import { describeHolder, type LinkHolder } from '../extensions/notifications/link-holder.ts';
import type { ChatDesk } from '../extensions/notifications/listeners.ts';
import { findOption, makeCard } from '../extensions/notifications/make-card.ts';
import { linkTo } from '../extensions/notifications/make-notification.ts';
import type { NotificationService } from '../extensions/notifications/notification-service.ts';
import { describeSettlement } from '../extensions/notifications/settlement.ts';
import { answer } from './answer.ts';
import { commentInteraction } from './comment.ts';
import type { Services } from './services.ts';

export interface ChatDeskParts extends Pick<Services, 'voters' | 'stepUp' | 'files' | 'quotas' | 'inbox'> {
  readonly hub: Pick<SessionHub, 'openFor'>;
  readonly auth: Pick<Auth, 'findHolder' | 'countWrongCode'>;
  readonly store: Pick<Store, 'links' | 'deliveries' | 'epoch'>;
  readonly tickets: Tickets;
  readonly notifications: Pick<NotificationService, 'chats' | 'scheduler' | 'baseUrl'>;
  readonly now: () => number;
}

/** A linked account, and the person for whom it acts now. */
interface Presser extends Admission {
  readonly link: ChatLink;
  readonly client: LinkHolder;
}

/** A card that its account holds in its hand: a verified ticket, and its prompt. */
interface OpenedCard {
  readonly presser: Presser;
  readonly code: CardCode;
  readonly runtime: SessionRuntime;
  readonly request: InteractionRequest;
  readonly prompt: OpenPrompt | undefined;
  readonly past: PastPrompt | undefined;
}

const actionOf: Readonly<Record<string, string>> = { a: 'approve', d: 'deny', c: 'cancel', s: 'submit' };

/** In minutes: a week. */
const longestSnooze = 7 * 24 * 60;

/** What may succeed if it is delivered again. */
const isTransient: ReadonlySet<WireErrorCode> = new Set<WireErrorCode>([
  'retry_later',
  'storage_busy',
  'storage_failed',
  'storage_full',
  'internal',
]);

const notLinked = 'This account is not linked to anybody in Parley. Make a code there, and send it to me.';
const linkEnded = 'The log-in or token that this account was linked with has ended. Link it again.';
const notYours = 'This button is not for this account.';
const wrongCode = 'This code is not valid: each works once, for ten minutes. Make a new one in Parley.';

/**
 * Returns what a chat may ask for on behalf of its accounts: the one way in (CHAT1). Every call looks up the account's link and
 * its token, and what it does is decided by the same law as everybody's answers (CHAT2).
 */
export function makeChatDesk({ way }: Pick<Chat, 'way'>, parts: ChatDeskParts): ChatDesk {
  const { links } = parts.store;
  const guard = async (work: () => Promise<ChatReply>): Promise<ChatReply> => {
    try {
      return await work();
    } catch (error) {
      const refusal = toRefusal(error);
      if (isTransient.has(refusal.code)) throw refusal;
      return toReply(refusal);
    }
  };
  const withCard = (ticket: string, account: ChatAccount, work: (card: OpenedCard) => Promise<ChatReply>) =>
    guard(async () => {
      const presser = await findPresser(parts, way, account);
      parts.quotas.pace(presser.principal);
      const card = await openCard(parts, presser, ticket);
      try {
        const reply = await work(card);
        return { ...reply, card: reply.card ?? (await showCard(parts, card)) };
      } catch (error) {
        const refusal = toRefusal(error);
        if (isTransient.has(refusal.code)) throw refusal;
        const shown = await showCard(parts, card);
        return { ...toReply(refusal, shown.outcome), card: shown };
      }
    });
  return {
    answer: (given, account) =>
      withCard(given.ticket, account, async (card) => ({ isDone: true, text: await giveAnswer(parts, card, given) })),
    card: (ticket, account) => withCard(ticket, account, async () => ({ isDone: true, text: '' })),
    comment: ({ ticket, text, id }, account) =>
      withCard(ticket, account, async ({ presser: { client }, runtime, request: { interactionId } }) => {
        const commentId = `chat-${hashOf([way, account.id, id].join(' '))}`;
        const sessionId = runtime.session.id;
        const frame = readFrame({ type: 'comment_interaction', sessionId, interactionId, commentId, text });
        if (!maySend(client.principal, frame, '')) throw new RefusalError('forbidden');
        await commentInteraction({ runtime, client, services: parts }, frame);
        return { isDone: true, text: 'Your comment was added.' };
      }),
    snooze: ({ ticket, minutes }, account) =>
      withCard(ticket, account, async (card) => {
        const { presser, runtime, request, prompt } = card;
        const { interactionId } = request;
        if (!prompt) throw new RefusalError('closed');
        if (!(minutes > 0 && minutes <= longestSnooze))
          throw new RefusalError('invalid', { message: `It can be postponed for up to ${longestSnooze} minutes.` });
        const until = parts.now() + minutes * 60_000;
        const place = { sessionId: runtime.session.id, interactionId };
        await parts.notifications.scheduler.snooze(place, targetOf(presser.link), until);
        const outcome = `Postponed until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
        const shown = await showCard(parts, { ...card, outcome });
        return { isDone: true, text: 'You will be asked again later.', card: shown };
      }),
    redraw: (message, card, draw) => parts.notifications.chats.redraw(way, { message, card }, draw),
    link: (code, account) => guard(() => linkAccount(parts, way, { code, account })),
    burn: async (code) => {
      await links.dropCode(hashLinkCode(code)).catch((error: unknown) => Promise.reject(toRefusal(error)));
    },
    unlink: (account) =>
      guard(async () => {
        const link = await links.find(way, account.id);
        if (!link || !(await links.remove(link.id))) throw new RefusalError('not_found', { message: notLinked });
        await parts.notifications.chats.look();
        return { isDone: true, text: 'This account is not linked any more.' };
      }),
  };
}

/** Links an account by a code. A code that is delivered again to the account that it linked counts as used now. */
async function linkAccount(
  { store: { links }, notifications, auth, now }: ChatDeskParts,
  way: string,
  { code, account }: { readonly code: string; readonly account: ChatAccount },
): Promise<ChatReply> {
  const codeHash = hashLinkCode(code);
  const known = { id: account.id, ...(account.name !== undefined && { name: account.name.slice(0, 100) }) };
  const made = { id: newId(), createdAt: new Date(now()).toISOString(), notifier: way, account: known, codeHash };
  const earlier = await links.find(way, account.id);
  const isKnown = (await links.findCode(codeHash, now())) !== undefined; // read first: a wrong guess then causes no write
  const redeemed = isKnown ? await links.redeem(made, now()) : undefined;
  const link = redeemed ?? (earlier?.codeHash === codeHash ? earlier : undefined);
  const admission = link && (await auth.findHolder(link));
  if (!admission) {
    await auth.countWrongCode(`${way} ${account.id}`);
    throw new RefusalError('not_found', { message: wrongCode });
  }
  await notifications.chats.look();
  const { id, name = id } = admission.principal;
  const isAsked = [...notifications.chats.targets].some(({ id }) => id === targetOf(link));
  const use = isAsked ? 'you are asked here, and can answer here.' : 'this server does not ask you here.';
  return { isDone: true, text: `This account is linked to ${name}: ${use}` };
}

/** @throws RefusalError `unauthorised` */
async function findPresser({ store, auth }: ChatDeskParts, way: string, account: ChatAccount): Promise<Presser> {
  const link = await store.links.find(way, account.id);
  if (!link) throw new RefusalError('unauthorised', { message: notLinked });
  const admission = await auth.findHolder(link);
  if (!admission) throw new RefusalError('unauthorised', { message: linkEnded });
  const label = account.name?.slice(0, 100);
  return { ...admission, link, client: describeHolder(admission, { label, transport: way }) };
}

/** Verifies a ticket. @throws RefusalError `forbidden` if it was made for another account, prompt or text */
async function openCard(parts: ChatDeskParts, presser: Presser, ticket: string): Promise<OpenedCard> {
  const { hub, inbox, store, tickets } = parts;
  const pressed = readCardTicket(ticket);
  const refusal = new RefusalError('forbidden', { message: notYours });
  if (!pressed) throw refusal;
  const sources = { inbox, deliveries: store.deliveries, epoch: store.epoch };
  const place = await findCard(sources, pressed.cardKey, presser);
  if (!place) throw refusal;
  const { sessionId, interactionId } = place;
  const runtime = await hub.openFor(presser.principal, sessionId);
  runtime.session.requireLife();
  const prompt = findPrompt(runtime.session.head, interactionId);
  const past = prompt ? undefined : await runtime.session.reader.findPast(interactionId);
  const request = prompt?.request ?? past?.request;
  if (!request || runtime.session.visibility.hides(presser.principal, request.toolCallId)) throw refusal;
  if (!isTicketOf(tickets, { target: targetOf(presser.link), sessionId, request }, pressed)) throw refusal;
  return { presser, code: pressed.code, runtime, request, prompt, past };
}

/** Answers a prompt. @returns what became of it, in words @throws RefusalError */
async function giveAnswer(
  parts: ChatDeskParts,
  { presser, code, runtime, request }: OpenedCard,
  { ticket, action, values, reason }: ChatAnswer,
): Promise<string> {
  const meant = actionOf[code.charAt(0)];
  if (meant === undefined || meant !== action) throw new RefusalError('forbidden', { message: notYours });
  const input: FormValues | undefined = code.length > 1 ? findOption(request, code) : values;
  const given = {
    action: meant as 'approve' | 'deny' | 'cancel' | 'submit',
    ...(meant === 'approve' && { approvalScope: 'once' as const }),
    ...(meant === 'submit' && { input: input ?? {} }),
    ...(reason !== undefined && { reason }),
  };
  const { toolCallId: callId, interactionId, digest } = request;
  const frame = readFrame({
    ...{ type: 'tool_interaction_response', sessionId: runtime.session.id, callId, interactionId, digest },
    answerId: `chat-${hashOf(ticket)}`, // the same press again gets the stored reply
    ...given,
  });
  await answer({ runtime, client: { ...presser.client, isEnabled: true }, services: parts }, frame);
  return `${describeResponse(request, given)}.`;
}

/** Checks what a plugin made, as if it had come over a socket. @throws RefusalError `invalid` */
function readFrame<Type extends 'tool_interaction_response' | 'comment_interaction'>(
  frame: ClientFrameOf<Type>,
): ClientFrameOf<Type> {
  const read = clientFrameSchema.safeParse(frame);
  if (read.success) return read.data as ClientFrameOf<Type>;
  throw new RefusalError('invalid', { message: read.error.issues[0]?.message ?? wireErrors.invalid });
}

/** Returns a card as it is now. @param outcome - what the account did with it, if that leaves the prompt open */
async function showCard(
  { tickets, notifications }: ChatDeskParts,
  { presser, runtime: { session }, request, outcome }: OpenedCard & { readonly outcome?: string },
): Promise<Card> {
  const { interactionId } = request;
  const prompt = findPrompt(session.head, interactionId);
  const past = prompt ? undefined : await session.reader.findPast(interactionId);
  const ref = { target: targetOf(presser.link), sessionId: session.id, request };
  return makeCard({
    request: prompt?.request ?? request,
    sessionTitle: session.row.title,
    url: linkTo({ sessionId: session.id, interactionId }, notifications.baseUrl()),
    state: !prompt ? 'settled' : outcome === undefined ? 'open' : 'snoozed',
    isPending: prompt?.state === 'pending',
    comments: prompt?.comments,
    outcome: past ? describeSettlement(past) : outcome,
    ticketFor: (code) => makeCardTicket(tickets, ref, code),
  });
}

/** Returns a refusal in words for the account's holder. */
function toReply({ code, message, details }: RefusalError, outcome?: string): ChatReply {
  const fieldErrors = isRecord(details) && isRecord(details.fieldErrors) ? details.fieldErrors : undefined;
  const isOver = ['already_answered', 'closed', 'stale', 'idempotency_conflict'].includes(code); // the last: by another button
  const isEnded = code === 'unauthorised' && message === wireErrors.unauthorised;
  return {
    isDone: false,
    code,
    text: isOver && outcome !== undefined ? `Too late: ${outcome}.` : isEnded ? linkEnded : message,
    ...(fieldErrors && { fieldErrors: fieldErrors as Record<string, string> }),
  };
}
