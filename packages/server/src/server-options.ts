import type { KeyObject } from 'node:crypto';
import type { Agent, FileStore, Plugin, Store } from '@parleyhq/core';
import type { Durations, Policy, ReviewerSettings, StepUp, TurnLimits } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import type { Authenticate } from './auth/embedder.ts';
import type { OidcSettings } from './auth/oidc/oidc-settings.ts';
import type { QuotaOptions } from './auth/quota-service.ts';
import type { NotificationSettings } from './extensions/notifications/notification-service.ts';
import type { RetentionLimits } from './extensions/retention/retention.ts';

export interface ServerOptions {
  readonly store: Store;
  /** Store for files of answers and messages; without it nobody can be asked for a file or attach one (PLG13, REV6). */
  readonly files?: FileStore | undefined;
  readonly plugins?: readonly Plugin[];
  /** Agents in addition to those of the plugins; `demo` is added unless another agent is the default. */
  readonly agents?: readonly Agent[];
  readonly defaultAgent?: string;
  readonly model?: string | undefined;
  /** The owner's token; if undefined, everybody is admitted, and the server listens on loopback only (SEC2). */
  readonly token?: string | undefined;
  /** Admits the users of the embedding application, in addition to the holders of tokens (TRN3). */
  readonly authenticate?: Authenticate;
  /** Lets people log in at a provider of OpenID Connect, in addition to the holders of tokens (SIGN1). */
  readonly oidc?: OidcSettings | undefined;
  /** Key shared with the owner's programs: they verify the server's identity with it before they send a token (SEC2). */
  readonly identityKey?: string;
  /** Opens the Ed25519 key that signs receipts (SIGN3). Without it this server writes none. */
  readonly receiptKey?: () => KeyObject;
  /** Origins whose pages may connect, besides the server's own; behind a proxy its public origin comes first. */
  readonly allowedOrigins?: readonly string[];
  /** Origins that may embed the page in a frame (TRN3). Default: none */
  readonly frameAncestors?: readonly string[];
  /** TLS ends in a proxy before this server (SEC1). */
  readonly isBehindProxy?: boolean;
  readonly assetsDir?: string | undefined;
  /** Folder in which each plugin gets a subfolder. */
  readonly dataDir?: string;
  /** Plugins' own settings, by plugin name. */
  readonly pluginConfigs?: Readonly<Record<string, unknown>>;
  /** Rules that allow, ask about or deny calls, regardless of what tools and permission modes say (APR3). */
  readonly policies?: readonly Policy[];
  /**
   * Which prompts are answered only with a passkey of the person who answers (SIGN2); none by default. Needs people who log in:
   * a token, `authenticate` or `oidc`.
   */
  readonly stepUp?: StepUp | undefined;
  /** Configured reviewers, which policies name; one that needs no configuration need not be listed (LESS3). */
  readonly reviewers?: readonly ReviewerSettings[];
  /** Number of approvals by one person after which a rule that covers them is suggested (LESS2); 0: none is. Default: 5 */
  readonly suggestAfter?: number;
  readonly durations?: Partial<Durations>;
  /** How people who are not looking at a page are notified (NTF); by default with keys that are lost when the server ends. */
  readonly reach?: NotificationSettings;
  /** Sustained frames per second of one connection; bursts may be four times as large (SEC6). Default: 50 */
  readonly framesPerSecond?: number;
  /** Limits of one turn (AGT8). Default: 200 messages and any number of tokens */
  readonly turnLimits?: Partial<TurnLimits>;
  /** Maximum number of sockets that have not said hello, half of them from one address (SEC11). Default: 3,000 */
  readonly unadmittedSockets?: number;
  /** Limits of one person (SEC11); operators are unlimited by default. */
  readonly quotas?: QuotaOptions;
  /** Which old sessions are kept (OPS6). Default: all */
  readonly retention?: RetentionLimits;
  readonly log?: Logger;
  /**
   * Whether the log includes error messages, which may contain arguments and answers; meant for plugin authors (PLG12). Secrets
   * stay redacted.
   */
  readonly logsMessages?: boolean;
  readonly version?: string;
  /** Returns a random number from 0 up to, but not including, 1: which passes of reviewers people are asked about; for tests. */
  readonly draw?: () => number;
  /** Current time in ms; for tests. */
  readonly now?: () => number;
}
