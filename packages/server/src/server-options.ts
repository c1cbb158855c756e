import type { Agent, FileStore, Plugin, Store } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Authenticate } from './auth/embedder.ts';
import type { QuotaOptions } from './auth/quota-book.ts';
import type { RetentionLimits } from './hub/retention.ts';
import type { Durations } from './node/durations.ts';
import type { ReachSettings } from './reach/reaching.ts';
import type { Policy } from './tools/policy.ts';
import type { TurnLimits } from './turn/turn-limits.ts';

export interface ServerOptions {
  readonly store: Store;
  /** Where files of answers are kept; without it no form can ask for one (PLG13). */
  readonly files?: FileStore | undefined;
  readonly plugins?: readonly Plugin[];
  /** Beside the plugins' own, and `demo` where no other is the default. */
  readonly agents?: readonly Agent[];
  readonly defaultAgent?: string;
  readonly model?: string | undefined;
  /** Undefined lets everybody in, on loopback only (SEC2). */
  readonly token?: string | undefined;
  /** Who is let in beside the holders of tokens, as whoever embeds the server knows them (TRN3). */
  readonly authenticate?: Authenticate;
  /** Known to programs of this server's owner: with it they check whom they speak to before they send a token (SEC2). */
  readonly identityKey?: string;
  /** Origins whose pages may connect, besides the server's own; behind a proxy its public origin comes first. */
  readonly allowedOrigins?: readonly string[];
  /** Origins whose pages may show the page in a frame (TRN3); none unless it says so. */
  readonly frameAncestors?: readonly string[];
  /** TLS ends in a proxy before this server (SEC1). */
  readonly isBehindProxy?: boolean;
  readonly assetsDir?: string | undefined;
  /** Where plugins get a folder each. */
  readonly dataDir?: string;
  /** Plugins' own settings, by plugin name. */
  readonly pluginConfigs?: Readonly<Record<string, unknown>>;
  /** What the gate allows, asks about and denies, whatever tools and modes say (APR3). */
  readonly policies?: readonly Policy[];
  readonly durations?: Partial<Durations>;
  /** How people are reached who are not looking (NTF); by default keys that end with the server. */
  readonly reach?: ReachSettings;
  /** What a connection may send steadily, and four times as much at once (SEC6); 50 unless said. */
  readonly framesPerSecond?: number;
  /** What a turn may spend (AGT8): 200 messages and any number of tokens unless said. */
  readonly turnLimits?: Partial<TurnLimits>;
  /** Sockets of those who have not said hello, half of them from one address (SEC11); 3,000 by default. */
  readonly unadmittedSockets?: number;
  /** What one person may spend (SEC11); operators as much as they like unless it says so. */
  readonly quotas?: QuotaOptions;
  /** Which old sessions are kept (OPS6); all unless it says so. */
  readonly retention?: RetentionLimits;
  readonly log?: Logger;
  /** Whether the log says what errors say, which may hold arguments and answers: for an author alone (PLG12). Secrets stay redacted. */
  readonly logsMessages?: boolean;
  readonly version?: string;
  /** For tests: what the time is. */
  readonly now?: () => number;
}
