import { addComment, type ChatEvent, type ServerFrame } from '@parleyhq/core';

/** Returns the frame that an event sends to clients which have not opened its session. */
export function toInboxFrame(sessionId: string, event: ChatEvent): ServerFrame | undefined {
  const { type, payload } = event;
  switch (type) {
    case 'interaction_request':
      return { type: 'interaction_opened', sessionId, interaction: payload };
    case 'interaction_vote':
      return { type: 'interaction_voted', sessionId, interactionId: payload.interactionId, votes: payload.votes };
    case 'interaction_comment':
      return {
        type: 'interaction_commented',
        ...{ sessionId, interactionId: payload.interactionId, comments: addComment(undefined, event) },
      };
    case 'interaction_response':
      return { type: 'interaction_settled', sessionId, interactionId: payload.interactionId, status: 'answered' };
    case 'interaction_closed':
      return { type: 'interaction_settled', sessionId, interactionId: payload.interactionId, status: payload.reason };
    default:
      return undefined;
  }
}
