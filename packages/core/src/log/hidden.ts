import * as z from 'zod/mini';
import { callOfInteraction, nameLateMessage, type Seq, type ToolCallId } from '../basics/id.ts';
import type { Asked } from '../prompt/role.ts';
import type { ChatEvent } from './event.ts';
import type { PromptState } from './prompt-life.ts';

/** Payload that replaces those of a hidden call for people outside its audience (TEAM1). */
export const hiddenPayloadSchema = z.object({
  hidden: z.literal(true),
  toolCallId: z.string(),
  interactionId: z.optional(z.string()),
});
export type HiddenPayload = z.infer<typeof hiddenPayloadSchema>;

/** An event of a hidden call as people outside its audience receive it: its position in the log, without its content. */
export interface HiddenEvent extends Pick<ChatEvent, 'seq' | 'timestamp' | 'turnId' | 'responseId'> {
  readonly type: string;
  readonly payload: HiddenPayload;
}

/** An unsettled prompt of a hidden call as people outside its audience know it. */
export interface HiddenPrompt {
  readonly toolCallId: ToolCallId;
  readonly interactionId: string;
  readonly state: PromptState;
}

/** Returns the event if its payload was hidden from the reader. */
export function asHidden(event: ChatEvent): HiddenEvent | undefined {
  return 'hidden' in event.payload && event.payload.hidden === true ? (event as unknown as HiddenEvent) : undefined;
}

/** Returns the call that an event belongs to; for the message of a late answer, the call that asked (TEAM1). */
export function callOf({ payload }: ChatEvent): ToolCallId | undefined {
  if ('toolCallId' in payload) return payload.toolCallId;
  const isLate = 'origin' in payload && payload.origin === 'interaction' && payload.interactionId !== undefined;
  return isLate ? callOfInteraction(payload.interactionId as string) : undefined;
}

/** Returns who may see the call if the event restricts that; undefined for most events. */
export function hidingOf(event: ChatEvent): (Asked & { readonly toolCallId: ToolCallId }) | undefined {
  if (event.type !== 'interaction_request' && event.type !== 'tool_call') return undefined;
  const { visibility, toolCallId, audience, requesters } = event.payload;
  if (visibility === undefined) return undefined;
  const risk = event.type === 'interaction_request' ? event.payload.risk : undefined;
  return { toolCallId, audience, requesters, ...(risk && { risk }) };
}

/** Hides an event. For the turn that a late answer began, only the requesters are removed. */
export function hideEvent(event: ChatEvent): ChatEvent {
  if (event.type === 'turn_start') return { ...event, payload: hideRequesters(event.payload) };
  const toolCallId = callOf(event) ?? '';
  const { interactionId } = event.payload as { interactionId?: string };
  const payload: HiddenPayload = { hidden: true, toolCallId, ...(interactionId !== undefined && { interactionId }) };
  return { ...event, payload } as unknown as ChatEvent;
}

/** Removes the requesters from the turn that a late answer to a hidden call began, because they reveal who answered. */
export function hideRequesters<Begun extends { readonly requesters?: readonly string[] | undefined }>(
  begun: Begun,
): Begun {
  const { requesters: _, ...shown } = begun;
  return shown as Begun;
}

type Place = Pick<ChatEvent, 'seq' | 'turnId' | 'responseId'> & { readonly toolCallId: ToolCallId };

/** Makes an open call of which only the ids are known. */
export function hideCall({ toolCallId, turnId, responseId, seq }: Place) {
  return { toolCallId, toolName: '', args: null, turnId, responseId, seq, asked: 0, isHidden: true } as const;
}

/** Makes the queued message of a late answer, without its text. */
export function hideMessage(interactionId: string, seq: Seq) {
  const messageId = nameLateMessage(interactionId);
  return { messageId, text: '', origin: 'interaction', interactionId, seq, isHidden: true } as const;
}
