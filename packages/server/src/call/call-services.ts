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
import type { GrantBook } from '../grant/grant-book.ts';
import type { Frankness } from '../log/describe-error.ts';
import type { Secrets } from '../log/secrets.ts';
import type { Durations } from '../node/durations.ts';
import type { Node } from '../node/node.ts';
import type { Sealing } from '../node/sealing.ts';
import type { Policy } from '../tools/policy.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { CallGates } from './call-gates.ts';
import type { ReEntries } from './re-entries.ts';

/** The tools, and what the configuration says of them. */
export interface Toolbox {
  readonly registry: ToolRegistry;
  readonly policies: readonly Policy[];
  readonly gates: CallGates;
}

/** What holds for every question. */
export interface AskingRules {
  readonly durations: Durations;
  /** Live: who could answer right now in a session, or one of its prompts (INT14). */
  availability(sessionId: SessionId, asked?: Asked): Availability;
  /** How long a prompt that does not say so waits: longer where somebody can be reached who is not looking (NTF1). */
  patience(sessionId: SessionId, asked: Asked): Pick<InteractionRequest, 'timeoutMs' | 'isUnwatched'>;
  /** A limit was reached (SEC6). */
  reached(limit: Limit): void;
}

/** What a call has of the process around it. */
export interface CallHost {
  readonly node: Node;
  readonly store: Pick<Store, 'events' | 'index' | 'pluginState'>;
  readonly log: Logger;
  /** Those of all calls: what the log must not say (SEC8). */
  readonly secrets: Secrets;
  /** How much the log says of errors. */
  readonly frankness: Frankness;
  /** What was typed at other nodes, and is never stored, comes sealed (OPS4). */
  readonly sealing: Sealing;
  /** The handler of a tool has ended, after so much time of its own: waiting for people is not counted (OPS7). */
  ran(tool: string, ownMs: number): void;
  readonly files: CallFiles;
}

/** Files that people gave in answers (PLG13). */
export interface CallFiles {
  /** Whether this server keeps files. */
  readonly isThere: boolean;
  /** Undefined where it is not here. */
  read(sessionId: SessionId, file: FileReference): Promise<ReadableStream<Uint8Array> | undefined>;
}

/** Where programs outside call back (PLG11). */
export interface CallbackAddressing {
  addressOf(place: CallbackSpot): Promise<string>;
  /** Where a browser comes back to. */
  returnAddressOf(place: CallbackSpot): Promise<string>;
}

interface CallbackSpot {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly key: string;
}

/** What the server gives to each of its calls. */
export interface CallServices {
  readonly toolbox: Toolbox;
  readonly grants: GrantBook;
  readonly asking: AskingRules;
  readonly host: CallHost;
  readonly callbacks: CallbackAddressing;
  readonly reEntries: ReEntries;
}
