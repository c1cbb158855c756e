import type { AnswerCommand, Instant, InteractionId, ToolCallId } from '../../src/index.ts';

/** What must be true of one prompt, in a word. */
export type Fate = 'open' | 'deciding' | 'pending' | 'answered' | 'closed' | 'replaced';

export const unsettled: readonly Fate[] = ['open', 'deciding', 'pending'];

export interface Known {
  readonly call: ToolCallId;
  readonly fate: Fate;
  readonly due?: Instant;
  /** Its handler decides what the deadline means. */
  readonly hasHook?: boolean | undefined;
  /** The answer that won. */
  readonly winner?: string;
  readonly reason?: string | undefined;
  /** The prompt that the next one of its slot took the place of. */
  readonly isFollowed?: boolean;
  /** Answered after its tool went on. */
  readonly isLate?: boolean;
  /** The message of a late answer is still to be written. */
  readonly isUnsaid?: boolean;
}

interface Facts {
  readonly prompts: ReadonlyMap<InteractionId, Known>;
  readonly calls: ReadonlySet<ToolCallId>;
  readonly hasTurn: boolean;
  /** Messages that wait for the turn's end. */
  readonly queued: number;
}

/**
 * The few sentences that a session must obey, told without a log: prompts have fates, a call holds its prompts, a
 * commit makes facts lasting and a crash brings the lasting ones back.
 */
export class DurableModel {
  /** What people sent, for those who send it again. */
  readonly sent: AnswerCommand[] = [];
  /** The moves that came to something, and the replies that people got. */
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

  /** A message of Parley's own: it starts a turn, or waits for the end of the one that runs. */
  say(): void {
    if (this.#facts.hasTurn) this.#change({ queued: this.#facts.queued + 1 });
    else this.startTurn();
  }

  /** A call that ends takes what it still asks with it; what its tool left behind stays. */
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
