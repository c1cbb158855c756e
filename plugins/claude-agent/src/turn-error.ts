import { ToolError } from '@parleyhq/core';
import type { SdkMessage } from './sdk.ts';

/** Returns the error of a failed turn, with the codes of the agent `anthropic` if they apply. */
export function toFault({ result, errors = [], api_error_status, subtype }: Extract<SdkMessage, { type: 'result' }>) {
  const words = result ?? errors.join('; ');
  return new ToolError(codeOf(api_error_status), words || `Claude could not continue (${subtype}).`);
}

export function codeOf(status: number | null | undefined): string {
  if (status === undefined || status === null) return 'claude_failed';
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 429) return 'rate_limited';
  if (status === 529) return 'overloaded';
  return status >= 500 || status === 408 || status === 409 ? 'api_error' : 'invalid_request';
}
