import * as z from 'zod/mini';
import type { SessionId, ToolCallId } from '../basics/id.ts';

/**
 * The agent of outside sessions, in which other programs call tools and no agent of ours writes (ASK1). It cannot be selected.
 */
export const outsideAgent = 'outside';

/** A caller's name for one of its sessions (ASK1). */
export const channelSchema = z.string().check(z.regex(/^[A-Za-z0-9._:-]{1,64}$/));

/** The caller's description of itself: shown as such, and not verified. */
export const callerSchema = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  detail: z.optional(z.string().check(z.maxLength(1000))),
});

export type Caller = z.infer<typeof callerSchema>;

/** Identity of an outside session: a name for each of a principal's channels. */
export interface Channel {
  readonly principal: string;
  readonly name: string;
}

/** A caller's key for a call, unique among those of its principal (ASK1). */
export interface CallKey {
  readonly principal: string;
  readonly callId: string;
}

/** An outside call with its session and its owner. */
export interface OutsideCall {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly principal: string;
}
