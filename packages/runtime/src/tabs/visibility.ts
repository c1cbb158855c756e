import {
  type Asked,
  type ChatEvent,
  callOf,
  type EventStore,
  type Head,
  type HiddenCall,
  hiddenCallOf,
  hideEvent,
  hideHead,
  hideRequesters,
  mayAnswer,
  type Principal,
  reduceHiddenCall,
  type Seq,
  type SessionId,
  type ToolCallId,
  type TurnId,
  watchersOf,
} from '@parleyhq/core';

/**
 * Marks of the events to parse: each event that hides a call, shows it to more people, or is the message of a late answer
 * contains one.
 */
const marks = ['"visibility":"audience"', '"origin":"interaction"', '"type":"interaction_escalated"'];

/**
 * Decides who sees the calls of one session, and what a principal gets of an event, as far as it is stored (TEAM1). Sessions
 * without hidden calls have no cost: nothing is parsed, and all tabs share their frames.
 */
export class Visibility {
  readonly #calls = new Map<ToolCallId, HiddenCall>();
  /** Turns that a late answer began, with the call that had asked: a call is hidden before its late answer comes. */
  readonly #lateTurns = new Map<TurnId, ToolCallId>();

  /** That of a session without hidden calls. */
  static readonly none = new Visibility();

  /** Finds the hidden calls of a log from the first event that hides one. */
  static async read(events: Pick<EventStore, 'read'>, sessionId: SessionId, since?: Seq): Promise<Visibility> {
    const visibility = new Visibility();
    if (since === undefined) return visibility;
    for await (const texts of events.read(sessionId, since - 1))
      for (const text of texts) if (marks.some((mark) => text.includes(mark))) visibility.add(JSON.parse(text));
    return visibility;
  }

  /** Whether no call is hidden. */
  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** Adds a stored event; to be called before anybody is notified of it. */
  add(event: ChatEvent): void {
    const toolCallId = hiddenCallOf(event);
    const call = toolCallId === undefined ? undefined : reduceHiddenCall(this.#calls.get(toolCallId), event);
    if (call && toolCallId !== undefined) this.#calls.set(toolCallId, call);
    this.#addLate(event);
  }

  #addLate(event: ChatEvent): void {
    const { type, turnId } = event;
    const call = callOf(event);
    const isHidden = call !== undefined && this.#calls.has(call);
    if (type === 'user_message' && turnId !== undefined && isHidden) this.#lateTurns.set(turnId, call);
  }

  /** Returns the audiences that see a call; undefined if it is not hidden. */
  watchersOf(call: ToolCallId | undefined): readonly Asked[] | undefined {
    const hidden = call === undefined ? undefined : this.#calls.get(call);
    return hidden && watchersOf(hidden);
  }

  hides(principal: Principal, call: ToolCallId | undefined): boolean {
    const watchers = this.isEmpty ? undefined : this.watchersOf(call);
    return watchers !== undefined && !watchers.some((asked) => mayAnswer(principal, asked));
  }

  /** Returns the form of an event for those who may not see it, and who they are; undefined if everybody may. */
  hiddenForm(event: ChatEvent): { readonly text: string; isFor(principal: Principal): boolean } | undefined {
    const call = this.isEmpty ? undefined : this.#callOf(event);
    if (!this.watchersOf(call)) return undefined;
    return { text: JSON.stringify(hideEvent(event)), isFor: (principal) => this.hides(principal, call) };
  }

  /** Converts stored events to what a principal may see. */
  show(principal: Principal, texts: readonly string[]): readonly string[] {
    if (this.isEmpty) return texts;
    return texts.map((text) => {
      const event: ChatEvent = JSON.parse(text);
      return this.hides(principal, this.#callOf(event)) ? JSON.stringify(hideEvent(event)) : text;
    });
  }

  /** Converts the head to what a principal may see. */
  showHead(principal: Principal, head: Head): Head {
    if (this.isEmpty) return head;
    const { turn, prompts, ...shown } = hideHead(head, (call) => this.hides(principal, call));
    const hide = <Begun extends { turnId?: TurnId | undefined; requesters?: readonly string[] }>(begun: Begun) =>
      this.hides(principal, this.#lateTurns.get(begun.turnId ?? '')) ? hideRequesters(begun) : begun;
    return { ...shown, turn: turn && hide(turn), prompts: prompts.map(hide) };
  }

  #callOf(event: ChatEvent): ToolCallId | undefined {
    const { type, turnId } = event;
    return type === 'turn_start' && turnId !== undefined ? this.#lateTurns.get(turnId) : callOf(event);
  }
}
