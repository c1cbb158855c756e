import type { Instant, InteractionRequest, News, Principal } from '@parleyhq/core';

/** One way to tell one person. */
export interface Target {
  /** As in `Delivery.target`. */
  readonly id: string;
  /** `push`, or the name of a notifier. */
  readonly way: string;
  readonly principal: Principal;
  /** When it may be disturbed: now, or later. */
  freeAt(now: Instant): Instant;
  /**
   * Resolves once the news is taken. The prompt is what the news is about, if that waits.
   * @throws TellError
   */
  tell(news: News, prompt: InteractionRequest | undefined): Promise<void>;
}

/** Somebody could not be told. */
export class TellError extends Error {
  /** Trying again would not help. */
  readonly isFinal: boolean;
  /** What its receiver asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { isFinal?: boolean; retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.name = 'TellError';
    this.isFinal = options.isFinal ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
