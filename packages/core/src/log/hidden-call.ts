import type { InteractionId, ToolCallId } from '../basics/id.ts';
import { widenAudience } from '../prompt/audience.ts';
import type { Asked } from '../prompt/role.ts';
import type { ChatEvent } from './event.ts';
import { hidingOf } from './hidden.ts';

/** Who sees a hidden call, as far as its events say (TEAM1). */
export interface HiddenCall {
  /** People whom the configuration lets see it, until it asks somebody. */
  readonly byPolicy?: Asked;
  /** People whom its hidden prompts ask, by prompt: each of them sees the whole call. */
  readonly asked: Readonly<Record<InteractionId, Asked>>;
}

/** Returns the call whose visibility the event may change. */
export function hiddenCallOf(event: ChatEvent): ToolCallId | undefined {
  if (event.type === 'interaction_escalated') return event.payload.toolCallId;
  return hidingOf(event)?.toolCallId;
}

/** Folds an event into what is known of its call; undefined as long as no event has hidden it. */
export function reduceHiddenCall(call: HiddenCall | undefined, event: ChatEvent): HiddenCall | undefined {
  if (event.type === 'interaction_escalated') return widenCall(call, event);
  const hiding = hidingOf(event);
  if (!hiding) return call;
  const { toolCallId: _, ...asked } = hiding;
  const known: HiddenCall = call ?? { asked: {} };
  if (event.type !== 'interaction_request') return { ...known, byPolicy: asked };
  return { ...known, asked: { ...known.asked, [event.payload.interactionId]: asked } };
}

/** Extends the audience after an escalation: whoever is asked sees the call (TEAM5). */
function widenCall(
  call: HiddenCall | undefined,
  { payload: { interactionId, audience } }: ChatEvent<'interaction_escalated'>,
): HiddenCall | undefined {
  const asked = call?.asked[interactionId];
  if (!call || !asked) return call;
  const wider = { ...asked, audience: widenAudience(asked.audience, audience) };
  return { ...call, asked: { ...call.asked, [interactionId]: wider } };
}

/** Returns the audiences that see a hidden call: a principal sees it who may answer one of them. */
export function watchersOf({ byPolicy, asked }: HiddenCall): readonly Asked[] {
  const prompts = Object.values(asked);
  return prompts.length > 0 || !byPolicy ? prompts : [byPolicy];
}
