import type { SessionId, ToolCallId } from '../basics/id.ts';
import type { CallKey, Channel, OutsideCall } from '../log/outside.ts';

/** A page of calls, newest first; `before` is the last call of the page before. */
export interface CallPage {
  readonly before?: ToolCallId | undefined;
  readonly limit: number;
}

/** The sessions and calls that outside programs named. They are deleted with their sessions. */
export interface OutsideStore {
  findChannel(channel: Channel): Promise<SessionId | undefined>;
  /** Returns the sessions of a principal's channels, oldest first. */
  channelsOf(principal: string): Promise<readonly SessionId[]>;
  findCall(which: CallKey | { readonly toolCallId: ToolCallId }): Promise<OutsideCall | undefined>;
  /** Returns the principal's calls, newest first (ids are time-ordered). */
  listCalls(principal: string, page: CallPage): Promise<readonly OutsideCall[]>;
}
