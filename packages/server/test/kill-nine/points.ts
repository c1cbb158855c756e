import { type Kill, phases } from './kill.ts';

/** How a call continues once the server is back. */
export type Recovery =
  /** It continues by itself: nobody notices. */
  | 'goes on'
  /** Somebody is asked whether to run the call again (DUR4). */
  | 'asks'
  /** The call ends as interrupted, as its tool prefers. */
  | 'fails'
  /** One of the first two, depending on how far its other branch had come. */
  | 'either';

export interface Point {
  readonly kill: Kill;
  /** The tool that passes the point. */
  readonly tool: string;
  /** Another tool called in the same message. */
  readonly beside?: string;
  readonly recovery: Recovery;
}

/** Returns the four moments around an event or record, with the recovery before and inside the commit, and after it. */
function around(tool: string, what: Omit<Kill, 'phase'>, before: Recovery, after: Recovery): Point[] {
  return phases.map((phase, index) => ({ tool, kill: { ...what, phase }, recovery: index < 2 ? before : after }));
}

function at(tool: string, place: string, recovery: Recovery): Point {
  return { tool, kill: { place }, recovery };
}

/** Returns the points next to a call that waits for the same approval. */
function withCovered(points: readonly Point[]): Point[] {
  return points.map((point) => ({ ...point, beside: 'covered' }));
}

const session = { approvalScope: 'session' };
const covering = { reason: 'An approval that was given elsewhere covers this.' };
const second = { attempt: 2 };

/** Every point at which the suite kills, each with 0, 1 and 2 tabs. docs/durability.md has a row for each group. */
export const points: readonly Point[] = [
  ...around('wizard', { event: 'tool_call' }, 'goes on', 'asks'),
  at('wizard', 'in the handler', 'asks'),
  ...around('wizard', { event: 'interaction_request' }, 'asks', 'goes on'),
  ...around('wizard', { event: 'interaction_response' }, 'goes on', 'asks'),
  at('wizard', 'in the hook, before its effect', 'asks'),
  at('wizard', 'in the hook, after its effect', 'asks'),
  ...around('wizard', { record: 'outcome:' }, 'asks', 'asks'),
  at('wizard', 'between prompts', 'asks'),
  at('wizard', 'in a step, before its effect', 'asks'),
  at('wizard', 'in a step, after its effect', 'asks'),
  ...around('wizard', { record: 'step:', nth: 2 }, 'asks', 'asks'),
  ...around('wizard', { event: 'interaction_request', nth: 2 }, 'asks', 'goes on'),
  ...around('wizard', { event: 'interaction_request', payload: second }, 'asks', 'goes on'),
  ...around('wizard', { event: 'tool_result' }, 'asks', 'goes on'),
  ...around('wizard', { event: 'assistant_done' }, 'goes on', 'goes on'),
  ...around('wizard', { event: 'turn_end' }, 'goes on', 'goes on'),
  ...around('allow', { event: 'interaction_response' }, 'goes on', 'asks'),
  ...around('gated', { event: 'interaction_request' }, 'asks', 'goes on'),
  ...around('gated', { event: 'interaction_response' }, 'goes on', 'asks'),
  ...withCovered([
    ...around('consent', { event: 'interaction_response', payload: session }, 'goes on', 'asks'),
    at('consent', 'between claim and use', 'asks'),
    ...around('consent', { event: 'interaction_response', payload: covering }, 'either', 'asks'),
    ...around('consent', { record: 'grant:' }, 'asks', 'asks'),
    ...around('consent', { event: 'interaction_request', payload: { slot: 'fine' } }, 'asks', 'either'),
  ]),
  ...around('branches', { event: 'interaction_request', nth: 2 }, 'either', 'goes on'),
  ...around('branches', { event: 'interaction_response', nth: 2 }, 'either', 'asks'),
  ...around('deadline', { event: 'interaction_expired' }, 'goes on', 'asks'),
  at('deadline', 'in the timeout hook', 'asks'),
  ...around('deadline', { event: 'interaction_closed' }, 'asks', 'asks'),
  ...around('survey', { event: 'interaction_pending' }, 'asks', 'asks'),
  ...around('survey', { event: 'interaction_response', payload: { late: true } }, 'goes on', 'goes on'),
  ...around('later', { event: 'interaction_pending' }, 'asks', 'asks'),
  ...around('review', { event: 'interaction_response', payload: { late: true } }, 'goes on', 'goes on'),
  at('review', 'in the late hook', 'goes on'),
  ...around('review', { event: 'user_message', payload: { origin: 'interaction' } }, 'goes on', 'goes on'),
  at('retry', 'in a step, before its effect', 'goes on'),
  at('retry', 'in a step, after its effect', 'goes on'),
  at('fail', 'in a step, after its effect', 'fails'),
  ...around('lookup', { event: 'tool_call' }, 'goes on', 'goes on'),
];
