import type { InteractionRequest, NewEvent } from '@parleyhq/core';

/** Some members of a request of any kind. */
export type RequestPart = { [Name in keyof InteractionRequest]?: InteractionRequest[Name] };

/** Makes a request with all required members, by default an approval; `part` overrides them. */
export function makeRequest(id: string, part: RequestPart = {}): InteractionRequest {
  const [toolCallId = ''] = id.split('.');
  return {
    toolCallId,
    interactionId: id,
    slot: '1',
    toolName: 'deploy',
    interactionType: 'approval',
    attempt: 1,
    approvalScopes: ['once', 'session'],
    presentation: 'tool',
    source: { kind: 'tool', name: 'deploy' },
    digest: `digest-${id}`,
    onUnavailable: 'error',
    ...part,
  } as InteractionRequest;
}

export const by = { clientId: 'elsewhere', connectionId: 'c', principal: 'owner', transport: 'ws' } as const;

/** Makes the events of a turn with everything in it: thinking, text, a call, an answered prompt and a result. */
export function makeTurn(n: number): NewEvent[] {
  const turnId = `turn-${n}`;
  const responseId = `message-${n}`;
  const toolCallId = `call-${n}`;
  const interactionId = `${toolCallId}.1`;
  const from = { turnId, responseId };
  const call = { toolCallId, toolName: 'deploy', args: {}, authorised: { by: 'tool' } } as const;
  const answer = { toolCallId, interactionId, answerId: `answer-${n}`, action: 'approve', by } as const;
  return [
    { type: 'user_message', payload: { messageId: `m-${n}`, text: `Question ${n}`, origin: 'user' }, turnId },
    { type: 'turn_start', payload: { trigger: 'user', agent: 'fake', owner: 'fake' }, turnId },
    { type: 'thinking_done', payload: { block: 0, text: 'Hm.' }, ...from },
    { type: 'assistant_done', payload: { block: 1, text: `Answer ${n}` }, ...from },
    { type: 'tool_call', payload: call, ...from },
    { type: 'interaction_request', payload: makeRequest(interactionId), ...from },
    { type: 'interaction_response', payload: answer, ...from },
    { type: 'tool_result', payload: { toolCallId, toolName: 'deploy', result: { ok: true } }, ...from },
    { type: 'turn_end', payload: { status: 'completed' }, turnId },
  ];
}
