import type { SessionId, ToolCallId } from '../basics/id.ts';
import type { CallKey, Channel, OutsideCall } from '../log/outside.ts';

/** A part of a list of calls, newest first; the next one begins before the last of it. */
export interface CallPage {
  readonly before?: ToolCallId | undefined;
  readonly limit: number;
}

/** The sessions and calls that programs named themselves. They end with their sessions. */
export interface OutsideStore {
  findChannel(channel: Channel): Promise<SessionId | undefined>;
  /** The sessions of a principal's channels, oldest first. */
  channelsOf(principal: string): Promise<readonly SessionId[]>;
  findCall(which: CallKey | { readonly toolCallId: ToolCallId }): Promise<OutsideCall | undefined>;
  /** Of a principal, newest first: ids are of their moment. */
  listCalls(principal: string, page: CallPage): Promise<readonly OutsideCall[]>;
}
