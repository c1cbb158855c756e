import type { InteractionId, ToolCallId } from '../basics/id.ts';
import { gateSlot, type InteractionResponse, type InteractionType, nameOf } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { personOf } from '../prompt/role.ts';
import type { ChatEvent, ToolCall } from './event.ts';

/** The version of `reduceCases`. With a new one, stores count their logs again. */
export const casesVersion = 4;

/** What lets a call run without asking a person. */
export const passers = ['grant', 'policy', 'mode', 'reviewer'] as const;
export type Passer = (typeof passers)[number];

/**
 * How a case ended. A prompt is `open` until a person settles it, a grant covers it (`grant`), its deadline passes or it is
 * withdrawn; `refused` is a call that a policy or the mode denied. `asked`: its gate asked after all, which is a case of its own.
 */
export type CaseResult =
  | 'open'
  | 'approved'
  | 'denied'
  | 'submitted'
  | 'cancelled'
  | 'timeout'
  | 'withdrawn'
  | 'refused'
  | 'asked'
  | Passer;

/**
 * What statistics count: a prompt, or a call that was allowed or denied without one (LESS1). It holds no arguments and no
 * answers.
 */
export interface CountedCase {
  /** Id of the prompt, or of the call. */
  readonly id: InteractionId | ToolCallId;
  readonly toolCallId: ToolCallId;
  readonly toolName: string;
  readonly type: InteractionType | 'call';
  /** Time at which it was asked, or decided without asking. */
  readonly at: string;
  readonly result: CaseResult;
  /** The person whose answer settled it. */
  readonly by?: { readonly person: string; readonly name: string };
  /** How long that person's answer took, in ms. */
  readonly ms?: number;
  /** Approved sooner than its text can be read: see `readingMs`. */
  readonly isUnread?: true;
  readonly isEdited?: true;
  /** Label of the rule that was chosen in the answer, or that covered it. */
  readonly rule?: string;
  /** Whether it has asked people since it was allowed without asking. */
  readonly hasAsked?: true;
  /** The grant that covered it. */
  readonly grantId?: string;
  /** Whether a reviewer would have let it pass, and a person was asked all the same (LESS3). */
  readonly isSampled?: true;
  /** While it is open: how long its text takes to read, in ms, and the rules that it offers, by id. */
  readonly readingMs?: number;
  readonly offered?: Readonly<Record<string, string>>;
}

/** Nobody reads faster: one second to begin, and one for each hundred characters, which is about a thousand words a minute. */
const startMs = 1000;
const characterMs = 10;

/** Beginnings of the keys of all events that change a case or hide a call (see `keyOf`): stores need to read no others. */
export const countedKeys: readonly string[] = ['call:', 'result:', 'request:', 'settlement:', 'escalated:'];

/** Returns the ids of the cases that an event may change. */
export function caseIdsOf(event: ChatEvent): readonly string[] {
  switch (event.type) {
    case 'tool_call':
    case 'tool_result':
      return [event.payload.toolCallId];
    case 'interaction_request':
      return [event.payload.interactionId, event.payload.toolCallId];
    case 'interaction_response':
    case 'interaction_closed':
      return [event.payload.interactionId];
    default:
      return [];
  }
}

/** Folds an event into the cases that it changes. @param find - returns a case of the session as it was before the event */
export function reduceCases(find: (id: string) => CountedCase | undefined, event: ChatEvent): readonly CountedCase[] {
  switch (event.type) {
    case 'tool_call':
      return passCall(event);
    case 'tool_result':
      return endCall(find(event.payload.toolCallId), event);
    case 'interaction_request':
      return [openCase(event), ...askAfterAll(find(event.payload.toolCallId), event.payload)];
    case 'interaction_response':
      return changeOpen(find(event.payload.interactionId), (open) => settle(open, event));
    case 'interaction_closed': {
      const result = event.payload.reason === 'timeout' ? 'timeout' : 'withdrawn';
      return changeOpen(find(event.payload.interactionId), (open) => ({ ...endOf(open), result }));
    }
    default:
      return [];
  }
}

/** Counts a call that ran without asking. One that its tool allows has asked nobody, and one that a person decides has a prompt. */
function passCall({ timestamp, payload }: ChatEvent<'tool_call'>): readonly CountedCase[] {
  const { toolCallId, toolName, authorised } = payload;
  const result = passerOf(authorised);
  if (!result) return [];
  return [{ id: toolCallId, toolCallId, toolName, type: 'call', at: timestamp, result, ...grantOf(authorised) }];
}

