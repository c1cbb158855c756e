import { ToolError } from '@parleyhq/core';

/** What becomes of a call whose tool takes too long to say something about it. */
export function refuseSlow(member: 'approval' | 'describe' | 'rules'): (ms: number) => ToolError {
  return (ms) => new ToolError('handler_timeout', `The tool's "${member}" took longer than ${ms} ms.`);
}
