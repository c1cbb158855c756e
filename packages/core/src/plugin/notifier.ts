import type { Awaitable } from '../basics/awaitable.ts';
import type { Parameters } from '../schema/standard-schema.ts';
import type { News } from './reach.ts';
import type { PluginLog } from './tool.ts';

/** A request that a notifier sends. */
export interface NotifierRequest {
  /** `POST` unless it says otherwise. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a notifier gets with its news. */
export interface NotifierHost {
  /** What is configured for this person, as `configSchema` returned it. */
  readonly config: unknown;
  readonly log: PluginLog;
  /** Aborts when its time is over, or the server stops. */
  readonly signal: AbortSignal;
  /**
   * Sends a request to the public internet, or to where the server's owner allows it; resolves with a status from 200 to 299, and
   * follows no redirect. What it throws says itself whether it is to be tried again: let it through.
   */
  send(url: string, request?: NotifierRequest): Promise<void>;
  /** Opens this prompt for this person without a log-in, once; where the configuration has such links, and never at high risk. */
  readonly oneTimeUrl?: string;
}

/** A way to tell somebody, as a plugin brings it (NTF3). Whom it tells is configured. */
export interface Notifier {
  readonly name: string;
  /** Of what is configured for each person. */
  readonly configSchema?: Parameters;
  /**
   * Tells one person one thing. Returning `false` says that there was nothing to tell, as of news that it cannot take back. What it
   * throws is tried again for about a day, unless it has `isFinal: true`; `retryAfterMs` delays the next attempt, and `code` is kept.
   */
  notify(news: News, host: NotifierHost): Awaitable<unknown>;
}
