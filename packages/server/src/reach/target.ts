import type { Instant, InteractionRequest, News, Principal } from '@parleyhq/core';

/** One way to tell one person. */
export interface Target {
  /** As in `Delivery.target`. */
  readonly id: string;
  /** `push`, or the name under which a notifier is configured. */
  readonly way: string;
  readonly principal: Principal;
  /** When it may be disturbed: now, or later. */
  freeAt(now: Instant): Instant;
  /**
   * Resolves once the news is taken: to whether there was anything to tell. The prompt is what the news is about, if that waits.
   * @throws TellError
   */
  tell(news: News, prompt: InteractionRequest | undefined): Promise<boolean>;
}

/** Why somebody was not told; a notifier may throw codes of its own (NTF3). */
type TellCode =
  | 'address_refused'
  | 'device_gone'
  | 'handler_error'
  | 'handler_timeout'
  | 'receiver_refused'
  | 'receiver_timeout'
  | 'receiver_unreachable'
  | (string & {});

interface TellErrorOptions extends ErrorOptions {
  readonly isFinal?: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** Somebody could not be told. */
export class TellError extends Error {
  readonly code: TellCode;
  /** Trying again would not help. */
  readonly isFinal: boolean;
  /** What its receiver asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(code: TellCode, message: string, options: TellErrorOptions = {}) {
    super(message, options);
    this.name = 'TellError';
    this.code = code;
    this.isFinal = options.isFinal ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
