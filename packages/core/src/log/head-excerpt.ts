import { isRecord } from '../basics/json.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import type { ChatEvent } from './event.ts';
import type { Head, OpenCall, QueuedMessage } from './head.ts';
import { asHidden } from './hidden.ts';
import { countBytes } from './open-size.ts';
import type { OpenPrompt } from './prompt-life.ts';

/** Maximum lengths of texts, in characters: the first that makes the head fit is used. At 0 only names remain. */
const lengths = [8192, 1024, 128, 0];

/**
 * Returns the head for a snapshot: unchanged if its JSON has at most `bytes`, else with long texts cut and the affected entries
 * marked `isCut`. Clients restore them from the log (SEC11).
 */
export function excerptHead(head: Head, bytes: number): Head {
  if (sizeOf(head) <= bytes) return head;
  let cut = head;
  for (const length of lengths) {
    cut = cutHead(head, length);
    if (sizeOf(cut) <= bytes) break;
  }
  return cut;
}

/** Restores cut entries from an event of the log. Events up to the head's seq change nothing else in it. */
export function fillExcerpt(head: Head, event: ChatEvent): Head {
  if (asHidden(event)) return head;
  switch (event.type) {
    case 'message_queued': {
      const { messageId, text, files } = event.payload;
      const whole = { text, ...(files && { files }), isCut: false };
      const queue = head.queue.map((message) =>
        message.isCut !== undefined && message.messageId === messageId ? { ...message, ...whole } : message,
      );
      return { ...head, queue };
    }
    case 'tool_call': {
      const { toolCallId, args, parsedArgs } = event.payload;
      const whole = { args, ...(parsedArgs !== undefined && { parsedArgs }) };
      const calls = head.calls.map((call) =>
        call.isCut && call.toolCallId === toolCallId ? { ...call, ...whole, isCut: false } : call,
      );
      return { ...head, calls };
    }
    case 'interaction_request': {
      const request = event.payload;
      const prompts = head.prompts.map((prompt) =>
        prompt.isCut && prompt.request.interactionId === request.interactionId
          ? { ...prompt, request: { ...request, ...widenedOf(prompt) }, isCut: false }
          : prompt,
      );
      return { ...head, prompts };
    }
    default:
      return head;
  }
}

/** Restores cut entries from the client's previous head, because their events are not sent again. */
export function fillFromHead(head: Head, known: Head): Head {
  const whole = <Entry extends { readonly isCut?: boolean }>(
    entries: readonly Entry[],
    others: readonly Entry[],
    idOf: (entry: Entry) => string,
  ) =>
    entries.map((entry) => {
      const other = entry.isCut ? others.find((candidate) => idOf(candidate) === idOf(entry)) : undefined;
      return other && !other.isCut ? { ...other, isCut: false } : entry;
    });
  return {
    ...head,
    calls: whole(head.calls, known.calls, ({ toolCallId }) => toolCallId),
    prompts: head.prompts.map((prompt) => {
      const other = known.prompts.find(({ request }) => request.interactionId === prompt.request.interactionId);
      return prompt.isCut && other && !other.isCut
        ? { ...prompt, request: { ...other.request, ...widenedOf(prompt) }, isCut: false }
        : prompt;
    }),
    queue: whole(head.queue, known.queue, ({ messageId }) => messageId),
  };
}

/** Returns the current audience, which is never cut: after an escalation the request in the log no longer has it (TEAM5). */
function widenedOf({ request: { audience } }: OpenPrompt): Pick<InteractionRequest, 'audience'> {
  return audience ? { audience } : {};
}

function sizeOf(head: Head): number {
  return countBytes(JSON.stringify(head));
}

function cutHead(head: Head, length: number): Head {
  return {
    ...head,
    isExcerpt: true,
    calls: head.calls.map((call) => mark(call, cutCall(call, length))),
    prompts: head.prompts.map((prompt) => mark(prompt, { ...prompt, request: cutRequest(prompt.request, length) })),
    queue: head.queue.map((message) => mark(message, cutMessage(message, length))),
    lateAnswers: [], // clients do not need them
  };
}

function cutMessage({ files, ...message }: QueuedMessage, length: number): QueuedMessage {
  return { ...message, text: cutTexts(message.text, length), ...(files && length > 0 && { files }) };
}

function cutCall({ parsedArgs, ...call }: OpenCall, length: number): OpenCall {
  if (length === 0) return { ...call, args: {} };
  return {
    ...call,
    args: cutTexts(call.args, length),
    ...(parsedArgs !== undefined && { parsedArgs: cutTexts(parsedArgs, length) }),
  };
}

function mark<Entry extends object>(whole: Entry, cut: Entry): Entry {
  return JSON.stringify(whole) === JSON.stringify(cut) ? whole : { ...cut, isCut: true };
}

/** Cuts the texts of a request, but never its names or what determines who may answer it. */
function cutRequest(request: InteractionRequest, length: number): InteractionRequest {
  const { toolCallId, interactionId, slot, toolName, interactionType, attempt, presentation, source } = request;
  const { digest, onUnavailable, audience, visibility, risk, requesters, expiresAt, decide, consents } = request;
  const names = {
    ...{ toolCallId, interactionId, slot, toolName, interactionType, attempt, presentation, source },
    ...{ digest, onUnavailable, ...(expiresAt !== undefined && { expiresAt }) },
    ...{
      ...(audience && { audience }),
      ...(visibility && { visibility }),
      ...(risk && { risk }),
      ...(requesters && { requesters }),
      ...(decide && { decide }),
      ...(consents && { consents }),
    },
  };
  // the members that only one kind has are all optional
  return (length === 0 ? names : { ...cutTexts(request, length), ...names }) as InteractionRequest;
}

function cutTexts<Value>(value: Value, length: number): Value {
  if (typeof value === 'string') return (value.length > length ? `${value.slice(0, length)}…` : value) as Value;
  if (Array.isArray(value)) return value.map((member) => cutTexts(member, length)) as Value;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutTexts(member, length)])) as Value;
}
