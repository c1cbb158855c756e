import type { ChatEvent } from '@parleyhq/core';

/** Returns a whole number from 0 up to, but not including, `below`. */
export type Draw = (below: number) => number;

/** Makes numbers that look random and are the same for the same seed: a failure can be repeated. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Event = { type: string; payload: object };

const passers = ['tool', 'person', 'grant', 'policy', 'mode', 'reviewer', 'somebody of a later release'];
const actions = ['approve', 'deny', 'submit', 'cancel'];

/** Makes the log of a session with everything that statistics count, in any order that the keys of events allow (LESS1). */
export function makeLog(sessionId: string, length: number, draw: Draw): readonly ChatEvent[] {
  const session = new RandomSession(draw);
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  return Array.from({ length }, (_, index) => {
    now += draw(20) === 0 ? -1000 : draw(draw(10) === 0 ? 40_000_000 : 90_000); // clocks are set back, too, and some logs last for days
    const envelope = { seq: index + 1, id: `e${index + 1}`, sessionId, v: 1, timestamp: new Date(now).toISOString() };
    return { ...envelope, ...session.next() } as unknown as ChatEvent;
  });
}

class RandomSession {
  readonly #draw: Draw;
  readonly #calls: string[] = [];
  readonly #running: string[] = [];
  readonly #asked: { toolCallId: string; interactionId: string; steps: number }[] = [];
  readonly #open: { toolCallId: string; interactionId: string }[] = [];

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  next(): Event {
    const draw = this.#draw;
    switch (draw(8)) {
      case 0:
        return { type: 'session_changed', payload: { title: `title ${draw(9)}` } };
      case 1:
        return this.#begin();
      case 2:
        return this.#end() ?? this.#begin();
      case 3:
        return this.#escalate() ?? this.#ask();
      case 4:
      case 5:
        return this.#ask();
      default:
        return this.#settle() ?? this.#ask();
    }
  }

  #begin(): Event {
    const toolCallId = `c${this.#calls.length}`;
    this.#calls.push(toolCallId);
    this.#running.push(toolCallId);
    const authorised = { by: this.#pick(passers), ...this.#grant() };
    return { type: 'tool_call', payload: { ...this.#named(toolCallId), args: {}, authorised, ...this.#hiding() } };
  }

  #end(): Event | undefined {
    const toolCallId = this.#take(this.#running);
    if (toolCallId === undefined) return undefined;
    const outcome = this.#pick([{ result: 1 }, { error: { code: 'denied', message: 'no' } }, this.#grant()]);
    const authorised = this.#draw(4) === 0 && { authorised: { by: this.#pick(passers.slice(2, 6)) } };
    return { type: 'tool_result', payload: { ...this.#named(toolCallId), ...outcome, ...authorised } };
  }

  /** A prompt of a call that runs, or of one that is only asked about so far. */
  #ask(): Event {
    const draw = this.#draw;
    const toolCallId = this.#calls[draw(this.#calls.length + 1)] ?? `c${this.#calls.length + 1 + draw(3)}`;
    const interactionId = `${toolCallId}.${this.#asked.length}`;
    this.#asked.push({ toolCallId, interactionId, steps: 0 });
    this.#open.push({ toolCallId, interactionId });
    const payload = {
      ...this.#named(toolCallId),
      interactionId,
      interactionType: this.#pick(['approval', 'input', 'url']),
      slot: this.#pick(['$gate', 'a']),
      title: 'x'.repeat(draw(3) * 1000),
      ...(draw(3) === 0 && { rules: [{ id: 'r', label: `rule ${draw(2)}`, key: 'k', scopes: ['session'] }] }),
      ...(draw(4) === 0 && { reviewed: { name: 'r', verdict: 'pass', ...(draw(2) === 0 && { cause: 'fault' }) } }),
      ...this.#hiding(),
    };
    return { type: 'interaction_request', payload };
  }

  #settle(): Event | undefined {
    const ids = this.#take(this.#open);
    if (!ids) return undefined;
    const draw = this.#draw;
    if (draw(4) === 0)
      return { type: 'interaction_closed', payload: { ...ids, reason: this.#pick(['timeout', 'orphaned']) } };
    const person = `p${draw(3)}`;
    const payload = {
      ...ids,
      answerId: `a of ${ids.interactionId}`,
      action: this.#pick(actions),
      by: { principal: person, name: person.toUpperCase(), transport: 'ws' },
      ...(draw(5) === 0 && this.#grant()),
      ...(draw(5) === 0 && { ruleId: 'r' }),
      ...(draw(5) === 0 && { editedArgs: {} }),
    };
    return { type: 'interaction_response', payload };
  }

  #escalate(): Event | undefined {
    const asked = this.#asked[this.#draw(this.#asked.length)];
    if (!asked) return undefined;
    asked.steps += 1;
    const { toolCallId, interactionId, steps: step } = asked;
    const audience = { principals: [`p${this.#draw(3)}`] };
    return { type: 'interaction_escalated', payload: { toolCallId, interactionId, step, audience } };
  }

  #named(toolCallId: string) {
    return { toolCallId, toolName: `tool ${toolCallId.length % 2}` };
  }

  #grant() {
    return { grantId: `g${this.#draw(3)}`, ...(this.#draw(2) === 0 && { rule: 'any' }) };
  }

  #hiding() {
    return this.#draw(5) === 0 && { visibility: 'audience', audience: { principals: [`p${this.#draw(3)}`] } };
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#draw(from.length)] as T;
  }

  #take<T>(from: T[]): T | undefined {
    return from.splice(this.#draw(from.length), 1)[0];
  }
}
