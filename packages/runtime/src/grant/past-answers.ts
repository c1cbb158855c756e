import {
  type Actor,
  argsOf,
  type ChatEvent,
  type EventStore,
  type InteractionRequest,
  type InteractionResponse,
  type Json,
  nameSubject,
  personOf,
  type Seq,
  type SessionId,
  type SuggestedCase,
  showHidden,
  type ToolCall,
} from '@parleyhq/core';

/** Number of events that are read: what was answered longer ago suggests nothing. */
const maxEvents = 1000;

/** Limit in characters of the text that stands for a case. */
const maxCaseText = 300;

/** An answered approval of a tool. */
export interface AnsweredApproval {
  readonly toolName: string;
  /** The outside program that made the call. */
  readonly caller: string | undefined;
  readonly args: { readonly written: Json; readonly json: Json };
  readonly isAllowed: boolean;
  readonly shown: SuggestedCase;
}

const marks = ['tool_call', 'interaction_request', 'interaction_response'].map((type) => `"type":"${type}"`);

/**
 * Reads the last answers to approvals from the log, oldest first: what this person allowed as it was asked, apart from what a grant
 * answered or no rule may answer, and what anybody denied. Hidden calls and edited arguments count for nothing.
 */
export async function readAnswers(
  events: Pick<EventStore, 'read'>,
  { id, seq }: { readonly id: SessionId; readonly seq: Seq },
  person: string,
): Promise<readonly AnsweredApproval[]> {
  const calls = new Map<string, ToolCall>();
  const requests = new Map<string, InteractionRequest>();
  const answers: AnsweredApproval[] = [];
  for await (const texts of events.read(id, Math.max(0, seq - maxEvents))) {
    for (const text of texts) {
      if (!marks.some((mark) => text.includes(mark))) continue;
      const event: ChatEvent = JSON.parse(text);
      if (event.type === 'tool_call') calls.set(event.payload.toolCallId, event.payload);
      else if (event.type === 'interaction_request') requests.set(event.payload.interactionId, event.payload);
      else if (event.type === 'interaction_response') {
        const request = requests.get(event.payload.interactionId);
        const call = calls.get(event.payload.toolCallId);
        const answer = request && call && toAnswer(call, request, event, person);
        if (answer) answers.push(answer);
      }
    }
  }
  return answers;
}

function toAnswer(
  call: ToolCall,
  request: InteractionRequest,
  { payload, timestamp }: ChatEvent<'interaction_response'>,
  person: string,
): AnsweredApproval | undefined {
  if (request.interactionType !== 'approval' || call.visibility || request.visibility) return undefined;
  const isAllowed = request.suggests === true && isPersons(payload, person);
  if (!isAllowed && payload.action === 'approve') return undefined;
  const json = request.args === undefined ? argsOf(call) : request.args;
  return {
    toolName: call.toolName,
    caller: call.by?.principal,
    args: { written: call.args, json },
    isAllowed,
    shown: showCase(request, timestamp),
  };
}

function isPersons({ action, grantId, editedArgs, by }: InteractionResponse, person: string): boolean {
  return action === 'approve' && grantId === undefined && editedArgs === undefined && personOf(by as Actor) === person;
}

function showCase(request: InteractionRequest, at: string): SuggestedCase {
  const { interactionId, title } = request;
  const text = showHidden(nameSubject(request));
  return {
    interactionId,
    at,
    ...(title !== undefined && { title }),
    text: text.length > maxCaseText ? `${text.slice(0, maxCaseText)} …` : text,
  };
}
