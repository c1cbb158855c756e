import type {
  Actor,
  Answer,
  Instant,
  InteractionId,
  InteractionRequest,
  Json,
  Principal,
  ToolCall,
} from '@parleyhq/core';
import { findMismatch } from '@parleyhq/core/schemas';
import {
  authorise,
  type CallServices,
  newId,
  readCallback,
  Secrets,
  type SessionRuntime,
  settleCallback,
  storeComment,
} from '@parleyhq/runtime';
import { compose, type Surroundings } from './compose.ts';
import type { FakeClock } from './fake-clock.ts';
import type { CallStore } from './memory-log.ts';

export interface ProcessOptions extends Surroundings {
  readonly id: string;
  readonly clock: FakeClock;
  readonly newUuid: () => string;
}

/** A call that the person of a stage makes. */
export type PlayedCall = ToolCall & { readonly by: Actor };

/** The only session of a stage. */
export const sessionId = 'session';

const ignore = () => undefined;

/** The process of a server that runs the calls of a stage, until it crashes. */
export class Process {
  readonly secrets = new Secrets();
  readonly store: CallStore;
  readonly #clock: FakeClock;
  readonly #calls: CallServices;
  readonly #runtime: Promise<SessionRuntime>;
  #isAlive = true;

  constructor(options: ProcessOptions) {
    const { id, clock, log, newUuid } = options;
    this.#clock = clock;
    this.store = log.open(() => this.#isAlive);
    const own = {
      elapsed: () => clock.now,
      after: (ms: number, run: () => void) => (this.#isAlive ? clock.after(ms, run) : ignore),
    };
    const node = { id, clock: own, startedAt: clock.now, now: () => clock.now, uuid: newUuid };
    const { calls, runtime } = compose({ node, store: this.store, secrets: this.secrets }, options);
    this.#calls = calls;
    this.#runtime = runtime;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Ends the process like `kill -9`: nothing of it reaches the log any more, and its timers never run. */
  kill(): void {
    this.#isAlive = false;
    this.#calls.reEntries.stop();
    this.#clock.clear();
  }

  /** Begins a call like a program that makes it in an outside session (ASK1). */
  async begin(call: PlayedCall): Promise<void> {
    const { session } = await this.#runtime;
    await session.transact(async () => {
      const { said, grant } = await authorise(this.#calls, session, call);
      return { command: { type: 'call', call: { ...call, ...said } }, usedGrants: grant ? [grant] : [] };
    });
  }

  /** @throws RefusalError */
  async answer(request: InteractionRequest, answerId: string, answer: Answer, principal: Principal): Promise<void> {
    const { session, late, turns } = await this.#runtime;
    const { interactionId, toolCallId: callId, digest } = request;
    const by = actorOf(principal);
    await session.transact(() => {
      const isAsleep = request.hasLateHook === true && turns.isAsleep(callId);
      const hasLateHook = isAsleep || late.has(interactionId);
      const to = { callId, interactionId, answerId, digest };
      return { command: { type: 'answer', ...to, answer, by, principal, isEnabled: true, hasLateHook } };
    });
  }

  /** @throws RefusalError */
  async comment({ interactionId, toolCallId }: InteractionRequest, text: string, principal: Principal): Promise<void> {
    const { session } = await this.#runtime;
    const said = { toolCallId, interactionId, commentId: newId(), text, by: actorOf(principal) };
    await storeComment(session, said, {});
  }

  /** Lets the deadline of a prompt pass. */
  async expire(interactionId: InteractionId, deadline: Instant): Promise<void> {
    await (await this.#runtime).expire(interactionId, deadline);
  }

  /**
   * Calls back like an outside program.
   * @returns the reason why the value does not fit; undefined if it ended the wait
   * @throws RefusalError if the callback has ended
   */
  async post(toolCallId: string, key: string, value: Json): Promise<string | undefined> {
    const { session } = await this.#runtime;
    const place = { sessionId, toolCallId, key };
    const { opened } = await readCallback(session, place, { index: this.store.index, now: () => this.#clock.now });
    const misfit = await findMismatch(opened.schema, value);
    if (misfit === undefined) await settleCallback(session, place, value, this);
    return misfit;
  }

  /** Lets the calls leave memory, as after a quiet minute (DUR10). @returns whether they did */
  async sleep(): Promise<boolean> {
    const { turns } = await this.#runtime;
    return turns.hibernate(0);
  }

  /** Stops the turn like a person. */
  async stop(): Promise<void> {
    const { session } = await this.#runtime;
    await session.perform({ type: 'cancel', responseId: undefined, streamed: [] });
  }
}

export function actorOf({ id: principal, role, name, owner }: Principal): Actor {
  const device = { clientId: 'test', connectionId: 'test', transport: 'test' };
  return { ...device, principal, role, ...(name !== undefined && { name }), ...(owner !== undefined && { owner }) };
}
