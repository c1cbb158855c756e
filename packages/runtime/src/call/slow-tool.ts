import { ToolError } from '@parleyhq/core';

/** Makes the error for a tool whose function takes too long. */
export function refuseSlow(member: 'approval' | 'describe' | 'rules'): (ms: number) => ToolError {
  return (ms) => new ToolError('handler_timeout', `The tool's "${member}" took longer than ${ms} ms.`);
}
