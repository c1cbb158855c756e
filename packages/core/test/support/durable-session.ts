import {
  type AnswerCommand,
  type AnswerId,
  type ChatEvent,
  type Decision,
  emptyHead,
  type Head,
  type InteractionId,
  reduceHead,
  type Seq,
  type WinnerDetails,
} from '../../src/index.ts';
import { codeOf, World } from './world.ts';

/** A tab: it folds the events that it receives, from its cursor. */
export class Follower {
  readonly log: ChatEvent[] = [];
  head: Head = emptyHead;
  isOnline = true;

  /** @throws Error on a gap or a repeat */
  receive(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.seq !== this.head.seq + 1) throw new Error(`${event.seq} came after ${this.head.seq}`);
      this.log.push(event);
      this.head = reduceHead(this.head, event);
    }
  }
}

interface Waiting {
  readonly command: AnswerCommand;
  readonly decision: Decision;
}

/**
 * A session as a server keeps it: decisions run ahead of the commit, people are notified only after it, and a crash loses what
 * was
 * not stored.
 */
export class DurableSession extends World {
  readonly followers = [new Follower(), new Follower()];
  /** Seq of each acknowledged answer. */
  readonly acknowledged = new Map<AnswerId, Seq>();
  /** Winning answers as reported to those that lost. */
  readonly reportedWinners = new Map<InteractionId, Set<AnswerId>>();
  #storedSeq: Seq = 0;
  /** The cached head, which may lag behind the log. */
  #cachedHead = JSON.stringify(emptyHead);
  #waiting: Waiting[] = [];

  get stored(): readonly ChatEvent[] {
    return this.log.slice(0, this.#storedSeq);
  }

  /** Decides; the reply, an acceptance or a refusal, waits for the commit. */
  submit(command: AnswerCommand): Decision {
    const seq = this.head.seq + 1;
    const decision = this.do(command);
    const reply: Decision = decision.kind === 'accepted' ? { kind: 'repeated', seq } : decision;
    this.#waiting.push({ command, decision: reply });
    return decision;
  }

  /** Stores what was decided; people are notified only after that. */
  commit(isHeadCached: boolean): void {
    this.#storedSeq = this.log.length;
    for (const { command, decision } of this.#waiting) this.#reply(command, decision);
    this.#waiting = [];
    for (const follower of this.followers) if (follower.isOnline) this.#catchUp(follower);
    if (isHeadCached) this.#cachedHead = JSON.stringify(this.head);
  }

  /** Drops what was not stored, and folds the stored events from the cached head. */
  fallBack(): void {
    this.log.length = this.#storedSeq;
    const cached: Head = JSON.parse(this.#cachedHead);
    this.head = this.log.slice(cached.seq).reduce(reduceHead, cached);
    this.#waiting = [];
  }

  /** Simulates kill -9 and a restart: all connections break, and another process resumes the turn. */
  crash(): void {
    this.fallBack();
    for (const follower of this.followers) follower.isOnline = false;
    this.accept({ type: 'resume', owner: this.name('process'), isRewritten: false });
  }

  connect(follower: Follower): void {
    follower.isOnline = true;
    this.#catchUp(follower);
  }

  #catchUp(follower: Follower): void {
    follower.receive(this.stored.slice(follower.head.seq));
  }

  #reply({ answerId, interactionId }: AnswerCommand, decision: Decision): void {
    if (decision.kind === 'repeated') {
      const known = this.acknowledged.get(answerId) ?? decision.seq;
      if (known !== decision.seq) throw new Error(`${answerId} was ${known} and is ${decision.seq}`);
      this.acknowledged.set(answerId, decision.seq);
    } else if (codeOf(decision) === 'already_answered' && decision.kind === 'refused') {
      const { event } = decision.refusal.details as WinnerDetails;
      const reported = this.reportedWinners.get(interactionId) ?? new Set();
      this.reportedWinners.set(interactionId, reported.add(event.payload.answerId));
    }
  }
}
