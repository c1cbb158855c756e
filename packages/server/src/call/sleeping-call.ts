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
  /** A node that was thought dead has acted on some of that: it is not known what the call did (DUR4, OPS4). */
  readonly isActedOn?: boolean;
}

/** The waits of a call that a change ends, by name. */
export function endsOf({ before, events }: Change, id: ToolCallId): readonly string[] {
  return events.flatMap((event) => {
    const what = whatEnds(before, event);
    return what?.toolCallId === id ? [what.name] : [];
  });
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
  readonly woken: Promise<Omit<Wake, 'heard'> | undefined>;
  /** Resolves when it waits again, or is over. */
  readonly rested: Promise<void>;
  readonly #heard: Change[] = [];
  #wake: (wake: Omit<Wake, 'heard'> | undefined) => void = () => undefined;
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

  /** The waits of it that were ended since. */
  get ended(): readonly string[] {
    return this.#heard.flatMap((change) => endsOf(change, this.id));
  }

  /** Takes note of what ends a wait of it. @returns whether its code is needed now */
  hear(change: Change): boolean {
    const isOwn = endsOf(change, this.id).length > 0;
    if (isOwn || change.posted?.toolCallId === this.id) this.#heard.push(change);
    return isOwn || this.#hasLateAnswer(change);
  }

  /** It wakes by itself. */
  set timer(stop: () => void) {
    this.#stopTimer();
    this.#stopTimer = stop;
  }

  wake(wake: Omit<Wake, 'heard'>): void {
    this.#wake(wake);
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
