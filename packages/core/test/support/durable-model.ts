import type { AnswerCommand, Instant, InteractionId, ToolCallId } from '../../src/index.ts';

/** Expected state of one prompt. */
export type Fate = 'open' | 'deciding' | 'pending' | 'answered' | 'closed' | 'replaced';

export const unsettled: readonly Fate[] = ['open', 'deciding', 'pending'];

export interface Known {
  readonly call: ToolCallId;
  readonly fate: Fate;
  readonly due?: Instant;
  /** Whether its handler decides what the deadline means. */
  readonly hasHook?: boolean | undefined;
  /** Id of the answer that won. */
  readonly winner?: string;
  readonly reason?: string | undefined;
  /** Whether the next prompt of its slot replaced it. */
  readonly isFollowed?: boolean;
  /** Whether it was answered after its tool continued. */
  readonly isLate?: boolean;
  /** Whether the message of its late answer has not been written yet. */
  readonly isUnsaid?: boolean;
}

interface Facts {
  readonly prompts: ReadonlyMap<InteractionId, Known>;
  readonly calls: ReadonlySet<ToolCallId>;
  readonly hasTurn: boolean;
  /** Number of messages that wait for the turn to end. */
  readonly queued: number;
}

/**
 * A model of the session's rules without a log: prompts have fates, a call holds its prompts, a commit makes the facts durable,
 * and a crash restores the durable ones.
 */
export class DurableModel {
  /** Answers that people sent, to be sent again. */
  readonly sent: AnswerCommand[] = [];
  /** Moves that had an effect, and replies that people got. */
  readonly played = new Set<string>();
  #facts: Facts = { prompts: new Map(), calls: new Set(), hasTurn: false, queued: 0 };
  #lasting = this.#facts;

  get facts(): Facts {
    return this.#facts;
  }

  commit(): void {
    this.#lasting = this.#facts;
  }

  fallBack(): void {
    this.#facts = this.#lasting;
  }

  list(...fates: readonly Fate[]): [InteractionId, Known][] {
    return [...this.#facts.prompts].filter(([, { fate }]) => fates.includes(fate));
  }

  findUnsaid(): InteractionId[] {
    return this.list('answered').flatMap(([id, { isUnsaid }]) => (isUnsaid ? [id] : []));
  }

  runs({ call }: Known): boolean {
    return this.#facts.calls.has(call);
  }

  setPrompt(id: InteractionId, known: Known): void {
    this.#change({ prompts: new Map(this.#facts.prompts).set(id, known) });
  }

  change(id: InteractionId, part: Partial<Known>): void {
    this.setPrompt(id, { ...(this.#facts.prompts.get(id) as Known), ...part });
  }

  startTurn(): void {
    this.#change({ hasTurn: true });
  }

  startCall(call: ToolCallId): void {
    this.#change({ hasTurn: true, calls: new Set([...this.#facts.calls, call]) });
  }

  /** Adds a message of Parley's own: it starts a turn, or waits for the running one to end. */
  say(): void {
    if (this.#facts.hasTurn) this.#change({ queued: this.#facts.queued + 1 });
    else this.startTurn();
  }

  /** Ends a call: its open prompts close, pending ones stay. */
  endCall(call: ToolCallId): void {
    for (const [id, known] of this.list('open', 'deciding'))
      if (known.call === call) this.change(id, { fate: 'closed' });
    this.#change({ calls: new Set([...this.#facts.calls].filter((other) => other !== call)) });
  }

  endTurn(): void {
    for (const call of this.#facts.calls) this.endCall(call);
    const { queued } = this.#facts;
    this.#change({ hasTurn: queued > 0, queued: Math.max(0, queued - 1) });
  }

  #change(part: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...part };
  }
}
