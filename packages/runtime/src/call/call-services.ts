import type {
  Asked,
  Availability,
  FileReference,
  InteractionRequest,
  Limit,
  SessionId,
  Store,
  ToolCallId,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import type { GrantService } from '../grant/grant-service.ts';
import type { ErrorDetail } from '../log/describe-error.ts';
import type { Secrets } from '../log/secrets.ts';
import type { Durations } from '../node/durations.ts';
import type { Node } from '../node/node.ts';
import type { SecretExchange } from '../node/secret-exchange.ts';
import type { Policy } from '../tools/policy.ts';
import type { StepUp } from '../tools/step-up.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { CallGates } from './call-gates.ts';
import type { ReEntries } from './re-entries.ts';
import type { Reviewers } from './reviewers.ts';

/** The tools and the configured policies for them. */
export interface Toolbox {
  readonly registry: ToolRegistry;
  readonly policies: readonly Policy[];
  readonly gates: CallGates;
  readonly reviewers: Reviewers;
}

/** Rules that apply to every question. */
export interface AskingRules {
  readonly durations: Durations;
  /** Which prompts demand a passkey; none if absent (SIGN2). */
  readonly stepUp?: StepUp | undefined;
  /** Returns who could currently answer in a session, or one of its prompts (INT14). */
  availability(sessionId: SessionId, asked?: Asked): Availability;
  /** Returns the default timeout of a prompt: longer if somebody who is not watching can be notified (NTF1). */
  patience(sessionId: SessionId, asked: Asked): Pick<InteractionRequest, 'timeoutMs' | 'isUnwatched'>;
  /** Counts a limit that was reached (SEC6). */
  reached(limit: Limit): void;
}

/** Process-wide services a call may use. */
export interface CallHost {
  readonly node: Node;
  readonly store: Pick<Store, 'events' | 'index' | 'pluginState'>;
  readonly log: Logger;
  /** Secrets of all calls, which must not appear in the log (SEC8). */
  readonly secrets: Secrets;
  /** How much detail of errors the log gets. */
  readonly errorDetail: ErrorDetail;
  /** Decrypts secrets that another process received, which are never stored in the clear (INT17). */
  readonly secretExchange: SecretExchange;
  /** Reports that a tool's handler has ended and its own time in ms, without waiting for people (OPS7). */
  ran(tool: string, ownMs: number): void;
  /** Reports that this many waiting calls left memory (DUR10). */
  slept(calls: number): void;
  readonly files: CallFiles;
}

/** Files that people gave in answers (PLG13). */
export interface CallFiles {
  /** Whether this server keeps files. */
  readonly isThere: boolean;
  /** Returns the file's content; undefined if this server does not have it. */
  read(sessionId: SessionId, file: FileReference): Promise<ReadableStream<Uint8Array> | undefined>;
}

/** Makes the addresses at which outside programs call back (PLG11). */
export interface CallbackAddressing {
  addressOf(place: CallbackWait): Promise<string>;
  /** Makes the address to which a browser returns. */
  returnAddressOf(place: CallbackWait): Promise<string>;
}

/** The wait that a callback ends. */
export interface CallbackWait {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly key: string;
}

/** Services that the server gives to each call. */
export interface CallServices {
  readonly toolbox: Toolbox;
  readonly grants: GrantService;
  readonly asking: AskingRules;
  readonly host: CallHost;
  readonly callbacks: CallbackAddressing;
  readonly reEntries: ReEntries;
}
