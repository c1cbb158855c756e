import type { Instant, InteractionId, SessionRecord } from '@parleyhq/core';
import type { Logger } from 'pino';
import { LateAnswers } from '../call/late-answers.ts';
import type { SessionPorts } from '../session/session-ports.ts';
import { SessionWriter } from '../session/session-writer.ts';
import { TurnRunner, type TurnServices } from '../turn/turn-runner.ts';

/** A session in memory, with its turns and the late answers that it waits for. */
export class SessionRuntime {
  readonly session: SessionWriter;
  readonly turns: TurnRunner;
  readonly late: LateAnswers;
  readonly #log: Logger;

  private constructor(session: SessionWriter, services: TurnServices) {
    const { asking, host } = services.calls;
    this.session = session;
    const { log, secrets, node } = host;
    this.#log = log;
    this.late = new LateAnswers(session, { hookMs: asking.durations.lateHookMs, clock: node.clock, log, secrets });
    this.turns = new TurnRunner(services, session, this.late);
  }

  static async load(ports: SessionPorts, services: TurnServices, record: SessionRecord): Promise<SessionRuntime> {
    return new SessionRuntime(await SessionWriter.load(ports, record), services);
  }

  /** Whether a stop would interrupt something. */
  get isBusy(): boolean {
    return this.turns.isBusy;
  }

  /** Whether nothing of it is under way. */
  get isIdle(): boolean {
    return this.session.head.turn === null && this.mayLeave;
  }

  /** Whether it can leave memory: its turn, if there is one, sleeps (DUR10). */
  get mayLeave(): boolean {
    const { session, late, turns } = this;
    return session.isUnused && late.isEmpty && (session.head.turn === null || turns.isAtRest);
  }

  /** Examines the calls that an earlier process left, without waiting for others (DUR10). */
  async examine(): Promise<void> {
    const looks: Promise<void>[] = [];
    this.turns.lieDown((_, look) => looks.push(look()));
    await Promise.all(looks);
  }

  /** Leaves memory, and caches the head so that its return need not fold the log. */
  async leave(): Promise<void> {
    this.turns.giveBack();
    await this.session.cacheHead();
  }

  /** Lets its waiting calls leave memory if it was quiet for this long (DUR10). */
  async hibernate(quietMs: number): Promise<void> {
    await this.turns.hibernate(quietMs).catch((error: unknown) => {
      this.#log.warn(
        { sessionId: this.session.id, error },
        'calls that wait could not leave memory: trying again later',
      );
    });
  }

  /** Expires a prompt whose deadline has passed (INT10). */
  async expire(interactionId: InteractionId, deadline: Instant): Promise<void> {
    await this.session.perform({ type: 'expire', interactionId, deadline });
  }

  /** Takes a step of a prompt's escalation that is due (TEAM5). */
  async escalate(interactionId: InteractionId, step: number): Promise<void> {
    await this.session.perform({ type: 'escalate', interactionId, step });
  }

  /** Resumes what an earlier process left unfinished. */
  recover(): void {
    this.late.recover();
    this.turns.recover();
  }
}
