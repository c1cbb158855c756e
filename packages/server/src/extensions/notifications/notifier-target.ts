import {
  type Credential,
  type Instant,
  type InteractionRequest,
  type Notification,
  type NotificationDetail,
  type Notifier,
  type NotifierRequest,
  type PluginLog,
  type Principal,
  type QuietHours,
  toToolError,
} from '@parleyhq/core';
import { abortAfter, limitTime } from '@parleyhq/runtime';
import type { Tickets } from '../../auth/ticket.ts';
import { makeOneTimeLink } from './one-time-link.ts';
import { endOfQuiet } from './quiet-hours.ts';
import { NotificationError, type SentMessage, type Target } from './target.ts';

/** In characters: longer error messages are truncated. */
const maxFaultLength = 300;

export interface NotifierTargetParts {
  /** @throws NotificationError */
  readonly send: (url: string, request: Required<NotifierRequest>) => Promise<void>;
  /** Time limit of one attempt, in ms. */
  readonly limitMs: number;
  readonly tickets: Pick<Tickets, 'sign'>;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** One recipient of a notifier, as configured. */
export interface NotifierTargetSettings {
  /** Name under which the notifier is configured. */
  readonly way: string;
  readonly notifier: Notifier;
  readonly principal: Principal;
  readonly credential: Credential;
  /** When their token was created. */
  readonly since?: string | undefined;
  readonly detail: NotificationDetail;
  readonly quiet: QuietHours | undefined;
  readonly config: unknown;
  readonly log: PluginLog;
  readonly hasOneTimeLinks: boolean;
}

/** A person who is notified by a plugin's notifier (NTF3). */
export class NotifierTarget implements Target {
  readonly id: string;
  readonly way: string;
  readonly principal: Principal;
  readonly credential: Credential;
  readonly since?: string | undefined;
  readonly detail: NotificationDetail;
  /** Whether its notifications may contain one-time links (NTF3). */
  readonly hasOneTimeLinks: boolean;
  readonly #settings: NotifierTargetSettings;
  readonly #parts: NotifierTargetParts;

  constructor(settings: NotifierTargetSettings, parts: NotifierTargetParts) {
    const { way, principal, credential, since, detail, hasOneTimeLinks } = settings;
    this.id = `${way}:${principal.id}`;
    this.way = way;
    this.principal = principal;
    this.credential = credential;
    this.since = since;
    this.detail = detail;
    this.hasOneTimeLinks = hasOneTimeLinks;
    this.#settings = settings;
    this.#parts = parts;
  }

  freeAt(now: Instant): Instant {
    return endOfQuiet(this.#settings.quiet, now);
  }

  async notify(news: Notification, prompt: InteractionRequest | undefined): Promise<SentMessage | undefined> {
    const { notifier, config, log } = this.#settings;
    const { send, tickets } = this.#parts;
    const oneTimeUrl = this.hasOneTimeLinks && prompt ? makeOneTimeLink(tickets, this, { news, prompt }) : undefined;
    const call = (url: string, { method = 'POST', headers = {}, body = '' }: NotifierRequest = {}) =>
      send(url, { method, headers, body });
    const link = oneTimeUrl !== undefined && { oneTimeUrl };
    const result = await callNotifier(this.#parts, (signal) =>
      notifier.notify(structuredClone(news), { config, log, signal, send: call, ...link }),
    );
    return result === false ? undefined : {};
  }
}

/** Calls a notifier of a plugin, for a limited time. @throws NotificationError */
export async function callNotifier(
  { limitMs, stopping }: Pick<NotifierTargetParts, 'limitMs' | 'stopping'>,
  run: (signal: AbortSignal) => unknown,
): Promise<unknown> {
  const late = (ms: number) => new NotificationError('handler_timeout', `It took longer than ${ms} ms.`);
  try {
    return await abortAfter(limitMs, [stopping], async (signal) => limitTime(limitMs, () => run(signal), late));
  } catch (error) {
    throw toNotificationError(error);
  }
}

/** Converts whatever a plugin threw; never throws itself (PLG6). */
function toNotificationError(thrown: unknown): NotificationError {
  if (thrown instanceof NotificationError) return thrown;
  const { code, message } = toToolError(thrown, 'handler_error');
  const text = message.length > maxFaultLength ? `${message.slice(0, maxFaultLength - 1)}…` : message;
  return new NotificationError(code, text, { cause: thrown, ...readWishes(thrown) });
}

function readWishes(thrown: unknown): { isFinal?: boolean; isUnclear?: boolean; retryAfterMs?: number } {
  try {
    const { isFinal, isUnclear, retryAfterMs } = Object(thrown) as Readonly<Record<string, unknown>>;
    const isTime = Number.isFinite(retryAfterMs) && Number(retryAfterMs) > 0;
    return {
      isFinal: isFinal === true,
      isUnclear: isUnclear === true,
      ...(isTime && { retryAfterMs: Number(retryAfterMs) }),
    };
  } catch {
    return {}; // a getter that throws counts as no wish
  }
}
