import type { LoggedEvent } from '../kill-nine/checked-log.ts';

/**
 * Whether an event of this type and payload may be stored only by the node that runs the turn; the end of a stopped turn may be
 * stored by any node.
 */
const ofRunner: Readonly<Record<string, (payload: LoggedEvent['payload']) => boolean>> = {
  tool_call: () => true,
  tool_result: ({ error }) => error === undefined,
  interaction_request: () => true,
  interaction_pending: () => true,
  turn_end: ({ status }) => status !== 'cancelled',
};

/**
 * Checks that events of a running turn were stored only by the process that runs it: a node that was considered dead, and wakes,
 * does nothing any more (OPS4). The log alone does not show this, because a result of the wrong node looks the same.
 * @param writerOf - returns the node that stored the event of a seq
 * @throws Error naming every event of another node
 */
export function checkRunners(log: readonly LoggedEvent[], writerOf: (seq: number) => string | undefined): void {
  const faults: string[] = [];
  let owner: unknown;
  for (const { seq, type, payload } of log) {
    if (type === 'turn_start' || type === 'turn_resumed') owner = payload.owner;
    if (ofRunner[type]?.(payload) && writerOf(seq) !== owner)
      faults.push(`I11: ${type} (seq ${seq}) of the turn that ${owner} runs was stored by ${writerOf(seq)}`);
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}
