import {
  type Actor,
  argsOf,
  type ChatEvent,
  callKey,
  gateSlot,
  type InteractionRequest,
  type InteractionResponse,
  isSameJson,
  type Json,
  nameSubject,
  personOf,
  recoverySlot,
  requestKey,
  type Seq,
  type SessionId,
  type Store,
  type SuggestedCase,
  showHidden,
  type ToolCall,
  titleOf,
} from '@parleyhq/core';

/** Number of events whose answers are read: those given longer ago suggest nothing, and stop no reviewer. */
const maxEvents = 1000;

/** Limit in characters of the text that stands for a case. */
const maxCaseText = 300;

/** An answered approval of a tool. */
export interface AnsweredApproval {
  readonly toolName: string;
  /** Revision of the tool that people were asked about, if it has one. */
  readonly revision: string | undefined;
  /** The outside program that made the call. */
  readonly caller: string | undefined;
  readonly args: { readonly written: Json; readonly json: Json };
  readonly isAllowed: boolean;
  readonly shown: SuggestedCase;
}

type Log = Pick<Store, 'events' | 'index'>;

interface LogEnd {
  readonly id: SessionId;
  readonly seq: Seq;
}

/** An answer, with what it is about. */
interface Answered {
  readonly call: ToolCall;
  readonly request: InteractionRequest;
  readonly response: ChatEvent<'interaction_response'>;
}

/**
 * Reads the last answers to approvals from the log, oldest first: what this person allowed as it was asked, apart from what a grant
 * answered or no rule may answer, and what anybody denied. Hidden calls and edited arguments count for nothing.
 */
export async function readAnswers(log: Log, end: LogEnd, person: string): Promise<readonly AnsweredApproval[]> {
  const answers: AnsweredApproval[] = [];
  for await (const answered of readAnswered(log, end)) {
    const answer = toAnswer(answered, person);
    if (answer) answers.push(answer);
  }
  return answers;
}

/**
 * Whether people refused an approval of this tool with these arguments, and have not allowed it since. Consent to edited arguments,
 * or to another approval of the same call, changes nothing about that.
 */
export async function wasDenied(
  log: Log,
  end: LogEnd,
  { toolName, args }: { readonly toolName: string; readonly args: Json },
): Promise<boolean> {
  const denied = new Set<string>();
  for await (const { call, request, response } of readAnswered(log, end)) {
    const { action, grantId, editedArgs } = response.payload;
    const isOther = call.toolName !== toolName || !isSameJson(argsOfRequest(call, request), args);
    if (isOther || grantId !== undefined) continue;
    const { slot } = request;
    if (action !== 'approve') denied.add(slot);
    else if (editedArgs === undefined) {
      denied.delete(slot);
      if (slot === gateSlot) denied.delete(recoverySlot); // whoever allows the call anew allows that it runs again
    }
  }
  return denied.size > 0;
}

const marks = ['tool_call', 'interaction_request', 'interaction_response'].map((type) => `"type":"${type}"`);

/** Reads the answers to approvals among the last events, oldest first. What they are about may be older. */
async function* readAnswered({ events, index }: Log, { id, seq }: LogEnd): AsyncIterable<Answered> {
  const calls = new Map<string, ToolCall>();
  const requests = new Map<string, InteractionRequest>();
  const note = (event: ChatEvent) => {
    if (event.type === 'tool_call') calls.set(event.payload.toolCallId, event.payload);
    else if (event.type === 'interaction_request') requests.set(event.payload.interactionId, event.payload);
  };
  for await (const texts of events.read(id, Math.max(0, seq - maxEvents))) {
    for (const text of texts) {
      if (!marks.some((mark) => text.includes(mark))) continue;
      const event: ChatEvent = JSON.parse(text);
      note(event);
      if (event.type !== 'interaction_response') continue;
      const { toolCallId, interactionId } = event.payload;
      if (!calls.has(toolCallId) || !requests.has(interactionId))
        for (const older of await index.find(id, callKey(toolCallId), requestKey(interactionId)))
          note(JSON.parse(older));
      const [call, request] = [calls.get(toolCallId), requests.get(interactionId)];
      if (call && request?.interactionType === 'approval') yield { call, request, response: event };
    }
  }
}

function toAnswer({ call, request, response }: Answered, person: string): AnsweredApproval | undefined {
  const { payload, timestamp } = response;
  if (call.visibility || request.visibility) return undefined;
  const isAllowed = request.suggests === true && isPersons(payload, person);
  if (!isAllowed && payload.action === 'approve') return undefined;
  return {
    toolName: call.toolName,
    revision: call.authorised.revision,
    caller: call.by?.principal,
    args: { written: call.args, json: argsOfRequest(call, request) },
    isAllowed,
    shown: showCase(request, timestamp),
  };
}

/** The arguments that were asked about. */
function argsOfRequest(call: ToolCall, { args = argsOf(call) }: InteractionRequest): Json {
  return args;
}

function isPersons({ action, grantId, editedArgs, by }: InteractionResponse, person: string): boolean {
  return action === 'approve' && grantId === undefined && editedArgs === undefined && personOf(by as Actor) === person;
}

function showCase(request: InteractionRequest, at: string): SuggestedCase {
  const { interactionId } = request;
  const title = titleOf(request);
  const text = showHidden(nameSubject(request));
  return {
    interactionId,
    at,
    ...(title !== undefined && { title }),
    text: text.length > maxCaseText ? `${text.slice(0, maxCaseText)} …` : text,
  };
}
