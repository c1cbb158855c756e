import {
  asksForFiles,
  type InteractionRequest,
  type OpenCall,
  type OpenPrompt,
  secretFields,
  type Tool,
} from '@parleyhq/core';

export interface WaitingCall {
  readonly tool: Pick<Tool, 'hibernates' | 'durable'> | undefined;
  readonly call: Pick<OpenCall, 'toolCallId' | 'parentToolCallId' | 'authorised'>;
  /** Unsettled prompts of the session. */
  readonly prompts: readonly OpenPrompt[];
  /** Whether the handler used a grant: the call's result names it. */
  readonly usedGrant: boolean;
}

/** Whether a call that waits may leave memory: its tool hibernates, and it needs nothing that only this process has (DUR10). */
export function mayHibernate({ tool, call, prompts, usedGrant }: WaitingCall): boolean {
  if (!tool?.hibernates || tool.durable === false || call.parentToolCallId !== undefined) return false;
  if (usedGrant || call.authorised?.by === 'grant') return false;
  return !prompts.some(
    ({ request, state }) => state === 'open' && request.toolCallId === call.toolCallId && keepsAwake(request),
  );
}

/** Whether the answer to a prompt, or its end, needs what only the process that asked it has. */
function keepsAwake(request: InteractionRequest): boolean {
  return request.hasCancelHook === true || secretFields(request).length > 0 || asksForFiles(request.inputSchema);
}