type GrantUse = Pick<ToolCall['authorised'], 'grantId' | 'rule'>;

/** Returns the grant that was used, and its rule. */
function grantOf({ grantId, rule }: GrantUse): Pick<CountedCase, 'grantId' | 'rule'> {
  return { ...(grantId !== undefined && { grantId }), ...(rule !== undefined && { rule }) };
}

function passerOf({ by }: ToolCall['authorised']): Passer | undefined {
  return passers.find((passer) => passer === by); // logs of later releases may name others
}

/** Notes that a policy or the mode denied the call, or what answered the tool's own `ctx.approve` in place of a person. */
function endCall(
  known: CountedCase | undefined,
  { timestamp, payload }: ChatEvent<'tool_result'>,
): readonly CountedCase[] {
  const { toolCallId, toolName, error, grantId } = payload;
  const isByRule = known?.result === 'policy' || known?.result === 'mode';
  const isRefused = isByRule && !known.hasAsked && error?.code === 'denied'; // what people denied is counted by its prompt
  if (known) return isRefused ? [{ ...known, result: 'refused' }] : [];
  const made = { id: toolCallId, toolCallId, toolName, type: 'call', at: timestamp } as const;
  if (grantId !== undefined) return [{ ...made, result: 'grant', ...grantOf(payload) }];
  return payload.authorised ? [{ ...made, result: payload.authorised.by }] : [];
}

/** Whether a reviewer passed what the prompt is about, and a person is asked to measure that (LESS3). */
function isSample({ reviewed }: InteractionRequest): boolean {
  return reviewed?.verdict === 'pass' && reviewed.cause === undefined;
}

function openCase({ timestamp, payload }: ChatEvent<'interaction_request'>): CountedCase {
  const { interactionId, toolCallId, toolName, interactionType, rules = [] } = payload;
  const offered = Object.fromEntries(rules.map(({ id, label }) => [id, label]));
  return {
    ...{ id: interactionId, toolCallId, toolName, type: interactionType, at: timestamp, result: 'open' },
    ...(isSample(payload) && { isSampled: true }),
    ...(interactionType === 'approval' && { readingMs: readingTimeOf(payload) }),
    ...(rules.length > 0 && { offered }),
  };
}

function readingTimeOf({ title = '', prompt = '', subject }: InteractionRequest): number {
  return startMs + characterMs * (title.length + prompt.length + (subject?.text.length ?? 0));
}

/** Notes that a call asks which could pass: at its gate, because what allowed it holds no more, or later, for itself. */
function askAfterAll(known: CountedCase | undefined, { slot }: InteractionRequest): readonly CountedCase[] {
  if (!known) return [];
  return [slot === gateSlot ? { ...known, result: 'asked' } : { ...known, hasAsked: true }];
}

function changeOpen(
  known: CountedCase | undefined,
  change: (open: CountedCase) => CountedCase,
): readonly CountedCase[] {
  return known?.result === 'open' ? [change(known)] : [];
}

function settle(open: CountedCase, { timestamp, payload }: ChatEvent<'interaction_response'>): CountedCase {
  const { action, grantId, by, ruleId, editedArgs } = payload;
  const { readingMs = 0, offered = {} } = open;
  if (grantId !== undefined) return { ...endOf(open), result: 'grant', ...grantOf(payload) };
  const ms = Math.max(0, Date.parse(timestamp) - Date.parse(open.at)); // the clock may have been set back
  const rule = ruleId === undefined ? undefined : offered[ruleId];
  return {
    ...endOf(open),
    result: resultOf[action],
    by: { person: personOf(by), name: nameOf(by) },
    ms,
    ...(action === 'approve' && ms < readingMs && { isUnread: true }),
    ...(editedArgs !== undefined && { isEdited: true }),
    ...(rule !== undefined && { rule }),
  };
}

const resultOf = {
  approve: 'approved',
  deny: 'denied',
  submit: 'submitted',
  cancel: 'cancelled',
} as const satisfies Record<InteractionResponse['action'], CaseResult>;

/** Drops what is only needed while a case is open. */
function endOf({ readingMs: _, offered: __, ...ended }: CountedCase): CountedCase {
  return ended;
}
