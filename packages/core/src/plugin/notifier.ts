import type { Awaitable } from '../basics/awaitable.ts';
import type { Parameters } from '../schema/standard-schema.ts';
import type { Notification } from './notification.ts';
import type { PluginLog } from './tool.ts';

/** An HTTP request that a notifier sends. */
export interface NotifierRequest {
  /** `POST` by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Services for one notification. */
export interface NotifierHost {
  /** Configuration for this person, as `configSchema` returned it. */
  readonly config: unknown;
  readonly log: PluginLog;
  /** Aborts on a timeout, or when the server stops. */
  readonly signal: AbortSignal;
  /**
   * Sends a request to the public internet, or to an address that the server's owner allows. Resolves on a status from 200 to
   * 299, and follows no redirects. Let its errors through: they state whether to retry.
   */
  send(url: string, request?: NotifierRequest): Promise<void>;
  /**
   * Opens this prompt for this person without a log-in, once. Only if the configuration enables such links, and never at high
   * risk.
   */
  readonly oneTimeUrl?: string;
}

/** A way to notify people, provided by a plugin (NTF3). The configuration says whom. */
export interface Notifier {
  readonly name: string;
  /** Schema of the configuration for each person. */
  readonly configSchema?: Parameters;
  /**
   * Notifies one person. Returns `false` if there was nothing to send, such as a withdrawal that this way does not support.
   * Errors are retried for about a day, unless they have `isFinal: true`; `retryAfterMs` delays the next attempt, and `code` is
   * kept.
   */
  notify(news: Notification, host: NotifierHost): Awaitable<unknown>;
}
