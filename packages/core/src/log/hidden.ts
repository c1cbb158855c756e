import * as z from 'zod/mini';
import { callOfInteraction, nameLateMessage, type Seq, type ToolCallId } from '../basics/id.ts';
import type { InteractionRequest } from '../prompt/interaction.ts';
import type { Asked } from '../prompt/role.ts';
import type { ChatEvent } from './event.ts';
import type { PromptState } from './prompt-life.ts';

/** What those outside its audience get in place of each payload of a hidden call (TEAM1). */
export const hiddenPayloadSchema = z.object({
  hidden: z.literal(true),
  toolCallId: z.string(),
  interactionId: z.optional(z.string()),
});
export type HiddenPayload = z.infer<typeof hiddenPayloadSchema>;

/** An event of a hidden call as outsiders get it: its place in the log, and nothing of what it says. */
export interface HiddenEvent extends Pick<ChatEvent, 'seq' | 'timestamp' | 'turnId' | 'responseId'> {
  readonly type: string;
  readonly payload: HiddenPayload;
}

/** An unsettled prompt of a hidden call, as outsiders know it. */
export interface HiddenPrompt {
  readonly toolCallId: ToolCallId;
  readonly interactionId: string;
  readonly state: PromptState;
}

/** The event if it was hidden from its reader, of whatever type. */
export function asHidden(event: ChatEvent): HiddenEvent | undefined {
  return 'hidden' in event.payload && event.payload.hidden === true ? (event as unknown as HiddenEvent) : undefined;
}

/** The call that an event belongs to; for the message of a late answer the call that asked (TEAM1). */
export function callOf({ payload }: ChatEvent): ToolCallId | undefined {
  if ('toolCallId' in payload) return payload.toolCallId;
  const isLate = 'origin' in payload && payload.origin === 'interaction' && payload.interactionId !== undefined;
  return isLate ? callOfInteraction(payload.interactionId as string) : undefined;
}

/** What an event says of who sees its call; undefined for the many that say nothing. */
export function hidingOf(event: ChatEvent): (Asked & { readonly toolCallId: ToolCallId }) | undefined {
  if (event.type !== 'interaction_request' && event.type !== 'tool_call') return undefined;
  const { visibility, toolCallId, audience, requesters } = event.payload;
  if (visibility === undefined) return undefined;
  const { risk } = event.payload as Partial<InteractionRequest>;
  return { toolCallId, audience, requesters, ...(risk && { risk }) };
}

/** The event as outsiders get it; of the turn that a late answer began only who answered is hidden. */
export function hideEvent(event: ChatEvent): ChatEvent {
  if (event.type === 'turn_start') return { ...event, payload: hideRequesters(event.payload) };
  const toolCallId = callOf(event) ?? '';
  const { interactionId } = event.payload as { interactionId?: string };
  const payload: HiddenPayload = { hidden: true, toolCallId, ...(interactionId !== undefined && { interactionId }) };
  return { ...event, payload } as unknown as ChatEvent;
}

/** The turn that a late answer to a hidden call began, as outsiders get it: who answered is not told. */
export function hideRequesters<Begun extends { readonly requesters?: readonly string[] | undefined }>(
  begun: Begun,
): Begun {
  const { requesters: _, ...shown } = begun;
  return shown as Begun;
}

type Place = Pick<ChatEvent, 'seq' | 'turnId' | 'responseId'> & { readonly toolCallId: ToolCallId };

/** An open call of which nothing but its ids is known. */
export function hideCall({ toolCallId, turnId, responseId, seq }: Place) {
  return { toolCallId, toolName: '', args: null, turnId, responseId, seq, asked: 0, isHidden: true } as const;
}

/** The queued message of a late answer, without its words. */
export function hideMessage(interactionId: string, seq: Seq) {
  const messageId = nameLateMessage(interactionId);
  return { messageId, text: '', origin: 'interaction', interactionId, seq, isHidden: true } as const;
}
