import * as z from 'zod/mini';
import type { SessionId, ToolCallId } from '../basics/id.ts';

/** The agent of outside sessions: programs of their own call tools there, and no agent of ours writes (ASK1). Nobody can choose it. */
export const outsideAgent = 'outside';

/** A caller's name for one of its sessions (ASK1). */
export const channelSchema = z.string().check(z.regex(/^[A-Za-z0-9._:-]{1,64}$/));

/** Who calls, in its own words: shown as such, and proof of nothing. */
export const callerSchema = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  detail: z.optional(z.string().check(z.maxLength(1000))),
});

export type Caller = z.infer<typeof callerSchema>;

/** A session's name, one for each of a principal's channels. */
export interface Channel {
  readonly principal: string;
  readonly name: string;
}

/** A caller's key for a call, unique among those of its principal (ASK1). */
export interface CallKey {
  readonly principal: string;
  readonly callId: string;
}

/** Where a call is, and whose. */
export interface OutsideCall {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly principal: string;
}
