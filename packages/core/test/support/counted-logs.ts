import fc from 'fast-check';
import {
  type ChatEvent,
  type CountedCase,
  type HiddenCall,
  hiddenCallOf,
  reduceCases,
  reduceHiddenCall,
} from '../../src/index.ts';
import { arbitraryLog } from './random-log.ts';

const allowing = ['tool', 'person', 'grant', 'policy', 'mode', 'reviewer', 'somebody of a later release'];

/** Changes what allowed calls, how some ended, and who sees them, which `decide` does not decide. */
function vary(event: ChatEvent, pick: number): ChatEvent {
  const { payload } = event;
  const hiding = pick % 5 === 0 && { visibility: 'audience', audience: { principals: [`p${pick % 2}`] } };
  switch (event.type) {
    case 'tool_call': {
      const by = allowing[pick % allowing.length];
      const authorised = {
        by,
        ...(by === 'grant' && { grantId: `g${pick % 3}`, ...(pick % 2 === 0 && { rule: 'any' }) }),
      };
      return { ...event, payload: { ...payload, authorised, ...(pick % 7 === 0 && hiding) } } as ChatEvent;
    }
    case 'tool_result':
      if (pick % 3 === 0) return { ...event, payload: { ...payload, grantId: `g${pick % 3}` } } as ChatEvent;
      return { ...event, payload: { ...payload, error: { code: 'denied', message: 'no' } } } as ChatEvent;
    case 'interaction_request':
      return {
        ...event,
        payload: { ...payload, ...hiding, ...(pick % 4 === 0 && { reviewed: { name: 'r', verdict: 'pass' } }) },
      } as ChatEvent;
    case 'interaction_response':
      return { ...event, payload: { ...payload, ...(pick % 6 === 0 && { grantId: 'g1' }) } } as ChatEvent;
    default:
      return event;
  }
}

/** Generates a log with everything that statistics count. */
export function arbitraryCountedLog(maxLength?: number): fc.Arbitrary<readonly ChatEvent[]> {
  return fc
    .record({ log: arbitraryLog(maxLength), picks: fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 }) })
    .map(({ log, picks }) => log.map((event, n) => vary(event, picks[n % picks.length] as number)));
}

/** What statistics know of a session. */
export interface Counted {
  readonly cases: ReadonlyMap<string, CountedCase>;
  readonly hidden: ReadonlyMap<string, HiddenCall>;
}

export const nothingCounted: Counted = { cases: new Map(), hidden: new Map() };

/** Folds events into what statistics know of their session. */
export function countLog(before: Counted, log: readonly ChatEvent[]): Counted {
  const [cases, hidden] = [new Map(before.cases), new Map(before.hidden)];
  for (const event of log) {
    for (const changed of reduceCases((id) => cases.get(id), event)) cases.set(changed.id, changed);
    const id = hiddenCallOf(event);
    const call = id === undefined ? undefined : reduceHiddenCall(hidden.get(id), event);
    if (id !== undefined && call) hidden.set(id, call);
  }
  return { cases, hidden };
}
