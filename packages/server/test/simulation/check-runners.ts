import type { LoggedEvent } from '../kill-nine/checked-log.ts';

/** Of a turn that somebody stops, any node stores the end. */
const ofRunner: Readonly<Record<string, (payload: LoggedEvent['payload']) => boolean>> = {
  tool_call: () => true,
  tool_result: ({ error }) => error === undefined,
  interaction_request: () => true,
  interaction_pending: () => true,
  turn_end: ({ status }) => status !== 'cancelled',
};

/**
 * What only the process stores that runs a turn, no other has stored: one that was thought dead, and wakes, does nothing any more
 * (OPS4). The log alone does not show it: a result of the wrong node is one all the same.
 * @param writerOf - the node that stored the event of a seq
 * @throws Error naming every event of another
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
