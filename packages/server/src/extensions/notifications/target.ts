import type {
  CommentSummary,
  Delivery,
  Instant,
  InteractionRequest,
  Json,
  Notification,
  PastPrompt,
  Principal,
} from '@parleyhq/core';

/** What a message of a chat needs besides the notification. */
export interface CardContext {
  /** The earlier delivery of this prompt to this target. */
  readonly delivery?: Delivery | undefined;
  /** The prompt, if it was settled. */
  readonly past?: PastPrompt | undefined;
  readonly isPending?: boolean | undefined;
  readonly comments?: CommentSummary | undefined;
}

/** A message that was sent, and its identification if it can be changed. */
export interface SentMessage {
  readonly message?: Json | undefined;
}

/** One way to notify one person. */
export interface Target {
  /** Id as in `Delivery.target`. */
  readonly id: string;
  /** `push`, or the name under which a notifier is configured. */
  readonly way: string;
  readonly principal: Principal;
  /** Whether each prompt has a message of its own, which is changed until it is settled (CHAT3). */
  readonly hasCards?: boolean;
  /** Returns when the person may be disturbed: now, or later. */
  freeAt(now: Instant): Instant;
  /**
   * Sends a notification. Resolves once it was accepted; undefined if there was nothing to send.
   * @param prompt - the prompt that the notification is about, if it is still open
   * @throws NotificationError
   */
  notify(
    news: Notification,
    prompt: InteractionRequest | undefined,
    context?: CardContext,
  ): Promise<SentMessage | undefined>;
}

/** Why a notification failed; notifiers may throw codes of their own (NTF3). */
type NotificationErrorCode =
  | 'account_gone'
  | 'address_refused'
  | 'device_gone'
  | 'handler_error'
  | 'handler_timeout'
  | 'receiver_refused'
  | 'receiver_timeout'
  | 'receiver_unreachable'
  | (string & {});

interface NotificationErrorOptions extends ErrorOptions {
  readonly isFinal?: boolean;
  readonly isUnclear?: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** A notification could not be sent. */
export class NotificationError extends Error {
  readonly code: NotificationErrorCode;
  /** Whether trying again would not help. */
  readonly isFinal: boolean;
  /** Whether it may have been sent nevertheless. */
  readonly isUnclear: boolean;
  /** Delay that the receiver asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(code: NotificationErrorCode, message: string, options: NotificationErrorOptions = {}) {
    super(message, options);
    this.name = 'NotificationError';
    this.code = code;
    this.isFinal = options.isFinal ?? false;
    this.isUnclear = options.isUnclear ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
