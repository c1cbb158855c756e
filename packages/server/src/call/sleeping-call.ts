import type { OpenCall, Seq, ToolCallId } from '@parleyhq/core';
import type { Change } from '../session/change.ts';
import { whatEnds } from '../session/unheard.ts';
import type { Journal } from './journal.ts';

/** What a call is entered again with. */
export interface Wake {
  /** What it did in earlier processes. */
  readonly journal: Journal;
  /** What ended its waits since it was found. */
  readonly heard: readonly Change[];
}

/** An open call of an earlier process without a runner: its prompts are answerable, and none of its code has run here (DUR10). */
export class SleepingCall {
  /** As it was found, and where its log ended then. */
  readonly call: OpenCall;
  readonly seq: Seq;
  /** Something needs its code. */
  isRoused = false;
  /** What it did before, kept where a cancel has to find the hooks that it left (INT11). */
  journal: Journal | undefined;
  /** Resolves when it may be entered, or with undefined where it is over. */
  readonly woken: Promise<Journal | undefined>;
  /** Resolves when it waits again, or is over. */
  readonly rested: Promise<void>;
  readonly #heard: Change[] = [];
  #wake: (journal: Journal | undefined) => void = () => undefined;
  #rest: () => void = () => undefined;
  #stopTimer: () => void = () => undefined;

  constructor(call: OpenCall, seq: Seq) {
    this.call = call;
    this.seq = seq;
    this.woken = new Promise((resolve) => {
      this.#wake = resolve;
    });
    this.rested = new Promise((resolve) => {
      this.#rest = resolve;
    });
  }

  get id(): ToolCallId {
    return this.call.toolCallId;
  }

  get heard(): readonly Change[] {
    return this.#heard;
  }

  /** Takes note of what ends a wait of it. @returns whether its code is needed now */
  hear(change: Change): boolean {
    const isOwn = change.events.some((event) => whatEnds(change.before, event)?.toolCallId === this.id);
    if (isOwn || change.posted?.toolCallId === this.id) this.#heard.push(change);
    return isOwn || this.#hasLateAnswer(change);
  }

  /** It wakes by itself. */
  set timer(stop: () => void) {
    this.#stopTimer();
    this.#stopTimer = stop;
  }

  wake(journal: Journal): void {
    this.#wake(journal);
  }

  rest(): void {
    this.#rest();
  }

  /** It is over, runs elsewhere, or has a runner. */
  end(): void {
    this.#stopTimer();
    this.#wake(undefined);
  }

  /** Its hook words the message (INT9). */
  #hasLateAnswer({ prompts, events }: Change): boolean {
    return prompts.settled.some(
      ({ request, state }) =>
        state === 'pending' &&
        request.toolCallId === this.id &&
        request.hasLateHook === true &&
        events.some(({ type }) => type === 'interaction_response'),
    );
  }
}
