import type { Actor, AuditActor, Caller, Credential, Json, OutsideCall, Principal, SessionId } from '@parleyhq/core';

/** The caller and its credential. */
export interface CallingClient {
  readonly principal: Principal;
  readonly actor: Actor;
  readonly auditActor: AuditActor;
  readonly credential: Credential;
}

/** A program's request for a call. */
export interface CallRequest {
  /** Name of one of its channels; otherwise a session is given. */
  readonly channel?: string | undefined;
  readonly sessionId?: SessionId | undefined;
  readonly callId: string;
  readonly toolName: string;
  readonly args: Json;
  readonly from?: Caller | undefined;
  /** Title of the channel's session, if the call creates it. Default: the name that the caller gives itself */
  readonly title?: string;
  /** Whether the call ends with the request that waits for it, whatever its tool says. */
  readonly isLive?: boolean;
}

/** A stored call. A live one ends with the request that waits for it: see `runForCaller`. */
export interface ProgramCall extends OutsideCall {
  readonly isLive?: boolean;
}
