import { callOfInteraction, type ToolCallId } from '../basics/id.ts';
import type { Head } from './head.ts';
import { hideCall, hideMessage } from './hidden.ts';

/** Returns the head for a reader who may not see these calls; equal to folding the hidden events. */
export function hideHead(head: Head, isHidden: (call: ToolCallId) => boolean): Head {
  const isOpen = ({ toolCallId }: { readonly toolCallId: ToolCallId }) => !isHidden(toolCallId);
  const prompts = head.prompts.filter(({ request }) => isOpen(request));
  const hidden = head.prompts.flatMap(({ request: { toolCallId, interactionId }, state }) =>
    isHidden(toolCallId) ? [{ toolCallId, interactionId, state }] : [],
  );
  return {
    ...head,
    calls: head.calls.map((call) => (isOpen(call) ? call : hideCall(call))),
    prompts,
    ...(hidden.length > 0 && { hidden }),
    queue: head.queue.map((message) => {
      const { interactionId, seq } = message;
      const isLate = message.origin === 'interaction' && interactionId !== undefined;
      return isLate && isHidden(callOfInteraction(interactionId)) ? hideMessage(interactionId, seq) : message;
    }),
    lateAnswers: head.lateAnswers.filter(({ request }) => isOpen(request)),
  };
}
